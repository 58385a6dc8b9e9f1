"""Questions to the tables as SQL: a scope as conditions, words as the expression that FTS5 looks up, and what sleep has
said of thoughts and what waits for it (sqlite/schema.SLEEP)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture.ids import digest
from holdfast.field.sqlite import vectors as packed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.field.store import Scope, Vector

AT_ONCE = 500  # values in one query


def places(values: Sequence[Any]) -> str:
    """A place in a query for each value."""
    return ", ".join("?" * len(values))


def pieces(values: Iterable[Any]) -> Iterator[list[Any]]:
    """As many as one query takes, each time."""
    listed = list(dict.fromkeys(values))
    for begin in range(0, len(listed), AT_ONCE):
        yield listed[begin : begin + AT_ONCE]


def word(project: str) -> str:
    """A word for a project, in the index of words: it is looked up with the others, before anything is ranked."""
    return f"p{digest(project, 16)}"


def match(terms: Sequence[str], scope: Scope) -> str:
    """The expression that FTS5 looks up. Each term is a phrase: a sign in it is none of the expression's."""
    said = " OR ".join(_quoted(term) for term in terms)
    where = " OR ".join(_quoted(word(one)) for one in scope.projects)
    return f"{{title text context extra}} : ({said})" + (f" AND scope : ({where})" if where else "")


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def conditions(scope: Scope, *, projects: bool = True) -> tuple[str, list[Any]]:
    """As SQL over `t`, to follow other conditions, and its values."""
    said: list[str] = []
    values: list[Any] = []

    def among(column: str, wanted: Sequence[str]) -> str:
        values.extend(wanted)
        return f"{column} IN ({places(wanted)})"

    if projects and scope.projects:
        said.append(among("t.project", scope.projects))
    if scope.space:
        said.append(among("t.space", (scope.space,)))
    if scope.kinds:
        said.append(f"({among('t.kind', scope.kinds)} OR {among('t.category', scope.kinds)})")
    if scope.trust:
        said.append(among("t.origin", scope.trust))
    if scope.agent:
        said.append("(t.agent = ? OR substr(t.agent, 1, ?) = ?)")  # a host is all its sessions
        values.extend((scope.agent, len(scope.agent) + 1, f"{scope.agent}/"))
    for sign, when in ((">=", scope.since), ("<=", scope.until)):
        if when:
            said.append(f"t.created {sign} ?")
            values.append(when)
    return "".join(f" AND {one}" for one in said), values


def marks(db: sqlite3.Connection, kind: str, ids: Iterable[str]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for some in pieces(ids):
        query = (
            f"SELECT id, other, sum(count) FROM standing WHERE kind = ? AND id IN ({places(some)}) "
            "GROUP BY id, other ORDER BY id, other"
        )
        for one, other, count in db.execute(query, (kind, *some)):
            found.setdefault(one, {})[other] = count
    return found


def archived(db: sqlite3.Connection, ids: Iterable[str]) -> set[str]:
    found = (db.execute(f"SELECT id FROM archived WHERE id IN ({places(some)})", some) for some in pieces(ids))
    return {str(row[0]) for rows in found for row in rows}


def put_away(db: sqlite3.Connection) -> None:
    """The archive by its marks: those that nobody has fetched back since. Within a transaction."""
    db.execute("DELETE FROM archived")
    db.execute(
        "INSERT INTO archived SELECT DISTINCT a.id FROM standing a WHERE a.kind = 'archived' AND NOT EXISTS "
        "(SELECT 1 FROM standing r WHERE r.kind = 'restored' AND r.id = a.id AND r.count >= a.count)"
    )


def fresh(db: sqlite3.Connection, until: float, most: int) -> list[tuple[str, float]]:
    rows = db.execute("SELECT id, at FROM fresh WHERE at <= ? ORDER BY at, id LIMIT ?", (until, most))
    return [(str(ident), float(at)) for ident, at in rows]


def unslept(db: sqlite3.Connection) -> tuple[int, float]:
    count, oldest = db.execute("SELECT count(*), min(at) FROM fresh").fetchone()
    return int(count), float(oldest or 0.0)


def made_of(db: sqlite3.Connection, ids: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for some in pieces(ids):
        query = f"SELECT source, by FROM cited WHERE source IN ({places(some)}) ORDER BY source, by"
        for source, by in db.execute(query, some):
            found.setdefault(source, []).append(by)
    return found


def idle(db: sqlite3.Connection, since: float, until: float) -> list[str]:
    rows = db.execute(
        "SELECT id FROM thought t WHERE created > ?1 AND created <= ?2 "
        "AND NOT EXISTS (SELECT 1 FROM traffic r WHERE r.id = t.id) "
        "UNION SELECT r.id FROM traffic r JOIN thought t ON t.id = r.id "
        "WHERE r.last > ?1 AND r.last <= ?2 ORDER BY 1",
        (since, until),
    )
    return [str(row[0]) for row in rows]


def vectors(db: sqlite3.Connection, model: str, ids: Iterable[str]) -> dict[str, Vector]:
    """The rows as they are packed, so that sums of their products are exact."""
    import numpy

    parts: dict[str, list[Any]] = {}
    for some in pieces(ids):
        query = f"SELECT id, v FROM vector WHERE model = ? AND id IN ({places(some)}) ORDER BY id, n"
        for ident, blob in db.execute(query, (model, *some)):
            parts.setdefault(ident, []).append(numpy.frombuffer(blob, dtype=numpy.int8, offset=4))
    return {ident: packed.mean(rows) for ident, rows in parts.items()}

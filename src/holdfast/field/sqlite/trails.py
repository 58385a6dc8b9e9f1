"""What is known of use, as rows. What an event does to it is field/traffic; here it is kept and looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture import codec
from holdfast.field import traffic
from holdfast.field.sqlite import scoping
from holdfast.field.store import Asked, Hit, Scope
from holdfast.field.thought import Traffic
from holdfast.field.traffic import GOT

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.field.traffic import Event

MOST_ASKED = 20_000  # queries that are kept at hand; the traffic log has them all


def load(db: sqlite3.Connection, ids: Iterable[str], *, whole: bool = True) -> dict[str, Traffic]:
    """With `whole` also who read it, when, and beside what: a ranking does without."""
    found: dict[str, Traffic] = {}
    more = ", rest" if whole else ""
    for some in scoping.pieces(ids):
        marks = ", ".join("?" * len(some))
        rows = db.execute(f"SELECT id, count, last, weight{more} FROM traffic WHERE id IN ({marks})", some)
        found.update({row[0]: _traffic(*row[1:]) for row in rows})
    return found


def _traffic(count: int, last: float, weight: float, rest: str = "") -> Traffic:
    if not rest:
        return Traffic(count, last, weight)
    agents, log, together = codec.decode(rest)
    return Traffic(count, last, weight, tuple(agents), tuple((when, who) for when, who in log), together)


def travel(db: sqlite3.Connection, events: Sequence[Event]) -> None:
    """Take in events, in their order."""
    known = load(db, (one for event in events for one in event.ids))
    changed: dict[str, Traffic] = {}
    for event in events:
        for one in event.ids:
            before = changed.get(one) or known.get(one) or traffic.beginning(event, one)
            changed[one] = traffic.after(before, event, one)
    save(db, changed)
    log(db, events)


def save(db: sqlite3.Connection, changed: Mapping[str, Traffic]) -> None:
    rows = [
        (one, known.access_count, len(known.agents), known.last_accessed, known.weight, _rest(known))
        for one, known in changed.items()
    ]
    db.executemany("INSERT OR REPLACE INTO traffic VALUES (?, ?, ?, ?, ?, ?)", rows)


def _rest(known: Traffic) -> str:
    # A dict keeps the order in which others were first met: the oldest of equals goes first.
    return codec.encode([known.agents, known.log, known.together]).decode("utf-8")


def log(db: sqlite3.Connection, events: Sequence[Event]) -> None:
    """The query log: the newest ones."""
    rows = [(one.time, one.agent, one.project, one.query, " ".join(one.ids)) for one in events if one.kind == GOT]
    db.executemany("INSERT INTO asked (time, agent, project, query, ids) VALUES (?, ?, ?, ?, ?)", rows)
    if rows:
        db.execute("DELETE FROM asked WHERE n <= (SELECT max(n) FROM asked) - ?", (MOST_ASKED,))


def asked(db: sqlite3.Connection, since: float, most: int) -> list[Asked]:
    rows: list[Any] = db.execute(
        "SELECT time, agent, project, query, ids FROM asked WHERE time >= ? ORDER BY n DESC LIMIT ?", (since, most)
    ).fetchall()
    found = ((when, agent, project, query, tuple(ids.split())) for when, agent, project, query, ids in reversed(rows))
    return [Asked(*row) for row in found]


def busiest(db: sqlite3.Connection, accesses: int, agents: int, scope: Scope, most: int) -> list[Hit]:
    where, values = scoping.conditions(scope)
    rows = db.execute(
        "SELECT t.id, r.count * r.agents FROM traffic r JOIN thought t ON t.id = r.id "
        f"WHERE r.count >= 3 AND r.count >= ? AND r.agents >= ?{where} ORDER BY 2 DESC, 1 LIMIT ?",
        (accesses, agents, *values, most),
    )
    return [Hit(str(ident), float(score)) for ident, score in rows]

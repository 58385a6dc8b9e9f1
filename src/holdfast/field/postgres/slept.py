"""What sleep has said of a team's thoughts, and what waits for it, as questions to the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.field.postgres import search
from holdfast.field.sqlite.vectors import mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.field.postgres.search import Run
    from holdfast.field.store import Vector


def marks(run: Run, kind: str, ids: Iterable[str]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    query = (
        "SELECT id, other, sum(count ORDER BY step) FROM holdfast.standing WHERE kind = %s AND id = ANY(%s) "
        "GROUP BY id, other ORDER BY id, other"
    )
    for one, other, count in run(query, (kind, list(dict.fromkeys(ids)))):
        found.setdefault(one, {})[other] = count
    return found


def archived(run: Run, ids: Iterable[str]) -> set[str]:
    return {row[0] for row in run("SELECT id FROM holdfast.archived WHERE id = ANY(%s)", (list(dict.fromkeys(ids)),))}


def fresh(run: Run, until: float, most: int) -> list[tuple[str, float]]:
    found = run("SELECT id, at FROM holdfast.fresh WHERE at <= %s ORDER BY at, id LIMIT %s", (until, most))
    return [(str(ident), float(at)) for ident, at in found]


def unslept(run: Run) -> tuple[int, float]:
    count, oldest = run("SELECT count(*), min(at) FROM holdfast.fresh", ())[0]
    return int(count), float(oldest or 0.0)


def rested(db: Any, until: Mapping[str, float]) -> None:
    """Within a transaction."""
    db.execute(
        "DELETE FROM holdfast.fresh f USING unnest(%s::text[], %s::float8[]) AS g (id, at) "
        "WHERE f.id = g.id AND f.at <= g.at",
        (list(until), list(until.values())),
    )


def made_of(run: Run, ids: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    query = "SELECT source, by FROM holdfast.cited WHERE source = ANY(%s) ORDER BY source, by"
    for source, by in run(query, (list(dict.fromkeys(ids)),)):
        found.setdefault(source, []).append(by)
    return found


def idle(run: Run, since: float, until: float) -> list[str]:
    found = run(
        "SELECT t.id FROM holdfast.thought t WHERE t.created > %s AND t.created <= %s AND NOT EXISTS "
        "(SELECT 1 FROM holdfast.traffic r WHERE r.id = t.id) UNION SELECT r.id FROM holdfast.traffic r "
        "JOIN holdfast.thought t ON t.id = r.id WHERE r.last > %s AND r.last <= %s ORDER BY 1",
        (since, until, since, until),
    )
    return [str(row[0]) for row in found]


def vectors(run: Run, model: str, ids: Iterable[str]) -> dict[str, Vector]:
    parts: dict[str, list[Any]] = {}
    query = "SELECT id, meant FROM holdfast.vector WHERE model = %s AND id = ANY(%s) ORDER BY id, part"
    for ident, sent in run(query, (model, list(dict.fromkeys(ids)))):
        parts.setdefault(ident, []).append(search.whole([sent])[0])
    return {ident: mean(each) for ident, each in parts.items()}

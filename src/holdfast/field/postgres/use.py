"""What use has left, of all machines together: the same whatever came first.

An event is kept whole. The traffic of a thought is the fold of its events in the order of their times, made never to go
back on one machine, then of machines and numbers. An event that is newer than all before it is added to what is known;
for one that comes late, from a machine that was away, the thoughts it touches are folded anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture import codec
from holdfast.field import traffic
from holdfast.field.store import Asked
from holdfast.field.thought import Traffic
from holdfast.field.traffic import GOT, Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KEY = ("at", "machine", "number")
FOLDED = (
    "SELECT t.id, e.time, e.kind, e.ids, e.agent, e.new, e.at, e.machine, e.number FROM holdfast.touch t "
    "JOIN holdfast.event e ON e.team = t.team AND e.machine = t.machine AND e.number = t.number "
    "WHERE t.id = ANY(%s) ORDER BY t.id, t.at, t.machine, t.number"
)
KNOWN = "SELECT id, count, last, weight, rest, at, machine, number FROM holdfast.traffic WHERE id = ANY(%s)"


def put(db: Any, machine: str, events: Sequence[Event], number: int, clock: float) -> tuple[int, float]:
    """Take in events of a machine after its last number and time; the last now. Within a transaction."""
    from psycopg.types.json import Jsonb

    rows, touched = [], []
    for event in events:
        number, clock = number + 1, max(clock, event.time)
        new = Jsonb({one: list(began) for one, began in event.new.items()}) if event.new else None
        named = (event.agent, event.session, event.project, event.query, list(event.ids), new)
        rows.append((machine, number, clock, event.time, event.kind, *named))
        touched += [(one, clock, machine, number) for one in dict.fromkeys(event.ids)]
    with db.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO holdfast.event "
            "(team, machine, number, at, time, kind, agent, session, project, query, ids, new) VALUES ("
            "(SELECT holdfast.here()), %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            rows,
        )
        cursor.executemany(
            "INSERT INTO holdfast.touch VALUES ((SELECT holdfast.here()), %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            touched,
        )
    _fold(db, events, rows, sorted({one for one, *_ in touched}))
    return number, clock


def _fold(db: Any, events: Sequence[Event], rows: list[Any], ids: list[str]) -> None:
    # Rows are made and locked in the order of their ids, so that two who fold the same do not wait for each other.
    if not ids:
        return
    db.execute(
        "INSERT INTO holdfast.traffic (team, id) SELECT (SELECT holdfast.here()), one FROM unnest(%s::text[]) one "
        "ORDER BY one ON CONFLICT DO NOTHING",
        (ids,),
    )
    known = {
        row[0]: (_traffic(*row[1:5]) if row[5] is not None else None, row[5:8])
        for row in db.execute(f"{KNOWN} ORDER BY id FOR UPDATE", (ids,))
    }
    changed: dict[str, tuple[Traffic, tuple[Any, ...]]] = {}
    late: set[str] = set()
    for event, row in zip(events, rows, strict=True):
        key = (row[2], row[0], row[1])
        for one in event.ids:
            before, last = changed.get(one) or known[one]
            if before is not None and key < last:
                late.add(one)
            else:
                changed[one] = (traffic.after(before or traffic.beginning(event, one), event, one), key)
    changed.update(_folded(db, sorted(late)))
    with db.cursor() as cursor:
        cursor.executemany(
            "UPDATE holdfast.traffic SET count = %s, agents = %s, last = %s, weight = %s, rest = %s, at = %s, "
            "machine = %s, number = %s WHERE id = %s",
            [
                (now.access_count, len(now.agents), now.last_accessed, now.weight, _rest(now), *key, one)
                for one, (now, key) in sorted(changed.items())
            ],
        )


def _folded(db: Any, ids: list[str]) -> dict[str, tuple[Traffic, tuple[Any, ...]]]:
    """The traffic of these from all their events, and the last of those."""
    found: dict[str, tuple[Traffic, tuple[Any, ...]]] = {}
    began: dict[str, tuple[float, float]] = {}
    rows = db.execute(FOLDED, (ids,)).fetchall() if ids else []
    for ident, *_, new, _at, _machine, _number in rows:
        if new and ident in new:
            began.setdefault(ident, tuple(new[ident]))
    for ident, time, kind, listed, agent, _new, *key in rows:
        event = Event(time, kind, tuple(listed), agent, new={ident: began[ident]} if ident in began else {})
        before = found[ident][0] if ident in found else traffic.beginning(event, ident)
        found[ident] = (traffic.after(before, event, ident), tuple(key))
    return found


def forget(db: Any, machine: str) -> None:
    """What a machine brought goes, and is taken out of every thought it touched. Within a transaction."""
    ids = [row[0] for row in db.execute("SELECT DISTINCT id FROM holdfast.touch WHERE machine = %s", (machine,))]
    db.execute("DELETE FROM holdfast.touch WHERE machine = %s", (machine,))
    db.execute("DELETE FROM holdfast.event WHERE machine = %s", (machine,))
    db.execute("DELETE FROM holdfast.traffic WHERE id = ANY(%s)", (sorted(ids),))
    left = _folded(db, sorted(ids))
    with db.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO holdfast.traffic (team, id, count, agents, last, weight, rest, at, machine, number) VALUES "
            "((SELECT holdfast.here()), %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                (one, now.access_count, len(now.agents), now.last_accessed, now.weight, _rest(now), *key)
                for one, (now, key) in sorted(left.items())
            ],
        )


def known(run: Any, ids: Iterable[str], *, whole: bool) -> dict[str, Traffic]:
    rest = ", rest" if whole else ""
    query = f"SELECT id, count, last, weight{rest} FROM holdfast.traffic WHERE id = ANY(%s) AND at IS NOT NULL"
    return {row[0]: _traffic(*row[1:]) for row in run(query, (list(dict.fromkeys(ids)),))}


def asked(run: Any, since: float, most: int) -> list[Asked]:
    rows = run(
        f"SELECT time, agent, project, query, ids FROM holdfast.event WHERE kind = '{GOT}' AND time >= %s "
        "ORDER BY at DESC, machine DESC, number DESC LIMIT %s",
        (since, most),
    )
    return [Asked(when, who, project, said, tuple(ids)) for when, who, project, said, ids in reversed(rows)]


def _traffic(count: int, last: float, weight: float, rest: str = "") -> Traffic:
    if not rest:
        return Traffic(count, last, weight)
    agents, log, together = codec.decode(rest.encode())
    return Traffic(count, last, weight, tuple(agents), tuple((when, who) for when, who in log), together)


def _rest(known: Traffic) -> str:
    return codec.encode([known.agents, known.log, known.together]).decode("utf-8")

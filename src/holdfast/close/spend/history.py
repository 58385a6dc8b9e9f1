"""Reading what was spent, and keeping it: the newest days whole, the older ones as one record of sums each.

A day is folded into `days.log` before its own log goes, and the same log counts once however often it was folded, so a
kill between the two costs nothing. Which days are old goes by their order, not by the clock: one that went astray and
came back must find the day's sums where they were.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import codec, log, platform
from holdfast.close.spend import spending
from holdfast.close.spend.spending import DAY, Day, Group, Sums, day_of, folder_of
from holdfast.errors import UsageError
from holdfast.model import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEPT = 7  # days that are kept whole
FARTHEST = 1 << 22  # bytes of days.log that are read: more than ten years
WAYS = ("day", "host", "job", "model", "judge")


@dataclass(frozen=True)
class Row:
    """One line of the meter. `billed`: how these calls were charged, each way once."""

    name: str
    sums: Sums
    billed: tuple[str, ...] = ()


def fold(state: str, today: str) -> list[str]:
    """Days past their time become one record each; returns them. Under the lock. Raises NotSaved, OSError."""
    folder, done = folder_of(state), []
    yesterday = day_of(_began(today) - DAY)
    for day in spending.days(state)[:-KEPT]:
        if day < yesterday:
            _fold(state, spending.load(state, day))
            done.append(day)
    left = {f"{day}.json" for day in spending.days(state)}
    for name in platform.names(folder):
        if name.endswith(".tmp") or (name.endswith(".json") and name not in left):
            platform.remove(f"{folder}/{name}")  # of a writer that was killed
    return done


def _fold(state: str, found: Day) -> None:
    path = f"{folder_of(state)}/{found.day}"
    record = {"v": VERSION, **spending.as_record(found)}
    log.append(f"{folder_of(state)}/days.log", [codec.encode(record)], durable=True)
    for one in log.scan_file(f"{path}.log") if found.broken else ():
        if one.what == log.DAMAGE:
            log.set_aside(f"{folder_of(state)}/broken", f"{found.day}.log", one)
    platform.remove(f"{path}.log")
    platform.remove(f"{path}.json")


def folded(state: str) -> list[Day]:
    """The days that are no longer kept whole. A log that a kill made us fold again is the same one."""
    found: dict[tuple[str, str], Day] = {}
    try:
        for payload in log.records(log.scan_tail(f"{folder_of(state)}/days.log", FARTHEST)):
            try:
                one = spending.from_record(codec.decode(payload))
                found[one.day, one.ident] = one
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # of a newer version, or purged
    except FileNotFoundError:
        pass
    return list(found.values())


def read(state: str, count: int, now: float) -> list[Day]:
    """The last `count` days up to today, those on which something was asked, oldest first."""
    first, last = day_of(now - (count - 1) * DAY), day_of(now)
    kept = {day: spending.load(state, day) for day in spending.days(state) if first <= day <= last}
    kept = {day: found for day, found in kept.items() if found.ident}  # one that was folded meanwhile is below
    for one in folded(state):
        known = kept.get(one.day)
        if not first <= one.day <= last or (known and known.ident == one.ident):
            continue
        kept[one.day] = one if known is None else replace(known, groups=_merged(known.groups, one.groups))
    return [kept[day] for day in sorted(kept)]


def _merged(one: Mapping[Group, Sums], other: Mapping[Group, Sums]) -> dict[Group, Sums]:
    return {group: one.get(group, Sums()).plus(other.get(group, Sums())) for group in {**one, **other}}


def rows(days: Sequence[Day], by: str, today: str) -> list[Row]:
    """The meter by day, host, job, model or judge: days in their order and without gaps, the rest by their tokens."""
    if by not in WAYS:
        raise UsageError(f'"{by}" is no way to sort the meter; nothing was changed. Use one of: {", ".join(WAYS)}.')
    parts: dict[str, list[tuple[Group, Sums]]] = {}
    if by == "day":
        parts = {day: [] for day in _every_day(days[0].day, today)} if days else {}
    for day in days:
        for group, sums in day.groups.items():
            name = day.day if by == "day" else str(getattr(group, by))
            parts.setdefault(name, []).append((group, sums))
    made = [
        Row(name, spending.total(sums for _, sums in part), tuple(sorted({group.billed for group, _ in part})))
        for name, part in parts.items()
    ]
    return made if by == "day" else sorted(made, key=lambda row: (-row.sums.tokens, row.name))


def _every_day(first: str, last: str) -> list[str]:
    count = round((_began(last) - _began(first)) / DAY)
    return [day_of(_began(first) + nth * DAY) for nth in range(count + 1)]


def _began(day: str) -> float:
    return datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.UTC).timestamp()

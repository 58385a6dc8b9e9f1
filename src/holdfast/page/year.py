"""A year of days for a calendar: a column for each week, a row for each day of it, and how much each day held."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.health.ledger_days import Day
from holdfast.text.layout import many

if TYPE_CHECKING:
    from collections.abc import Mapping

WEEKS = 53
STEPS = (0, 1, 25, 100, 400)  # records at which a day is drawn a step stronger
NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class Cell:
    """`level` is from 0, nothing, to 4; `words` say the day for whoever does not see it."""

    day: str
    level: int
    words: str
    is_today: bool = False
    is_chosen: bool = False


@dataclass(frozen=True)
class Year:
    """`rows` are weekdays with a cell for each week, None for days yet to come; `months` are names over how many weeks
    each."""

    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    months: tuple[tuple[str, int], ...]
    days: int
    sessions: int
    kept: int


def of(found: Mapping[str, Day], now: float, chosen: str = "") -> Year:
    today = datetime.datetime.fromtimestamp(now, datetime.UTC).date()
    first = today - datetime.timedelta(days=today.weekday() + 7 * (WEEKS - 1))
    mondays = [first + datetime.timedelta(weeks=week) for week in range(WEEKS)]
    rows = []
    for weekday, name in enumerate(NAMES):
        days = [monday + datetime.timedelta(days=weekday) for monday in mondays]
        cells = (_cell(found, one, today, chosen) if one <= today else None for one in days)
        rows.append((name, tuple(cells)))
    shown = [one for day, one in found.items() if day >= first.isoformat()]
    busy = sum(one.records > 0 for one in shown)
    return Year(tuple(rows), _months(mondays), busy, sum(one.sessions for one in shown), sum(one.kept for one in shown))


def _cell(found: Mapping[str, Day], day: datetime.date, today: datetime.date, chosen: str) -> Cell:
    said = day.isoformat()
    one = found.get(said, Day(said))
    level = sum(one.records >= step for step in STEPS[1:]) if one.records else 0
    what = (
        f"{many(one.sessions, 'session')}, {one.kept:,} kept, {many(one.records, 'record')}"
        if one.records
        else "nothing"
    )
    more = ", of all projects" if one.is_folded and one.records else ""
    return Cell(said, level, f"{day.day} {day:%B %Y}: {what}{more}", day == today, said == chosen)


def _months(mondays: list[datetime.date]) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    for one in mondays:
        name = f"{one:%b}"
        found = [*found[:-1], (name, found[-1][1] + 1)] if found and found[-1][0] == name else [*found, (name, 1)]
    return tuple((name if weeks > 2 else "", weeks) for name, weeks in found)

"""The report of `holdfast spend`: the meter sorted one way, the caps, their rest today, and what is unclear."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import config as settings
from holdfast.close import meter, prices
from holdfast.close.meter import DAY, Day, Group, Standing, Sums, amount, began, day_of
from holdfast.errors import UsageError
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WAYS = ("day", "host", "job", "model", "judge")
STOPS = {
    "tokens": "the cap on tokens",
    "money": "the cap on money",
    "price": "money is capped and a price is not known",
    "unclear": "a cap cannot be understood",
}


@dataclass(frozen=True)
class Row:
    """One line of the meter. `billed`: how these calls were charged, each way once."""

    name: str
    sums: Sums
    billed: tuple[str, ...] = ()


def read(state: str, count: int, now: float) -> list[Day]:
    """The last `count` days up to today, those on which something was asked, oldest first."""
    first, last = day_of(now - (count - 1) * DAY), day_of(now)
    kept = {day: meter.load(state, day) for day in meter.days(state) if first <= day <= last}
    kept = {day: found for day, found in kept.items() if found.ident}  # one that was folded meanwhile is below
    for one in meter.folded(state):
        known = kept.get(one.day)
        if not first <= one.day <= last or (known and known.ident == one.ident):
            continue
        groups = dict(one.groups)
        for group, sums in known.groups.items() if known else ():
            groups[group] = sums.plus(groups.get(group, Sums()))
        kept[one.day] = replace(known or one, groups=groups)
    return [kept[day] for day in sorted(kept)]


def rows_by(days: Sequence[Day], by: str, today: str) -> list[Row]:
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
        Row(name, meter.total(sums for _, sums in part), tuple(sorted({group.billed for group, _ in part})))
        for name, part in parts.items()
    ]
    return made if by == "day" else sorted(made, key=lambda row: (-row.sums.tokens, row.name))


def _every_day(first: str, last: str) -> list[str]:
    count = round((began(last) - began(first)) / DAY)
    return [day_of(began(first) + nth * DAY) for nth in range(count + 1)]


@dataclass(frozen=True)
class Report:
    """The last `days` days by `by`; `problems` are sentences about what could not be understood."""

    by: str
    days: int
    rows: tuple[Row, ...]
    total: Row
    standing: Standing
    currency: str
    problems: tuple[str, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """Field names that others build on. Money is in whole units of the currency."""
        today, caps = self.standing.today, self.standing.caps
        return {
            "by": self.by,
            "days": self.days,
            "currency": self.currency,
            "rows": [_record(row) for row in self.rows],
            "total": _record(self.total),
            "caps": {"tokens": caps.tokens, "money": _money(caps.money)},
            "today": {
                "day": today.day,
                "tokens": today.total.tokens,
                "money": _money(today.total.money),
                "tokens_left": self.standing.tokens_left,
                "money_left": _money(self.standing.money_left),
                "stopped": dict(today.stopped),
            },
            "problems": list(self.problems),
        }

    def lines(self) -> list[str]:
        """The caps, today's rest of them, and whatever a reader should know about the figures."""
        today, caps = self.standing.today, self.standing.caps
        spent = today.total
        of_cap = " tokens (no cap)" if caps.tokens is None else f" of {caps.tokens:,} tokens"
        left = self.standing.tokens_left
        said = [f"Today, {today.day} (UTC): {spent.tokens:,}{of_cap}{'' if left is None else f', {left:,} left'}"]
        if caps.money is None:
            said[0] += f"; {amount(spent.money)} {self.currency} (no cap)" if spent.money else ""
        else:
            rest = amount(self.standing.money_left or 0)
            said[0] += f"; {amount(spent.money)} of {amount(caps.money)} {self.currency}, {rest} left"
        said[0] += "."
        for cap, when in sorted(today.stopped.items(), key=lambda one: one[1]):
            at = f"{time.strftime('%H:%M', time.gmtime(when))} UTC"
            if cap == meter.SLEEP:
                said.append(f"Sleep's calls were stopped at {at} (its share of the cap); closes go on.")
                continue
            since = f"{at} ({STOPS.get(cap, cap)})"
            said.append(f"Calls were stopped at {since}; capture goes on, closes file verbatim.")
        waiting = self.total.sums.open
        if waiting:
            calls, counts = ("1 call has", "counts") if waiting == 1 else (f"{waiting:,} calls have", "count")
            said.append(f"{calls} no outcome and {counts} as estimated: under way, or killed.")
        return said + [f"note: {problem}." for problem in self.problems]


def report(state: str, now: float, *, days: int = 14, by: str = "day") -> Report:
    """The meter as it stands. Reads only."""
    config = settings.load(state)
    found = read(state, days, now)
    known = prices.load(state)
    stands = meter.standing(state, config, now)
    rows = rows_by(found, by, stands.today.day)
    whole = rows_by(found, "judge", stands.today.day)
    billed = tuple(sorted({way for row in whole for way in row.billed}))
    total = Row("total", meter.total(row.sums for row in whole), billed)
    problems = [str(config.get("problem") or ""), stands.caps.problem, known.problem]
    problems += [
        f"{day.broken:,} bytes in {meter.folder_of(state)}/{day.day}.log are no record" for day in found if day.broken
    ]
    return Report(by, days, tuple(rows), total, stands, known.currency, tuple(one for one in problems if one))


def _record(row: Row) -> dict[str, Any]:
    sums: Mapping[str, int] = row.sums.__dict__
    return {
        "name": row.name,
        **{name: found for name, found in sums.items() if name != "money"},
        "tokens": row.sums.tokens,
        "money": _money(row.sums.money) if prices.BY_TOKEN in row.billed else None,
        "billed": list(row.billed),
    }


def _money(millionths: int | None) -> float | None:
    return None if millionths is None else millionths / 1e6

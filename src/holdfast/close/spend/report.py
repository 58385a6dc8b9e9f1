"""What `holdfast spend` shows: the meter sorted one way, the caps, what is left of them today, and what is unclear."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import config as settings
from holdfast.close.spend import caps, prices, spending
from holdfast.close.spend import history as spend_history
from holdfast.close.spend.caps import Standing, amount
from holdfast.close.spend.history import Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.close.spend.prices import Prices

# Whose name is none: said in words.
NAMELESS = {"host": "no session", "model": "its default", "job": "other"}


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
            since = time.strftime("%H:%M", time.gmtime(when))
            said.append(
                f"Calls were stopped at {since} UTC ({STOPS.get(cap, cap)}); capture goes on, closes file verbatim."
            )
        waiting = self.total.sums.open
        if waiting:
            what = (
                "1 call has no outcome and counts" if waiting == 1 else f"{waiting:,} calls have no outcome and count"
            )
            said.append(f"{what} as estimated: under way, or killed.")
        return said + [f"note: {problem}." for problem in self.problems]


STOPS = {
    "tokens": "the cap on tokens",
    "money": "the cap on money",
    "price": "money is capped and a price is not known",
    "unclear": "a cap cannot be understood",
}


def report(state: str, now: float, *, days: int = 14, by: str = "day") -> Report:
    """The meter as it stands. Reads only."""
    config = settings.load(state)
    found = spend_history.read(state, days, now)
    known = prices.load(state)
    stands = caps.standing(state, config, now)
    rows = spend_history.rows(found, by, stands.today.day)
    whole = spend_history.rows(found, "judge", stands.today.day)
    billed = tuple(sorted({way for row in whole for way in row.billed}))
    total = Row("total", spending.total(row.sums for row in whole), billed)
    problems = [str(config.get("problem") or ""), stands.caps.problem, known.problem]
    problems += [
        f"{day.broken:,} bytes in {spending.folder_of(state)}/{day.day}.log are no record"
        for day in found
        if day.broken
    ]
    return Report(by, days, tuple(rows), total, stands, known.currency, tuple(one for one in problems if one))


def prices_as_record(known: Prices) -> dict[str, Any]:
    return {
        "currency": known.currency,
        "as_of": prices.AS_OF,
        "own": [asdict(price) for price in known.own],
        "shipped": [asdict(price) for price in known.shipped],
        "problem": known.problem,
    }


def words_for(name: str, by: str) -> str:
    return name or NAMELESS.get(by, "none")


def money_of(row: Row) -> str:
    """An amount where there is one; else why there is none. What is not known is never left out."""
    unknown = prices.UNKNOWN in row.billed
    if prices.BY_TOKEN in row.billed:
        return f"{amount(row.sums.money)} + unknown" if unknown else amount(row.sums.money)
    known = [way for way in row.billed if way != prices.UNKNOWN]
    return prices.UNKNOWN if unknown else known[0] if known else ""


def _record(row: Row) -> dict[str, Any]:
    sums: Mapping[str, int] = asdict(row.sums)
    return {
        "name": row.name,
        **{name: found for name, found in sums.items() if name != "money"},
        "tokens": row.sums.tokens,
        "money": _money(row.sums.money) if prices.BY_TOKEN in row.billed else None,
        "billed": list(row.billed),
    }


def _money(millionths: int | None) -> float | None:
    return None if millionths is None else millionths / 1e6

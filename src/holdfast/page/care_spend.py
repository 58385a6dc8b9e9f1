"""Spend in the page: today's use against the caps, tokens and money of each day as bars, and what they went to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.close import prices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.close.spend_report import Report, Row
    from holdfast.page.visit import Visit

WIDTH, HEIGHT = 1000, 160
LEAST = 2.0  # units of height of a bar that is not nothing
JOBS = "job"
WAYS = ((JOBS, "By purpose"), ("model", "By model"), ("judge", "By who was asked"), ("host", "By agent"))
NOBODY = {"model": "no model named", "host": "no session", JOBS: "no purpose", "judge": "unnamed"}


@dataclass(frozen=True)
class Bar:
    """One day: its place in the drawing, and its words."""

    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True)
class Line:
    """One row of a table. `money` is "" where these calls are not billed by token."""

    name: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    tokens: int
    money: str


@dataclass(frozen=True)
class Gauge:
    """Today's use of one cap."""

    name: str
    used: float
    cap: float | None
    words: str


@dataclass(frozen=True)
class Spend:
    lines: tuple[str, ...]  # what a reader should know, in sentences
    gauges: tuple[Gauge, ...]
    bars: tuple[Bar, ...]
    money_bars: tuple[Bar, ...]
    days: tuple[Line, ...]
    highest: str
    highest_money: str
    total: Line
    tables: tuple[tuple[str, tuple[Line, ...]], ...]
    is_stopped: bool


def look(visit: Visit, days: int) -> Spend:
    """The meter of the last days."""
    sessions = visit.memory.sessions
    by_day = sessions.spent(days, "day")
    tables = tuple((title, _lines(sessions.spent(days, by), by)) for by, title in WAYS)
    tokens = [row.sums.tokens for row in by_day.rows]
    money = [row.sums.money / 1e6 for row in by_day.rows]
    unit = by_day.currency
    return Spend(
        lines=tuple(by_day.lines()[1:]),
        gauges=tuple(_gauges(by_day)),
        bars=bars(tokens, [f"{row.name}: {row.sums.tokens:,} tokens" for row in by_day.rows]),
        money_bars=bars(money, [f"{row.name}: {_amount(row.sums.money)} {unit}" for row in by_day.rows])
        if any(money)
        else (),
        days=_lines(by_day, "day")[::-1],
        highest=f"{max(tokens, default=0):,} tokens",
        highest_money=f"{max(money, default=0):,.2f} {unit}",
        total=_line(by_day.total, unit),
        tables=tables,
        is_stopped=bool(by_day.standing.today.stopped),
    )


def bars(values: Sequence[float], words: Sequence[str]) -> tuple[Bar, ...]:
    """The values as bars from left to right; the highest fills the drawing."""
    if not values:
        return ()
    step = WIDTH / len(values)
    gap = min(step * 0.2, 6.0)
    top = max(values) or 1
    made = []
    for at, (value, said) in enumerate(zip(values, words, strict=True)):
        height = max(LEAST, value / top * HEIGHT) if value > 0 else 0.0
        made.append(
            Bar(round(at * step + gap / 2, 2), round(HEIGHT - height, 2), round(step - gap, 2), round(height, 2), said)
        )
    return tuple(made)


def _gauges(found: Report) -> list[Gauge]:
    today, caps = found.standing.today, found.standing.caps
    tokens, money = today.total.tokens, today.total.money
    made = [
        Gauge(
            "Tokens today", tokens, caps.tokens, _of(f"{tokens:,}", None if caps.tokens is None else f"{caps.tokens:,}")
        )
    ]
    if money or caps.money is not None:
        cap = None if caps.money is None else caps.money / 1e6
        unit = found.currency
        words = _of(f"{_amount(money)} {unit}", None if caps.money is None else f"{_amount(caps.money)} {unit}")
        made.append(Gauge("Money today", money / 1e6, cap, words))
    return made


def _of(used: str, cap: str | None) -> str:
    return f"{used}, no cap" if cap is None else f"{used} of {cap}"


def _lines(found: Report, by: str) -> tuple[Line, ...]:
    return tuple(_line(row, found.currency, NOBODY.get(by, "")) for row in found.rows)


def _line(row: Row, currency: str, otherwise: str = "") -> Line:
    money = f"{_amount(row.sums.money)} {currency}" if prices.BY_TOKEN in row.billed else ""
    sums = row.sums
    return Line(row.name or otherwise, sums.calls, sums.failed, sums.tokens_in, sums.tokens_out, sums.tokens, money)


def _amount(millionths: int) -> str:
    return f"{millionths / 1e6:,.4f}".rstrip("0").rstrip(".") if millionths else "0"

"""The times that a question speaks of, as spans: "on 8 May", "in March 2023", "two weeks ago", "last month".

A text that was written in the span is likelier meant; one of the two weeks after it is half as likely, since people
tell of things afterwards. Without a year a month means the last two of that name. Times are UTC, as everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CALENDAR = "january february march april may june july august september october november december"
COUNTED = "one two three four five six seven eight nine ten eleven twelve"
MONTHS = CALENDAR.split()
SHORT = {name[:3]: at for at, name in enumerate(MONTHS, 1)} | {"sept": 9}
NUMBERS = {word: at for at, word in enumerate(COUNTED.split(), 1)}
COUNT = {**NUMBERS, "a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
LATER = timedelta(days=14)
HALF = 0.5

_MONTH = "(?P<month>" + "|".join(MONTHS) + "|" + "|".join(SHORT) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
ISO = re.compile(rf"\b{_YEAR}[-/](?P<month>\d{{1,2}})(?:[-/](?P<day>\d{{1,2}}))?\b")
DAY_FIRST = re.compile(rf"\b{_DAY}(?: of)? {_MONTH}\b,?(?: {_YEAR}\b)?", re.I)
MONTH_FIRST = re.compile(rf"\b{_MONTH} {_DAY}\b(?:,? {_YEAR}\b)?", re.I)
_ALONE = _MONTH.replace("month", "alone", 1)
MONTH_ONLY = re.compile(
    rf"\b{_MONTH},?(?: of)? {_YEAR}\b|\b(?:in|during|since|last|this|early|late|mid) {_ALONE}\b",
    re.I,
)
YEAR_ONLY = re.compile(rf"\b(?:in|during|of|since) {_YEAR}\b", re.I)
AGO = re.compile(r"\b(?P<count>\d+|[a-z]+(?: couple of| few)?|couple of) (?P<unit>day|week|month|year)s? ago\b", re.I)
LAST = re.compile(
    r"\b(?P<which>last|past|previous|this) (?:(?P<count>\d+|[a-z]+|couple of) )?(?P<unit>day|week|month|year)s?\b", re.I
)
NAMED_DAY = re.compile(r"\b(?P<name>today|yesterday|last night|last weekend)\b", re.I)


@dataclass(frozen=True)
class Span:
    """From one moment up to another, which is not part of it."""

    since: datetime
    until: datetime


def spans(query: str, now: float) -> tuple[Span, ...]:
    """The times that a question speaks of, seen from `now`; none if it speaks of none."""
    today = _day(datetime.fromtimestamp(now, UTC)) if now else None
    found: list[Span] = []
    rest = query
    for pattern in (ISO, DAY_FIRST, MONTH_FIRST, MONTH_ONLY, YEAR_ONLY):
        for match in pattern.finditer(rest):
            found += _calendar(match.groupdict(), today)
        rest = pattern.sub(" ", rest)
    if today is not None:
        found += _relative(rest, today)
    return tuple(dict.fromkeys(found))


def closeness(created: float, asked: Iterable[Span]) -> float:
    """1 for a text of one of the spans, a half for one of the two weeks after it, else 0."""
    if created <= 0:
        return 0.0
    when = datetime.fromtimestamp(created, UTC)
    best = 0.0
    for span in asked:
        if span.since <= when < span.until:
            return 1.0
        if span.until <= when < span.until + LATER:
            best = HALF
    return best


def _calendar(given: dict[str, str | None], today: datetime | None) -> list[Span]:
    name = (given.get("month") or given.get("alone") or "").lower()
    month = int(name) if name.isdigit() else SHORT.get(name[:3], 0)
    day = int(given.get("day") or 0)
    if given.get("year"):
        years = [int(given["year"] or 0)]
    elif today is not None:
        last = today.year if (month, day or 1) <= (today.month, today.day) else today.year - 1
        years = [last, last - 1]
    else:
        return []
    made = (_whole(year, month, day) for year in years)
    return [span for span in made if span]


def _whole(year: int, month: int, day: int) -> Span | None:
    """A day, a month or a year; None for one that no calendar has."""
    try:
        begin = datetime(year, month or 1, day or 1, tzinfo=UTC)
        if day:
            return Span(begin, begin + timedelta(days=1))
        if month:
            return Span(begin, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC))
        return Span(begin, datetime(year + 1, 1, 1, tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def _relative(query: str, today: datetime) -> list[Span]:
    found = []
    for match in AGO.finditer(query):
        count, unit = _count(match["count"]), UNIT_DAYS[match["unit"].lower()]
        if count:
            # The longer ago, the rougher the word: "two months ago" may mean six weeks.
            found.append(_about(today, count * unit, max(1, unit // 2)))
    for match in LAST.finditer(query):
        count, unit = _count(match["count"] or "one"), UNIT_DAYS[match["unit"].lower()]
        if count:
            found.append(_about(today, 0, count * unit, ends=1))
    for match in NAMED_DAY.finditer(query):
        back = {"today": 0, "yesterday": 1, "last night": 1, "last weekend": (today.weekday() - 5) % 7 or 7}[
            match["name"].lower()
        ]
        found.append(_about(today, back, 0, ends=2 if match["name"].lower() == "last weekend" else 1))
    return [span for span in found if span]


def _about(today: datetime, back: int, more: int, ends: int = 0) -> Span | None:
    """From `more` days before a day to as many after it, or to `ends` days after its beginning."""
    try:
        day = today - timedelta(days=back)
        return Span(day - timedelta(days=more), day + timedelta(days=ends or more + 1))
    except OverflowError:
        return None


def _count(word: str) -> int:
    return min(int(word), 10_000) if word.isdigit() else COUNT.get(word.lower(), 0)


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)

"""Pages of the ledger, the newest first, however long it is: each record has a place, and a page begins at one.

A file of a day is read backwards in blocks. Only records that hold the bytes a reader asks for are decoded, so a rare
thing among a million is found at the speed of the disk. A page that has looked at its share ends there and says so,
with the place to look on from: nothing is left out in silence.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, ledger, log, platform
from holdfast.health.ledger_choice import EVERYTHING, Choice

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 1 << 18
MOST_BYTES = 24 << 20  # of blocks that are taken apart for one page; those without the bytes asked for count half
MOST_DECODED = 8_000
LARGEST = 1 << 24  # bytes of one record


@dataclass(frozen=True, order=True)
class Place:
    """The place of a record: the file of a day, and where in it."""

    day: str
    start: int

    def __str__(self) -> str:
        return f"{self.day}.{self.start}"


def place_of(said: str) -> Place | None:
    """The place that an address names; None where it names none."""
    day, _, start = said.partition(".")
    is_day = len(day) == 10 and day.replace("-", "").isdecimal() and day.count("-") == 2
    return Place(day, int(start)) if is_day and start.isdecimal() and len(start) < 16 else None


@dataclass(frozen=True)
class Row:
    place: Place
    record: dict[str, Any]

    @property
    def when(self) -> float:
        when = self.record.get("t", 0)
        return float(when) if isinstance(when, int | float) else 0.0


@dataclass(frozen=True)
class Page:
    """Rows, the newest first. `older` is where the next page begins, None at the end; `is_cut`: this page ended because
    it had looked at its share, not because it was full."""

    rows: tuple[Row, ...] = ()
    older: Place | None = None
    is_cut: bool = False


def page(
    state: str,
    choice: Choice = EVERYTHING,
    *,
    before: Place | None = None,
    after: Place | None = None,
    most: int = 50,
    share: int = MOST_BYTES,
) -> Page:
    """The newest records of a choice, before a place and after another."""
    rows: list[Row] = []
    spent, decoded = 0, 0
    for day in reversed(ledger.days(state)):
        if not choice.takes_day(day) or (before and day > before.day):
            continue
        if day < choice.since_day or (after and day < after.day):
            break
        stop = before.start if before and before.day == day else -1
        for start, raw, cost in _backwards(ledger.path_of(state, day), stop, choice):
            spent += cost
            here = Place(day, start)
            if after and here <= after:
                return Page(tuple(rows))
            if raw and choice.may_take(raw):
                decoded += 1
                record = _decoded(raw)
                if record is not None and choice.takes(record):
                    rows.append(Row(here, record))
            if len(rows) == most:
                return Page(tuple(rows), here)
            if spent > share or decoded > MOST_DECODED:
                return Page(tuple(rows), here, is_cut=True)
    return Page(tuple(rows))


def at(state: str, places: list[Place]) -> list[Row]:
    """The records at these places; those that are gone are left out."""
    found = []
    for one in places:
        try:
            with open(platform.opened(ledger.path_of(state, one.day)), "rb") as file:
                head = os.pread(file.fileno(), log.HEADER, one.start)
                size = int(head[len(log.MARK) : len(log.MARK) + 8], 16)
                raw = head + os.pread(file.fileno(), min(size, LARGEST), one.start + log.HEADER)
        except (OSError, ValueError):
            continue  # folded into the counts meanwhile
        record = _decoded(raw)
        if record is not None:
            found.append(Row(one, record))
    return found


def _decoded(raw: bytes) -> dict[str, Any] | None:
    """The record in a frame; None where it is torn or damaged: `holdfast audit` says so."""
    one = next(log.scan(raw), None)
    if one is None or one.what != log.RECORD:
        return None
    try:
        record = codec.decode(one.payload)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _backwards(path: str, before: int, choice: Choice) -> Iterator[tuple[int, bytes, int]]:
    """Frames of a file from its end, or from a place: where, the bytes, and what looking has cost since the last. The
    bytes are empty where a whole block has nothing of the choice."""
    try:
        file = open(platform.opened(path), "rb")  # noqa: SIM115 closed below: the generator may end anywhere
    except OSError:
        return  # folded into the counts meanwhile
    with file:
        size = os.fstat(file.fileno()).st_size
        at, rest = size if before < 0 else min(before, size), b""
        while at > 0:
            start = max(0, at - BLOCK)
            block = os.pread(file.fileno(), at - start, start) + rest
            first = block.find(log.MARK)
            if first < 0:
                if len(block) > LARGEST:
                    return
                at, rest = start, block
                continue
            cost = at - start
            if not choice.may_have(block):
                yield start + first, b"", cost // 2
            else:
                end = len(block)
                while end > first:
                    begin = block.rfind(log.MARK, 0, end)
                    yield start + begin, block[begin:end], cost
                    end, cost = begin, 0
            at, rest = start, block[:first]

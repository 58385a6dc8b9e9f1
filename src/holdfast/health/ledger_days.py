"""Counts of each day for a calendar: how much was recorded, sessions begun, things kept; of all projects, or of one.

A day that is kept whole is counted from its file, once for each state of it: a day that is over never changes. What
is older was folded into counts, which no longer say of which project they are.
"""

from __future__ import annotations

import os
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import ledger, log, platform

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LARGEST = 1 << 28
# Quotes in a text are escaped, so these stand in no text.
PROJECT = re.compile(rb'"project":"([^"\n]*)"')
OPENED = re.compile(rb'"opened":true')
KEPT = ("flag", "close", "task", "improve")
KEEPING = re.compile(rb'"kind":"(?:%b)"' % "|".join(KEPT).encode())


@dataclass(frozen=True)
class Day:
    """`is_folded`: only counts are left of it, of all projects together."""

    day: str
    records: int = 0
    sessions: int = 0
    kept: int = 0
    is_folded: bool = False


@dataclass
class Counts:
    """The counts of one file: by project; "" is of none."""

    stamp: tuple[int, int] = (0, 0)
    by: dict[str, Day] = field(default_factory=dict)


class Calendar:
    """The days of one ledger, as far as they were looked at."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._known: dict[str, Counts] = {}
        self._folded: tuple[tuple[int, int], dict[str, Day]] = ((0, 0), {})
        self._lock = threading.Lock()

    def days(self, projects: Iterable[str] = ()) -> dict[str, Day]:
        """Every day of which anything is known; of some projects, or of all where none is named."""
        wanted = frozenset(projects)
        with self._lock:
            found = dict(self._old())
            for day in ledger.days(self._state):
                counts = self._of(day)
                mine = [one for name, one in counts.by.items() if not wanted or name in wanted]
                sums = (sum(getattr(one, name) for one in mine) for name in ("records", "sessions", "kept"))
                found[day] = Day(day, *sums)
        return found

    def _of(self, day: str) -> Counts:
        path = ledger.path_of(self._state, day)
        known = self._known.setdefault(day, Counts())
        stamp = stamp_of(path)
        if stamp != known.stamp:
            known.by, known.stamp = _counted(day, path), stamp
        return known

    def _old(self) -> Mapping[str, Day]:
        stamp = stamp_of(f"{self._state}/ledger/counts.log")
        if stamp != self._folded[0]:
            made = {str(one["day"]): _of_counts(str(one["day"]), one["counts"]) for one in ledger.counts(self._state)}
            self._folded = (stamp, made)
        return self._folded[1]


def _of_counts(day: str, counts: Mapping[str, int]) -> Day:
    records = sum(count for name, count in counts.items() if ":" not in name)
    kept = sum(counts.get(name, 0) for name in KEPT)
    return Day(day, records, counts.get("hook:session-start", 0), kept, is_folded=True)


def _counted(day: str, path: str) -> dict[str, Day]:
    try:
        data = platform.read_regular(path, LARGEST)
    except (OSError, ValueError):
        return {}  # folded meanwhile, or no file of ours: `holdfast doctor` says so
    records = Counter(PROJECT.findall(data))
    records[b""] += data.count(log.MARK) - records.total()
    opened, kept = (Counter(_project(data, found.start()) for found in one.finditer(data)) for one in (OPENED, KEEPING))
    names = records | opened | kept
    return {one.decode("utf-8", "replace"): Day(day, records[one], opened[one], kept[one]) for one in names}


def _project(data: bytes, at: int) -> bytes:
    """The project of the record around a place; "" where it names none."""
    end = data.find(b"\n", at)
    found = PROJECT.search(data, data.rfind(b"\n", 0, at) + 1, end if end >= 0 else len(data))
    return found[1] if found else b""


def stamp_of(path: str) -> tuple[int, int]:
    """A stamp that changes when a file does; the same for every file that is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)

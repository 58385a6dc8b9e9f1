"""The last seven days of the ledger, read once and then read on: what the audit counts, and the receipts.

The first look reads the files of these days; every later one only what was written since. So a page that follows a
busy ledger costs as much as there is news. At midnight (UTC) the oldest day goes, and all is read again.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import codec, ledger, log, same_project
from holdfast.health.ledger_pages import Place
from holdfast.health.period import KINDS, Period, Told
from holdfast.health.receipt_tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

DAYS = 7


def since(now: float) -> float:
    """The beginning of the first of the seven days, today included."""
    return now - now % ledger.DAY - (DAYS - 1) * ledger.DAY


def period(vault: str, now: float, project: str = "") -> Period:
    """The same as a period of one project, with what was merged into it, or of all where that is ""."""
    first, *merged = same_project.ids(vault, project) if project else ("",)
    return Period(since(now), now, first, merged=tuple(merged))


class Week:
    """The week of one ledger. Whoever reads it holds it: another thread may be about to read on."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._since = 0.0
        self._told = Told(Period(0.0, 0.0))
        self._tally = Tally()
        self._ends: dict[str, int] = {}

    @contextmanager
    def upto(self, now: float) -> Iterator[tuple[Told, Tally]]:
        """All that is known by now."""
        with self._lock:
            self._read_on(now)
            yield self._told, self._tally

    def _read_on(self, now: float) -> None:
        began = since(now)
        if began != self._since:
            self._since, self._told, self._tally, self._ends = began, Told(Period(began, now)), Tally(), {}
        self._told.period = replace(self._told.period, until=now)
        first = ledger.day_of(began)
        for day in ledger.days(self._state):
            if day >= first:
                self._take(day)

    def _take(self, day: str) -> None:
        path, start = ledger.path_of(self._state, day), self._ends.get(day, 0)
        try:
            if os.stat(path).st_size == start:
                return
            for one in log.scan_file(path, start):
                if one.what == log.TORN:
                    return  # being written, or its writer died: it is looked at again with what follows
                self._ends[day] = one.end
                if one.what == log.RECORD:
                    record = codec.decode(one.payload)
                    if record.get("kind") in KINDS:
                        self._told.take(record)
                    self._tally.take(record, Place(day, one.start))
        except (OSError, ValueError):
            return  # what cannot be read now is read next time

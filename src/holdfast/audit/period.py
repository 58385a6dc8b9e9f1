"""One pass over the ledger of a period, each record given to whoever counts it.

The ledger is read once, however much is asked of it, and nothing is kept of a record but what is counted. What is older
than ninety days is there as daily counts only, of all projects: it is told apart and never mixed in. A record with odd
fields is counted as far as it can be read.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.audit.boundaries import Boundaries
from holdfast.audit.closes import Closes
from holdfast.capture import ledger_history
from holdfast.capture.ledger_history import Wanted
from holdfast.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("hook", "nudge", "injection", "flag", "episode", "close", "model", "error")
ENDS = ("session-start", "session-end")  # where a close of all that is over is started; others are of one project
DAY = 86400.0
DAYS = 7
MOST_ERRORS = 20  # different ones; the rest is a number


@dataclass(frozen=True)
class Period:
    """From and until a time, of one project, or of all where that is "". `is_named`: somebody typed the project."""

    since: float
    until: float
    project: str = ""
    is_named: bool = False

    def takes(self, project: object) -> bool:
        return not self.project or project == self.project

    def as_record(self) -> dict[str, Any]:
        days = [datetime.datetime.fromtimestamp(one, datetime.UTC).isoformat() for one in (self.since, self.until)]
        return {"since": days[0], "until": days[1], "project": self.project or None}


def make(now: float, days: int = 0, since: str = "", project: str = "", *, is_named: bool = False) -> Period:
    """The last `days` days, or from a date on. Raises UsageError."""
    if days and since:
        raise UsageError("Say either --days or --since, not both; nothing was looked at.")
    if not since:
        return Period(now - (days or DAYS) * DAY, now, project, is_named)
    try:
        found = datetime.datetime.fromisoformat(since)
    except ValueError:
        raise UsageError(f'"{since}" is no date; try --since 2026-01-31, or --days 7.') from None
    began = (found if found.tzinfo else found.replace(tzinfo=datetime.UTC)).timestamp()
    if began > now:
        raise UsageError(f'"{since}" is yet to come; nothing was looked at.')
    return Period(began, now, project, is_named)


@dataclass
class Seen:
    """One episode as the ledger tells of it."""

    host: str
    project: str
    last: float
    is_ended: bool = False


@dataclass
class Told:
    """All that one pass tells. `last_hook` is by host; `started` are closes in the background, each of which drains
    whatever is over: when, and as which process."""

    period: Period
    seen: dict[str, Seen] = field(default_factory=dict)
    boundaries: Boundaries = field(default_factory=Boundaries)
    closes: Closes = field(default_factory=Closes)
    errors: dict[tuple[str, str, str], tuple[int, float]] = field(default_factory=dict)
    errors_left_out: int = 0
    last_hook: dict[str, float] = field(default_factory=dict)
    started: list[tuple[float, int]] = field(default_factory=list)
    records: int = 0

    def take(self, record: Mapping[str, Any]) -> None:
        self.records += 1
        kind = record.get("kind")
        when = _number(record.get("t"))
        key = str(record.get("episode") or "")
        if kind == "error":
            self._error(record, when)
        elif kind == "close":
            self.closes.take(record, when)
        elif kind == "model":
            self.closes.take_call(record)
        else:
            if kind in ("hook", "episode") and key:
                self._episode(record, key, when, ended=kind == "episode")
            if kind == "hook" and record.get("close") and record.get("event") in ENDS:
                self.started.append((when, int(_number(record["close"]))))
            if kind == "hook" and record.get("host"):
                self.last_hook[str(record["host"])] = when
            self.boundaries.take(record, key, when)

    def _episode(self, record: Mapping[str, Any], key: str, when: float, *, ended: bool) -> None:
        project = str(record.get("project") or "")
        known = self.seen.get(key)
        if known is None:
            known = self.seen[key] = Seen(key.partition("/")[0], project, when)
        if ended or record.get("opened"):
            known.project = project  # its own; any other moment tells that of the folder it was in
        known.last = max(known.last, when)
        known.is_ended = known.is_ended or ended
        if record.get("revived"):
            known.is_ended = False

    def _error(self, record: Mapping[str, Any], when: float) -> None:
        what = (str(record.get("host") or ""), str(record.get("event") or ""), str(record.get("error") or ""))
        if what not in self.errors and len(self.errors) >= MOST_ERRORS:
            self.errors_left_out += 1
            return
        count, last = self.errors.get(what, (0, 0.0))
        self.errors[what] = (count + 1, max(last, when))

    def own(self) -> dict[str, Seen]:
        """The episodes that the period is asked about."""
        return {key: one for key, one in self.seen.items() if self.period.takes(one.project)}


def read(state: str, period: Period) -> Told:
    told = Told(period)
    for record in ledger_history.read(state, Wanted(kinds=KINDS, since=period.since)):
        told.take(record)
    if period.is_named:
        told.period = replace(period, project=_called(period.project, {one.project for one in told.seen.values()}))
    return told


def _called(name: str, projects: set[str]) -> str:
    """The project that somebody means, by its id or without the letters at its end. An audit of a name that nobody
    knows would find nothing wrong."""
    found = [name] if name in projects else [one for one in projects if one.rpartition("-")[0] == name]
    if len(found) != 1:
        what = (
            f'"{name}" may be {", ".join(sorted(found)[:3])}' if found else f'No session of a project "{name}" was seen'
        )
        raise NotFound(f"{what} in this period; nothing was changed. `holdfast audit --all` looks at every project.")
    return found[0]


def counted(state: str, period: Period) -> dict[str, Any]:
    """What is only known as daily counts, of all projects: how many days of the period, and their sums."""
    days = [one for one in ledger_history.counts(state) if _began(one.get("day")) + DAY > period.since]
    sums: dict[str, int] = {}
    for one in days:
        for name, count in one.get("counts", {}).items() if isinstance(one.get("counts"), dict) else ():
            sums[str(name)] = sums.get(str(name), 0) + int(_number(count))
    return {"days": len(days), "counts": sums}


def _began(day: object) -> float:
    try:
        return datetime.datetime.fromisoformat(str(day)).replace(tzinfo=datetime.UTC).timestamp()
    except ValueError:
        return 0.0


def _number(given: object) -> float:
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else 0.0

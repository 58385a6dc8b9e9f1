"""The period that an audit looks at, and all that the ledger tells of it, from one pass.

A project is told by what its own moments say. Different errors are kept apart up to a bound, so that a ledger of
thousands of failures is one page.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import ledger
from holdfast.capture.ledger import DAY, Wanted
from holdfast.errors import NotFound, UsageError
from holdfast.health.boundaries import Boundaries
from holdfast.health.closes import Closes, amount
from holdfast.health.closes import count as as_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

KINDS = ("hook", "nudge", "injection", "flag", "task", "episode", "close", "model", "error")
ENDS = ("session-start", "session-end")  # where a close of all that is over is started; others are of one project
DAYS = 7
MOST_ERRORS = 20  # different ones; the rest is a number


@dataclass(frozen=True)
class Period:
    """From and until a time, of one project, or of all where that is "". `is_named`: somebody typed the project."""

    since: float
    until: float
    project: str = ""
    is_named: bool = False
    merged: tuple[str, ...] = ()  # ids of projects that were merged into it

    def takes(self, project: object) -> bool:
        return not self.project or project == self.project or project in self.merged

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
class Errors:
    """Failures, each different one with how often and when last, as far as they are kept apart."""

    kept: dict[tuple[str, str, str], tuple[int, float]] = field(default_factory=dict)
    left_out: int = 0

    def take(self, what: tuple[str, str, str], when: float, count: int = 1) -> None:
        if what not in self.kept and len(self.kept) >= MOST_ERRORS:
            self.left_out += count
            return
        before, last = self.kept.get(what, (0, 0.0))
        self.kept[what] = (before + count, max(last, when))

    def add(self, other: Errors) -> None:
        for what, (count, last) in other.kept.items():
            self.take(what, last, count)
        self.left_out += other.left_out


@dataclass
class Told:
    """The sums of one pass. `heard` are the first and the last hook by host and project; `started` are closes in the
    background, each of which drains whatever is over: when, and as which process. `errors` are by project, "" where
    nobody said which; `flags` say of which episode each is."""

    period: Period
    seen: dict[str, Seen] = field(default_factory=dict)
    boundaries: Boundaries = field(default_factory=Boundaries)
    closes: Closes = field(default_factory=Closes)
    errors: dict[str, Errors] = field(default_factory=dict)
    heard: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    started: list[tuple[float, int]] = field(default_factory=list)
    flags: dict[str, str] = field(default_factory=dict)
    records: int = 0

    def take(self, record: Mapping[str, Any]) -> None:
        self.records += 1
        kind = record.get("kind")
        when = amount(record.get("t"))
        key = str(record.get("episode") or "")
        if kind == "error":
            self._error(record, key, when)
        elif kind == "close":
            self.closes.take(record, when)
        elif kind == "model":
            self.closes.take_call(record)
        else:
            if kind in ("hook", "episode") and key:
                self._episode(record, key, when, ended=kind == "episode")
            if kind == "hook" and record.get("close") and record.get("event") in ENDS:
                self.started.append((when, as_count(record["close"])))
            if kind == "hook":
                self.hear(record, when)
            if kind == "flag" and key:
                self.flags[str(record.get("id") or "")] = key
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

    def hear(self, record: Mapping[str, Any], when: float) -> None:
        """A hook of a host fired, in a project."""
        if record.get("host"):
            who = (str(record["host"]), str(record.get("project") or ""))
            first, last = self.heard.get(who, (when, when))
            self.heard[who] = (min(first, when), max(last, when))

    def _error(self, record: Mapping[str, Any], key: str, when: float) -> None:
        known = self.seen.get(key)
        project = str(record.get("project") or (known.project if known else ""))
        what = (str(record.get("host") or ""), str(record.get("event") or ""), str(record.get("error") or ""))
        self.errors.setdefault(project, Errors()).take(what, when)

    def own_errors(self) -> Errors:
        """Errors of the project that is asked about, and those of which nobody knows the project."""
        found = Errors()
        for project, errors in self.errors.items():
            if not project or self.period.takes(project):
                found.add(errors)
        return found

    def own(self) -> dict[str, Seen]:
        """The episodes that the period is asked about."""
        return {key: one for key, one in self.seen.items() if self.period.takes(one.project)}


def read(state: str, period: Period, registered: frozenset[str] = frozenset()) -> Told:
    """`registered` are projects that may be asked about though no session of them was seen: that may be what is wrong.
    Raises NotFound."""
    told = Told(period)
    for record in ledger.read(state, Wanted(kinds=KINDS, since=period.since)):
        told.take(record)
    if period.is_named:
        projects = {one.project for one in told.seen.values()} | registered
        told.period = replace(period, project=_called(period.project, projects))
    return told


def _called(name: str, projects: Set[str]) -> str:
    """The project that somebody means, by its id or without the letters at its end. An audit of a name that nobody
    knows would find nothing wrong."""
    found = [name] if name in projects else [one for one in projects if one.rpartition("-")[0] == name]
    if len(found) != 1:
        none = f'There is no project "{name}", and no session of one was seen in this period'
        what = f'"{name}" may be {", ".join(sorted(found)[:3])}' if found else none
        raise NotFound(f"{what}; nothing was changed. `holdfast audit --all` looks at every project.")
    return found[0]

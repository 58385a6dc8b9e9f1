"""Sessions seen, closed and drained, from one pass over the ledger: each that is not, with why and what to do.

Seen is what the ledger of the period tells of, closed what has a known end, drained what left neither a mark nor a
flag that is not filed. One that still goes on, or whose close runs at this moment, is no skip. Everything is read
with functions that change nothing: a look that buried the dead would hide what it is looking for.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import background, ledger, platform, queue
from holdfast.capture.episodes import DIED, session_of
from holdfast.capture.ledger import DAY, Wanted
from holdfast.capture.marks import PATIENCE
from holdfast.errors import NotFound, UsageError
from holdfast.health.boundaries import Boundaries
from holdfast.health.capture import in_live, is_over, marks_left
from holdfast.health.closes import Closes, amount
from holdfast.health.closes import count as as_count
from holdfast.health.finding import Finding
from holdfast.text.layout import age, many, when

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set

    from holdfast.health.finding import Place


KINDS = ("hook", "nudge", "injection", "flag", "episode", "close", "model", "error")
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


def counted(state: str, period: Period) -> dict[str, Any]:
    """The days of the period that are known as counts only, of all projects: how many, and their sums."""
    days = [one for one in ledger.counts(state) if _began(one.get("day")) + DAY > period.since]
    sums: dict[str, int] = {}
    for one in days:
        for name, count in one.get("counts", {}).items() if isinstance(one.get("counts"), dict) else ():
            sums[str(name)] = sums.get(str(name), 0) + as_count(count)
    return {"days": len(days), "counts": sums}


def _began(day: object) -> float:
    try:
        return datetime.datetime.fromisoformat(str(day)).replace(tzinfo=datetime.UTC).timestamp()
    except ValueError:
        return 0.0


CLOSE = "`holdfast close` files it now, and so does the next start"


@dataclass(frozen=True)
class Sessions:
    """How many, and which are not as they should be. `closing`: they ended a moment ago, or a close has their flags."""

    seen: int
    open: int
    closed: int
    closing: int
    drained: int
    findings: tuple[Finding, ...] = ()
    done: frozenset[str] = frozenset()  # those that are drained


@dataclass(frozen=True)
class Left:
    """Leftovers of one episode: how many flags wait, are dead, or are in a close's hands; and its mark."""

    waiting: int = 0
    dead: int = 0
    claimed: int = 0
    mark: Mapping[str, object] | None = None


def count(place: Place, told: Told) -> Sessions:
    now = place.clock()
    own = told.own()
    living, dead = _living(place, now)
    left, unreadable, entries = _left(place, now)
    closed = {
        key for key, one in own.items() if key not in living | dead and (one.is_ended or is_over(place.state, key))
    }
    findings = [_not_closed(key, own[key], now, is_dead=key in dead) for key in sorted(own.keys() - living - closed)]
    closing = 0
    drained: set[str] = set()
    for key in sorted(closed):
        found = left.get(key)
        if found is None:
            drained.add(key)
        elif _is_being_closed(found, own[key], now):
            closing += 1
        else:
            findings.append(_not_drained(place, told, key, found, now))
    findings += [_left_behind(key, one, now) for key, one in sorted(left.items()) if _is_from_before(told, key, one)]
    if unreadable:
        what = f"{many(unreadable, 'mark')} of a session cannot be read, so nobody knows what it left"
        findings.append(Finding("mark", "", what, "`holdfast close --all` files its flags all the same", unreadable))
    findings += _dead_letters(told, entries)
    is_open = len(own.keys() & living)
    return Sessions(len(own), is_open, len(closed), closing, len(drained), tuple(findings), frozenset(drained))


def _living(place: Place, now: float) -> tuple[set[str], set[str]]:
    """Open episodes whose process lives, and those whose does not."""
    known = {episode.key: platform.alive(episode.process, seen, now) for episode, seen in in_live(place.state)}
    return {key for key, lives in known.items() if lives}, {key for key, lives in known.items() if not lives}


def _left(place: Place, now: float) -> tuple[dict[str, Left], int, tuple[queue.Entry, ...]]:
    """Leftovers of each episode, how many marks cannot be read, and all entries of the queue."""
    found, unreadable = marks_left(place.state)
    marked = {str(one.get("episode", "")): one for one in found}
    entries = queue.read(f"{place.state}/queue", now).entries
    counts: dict[str, dict[str, int]] = {}
    for entry in entries:
        sums = counts.setdefault(entry.flag.episode, {})
        sums[entry.state] = sums.get(entry.state, 0) + 1
    made = {}
    for key in (marked.keys() | counts.keys()) - {""}:
        sums = counts.get(key, {})
        waiting, dead, claimed = (sums.get(state, 0) for state in (queue.WAITING, queue.DEAD, queue.CLAIMED))
        made[key] = Left(waiting, dead, claimed, marked.get(key))
    return made, unreadable, entries


def _is_being_closed(left: Left, seen: Seen, now: float) -> bool:
    if left.claimed and not left.dead:
        return True
    last = float(str(left.mark.get("last", 0))) if left.mark else seen.last
    return now - max(last, seen.last) < PATIENCE


def _not_closed(key: str, seen: Seen, now: float, *, is_dead: bool) -> Finding:
    last = f"last seen {age(now - seen.last)} ago"
    if is_dead:
        why = f"died ({last}), and no start has noticed yet"
        fix = "the next start says so and closes it; `holdfast close` does it now"
        return Finding("not-closed", key, why, fix, last=seen.last)
    fix = f"`holdfast log --session {session_of(key)}` shows what is known of it"
    return Finding("not-closed", key, f"no end of it is known ({last})", fix, last=seen.last)


def _not_drained(place: Place, told: Told, key: str, left: Left, now: float) -> Finding:
    """Why it is not drained, as far as can be told; the likeliest cause last, since it decides what to do."""
    seen = told.seen[key]
    what = []
    if left.waiting or left.claimed:
        what.append(f"{many(left.waiting + left.claimed, 'flag')} not filed")
    if left.dead:
        what.append(many(left.dead, "dead flag"))
    if left.mark and left.mark.get("story") and not what:
        what.append("its handoff is not written")
    if not what:
        what.append("it had not done anything, and no start has said so yet")
    last = told.closes.last(key)
    started = next((one for one in reversed(told.started) if one[0] >= seen.last), None)
    fix = CLOSE
    if left.dead:
        fix = "`holdfast queue` shows why; when that is mended, `holdfast queue retry`, then `holdfast close`"
    elif background.is_off(place.env):
        what.append(f"{background.SWITCH}=off keeps closes from starting by themselves")
    elif last and last.error:
        what.append(f"its close failed: {last.error}")
    elif started and (last is None or last.when < started[0]):
        ago = f"{age(now - started[0])} ago"
        what.append(f"its close was started {ago} (process {started[1]}) and left no record: it was killed, or broke")
        fix = f"{CLOSE}; what the last one printed is in .state/background.log of the vault"
    elif left.mark:
        what.append("no close was started for it")
    how = "died" if left.mark and left.mark.get("why") == DIED else "ended"
    why = "; ".join([f"it {how} {age(now - seen.last)} ago", *what])
    return Finding("not-drained", key, why, fix, last=seen.last)


def _is_from_before(told: Told, key: str, left: Left) -> bool:
    """A mark that stays is said however old it is."""
    return bool(left.mark) and key not in told.seen and told.period.takes(left.mark and left.mark.get("project"))


def _left_behind(key: str, left: Left, now: float) -> Finding:
    last = float(str(left.mark.get("last", 0))) if left.mark else 0.0
    why = f"ended {when(last)}, {age(now - last)} ago, and its mark still stands"
    why += f"; {many(left.waiting, 'flag')} not filed"
    return Finding("not-drained", key, why, CLOSE, last=last)


def _dead_letters(told: Told, entries: tuple[queue.Entry, ...]) -> Iterator[Finding]:
    """One line for each error that flags died of; those of sessions in the period are said there too."""
    by_error: dict[str, list[queue.Entry]] = {}
    for entry in entries:
        if entry.state == queue.DEAD and told.period.takes(entry.flag.project):
            by_error.setdefault(entry.error or "none was kept", []).append(entry)
    fix = "when the cause is mended, `holdfast queue retry` lets them wait again"
    for error, found in by_error.items():
        why = f"{many(len(found), 'flag')} could not be filed; the error: {error}"
        yield Finding("dead-letter", found[-1].flag.id, why, fix, len(found), max(one.flag.time for one in found))

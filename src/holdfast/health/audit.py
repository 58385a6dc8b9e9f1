"""The audit of a period: what should have run against what did, with a verdict.

It is ok where every session was seen, closed, drained and indexed, every hook and close did its work, nudges are
answered, no session closed itself inline, and no loop stays open. Notes are worth knowing and change no verdict. Its
lines quote outside text (errors, session ids), cleaned of what could steer a terminal.
"""

from __future__ import annotations

import datetime
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holdfast.capture import home, ledger, projects, same_project, vault_id
from holdfast.capture.episodes import of_key
from holdfast.capture.flags import clean
from holdfast.capture.quoting import shortened
from holdfast.errors import NotFound
from holdfast.health import boundaries, closes, inline_closes, sessions, unseen_sessions
from holdfast.health import field as index
from holdfast.health import period as periods
from holdfast.health.capture import check_acknowledged, check_queue
from holdfast.health.finding import Finding, unseen
from holdfast.health.history import check_faults, check_history
from holdfast.health.vault import check_folders, check_locks, check_space
from holdfast.text.layout import age, many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from holdfast.capture.episodes import Episode
    from holdfast.close.improve.loops import Loops
    from holdfast.health.boundaries import Row
    from holdfast.health.closes import Calls, Close
    from holdfast.health.finding import Place
    from holdfast.health.inline_closes import Looked
    from holdfast.health.period import Period, Told
    from holdfast.health.sessions import Sessions

QUEUE = ("queue-age", "queue-damage", "acknowledged")
# Names of silent skips; the other findings are about cost and loops.
SKIPS = (
    *("not-closed", "not-drained", "not-indexed", "hook-error", "mark", "dead-letter", "no-answer", "hooks-silent"),
    *("no-snapshot", "close-failed", *QUEUE),
)
MOST_LISTED = 50  # findings of one kind; a thousand dead sessions are one cause
LOOP_STAGES = ("noted", "reopened", "wired", "proven")  # how far a snag has come
COLUMNS = ("came", "injected", "answered", "flags", "declined", "ignored", "held", "silent")
NOT_ASKING = ("session-start", "session-end", "first-prompt", "before-compaction")
LONGEST = 400
WIDTH = 18
WELL = "All of it is as it should be."
NOTHING = "Nothing ran in this time that could be audited: `holdfast doctor` says whether the hooks are in place."


@dataclass(frozen=True)
class Audit:
    period: Period
    sessions: Sessions
    rows: tuple[Row, ...]
    unasked: int  # flags that no nudge had asked for
    closes: tuple[Close, ...]
    calls: dict[str, Calls]
    inline: Looked
    loops: Loops
    counted: dict[str, Any]
    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...] = ()
    indexed: int | None = None  # drained sessions of which all is in the index; None where that cannot be told
    unseen: int = 0  # sessions that a host wrote a transcript of, and no hook saw
    records: int = 0
    left_out: dict[str, int] = field(default_factory=dict)  # findings beyond MOST_LISTED, by kind

    @property
    def ok(self) -> bool:
        return not self.findings

    @property
    def judged(self) -> tuple[Close, ...]:
        return tuple(one for one in self.closes if one.is_judged)

    @property
    def verbatim(self) -> tuple[Close, ...]:
        return tuple(one for one in self.closes if not one.is_judged and not one.error)

    def as_record(self) -> dict[str, Any]:
        counts = ("seen", "open", "closed", "closing", "drained")
        return {
            "ok": self.ok,
            "period": self.period.as_record(),
            "sessions": {
                **{name: getattr(self.sessions, name) for name in counts},
                "indexed": self.indexed,
                "unseen": self.unseen,
            },
            "boundaries": [vars(row) for row in self.rows],
            "unasked_flags": self.unasked,
            "closes": {
                "parallel": len(self.judged),
                "verbatim": len(self.verbatim),
                "failed": sum(1 for one in self.closes if one.error),
                "inline": [vars(one) for one in self.inline.found],
                "calls": {by: vars(one) for by, one in self.calls.items()},
                "transcripts": {name: getattr(self.inline, name) for name in ("read", "gone", "left_out")},
            },
            "loops": {
                "open": len(self.loops.open),
                "closed": len(self.loops.closed),
                **{stage: self.loops.count(stage) for stage in LOOP_STAGES},
            },
            "skips": [_record(one) for one in self.findings if one.name in SKIPS],
            "alarms": [_record(one) for one in self.findings if one.name not in SKIPS],
            "notes": [_record(one) for one in self.notes],
            "left_out": self.left_out,
            "counted": self.counted,
        }


def _record(one: Finding) -> dict[str, Any]:
    names = {"kind": "name", "about": "about", "why": "detail", "fix": "fix", "count": "count", "last": "last"}
    return {key: getattr(one, name) for key, name in names.items()}


def here(place: Place) -> str:
    """The project of this folder. Raises NotFound."""
    make_sure_of_vault(place)
    return projects.find(place.cwd, place.vault).id


def make_sure_of_vault(place: Place) -> None:
    """Where nothing was ever captured nothing is wrong either, and saying so would be a lie."""
    home.refuse_newer(place.vault)
    vault_id.refuse(place.vault, place.env)
    if not home.format_of(place.vault):
        raise NotFound(f"There is no vault at {place.vault}; nothing was looked at. `holdfast init` makes one.")


def audit(place: Place, asked: Period) -> Audit:
    """Look at everything in a period. Raises NotFound where there is no vault, or no such project."""
    make_sure_of_vault(place)
    told = with_merged(place, periods.read(place.state, asked, projects.registered(place.vault)))
    asked = told.period
    counted = sessions.count(place, told)
    looked = inline_closes.look(_episodes(place, told), place.vault)
    ran = tuple(told.closes.of(asked.takes))
    keys = None if not asked.project else frozenset((*told.own(), *(one.episode for one in ran)))
    fired = _guarded("hooks", lambda: unseen_sessions.look(place, told))
    whole: int | None = None
    try:
        whole, indexed = index.look(place, told, counted.done)
    except Exception as error:
        indexed = [_broken("the field", error)]
    loops, late = closes.open_loops(place, asked)
    every = (
        *counted.findings,
        *indexed,
        *_errors(told, place.clock()),
        *_guarded("the queue", lambda: [*check_queue(place), *check_acknowledged(place)], QUEUE),
        *_vault(place),
        *fired,
        *boundaries.findings(told, place.clock()),
        *closes.findings(told, looked),
        *late,
    )
    listed, left_out = _bounded(one for one in every if not one.ok)
    return Audit(
        period=asked,
        sessions=counted,
        rows=tuple(told.boundaries.rows(asked.takes)),
        unasked=sum(count for project, count in told.boundaries.unasked.items() if asked.takes(project)),
        closes=ran,
        calls=told.closes.taken(keys),
        inline=looked,
        loops=loops,
        counted=_days_counted(place.state, asked),
        findings=listed,
        notes=tuple(one for one in (*fired, *indexed) if one.ok),
        indexed=whole,
        unseen=sum(one.count for one in fired if one.name == "hooks-silent"),
        records=told.records,
        left_out=left_out,
    )


def with_merged(place: Place, told: Told) -> Told:
    """The same with the projects that were merged into the one that is asked about."""
    if told.period.project:
        first, *merged = same_project.ids(place.vault, told.period.project)
        told.period = replace(told.period, project=first, merged=tuple(merged))
    return told


def _episodes(place: Place, told: Told) -> Iterator[Episode]:
    """The episodes of the period with a transcript, the newest first."""
    for key, _ in sorted(told.own().items(), key=lambda item: -item[1].last):
        found = of_key(place.state, key)
        if found and found.transcript:
            yield found


def _guarded(name: str, look: Callable[[], Iterable[Finding]], only: tuple[str, ...] = ()) -> list[Finding]:
    """A part that breaks is a finding and hides no other. With `only`, the doctor's checks of these names that failed:
    a flag that waits too long need not be of any session."""
    try:
        return [one for one in look() if not only or (not one.ok and one.name in only)]
    except Exception as error:
        return [_broken(name, error)]


def _broken(name: str, error: Exception) -> Finding:
    return Finding("hook-error", name, unseen(name, error), "mend what it names, then run `holdfast audit` again")


def _errors(told: Told, now: float) -> Iterator[Finding]:
    own, fix = told.own_errors(), "`holdfast log --kind error` shows each"
    for (host, event, error), (count, last) in sorted(own.kept.items(), key=lambda item: -item[1][1]):
        who = " ".join(part for part in (host, event) if part) or "the ledger"
        often = f"{many(count, 'time')}, last {age(now - last)} ago" if last else many(count, "time")
        yield Finding("hook-error", who, f"{error} ({often})", fix, count, last)
    if own.left_out:
        why = f"{many(own.left_out, 'more error')} of other kinds"
        yield Finding("hook-error", "", why, fix, own.left_out)


def _vault(place: Place) -> Iterator[Finding]:
    """The doctor's checks of the vault itself that failed: nothing is well where nothing can be filed."""
    for look in (check_space, check_faults, check_folders, check_locks, check_history):
        try:
            yield from [replace(one, name="vault", about=one.name) for one in look(place) if not one.ok]
        except Exception as error:
            yield _broken("the vault", error)


def _bounded(findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], dict[str, int]]:
    counts: dict[str, int] = {}
    listed = []
    for one in findings:
        counts[one.name] = counts.get(one.name, 0) + 1
        if counts[one.name] <= MOST_LISTED:
            listed.append(one)
    return tuple(listed), {name: count - MOST_LISTED for name, count in counts.items() if count > MOST_LISTED}


def audit_lines(found: Audit) -> list[str]:
    """All that `audit` prints."""
    days = (time.strftime("%Y-%m-%d", time.gmtime(one)) for one in (found.period.since, found.period.until))
    where = f"project {found.period.project}" if found.period.project else "all projects"
    told = [f"{' to '.join(days)}, {where}", ""]
    one = found.sessions
    more = f"  closing {one.closing}" if one.closing else ""
    unseen = f"  unseen {found.unseen}" if found.unseen else ""
    indexed = "-" if found.indexed is None else f"{found.indexed} of {one.drained}"
    counts = f"seen {one.seen}  open {one.open}  closed {one.closed}{more}  drained {one.drained}"
    told.append(_row("sessions", f"{counts}  indexed {indexed}{unseen}"))
    told += _closes(found)
    counted = [f"{stage} {found.loops.count(stage)}" for stage in LOOP_STAGES if found.loops.count(stage)]
    stages = f"  ({', '.join(counted)})" if counted else ""
    told.append(_row("loops", f"open {len(found.loops.open)}  closed {len(found.loops.closed)}{stages}"))
    told += _boundaries(found)
    told += _counted(found)
    told.append("")
    if found.notes:
        told += ["Worth knowing:", *(line for one in found.notes for line in _finding(one)), ""]
    if found.ok:
        # Of nothing nobody can say that it went well.
        ran = (one.seen, one.closing, found.closes, found.rows, found.loops.open, found.loops.closed)
        return [*told, WELL if any(ran) else NOTHING]
    total = len(found.findings) + sum(found.left_out.values())
    told.append(f"NOT AS IT SHOULD BE ({total}):")
    for finding in found.findings:
        told += _finding(finding)
    told += [f"- {kind}: {count:,} more of the same" for kind, count in found.left_out.items()]
    return told


def _row(name: str, text: str) -> str:
    return f"{name:<{WIDTH}}{text}"


def _closes(found: Audit) -> list[str]:
    judged, verbatim, looked = found.judged, found.verbatim, found.inline
    filed = f" ({many(sum(one.filed for one in verbatim), 'flag')})" if verbatim else ""
    told = [_row("closes", f"parallel {len(judged)}  verbatim {len(verbatim)}{filed}  inline {len(looked.found)}")]
    if judged:
        jobs, most = sum(one.jobs for one in judged), max(one.workers for one in judged)
        slowest = max(one.took for one in judged)
        told.append(_row("", f"{many(jobs, 'job')} by up to {many(most, 'worker')}, the slowest close {slowest:.1f} s"))
    fallen = sum(1 for one in found.closes if one.fell_back)
    if fallen:
        still = sum(one.count for one in found.findings if one.name == "fell-back")
        right = f", {fallen - still} of them put right by a later one" if fallen > still else ""
        told.append(_row("", f"{many(fallen, 'close')} had to do without the judge{right}"))
    for by, calls in sorted(found.calls.items()):
        failed = f" ({calls.failed} failed)" if calls.failed else ""
        tokens = f"{calls.tokens_in:,} tokens in, {calls.tokens_out:,} out"
        told.append(_row("", f"{_tidy(by)}: {many(calls.calls, 'call')}{failed}, {tokens}"))
    spent = sum(one.tokens for one in looked.found)
    if spent:
        cheap = sum(one.tokens_in + one.tokens_out for one in found.calls.values())
        times = spent / len(looked.found) / (cheap / len(judged)) if judged and cheap else 0
        each = f", {times:.0f} times a parallel one" if judged and cheap else ""
        told.append(_row("", f"inline, in {many(len(looked.found), 'session')}: {spent:,} tokens{each}"))
    unread = [f"{looked.gone} gone"] if looked.gone else []
    unread += [f"{looked.left_out} too many to read"] if looked.left_out else []
    if unread:
        told.append(_row("", f"{many(looked.read, 'transcript')} read; {', '.join(unread)}"))
    return told


def _boundaries(found: Audit) -> list[str]:
    if not found.rows:
        return [_row("boundaries", "none came")]
    told = ["", f"{'boundary':<{WIDTH}}" + "".join(f"{name:>10}" for name in COLUMNS)]
    for row in found.rows:
        numbers = {name: getattr(row, name) for name in COLUMNS}
        blank = [name for name in numbers if name not in ("came", "injected") or row.kind in NOT_ASKING]
        cells = ("-" if not count and name in blank else f"{count:,}" for name, count in numbers.items())
        told.append(f"{_tidy(row.kind):<{WIDTH}}" + "".join(f"{one:>10}" for one in cells))
    if found.unasked:
        told.append(f"and {many(found.unasked, 'flag')} that no nudge had asked for")
    return told


def _counted(found: Audit) -> list[str]:
    days, counts = found.counted["days"], found.counted["counts"]
    if not days:
        return []
    shown = ", ".join(f"{counts[name]:,} {name}" for name in ("hook", "nudge", "flag", "close") if counts.get(name))
    return ["", f"and {many(days, 'older day')}, of which only counts are kept (all projects): {shown or 'nothing'}"]


def _finding(one: Finding) -> tuple[str, str]:
    about = f" {_tidy(one.about)}" if one.about else ""
    return f"- {one.name}{about}: {_tidy(one.detail)}", f"    {_tidy(one.fix)}"


def _tidy(text: str) -> str:
    return shortened(clean(text)[0], LONGEST)


def _days_counted(state: str, period: Period) -> dict[str, Any]:
    """The days of the period that are known as counts only, of all projects: how many, and their sums."""
    days = [one for one in ledger.counts(state) if _began(one.get("day")) + ledger.DAY > period.since]
    sums: dict[str, int] = {}
    for one in days:
        for name, count in one.get("counts", {}).items() if isinstance(one.get("counts"), dict) else ():
            sums[str(name)] = sums.get(str(name), 0) + closes.count(count)
    return {"days": len(days), "counts": sums}


def _began(day: object) -> float:
    try:
        return datetime.datetime.fromisoformat(str(day)).replace(tzinfo=datetime.UTC).timestamp()
    except ValueError:
        return 0.0

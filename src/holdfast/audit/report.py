"""An audit put together: what was written against what ran, for a period, with a verdict.

It is ok where every session that was seen is closed and drained, every hook and close did its work, nudges are
answered, no session closed itself inline, and no loop stays open. Each part is looked at for itself: one that breaks is
a finding and hides no other. Nothing is changed by looking.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.audit import firing, inline, period, sessions
from holdfast.audit.findings import (
    ERROR,
    FAILED,
    FELL_BACK,
    INLINE,
    LOOP,
    NO_ANSWER,
    NO_SNAPSHOT,
    QUEUE,
    SKIPS,
    Finding,
)
from holdfast.audit.inline import Looked
from holdfast.capture import home, projects
from holdfast.close.work import find_episode
from holdfast.doctor.capture import check_queue
from holdfast.doctor.checks import age, many, reason
from holdfast.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from holdfast.audit.boundaries import Row
    from holdfast.audit.closes import Calls, Close
    from holdfast.audit.period import Period, Told
    from holdfast.audit.sessions import Sessions
    from holdfast.close.loops import Loop
    from holdfast.doctor.checks import Place

MOST_LISTED = 50  # findings of one kind; a thousand dead sessions are one cause


@dataclass(frozen=True)
class Report:
    period: Period
    sessions: Sessions
    rows: tuple[Row, ...]
    unasked: int  # flags that no nudge had asked for
    closes: tuple[Close, ...]
    calls: dict[str, Calls]
    inline: Looked
    loops_open: tuple[Loop, ...]
    loops_closed: int
    counted: dict[str, Any]
    findings: tuple[Finding, ...]
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
        found = self.sessions
        skips = [one.as_record() for one in self.findings if one.kind in SKIPS]
        return {
            "ok": self.ok,
            "period": self.period.as_record(),
            "sessions": {
                **{name: getattr(found, name) for name in ("seen", "open", "closed", "closing", "drained")},
                "indexed": None,
            },
            "boundaries": [row.as_record() for row in self.rows],
            "unasked_flags": self.unasked,
            "closes": {
                "parallel": len(self.judged),
                "verbatim": len(self.verbatim),
                "failed": sum(1 for one in self.closes if one.error),
                "inline": [one.as_record() for one in self.inline.found],
                "calls": {by: dict(one.__dict__) for by, one in self.calls.items()},
                "transcripts": {name: getattr(self.inline, name) for name in ("read", "gone", "left_out")},
            },
            "loops": {"open": len(self.loops_open), "closed": self.loops_closed},
            "skips": skips,
            "alarms": [one.as_record() for one in self.findings if one.kind not in SKIPS],
            "left_out": self.left_out,
            "counted": self.counted,
        }


def here(place: Place) -> str:
    """The project of this folder. Raises NotFound."""
    _make_sure_of_vault(place)
    return projects.find(place.cwd, place.vault).id


def _make_sure_of_vault(place: Place) -> None:
    """Where nothing was ever captured nothing is wrong either, and saying so would be a lie."""
    home.refuse_newer(place.vault)
    if not home.format_of(place.vault):
        raise NotFound(f"There is no vault at {place.vault}; nothing was looked at. `holdfast init` makes one.")


def audit(place: Place, asked: Period) -> Report:
    """Look at everything in a period. Raises NotFound where there is no vault, or no such project."""
    _make_sure_of_vault(place)
    told = period.read(place.state, asked)
    asked = told.period
    counted = sessions.count(place, told)
    own = told.own()
    looked = inline.look(_episodes(place, told), place.vault)
    closes = tuple(told.closes.of(asked.takes))
    keys = None if not asked.project else frozenset((*own, *(one.episode for one in closes)))
    loops_open, loops_closed, findings = _loops(place, asked)
    findings = [
        *counted.findings,
        *_errors(told, place.clock()),
        *_guarded("the queue", lambda: _queue(place)),
        *_guarded("hooks", lambda: firing.silent(place, told)),
        *_boundaries(told, place.clock()),
        *_closes(told, looked),
        *findings,
    ]
    listed, left_out = _bounded(findings)
    return Report(
        period=asked,
        sessions=counted,
        rows=tuple(told.boundaries.rows(asked.takes)),
        unasked=sum(count for project, count in told.boundaries.unasked.items() if asked.takes(project)),
        closes=closes,
        calls=told.closes.taken(keys),
        inline=looked,
        loops_open=loops_open,
        loops_closed=loops_closed,
        counted=period.counted(place.state, asked),
        findings=listed,
        records=told.records,
        left_out=left_out,
    )


def _episodes(place: Place, told: Told) -> Iterator[Any]:
    """Those of the period with a transcript, the newest first."""
    for key, _ in sorted(told.own().items(), key=lambda item: -item[1].last):
        found = find_episode(place.state, key)
        if found and found.transcript:
            yield found


def _bounded(findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], dict[str, int]]:
    counts: dict[str, int] = {}
    listed = []
    for one in findings:
        counts[one.kind] = counts.get(one.kind, 0) + 1
        if counts[one.kind] <= MOST_LISTED:
            listed.append(one)
    return tuple(listed), {kind: count - MOST_LISTED for kind, count in counts.items() if count > MOST_LISTED}


def _guarded(name: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """A part that cannot be looked at is said, and stops no other."""
    try:
        return list(look())
    except Exception as error:
        why = f"{name} could not be looked at ({type(error).__name__}: {reason(error)})"
        return [Finding(ERROR, name, why, "mend what it names, then run `holdfast audit` again")]


def _errors(told: Told, now: float) -> Iterator[Finding]:
    for (host, event, error), (count, last) in sorted(told.errors.items(), key=lambda item: -item[1][1]):
        who = " ".join(part for part in (host, event) if part) or "the ledger"
        often = f"{many(count, 'time')}, last {age(now - last)} ago" if last else many(count, "time")
        yield Finding(ERROR, who, f"{error} ({often})", "`holdfast log --kind error` shows each", count, last)
    if told.errors_left_out:
        why = f"{many(told.errors_left_out, 'more error')} of other kinds"
        yield Finding(ERROR, "", why, "`holdfast log --kind error` shows each", told.errors_left_out)


def _queue(place: Place) -> Iterator[Finding]:
    """What the doctor says of the whole queue: a flag that waits too long need not be of any session."""
    for check in check_queue(place):
        if not check.ok and check.name in QUEUE:
            yield Finding(check.name, "", check.detail, check.fix)


def _boundaries(told: Told, now: float) -> Iterator[Finding]:
    for host, count, since in told.boundaries.in_a_row(told.period.takes):
        why = (
            f"the last {count} nudges, since {age(now - since)}, got no answer: no flag, no word that there is nothing"
        )
        fix = (
            f"`holdfast doctor --agent {host}` looks whether the agent may run `holdfast flag`; "
            '`mode = "strict"` in config.toml lets the end of a turn ask once more'
        )
        yield Finding(NO_ANSWER, host, why, fix, count, since)
    for key, when, why in told.boundaries.unwritten:
        if key in told.own():
            said = f"a compaction went on without a snapshot ({why or 'nobody said why'})"
            yield Finding(NO_SNAPSHOT, key, said, "`holdfast doctor` looks at the disk and the vault", last=when)


def _closes(told: Told, looked: Looked) -> Iterator[Finding]:
    takes = told.period.takes
    for one in told.closes.failed(takes):
        fix = "`holdfast close` tries again; everything waits as before"
        yield Finding(FAILED, one.episode, one.error, fix, last=one.when)
    reasons: dict[str, list[Close]] = {}
    for one in told.closes.of(takes):
        if one.fell_back:
            reasons.setdefault(one.fell_back, []).append(one)
    for why, closes in reasons.items():
        said = f"{many(len(closes), 'close')} filed verbatim what was meant for the judge: {why}"
        fix = "`holdfast doctor` probes the judge, `holdfast spend` shows the caps; a later close consolidates it"
        yield Finding(FELL_BACK, closes[-1].episode, said, fix, len(closes), closes[-1].when)
    for found in looked.found:
        on = f" on {found.model}" if found.model else ""
        cost = f"{many(found.responses, 'response')}, {found.tokens:,} tokens{on}"
        said = f"it wrote its memory itself, over its whole context: {cost}"
        fix = (
            "an instruction asks for it, most likely in CLAUDE.md, AGENTS.md or a skill: take that out; "
            "a flag is one line, and the close does the rest in the background"
        )
        yield Finding(INLINE, found.episode, said, fix)


def _loops(place: Place, asked: Period) -> tuple[tuple[Loop, ...], int, list[Finding]]:
    from holdfast.close import loops

    try:
        found = loops.listing(place.vault, place.state, place.clock(), asked.project or None)
    except Exception as error:  # a vault that cannot be read is no reason to say nothing of the rest
        why = f"the loops could not be looked at ({type(error).__name__}: {reason(error)})"
        return (), 0, [Finding(LOOP, "", why, "`holdfast check` says what is wrong in the vault")]
    late = [
        Finding(
            LOOP,
            one.id,
            f'"{one.wrong[:120]}" {loops.SAID[one.state]}; {many(one.closes, "close")} went by',
            "`holdfast loops` lists them, `holdfast review` decides what waits",
            last=one.time,
        )
        for one in found.open
        if one.is_late
    ]
    return found.open, len(found.closed), late

"""An audit put together: what was written against what ran, for a period, with a verdict.

It is ok where every session was seen, closed, drained and indexed, every hook and close did its work, nudges are
answered, no session closed itself inline, and no loop stays open. Notes are worth knowing and change no verdict.
Nothing is changed by looking.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holdfast.audit import alarms, inline, period, sessions
from holdfast.audit.findings import SKIPS
from holdfast.capture import home, project_merges, projects, vanished
from holdfast.close.work import find_episode
from holdfast.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from holdfast.audit.boundaries import Row
    from holdfast.audit.closes import Calls, Close
    from holdfast.audit.findings import Finding
    from holdfast.audit.inline import Looked
    from holdfast.audit.period import Period, Told
    from holdfast.audit.sessions import Sessions
    from holdfast.close.improve.loops import Loops
    from holdfast.doctor.checks import Place

STAGES = ("noted", "reopened", "wired", "proven")  # of loops: how far each has come
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
        found = self.sessions
        skips = [one.as_record() for one in self.findings if one.kind in SKIPS]
        return {
            "ok": self.ok,
            "period": self.period.as_record(),
            "sessions": {
                **{name: getattr(found, name) for name in ("seen", "open", "closed", "closing", "drained")},
                "indexed": self.indexed,
                "unseen": self.unseen,
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
            "loops": {
                "open": len(self.loops.open),
                "closed": len(self.loops.closed),
                **{stage: self.loops.count(stage) for stage in STAGES},
            },
            "skips": skips,
            "alarms": [one.as_record() for one in self.findings if one.kind not in SKIPS],
            "notes": [one.as_record() for one in self.notes],
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
    vanished.refuse(place.vault, place.env)
    if not home.format_of(place.vault):
        raise NotFound(f"There is no vault at {place.vault}; nothing was looked at. `holdfast init` makes one.")


def audit(place: Place, asked: Period) -> Report:
    """Look at everything in a period. Raises NotFound where there is no vault, or no such project."""
    _make_sure_of_vault(place)
    told = period.read(place.state, asked, projects.registered(place.vault))
    if told.period.project:
        first, *merged = project_merges.ids(place.vault, told.period.project)
        told.period = replace(told.period, project=first, merged=tuple(merged))
    asked = told.period
    counted = sessions.count(place, told)
    own = told.own()
    looked = inline.look(_episodes(place, told), place.vault)
    closes = tuple(told.closes.of(asked.takes))
    keys = None if not asked.project else frozenset((*own, *(one.episode for one in closes)))
    fired = alarms.fired(place, told)
    indexed = alarms.indexed(place, told, counted.done)
    loops, findings = alarms.loops(place, asked)
    findings = [
        *counted.findings,
        *indexed.findings,
        *alarms.errors(told, place.clock()),
        *alarms.in_queue(place),
        *alarms.in_vault(place),
        *fired.findings,
        *alarms.boundaries(told, place.clock()),
        *alarms.closes(told, looked),
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
        loops=loops,
        counted=period.counted(place.state, asked),
        findings=listed,
        notes=(*fired.notes, *indexed.notes),
        indexed=indexed.count,
        unseen=fired.unseen,
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

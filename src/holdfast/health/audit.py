"""The audit of a period: what should have run against what did, with a verdict.

It is ok where every session was seen, closed, drained and indexed, every hook and close did its work, nudges are
answered, no session closed itself inline, and no loop stays open. Notes are worth knowing and change no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holdfast.capture import home, projects, same_project, vault_id
from holdfast.capture.episodes import of_key
from holdfast.errors import NotFound
from holdfast.health import boundaries, closes, inline_closes, sessions, unseen_sessions
from holdfast.health import field as index
from holdfast.health import sessions as period
from holdfast.health.capture import check_acknowledged, check_queue
from holdfast.health.finding import LOOP_STAGES, Finding, unseen
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
    from holdfast.health.sessions import Period, Sessions, Told

QUEUE = ("queue-age", "queue-damage", "acknowledged")
# Names of silent skips; the other findings are about cost and loops.
SKIPS = (
    *("not-closed", "not-drained", "not-indexed", "hook-error", "mark", "dead-letter", "no-answer", "hooks-silent"),
    *("no-snapshot", "close-failed", *QUEUE),
)
MOST_LISTED = 50  # findings of one kind; a thousand dead sessions are one cause


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
    _make_sure_of_vault(place)
    return projects.find(place.cwd, place.vault).id


def _make_sure_of_vault(place: Place) -> None:
    """Where nothing was ever captured nothing is wrong either, and saying so would be a lie."""
    home.refuse_newer(place.vault)
    vault_id.refuse(place.vault, place.env)
    if not home.format_of(place.vault):
        raise NotFound(f"There is no vault at {place.vault}; nothing was looked at. `holdfast init` makes one.")


def audit(place: Place, asked: Period) -> Audit:
    """Look at everything in a period. Raises NotFound where there is no vault, or no such project."""
    _make_sure_of_vault(place)
    told = period.read(place.state, asked, projects.registered(place.vault))
    if told.period.project:
        first, *merged = same_project.ids(place.vault, told.period.project)
        told.period = replace(told.period, project=first, merged=tuple(merged))
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
        counted=period.counted(place.state, asked),
        findings=listed,
        notes=tuple(one for one in (*fired, *indexed) if one.ok),
        indexed=whole,
        unseen=sum(one.count for one in fired if one.name == "hooks-silent"),
        records=told.records,
        left_out=left_out,
    )


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

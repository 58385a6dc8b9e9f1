"""One task in words for its page: how much is done, what holds, what was found, who worked on it, what may be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.model import TRUSTED
from holdfast.tasks import numbers, observations, record, states
from holdfast.tasks import page as task_page

if TYPE_CHECKING:
    from holdfast.tasks.page import Part, View
    from holdfast.tasks.progress import Count, Standing
    from holdfast.tasks.queries import Task
    from holdfast.tasks.record import Entry

KIND = {
    states.STARTED: "accent",
    states.ACTIVE: "accent",
    states.RESUMED: "accent",
    states.REOPENED: "accent",
    states.PAUSED: "warn",
    states.BLOCKED: "bad",
    states.COMPLETED: "good",
    states.ABANDONED: "",
}
SIGNS = {
    states.PAUSED: "\u2016",
    states.BLOCKED: "\u2715",
    states.COMPLETED: "\u2713",
    states.ABANDONED: "\u2013",
}
MOVES = {"pause": states.PAUSED, "resume": states.RESUMED, "block": states.BLOCKED}
BACK = {states.PAUSED: "resume", states.BLOCKED: "resume", states.RESUMED: "pause"}  # what undoes a move
LABELS = (
    ("in progress", "in_progress"),
    ("seen begun", "seen_begun"),
    ("pending", "pending"),
    ("failed", "failed"),
    ("skipped", "skipped"),
    ("never mentioned", "gaps"),
    ("completed", "completed"),
    ("seen done, and nobody said so", "seen"),
)
MOST_NAMES = 30


@dataclass(frozen=True)
class Meter:
    """How many units of one kind are done; a total of 0 is not known."""

    name: str
    done: int
    total: int
    words: str


@dataclass(frozen=True)
class Said:
    """One entry. `gone` is the beginning of what took its place; `outside` where its words came from, if not from the
    user or the agent."""

    ident: str
    time: float
    text: str
    gone: str = ""
    outside: str = ""


@dataclass(frozen=True)
class Worker:
    """A session that worked on the task."""

    host: str
    episode: str
    entries: int
    first: float
    last: float


@dataclass(frozen=True)
class Shown:
    """A task's page."""

    task: Task
    state: State
    meters: tuple[Meter, ...]
    units: tuple[tuple[str, str], ...]
    step: str
    no_step: str
    said_next: Said | None
    in_force: tuple[Said, ...]
    superseded: tuple[Said, ...]
    discoveries: tuple[Said, ...]
    findings: tuple[Said, ...]
    progress: tuple[Said, ...]
    history: tuple[Said, ...]
    workers: tuple[Worker, ...]
    moves: tuple[str, ...]
    ends: tuple[str, ...]
    left_out: int


@dataclass(frozen=True)
class State:
    """`reason` is what was said when it changed."""

    name: str
    kind: str
    sign: str
    reason: str = ""


def state_of(name: str, reason: str = "") -> State:
    return State(name, KIND.get(name, ""), SIGNS.get(name, "\u25b8"), reason)


def shown(seen: View) -> Shown:
    """A task as the page shows it."""
    task, standing = seen.task, seen.standing
    last = next((one for one in reversed(seen.states.entries) if one.to == task.state), None)
    parts = (seen.decisions, seen.progress, seen.discoveries, seen.findings, seen.states)
    by_id = {one.id: one for one in seen.decisions.entries}
    superseded = [one for one in seen.decisions.entries if one.id in seen.gone]
    follows = states.FOLLOWS.get(task.state, ())
    return Shown(
        task=task,
        state=state_of(task.state, last.text if last and last.to != states.STARTED else ""),
        meters=meters(standing),
        units=tuple((label, observations.some(found, MOST_NAMES)) for label, found in _labelled(standing)),
        step=seen.step(),
        no_step=seen.no_step(),
        said_next=said(seen.next) if seen.next else None,
        in_force=tuple(said(one) for one in seen.in_force),
        superseded=tuple(said(one, _beginning(by_id.get(seen.gone[one.id]))) for one in superseded),
        discoveries=_all(seen.discoveries),
        findings=_all(seen.findings),
        progress=_all(seen.progress)[::-1],
        history=_all(seen.states)[::-1],
        workers=workers(parts, seen.next),
        moves=tuple(name for name, to in MOVES.items() if to in follows and not _is_idle(name, task.state)),
        ends=tuple(to for to in states.OVER if to in follows),
        left_out=sum(part.more for part in parts),
    )


def _is_idle(move: str, state: str) -> bool:
    """Resuming what goes on already would only say so again."""
    return move == "resume" and state not in states.RESTING


def _labelled(standing: Standing) -> list[tuple[str, tuple[str, ...]]]:
    return [(label, found) for label, name in LABELS if (found := getattr(standing, name))]


def meters(standing: Standing) -> tuple[Meter, ...]:
    return tuple(_meter(one) for one in standing.counts)


def _meter(one: Count) -> Meter:
    name = one.series.replace(numbers.HOLE, "\u2026").strip() or "numbers"
    if not one.total:
        words = f"{one.completed:,} completed, of how many is not known"
    else:
        words = f"{one.completed:,} of {one.total:,} completed"
    if one.seen:
        words += f", {one.seen:,} more seen done"
    return Meter(name, one.completed, one.total, words)


def said(one: Entry, gone: str = "") -> Said:
    words = one.text if one.kind == record.DECISION else task_page.worded(one)  # without the ids that it supersedes
    return Said(one.id, one.time, words, gone, "" if one.origin in TRUSTED else one.origin)


def _beginning(one: Entry | None) -> str:
    return one.text[:160] if one else "a later decision"


def _all(part: Part) -> tuple[Said, ...]:
    return tuple(said(one) for one in part.entries)


def workers(parts: tuple[Part, ...], following: Entry | None) -> tuple[Worker, ...]:
    """The sessions whose entries are shown, the latest first."""
    found: dict[str, list[float]] = {}
    for one in [*(one for part in parts for one in part.entries), *([following] if following else [])]:
        if one.episode:
            found.setdefault(one.episode, []).append(one.time)
    made = [Worker(key.partition("/")[0], key, len(times), min(times), max(times)) for key, times in found.items()]
    return tuple(sorted(made, key=lambda one: -one.last))


def consequences(to: str, promotable: int) -> list[str]:
    """The consequences of completing or abandoning a task, a sentence each."""
    told = ["Its memory is kept as a file in outputs/, and its working folder goes."]
    if to == states.COMPLETED:
        told.append("Its decisions stay in force in this project until something supersedes them.")
        if promotable:
            what = "entry" if promotable == 1 else "entries"
            told.append(f"{promotable:,} {what} can become notes for good: tick them below.")
    else:
        told.append("Its decisions bind nobody from then on.")
    told.append("Reopening it takes this back: its memory comes back from outputs/, and nothing of it is lost.")
    return told

"""A task as it is shown: bounded, so that a page, a start and a listing cost the same however long the task's log is.

What is in force comes before what no longer is, the newest before the older; how many were left out is said, and the
log has them all.
"""

from __future__ import annotations

from holdfast.model import value
from holdfast.tasks import entry as entries
from holdfast.tasks import progress, seen, units
from holdfast.tasks.entry import Entry
from holdfast.tasks.index import Index
from holdfast.tasks.questions import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.tasks.progress import Standing

MOST = 150  # entries of one section
MOST_CHARACTERS = 24_000  # of one section's texts
MOST_NAMES = 40  # units of one state
MOST_ORDER = 2000
MOST_STATES = 40


@value
class Part:
    """The entries of one section in order of time, and how many more there are."""

    entries: tuple[Entry, ...] = ()
    more: int = 0


@value
class View:
    """`gone` says by which entry a shown one was superseded; `next` is the newest word on where to begin; `saw` when
    the hook last saw work on a unit, and `begun` what it saw of the next one, where that was begun."""

    task: Task
    decisions: Part
    progress: Part
    discoveries: Part
    states: Part
    findings: Part
    standing: Standing
    next: Entry | None
    gone: dict[str, str]
    is_reached: bool = False  # what the next step speaks of was done since
    saw: float = 0.0
    begun: str = ""

    def part(self, kind: str) -> Part:
        found = {
            entries.DECISION: self.decisions,
            entries.PROGRESS: self.progress,
            entries.DISCOVERY: self.discoveries,
            entries.NEXT: Part((self.next,) if self.next else ()),
            entries.STATE: self.states,
            entries.FINDING: self.findings,
        }
        return found[kind]

    @property
    def in_force(self) -> tuple[Entry, ...]:
        return tuple(one for one in self.decisions.entries if one.id not in self.gone)

    def step(self) -> str:
        """The one exact next step. "" where there is none, and `no_step` says why."""
        if self.task.is_over:
            return ""
        is_newest = self.next is not None and self.next.time >= self.worked_at()
        return seen.step(
            self.standing,
            said=self.said_next(),
            is_newest=is_newest,
            is_reached=self.is_reached,
            begun=self.begun,
        )

    def worked_at(self) -> float:
        """When work was last reported or seen."""
        return max([self.saw, *(one.time for one in self.progress.entries)])

    def said_next(self) -> str:
        """The newest word of an author on where to begin, and whether it came from outside text."""
        return f"{self.next.text}{entries.outside(self.next)}" if self.next else ""

    def no_step(self) -> str:
        """Why there is no next step. What failed or was passed over is not taken for done."""
        found = self.standing
        if self.task.is_over:
            return f"the task is {self.task.state}"
        if not found.counts:
            return 'nobody has said it yet (`holdfast task checkpoint --next "…"`)'
        left = [f"{', '.join(found.failed)} failed"] if found.failed else []
        left += [f"nobody ever spoke of {', '.join(found.gaps)}"] if found.gaps else []
        if left:
            return f"nothing is pending, but {' and '.join(left)} (say PENDING or SKIPPED of it)"
        if found.seen:
            return f"nothing is left, but {seen.DONE} {seen.some(found.seen)} (say COMPLETED of it, or look at it)"
        return f"nothing is left to do (`holdfast task complete {self.task.id}`)"


def gather(index: Index, task: Task, *, most: int = MOST, characters: int = MOST_CHARACTERS) -> View:
    """`most` 0 means all of it."""
    decisions, gone = _decisions(index, task.id, most, characters)
    told = list(index.entries(task.id, entries.NEXT, newest=1))  # where it was taken away, no older one comes back
    stands = standing(index, task.id)
    saw = next(index.entries(task.id, entries.SEEN, newest=1), None)
    begun = index.entry(task.id, stands.begun_by) if stands.begun_by else None
    return View(
        task,
        decisions,
        _part(index, task.id, entries.PROGRESS, most, characters),
        _part(index, task.id, entries.DISCOVERY, most, characters),
        _part(index, task.id, entries.STATE, min(most, MOST_STATES) if most else 0, characters),
        _part(index, task.id, entries.FINDING, most, characters),
        stands,
        told[0] if told and not index.gone_by(task.id, told[0].id) else None,
        gone,
        bool(told) and _is_reached(index, task.id, told[0].text),
        saw.time if saw else 0.0,
        seen.how(begun) if begun else "",
    )


def _is_reached(index: Index, task: str, text: str) -> bool:
    """Whether a unit that a text names is done: then it spoke of work that has been passed."""
    tokens = text.replace(",", " ").replace(". ", " ").replace(";", " ").rstrip(".").split()
    numbered = [f"{tokens[at - 1]} {one}" for at, one in enumerate(tokens) if at and one.isdecimal()]
    named = [one for one in tokens if "/" in one]
    return any(index.is_done(task, units.wanted(one), also_seen=True) for one in (*numbered, *named))


def standing(index: Index, task: str) -> Standing:
    """Where the work stands, told of at most so many units of a state. Page and start ask for the same."""
    if task not in index.standings:
        names = index.known_names(task, MOST_NAMES)
        index.standings[task] = progress.standing(index.known_spans(task), names, index.order(task, MOST_ORDER))
    return index.standings[task]


def _part(index: Index, task: str, kind: str, most: int, characters: int) -> Part:
    found = list(index.entries(task, kind, in_force=True, newest=most))
    if most:
        found = _newest(found, characters)
    return Part(tuple(found), index.count(task, kind, in_force=True) - len(found))


def _decisions(index: Index, task: str, most: int, characters: int) -> tuple[Part, dict[str, str]]:
    """Those in force, and, where there is room, those that were superseded: a page never changes what was decided."""
    found = list(index.entries(task, entries.DECISION, in_force=True, newest=most))
    told = list(index.entries(task, entries.DECISION, newest=most))
    if most:
        found = _newest(found, characters)
    known = {one.id for one in found}
    gone = {one.id: by for one in told if one.id not in known and (by := index.gone_by(task, one.id))}
    withdrawn = {one for one, by in gone.items() if (new := index.entry(task, by)) and new.kind == entries.WITHDRAW}
    gone = {one: by for one, by in gone.items() if one not in withdrawn}
    room = most - len(found) if most else len(gone)
    old = [one for one in told if one.id in gone][-room:] if room > 0 else []
    shown = sorted([*found, *old], key=lambda one: (one.time, one.id))
    more = index.count(task, entries.DECISION) - len(shown) - len(withdrawn)
    return Part(tuple(shown), max(0, more)), {one.id: gone[one.id] for one in old}


def _newest(found: Sequence[Entry], characters: int) -> list[Entry]:
    """As many of the newest as fit; one at least."""
    kept: list[Entry] = []
    for one in reversed(found):
        characters -= len(one.text)
        if kept and characters < 0:
            break
        kept.append(one)
    return kept[::-1]

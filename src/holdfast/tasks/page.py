"""session_memory.md: a task as it is shown, bounded, and the page that is rendered of it.

The page costs the same however long the task's log is: what is in force comes before what no longer is, the newest
before the older, and how many were left out is said. Every entry is one line with its time and its id; `^id` at the end
of a line is what Obsidian calls a block. The last line seals the page with the digest of what stands above it, so it
can be told whether somebody has edited the page since, and whether its end is missing.
"""

from __future__ import annotations

import time

from holdfast.capture.ids import digest
from holdfast.model import value
from holdfast.tasks import observations, progress, record, units
from holdfast.tasks.record import Entry
from holdfast.tasks.states import OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.tasks.index import Index
    from holdfast.tasks.progress import Standing
    from holdfast.tasks.queries import Task

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
            record.DECISION: self.decisions,
            record.PROGRESS: self.progress,
            record.DISCOVERY: self.discoveries,
            record.NEXT: Part((self.next,) if self.next else ()),
            record.STATE: self.states,
            record.FINDING: self.findings,
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
        said, is_reached = self.said_next(), self.is_reached
        return observations.step(self.standing, said=said, is_newest=is_newest, is_reached=is_reached, begun=self.begun)

    def worked_at(self) -> float:
        """When work was last reported or seen."""
        return max([self.saw, *(one.time for one in self.progress.entries)])

    def said_next(self) -> str:
        """The newest word of an author on where to begin, and whether it came from outside text."""
        return f"{self.next.text}{record.outside(self.next)}" if self.next else ""

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
            told = f"{observations.DONE} {observations.some(found.seen)}"
            return f"nothing is left, but {told} (say COMPLETED of it, or look at it)"
        return f"nothing is left to do (`holdfast task complete {self.task.id}`)"


def gather(index: Index, task: Task, *, most: int = MOST, characters: int = MOST_CHARACTERS) -> View:
    """`most` 0 means all of it."""
    decisions, gone = _decisions(index, task.id, most, characters)
    told = list(index.entries(task.id, record.NEXT, newest=1))  # where it was taken away, no older one comes back
    stands = standing_of(index, task.id)
    saw = next(index.entries(task.id, record.SEEN, newest=1), None)
    begun = index.entry(task.id, stands.begun_by) if stands.begun_by else None
    return View(
        task,
        decisions,
        _part(index, task.id, record.PROGRESS, most, characters),
        _part(index, task.id, record.DISCOVERY, most, characters),
        _part(index, task.id, record.STATE, min(most, MOST_STATES) if most else 0, characters),
        _part(index, task.id, record.FINDING, most, characters),
        stands,
        told[0] if told and not index.gone_by(task.id, told[0].id) else None,
        gone,
        bool(told) and _is_reached(index, task.id, told[0].text),
        saw.time if saw else 0.0,
        observations.how(begun) if begun else "",
    )


def _is_reached(index: Index, task: str, text: str) -> bool:
    """Whether a unit that a text names is done: then it spoke of work that has been passed."""
    tokens = text.replace(",", " ").replace(". ", " ").replace(";", " ").rstrip(".").split()
    numbered = [f"{tokens[at - 1]} {one}" for at, one in enumerate(tokens) if at and one.isdecimal()]
    named = [one for one in tokens if "/" in one]
    return any(index.is_done(task, units.wanted(one), also_seen=True) for one in (*numbered, *named))


def standing_of(index: Index, task: str) -> Standing:
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
    """Decisions in force, and, where there is room, superseded ones: a page never changes what was decided."""
    found = list(index.entries(task, record.DECISION, in_force=True, newest=most))
    told = list(index.entries(task, record.DECISION, newest=most))
    if most:
        found = _newest(found, characters)
    known = {one.id for one in found}
    gone = {one.id: by for one in told if one.id not in known and (by := index.gone_by(task, one.id))}
    withdrawn = {one for one, by in gone.items() if (new := index.entry(task, by)) and new.kind == record.WITHDRAW}
    gone = {one: by for one, by in gone.items() if one not in withdrawn}
    room = most - len(found) if most else len(gone)
    old = [one for one in told if one.id in gone][-room:] if room > 0 else []
    shown = sorted([*found, *old], key=lambda one: (one.time, one.id))
    more = index.count(task, record.DECISION) - len(shown) - len(withdrawn)
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


HEADINGS = {
    record.DECISION: "Decisions",
    record.PROGRESS: "Progress",
    record.DISCOVERY: "Discoveries",
    record.NEXT: "Next Session Start",
}
STATES, FINDINGS = "State", "Findings"
COMPLETE = "TASK COMPLETE"
READ_FIRST = (
    "> Read this first. Decisions apply without being re-evaluated; work that is COMPLETED, or was seen done, is not "
    'done again; begin at "Next Session Start".'
)
GOAL, STANDING, STEP, STATUS = "> Goal: ", "> Standing: ", "> Next step: ", "Final status: "
SEAL, SEALED = "<!-- holdfast: end of ", " -->"
LEFT_OUT, LISTED = "*(", "lists them)*"
FIELDS = {
    "learned": "Study, learned",
    "surprised": "Study, surprised",
    "connection": "Study, connection",
    "change": "Act, to change",
}


def render(view: View) -> str:
    """The whole page, sealed."""
    task = view.task
    size = _size(view)
    lines = [f"# Session Memory — {task.id}", "", f"{GOAL}{task.goal}"]
    lines += [f"> State: {task.state} since {stamp(task.changed)} · project {task.project}", READ_FIRST]
    for kind, heading in HEADINGS.items():
        lines += ["", f"## {heading}", ""]
        if kind == record.PROGRESS and (told := standing(view.standing)):
            lines += [f"{STANDING}{told}", ""]
        if kind == record.NEXT and (step := view.step()) and step != view.said_next():
            lines += [f"{STEP}{step}", ""]
        lines += _section(view, view.part(kind), size)
    if view.findings.entries:
        lines += ["", f"## {FINDINGS}", "", *_section(view, view.findings, size)]
    lines += ["", f"## {STATES}", "", *_section(view, view.states, size)]
    if task.state in OVER:
        last = next((one for one in reversed(view.states.entries) if one.to == task.state), None)
        what = COMPLETE if task.state == "completed" else "TASK ABANDONED"
        lines += ["", f"## {what} — {stamp(task.changed)}", "", f"{STATUS}{last.text if last else task.state}"]
    return sealed("\n".join(lines) + "\n", task.id)


def sealed(body: str, task: str) -> str:
    return f"{body}\n{SEAL}{task}, {digest(body)}{SEALED}\n"


def seal_of(text: str) -> tuple[str, str]:
    """The body of a page and the digest that it was sealed with; the latter is "" where the end is missing."""
    at = text.rfind(f"\n{SEAL}")
    last = text[at + 1 :].strip() if at >= 0 else ""
    if at < 0 or "\n" in last or not last.endswith(SEALED):
        return text, ""
    return text[:at], last[len(SEAL) : -len(SEALED)].rpartition(", ")[2]


def is_page(path: str) -> bool:
    """Whether a path of the vault is a task's page, of an open one or of one that is over."""
    if path.startswith("outputs/session_memory_final_"):
        return path.endswith(".md")
    return path.startswith("tasks/") and path.count("/") == 2 and path.endswith("/session_memory.md")


def is_edited(text: str) -> bool:
    body, said = seal_of(text)
    return digest(body) != said


def _size(view: View) -> int:
    """How many letters of an id tell the shown ones apart."""
    parts = (view.decisions, view.progress, view.discoveries, view.states, view.findings)
    known = {one.id for part in parts for one in part.entries} | set(view.gone.values())
    known |= {view.next.id} if view.next else set()
    size = record.SHORT
    while len({one[-size:] for one in known}) < len(known) and size < 26:
        size += 2
    return size


def _section(view: View, part: Part, size: int) -> list[str]:
    what = "one" if part.more == 1 else "ones"
    left = f"{LEFT_OUT}{part.more:,} older {what} in the log; `holdfast task show {view.task.id} --all` {LISTED}"
    return [*([left] if part.more else []), *(line(one, size, view.gone.get(one.id, "")) for one in part.entries)]


def line(one: Entry, size: int = record.SHORT, gone: str = "") -> str:
    """One entry as a page has it."""
    said = worded(one, size)
    if gone:
        said = f"~~{said}~~ superseded by ^{record.short(gone, size).lower()}"
    return f"- {stamp(one.time)} — {said}{record.outside(one)} ^{record.short(one.id, size).lower()}"


def worded(one: Entry, size: int = record.SHORT) -> str:
    """The words of an entry, with what it supersedes or which finding it is."""
    if one.kind == record.STATE:
        return f"{one.to}: {one.text}" if one.text else one.to
    if one.kind == record.FINDING:
        return f"{FIELDS.get(one.field, one.field)}: {one.text}"
    old = ", ".join(f"^{record.short(ident, size).lower()}" for ident in one.supersedes)
    return f"SUPERSEDES {old} — {one.text}" if old and one.kind == record.DECISION else one.text


def standing(found: Standing) -> str:
    """The standing in one line: what is completed, where it stopped, what is left."""
    parts = (
        *(("completed", found.completed), (observations.DONE, found.seen), ("seen begun:", found.seen_begun)),
        *(("in progress", found.in_progress), ("skipped", found.skipped), ("failed", found.failed)),
        *(("pending", found.pending), ("never mentioned", found.gaps)),
    )
    told = [f"{what} {observations.some(names)}" for what, names in parts if names]
    if found.stopped:
        told.append(f"stopped at {found.stopped}")
    return " · ".join(told)


def stamp(when: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(when))

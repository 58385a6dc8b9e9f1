"""session_memory.md: what a session reads first, rendered from the log, for people and agents alike.

Every entry is one line with its time and its id; `^id` at the end of a line is what Obsidian calls a block, so one
entry can be linked to. The last line seals the page: it has the digest of what stands above it. So it can be told
whether somebody has edited the page since, and whether its end is missing.
"""

from __future__ import annotations

import time

from holdfast.capture.ids import digest
from holdfast.tasks import entry as entries
from holdfast.tasks import seen
from holdfast.tasks.states import OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.tasks.entry import Entry
    from holdfast.tasks.progress import Standing
    from holdfast.tasks.view import Part, View

HEADINGS = {
    entries.DECISION: "Decisions",
    entries.PROGRESS: "Progress",
    entries.DISCOVERY: "Discoveries",
    entries.NEXT: "Next Session Start",
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
        if kind == entries.PROGRESS and (told := standing(view.standing)):
            lines += [f"{STANDING}{told}", ""]
        if kind == entries.NEXT and (step := view.step()) and step != view.said_next():
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
    size = entries.SHORT
    while len({one[-size:] for one in known}) < len(known) and size < 26:
        size += 2
    return size


def _section(view: View, part: Part, size: int) -> list[str]:
    lines = []
    if part.more:
        what = "one" if part.more == 1 else "ones"
        lines.append(
            f"{LEFT_OUT}{part.more:,} older {what} in the log; `holdfast task show {view.task.id} --all` {LISTED}"
        )
    return lines + [line(one, size, view.gone.get(one.id, "")) for one in part.entries]


def line(one: Entry, size: int = entries.SHORT, gone: str = "") -> str:
    """One entry as a page has it."""
    said = worded(one, size)
    if gone:
        said = f"~~{said}~~ superseded by ^{entries.short(gone, size).lower()}"
    return f"- {stamp(one.time)} — {said}{entries.outside(one)} ^{entries.short(one.id, size).lower()}"


def worded(one: Entry, size: int = entries.SHORT) -> str:
    """The words of an entry, with what it supersedes or which finding it is."""
    if one.kind == entries.STATE:
        return f"{one.to}: {one.text}" if one.text else one.to
    if one.kind == entries.FINDING:
        return f"{FIELDS.get(one.field, one.field)}: {one.text}"
    old = ", ".join(f"^{entries.short(ident, size).lower()}" for ident in one.supersedes)
    return f"SUPERSEDES {old} — {one.text}" if old and one.kind == entries.DECISION else one.text


def standing(found: Standing) -> str:
    """What is completed, where it stopped, what is left, in one line."""
    parts = (
        ("completed ", found.completed),
        (f"{seen.DONE} ", found.seen),
        ("seen begun: ", found.seen_begun),
        ("in progress ", found.in_progress),
        ("skipped ", found.skipped),
        ("failed ", found.failed),
        ("pending ", found.pending),
        ("never mentioned ", found.gaps),
    )
    told = [f"{what}{seen.some(names)}" for what, names in parts if names]
    if found.stopped:
        told.append(f"stopped at {found.stopped}")
    return " · ".join(told)


def stamp(when: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(when))

"""Start: what the next session would be told, line by line with the reason, and what a typed prompt would add to it.

It asks what a start asks and tells what `holdfast boot --explain` tells; looking leaves no trace. The brief is made
when it is looked at, so it comes as a part of its own and the page is there before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from fastapi import APIRouter, Response

from holdfast.brief import composition
from holdfast.capture import gitfiles
from holdfast.field.thought import note_id
from holdfast.page.visit import Visits
from holdfast.vault import brief, notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.brief.reasons import Explained, Line, Sized
    from holdfast.page.visit import Visit

router = APIRouter(include_in_schema=False)
LONGEST = 3000  # characters of a prompt that are looked at, as in the hook
NAMES = {
    composition.WARNINGS: "Warnings",
    composition.OWN: "Your own words in BRAIN.md",
    composition.RULES: "Who you are, and rules",
    composition.SAID: "What you said",
    composition.TASKS: "Open tasks",
    composition.HANDOFF: "The handoff",
    composition.BEFORE: "Handoffs before it",
    composition.BESIDE: "Sessions beside it",
    composition.ACTIVITY: "Last sessions",
    composition.FLAGS: "Flags not filed yet",
    composition.HIGHWAYS: "Highways",
    composition.MAP: "Notes",
}
FRAME = "Fence and introduction"
SHADES = 6  # classes of the gauge's parts, in turn


@dataclass(frozen=True)
class Share:
    """A part of the room: from where to where on the gauge, in thousandths."""

    name: str
    characters: int
    shown: int
    left_out: int
    begin: float
    width: float
    shade: int


@dataclass(frozen=True)
class Told:
    """A line of a start, with where it comes from and why it is there."""

    text: str
    why: str
    facts: str
    source: str
    link: str
    section: str = ""


@router.get("/page/start")
def view(visit: Visits, branch: str = "", prompt: str = "") -> Response:
    project = visit.memory.at.project()
    here = gitfiles.branch(project.root) if project.root else ""
    known = brief.branches(visit.memory.at.vault, project)
    listed = list(dict.fromkeys(one for one in (here, *known, branch) if one))
    return visit.show(
        "start.html", project_name=project.slug or project.id, branches=listed, here=here, branch=branch,
        folder=project.root, prompt=prompt[:LONGEST], longest=LONGEST, off=visit.memory.at.why_off(),
    )  # fmt: skip


@router.get("/page/start/told")
def told(visit: Visits, branch: str = "") -> Response:
    """Raises UsageError."""
    found = visit.memory.sessions.explain_boot(branch)
    out = [_told(visit, line) for line in found.left_out]
    sections = [
        (NAMES.get(name, name), [_told(visit, line) for line in lines])
        for name, lines in groupby(found.lines, key=lambda line: line.section)
    ]
    return visit.show(
        "start_told.html", found=found, shares=shares(found), sections=sections, left_out=out, branch=branch
    )


@router.get("/page/start/text")
def text(visit: Visits, branch: str = "") -> Response:
    return visit.show("start_text.html", text=visit.memory.sessions.boot(branch).text)


@router.get("/page/start/prompt")
def prompt(visit: Visits, prompt: str = "") -> Response:
    asked = prompt.strip()[:LONGEST]
    found = visit.memory.sessions.explain_prompt(asked) if asked else None
    lines, out = (
        [Told(one.text or one.path, one.why, "", one.path, link_of(visit, one.path)) for one in some]
        for some in ((found.lines, found.left_out) if found else ((), ()))
    )
    return visit.show("start_prompt.html", found=found, lines=lines, left_out=out)


def shares(found: Explained) -> list[Share]:
    """The parts of the gauge, one beside the other; what the sections do not take is the fence and the introduction."""
    room = max(found.room, found.characters, 1)
    rest = found.characters - sum(one.characters for one in found.sections)
    parts = [(FRAME, max(0, rest), 0, 0), *map(_sized, _shown(found.sections))]
    made: list[Share] = []
    at = 0
    for nth, (name, characters, shown, left_out) in enumerate(parts):
        width = 1000 * characters / room
        made.append(Share(name, characters, shown, left_out, round(1000 * at / room, 2), round(width, 2), nth % SHADES))
        at += characters
    return made


def _shown(sections: Sequence[Sized]) -> Iterable[Sized]:
    return (one for one in sections if one.characters or one.left_out)


def _sized(one: Sized) -> tuple[str, int, int, int]:
    return NAMES.get(one.name, one.name), one.characters, one.shown, one.left_out


def link_of(visit: Visit, path: str) -> str:
    """The address of what lies at a path: a note, or the thought that stands for a handoff; "" for anything else."""
    folder = path.partition("/")[0]
    if folder in notes.FOLDERS.values():
        return visit.link("notes/note", note=path)
    return visit.link("thought", id=note_id(path)) if folder == "lineage" else ""


def _told(visit: Visit, line: Line) -> Told:
    age = "" if line.age_days is None else "today" if line.age_days == 0 else _days(line.age_days)
    by = f"by {line.origin}" if line.origin else ""
    times = "once" if line.reads == 1 else f"{line.reads:,} times"
    use = f"read {times}, weight {line.weight:.2f}" if line.reads and line.weight is not None else ""
    facts = " · ".join(part for part in (line.authority, by, age, use) if part)
    name = NAMES.get(line.section, line.section)
    return Told(line.text or "…", line.why, facts, line.source, link_of(visit, line.source), name)


def _days(count: int) -> str:
    return f"{count} day{'' if count == 1 else 's'} old"

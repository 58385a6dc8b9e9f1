"""What is remembered: notes, the lineage of handoffs, tasks. Looking only; it leaves no trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query

from holdfast.errors import NotFound
from holdfast.serve import answers, shapes
from holdfast.serve.asking import Asks
from holdfast.vault.notes import QUARANTINE

if TYPE_CHECKING:
    from holdfast.tasks.questions import Task
    from holdfast.tasks.view import View
    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note

router = APIRouter(tags=["vault"])
NOTE_FIELDS = tuple(answers.Note.model_fields)
TASK_FIELDS = tuple(answers.Task.model_fields)
STANDING = (
    *("completed", "in_progress", "pending", "skipped", "failed", "gaps", "stopped", "next_unit", "is_begun"),
    *("seen", "seen_begun"),
)


@router.get("/notes", response_model=answers.Notes, operation_id="notes")
def notes(asking: Asks, asked: Annotated[shapes.NotesAsked, Query()]) -> dict[str, Any]:
    """The notes of this project and the global ones; with `all` of every project, and those no longer active. What is
    in quarantine waits for a person and is not shown."""
    known = asking.placed(asked).notes(everything=asked.everything)
    words = asked.words.casefold().split()
    found = [one for one in known.notes if _is_wanted(one, asked.kind, words, everything=asked.everything)]
    more = max(0, len(found) - asked.limit)
    return {"notes": [_note(one) for one in found[: asked.limit]], "more": more, "broken": len(known.broken)}


def _is_wanted(note: Note, kind: str, words: list[str], *, everything: bool) -> bool:
    text = f"{note.name} {note.description} {note.path}".casefold()
    shown = note.is_active or (everything and not _waits(note))
    return kind in ("", note.kind) and shown and all(word in text for word in words)


def _waits(note: Note) -> bool:
    return note.path.startswith(f"{QUARANTINE}/")


@router.get("/notes/{path:path}", response_model=answers.WholeNote, operation_id="note")
def note(
    asking: Asks, path: Annotated[shapes.NOTE_PATH, Path()], asked: Annotated[shapes.Placed, Query()]
) -> dict[str, Any]:
    """One note by its whole path below the vault, with its file's text."""
    memory = asking.placed(asked)
    known = memory.notes(everything=asked.everything).known.get(path)
    if known is None or _waits(known.note):
        raise NotFound("There is no note at this path; nothing was changed. /notes lists them.")
    return {**_note(known.note), "text": memory.text_of(known.note.path)}


def _note(one: Note) -> dict[str, str]:
    return {name: str(getattr(one, name) or "") for name in NOTE_FIELDS}


@router.get("/lineage", response_model=answers.Lineage, operation_id="lineage")
def lineage(asking: Asks, asked: Annotated[shapes.Listed, Query()]) -> dict[str, Any]:
    """The handoffs, the newest first, whole; each is numbered within its project."""
    memory = asking.placed(asked)
    found = memory.handoffs(asked.limit)
    for other in asking.serving.others(memory) if asked.everything else ():
        found += other.handoffs(asked.limit)
    found.sort(key=lambda pair: (pair[0].time, pair[0].path), reverse=True)
    return {"handoffs": [_handoff(one, number) for one, number in found[: asked.limit]]}


def _handoff(one: Handoff, number: int) -> dict[str, Any]:
    names = ("time", "started", "title", "project", "branch", "host", "episode", "author", "path")
    sections = {name: [str(item) for item in items] for name, items in one.sections.items()}
    return {"number": number, **{name: str(getattr(one, name) or "") for name in names}, "sections": sections}


@router.get("/tasks", response_model=answers.Tasks, operation_id="tasks")
def tasks(asking: Asks, asked: Annotated[shapes.TasksAsked, Query()]) -> dict[str, Any]:
    """The tasks of this project, the one that was worked on last first."""
    found = asking.placed(asked).task_list(everything=asked.everything, also_over=asked.over)
    return {"tasks": [_task(one) for one in found[: asked.limit]], "more": max(0, len(found) - asked.limit)}


@router.get("/tasks/{id}", response_model=answers.WholeTask, operation_id="task")
def task(
    asking: Asks, ident: Annotated[shapes.TASK_ID, Path(alias="id")], asked: Annotated[shapes.TaskAsked, Query()]
) -> dict[str, Any]:
    """One task as it stands: its state, the decisions in force, what is done, what was found out, the next step."""
    memory = asking.placed(asked)
    ids = memory.project().ids
    if not any(one.id == ident for one in memory.task_list(everything=asked.everything, also_over=True)):
        raise NotFound(f"There is no task {ident} here; nothing was changed. /tasks lists them.")
    seen = memory.task_show(ident, whole=asked.whole)
    if seen.task.project not in ids and not asked.everything:
        raise NotFound(f"There is no task {ident} here; nothing was changed. /tasks lists them.")
    return _view(seen)


def _task(one: Task) -> dict[str, Any]:
    return {name: getattr(one, name) for name in TASK_FIELDS}


def _view(seen: View) -> dict[str, Any]:
    standing = {name: getattr(seen.standing, name) for name in STANDING}
    return {
        **_task(seen.task),
        "decisions": [one.as_record() for one in seen.in_force],
        "progress": {**standing, "entries": [one.as_record() for one in seen.progress.entries]},
        "discoveries": [one.as_record() for one in seen.discoveries.entries],
        "findings": [one.as_record() for one in seen.findings.entries],
        "next": seen.step(),
    }

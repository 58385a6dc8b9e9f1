"""What is remembered: notes, the lineage of handoffs, tasks. Looking only; it leaves no trace.

Whether the mechanism runs: queue, ledger, health, and figures for Prometheus. Looking only; it leaves no trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from holdfast.capture.queue import CLAIMED, DEAD, WAITING
from holdfast.errors import NotFound
from holdfast.serve import health as condition
from holdfast.serve import health as figures
from holdfast.serve import health as records
from holdfast.serve import shapes
from holdfast.serve.serving import JSON, PROBLEMS, Asks
from holdfast.vault.notes import QUARANTINE

if TYPE_CHECKING:
    from holdfast.tasks.page import View
    from holdfast.tasks.queries import Task
    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note


router = APIRouter(tags=["vault"])
NOTE_FIELDS = tuple(shapes.Note.model_fields)
TASK_FIELDS = tuple(shapes.Task.model_fields)
STANDING = (
    *("completed", "in_progress", "pending", "skipped", "failed", "gaps", "stopped", "next_unit", "is_begun"),
    *("seen", "seen_begun"),
)


@router.get("/notes", response_model=shapes.Notes, operation_id="notes")
def notes(asking: Asks, asked: Annotated[shapes.NotesAsked, Query()]) -> dict[str, Any]:
    """The notes of this project and the global ones; with `all` of every project, and those no longer active. What is
    in quarantine waits for a person and is not shown."""
    known = asking.placed(asked).notes.index(everything=asked.everything)
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


@router.get("/notes/{path:path}", response_model=shapes.WholeNote, operation_id="note")
def note(
    asking: Asks, path: Annotated[shapes.NOTE_PATH, Path()], asked: Annotated[shapes.Placed, Query()]
) -> dict[str, Any]:
    """One note by its whole path below the vault, with its file's text."""
    memory = asking.placed(asked)
    known = memory.notes.index(everything=asked.everything).known.get(path)
    if known is None or _waits(known.note):
        raise NotFound("There is no note at this path; nothing was changed. /notes lists them.")
    return {**_note(known.note), "text": memory.notes.text_of(known.note.path)}


def _note(one: Note) -> dict[str, str]:
    return {name: str(getattr(one, name) or "") for name in NOTE_FIELDS}


@router.get("/lineage", response_model=shapes.Lineage, operation_id="lineage")
def lineage(asking: Asks, asked: Annotated[shapes.Listed, Query()]) -> dict[str, Any]:
    """The handoffs, the newest first, whole; each is numbered within its project."""
    memory = asking.placed(asked)
    found = memory.sessions.handoffs(asked.limit)
    for other in asking.serving.others(memory) if asked.everything else ():
        found += other.sessions.handoffs(asked.limit)
    found.sort(key=lambda pair: (pair[0].time, pair[0].path), reverse=True)
    return {"handoffs": [_handoff(one, number) for one, number in found[: asked.limit]]}


def _handoff(one: Handoff, number: int) -> dict[str, Any]:
    names = ("time", "started", "title", "project", "branch", "host", "episode", "author", "path")
    sections = {name: [str(item) for item in items] for name, items in one.sections.items()}
    return {"number": number, **{name: str(getattr(one, name) or "") for name in names}, "sections": sections}


@router.get("/tasks", response_model=shapes.Tasks, operation_id="tasks")
def tasks(asking: Asks, asked: Annotated[shapes.TasksAsked, Query()]) -> dict[str, Any]:
    """The tasks of this project, the one that was worked on last first."""
    found = asking.placed(asked).tasks.listing(everything=asked.everything, also_over=asked.over)
    return {"tasks": [_task(one) for one in found[: asked.limit]], "more": max(0, len(found) - asked.limit)}


@router.get("/tasks/{id}", response_model=shapes.WholeTask, operation_id="task")
def task(
    asking: Asks, ident: Annotated[shapes.TASK_ID, Path(alias="id")], asked: Annotated[shapes.TaskAsked, Query()]
) -> dict[str, Any]:
    """One task as it stands: its state, the decisions in force, what is done, what was found out, the next step."""
    memory = asking.placed(asked)
    ids = memory.at.project().ids
    if not any(one.id == ident for one in memory.tasks.listing(everything=asked.everything, also_over=True)):
        raise NotFound(f"There is no task {ident} here; nothing was changed. /tasks lists them.")
    seen = memory.tasks.show(ident, whole=asked.whole)
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


watch_router = APIRouter(tags=["watch"])


@watch_router.get("/queue", response_model=shapes.Queue, operation_id="queue")
def queue(asking: Asks, asked: Annotated[shapes.Listed, Query()]) -> dict[str, Any]:
    """The flags that are not filed yet, the oldest first; of other projects how many."""
    memory = asking.placed(asked)
    view, ids, now = memory.sessions.queue(), memory.at.project().ids, memory.at.clock()
    mine = [entry for entry in view.entries if asked.everything or entry.flag.project in ids]
    shown = mine[: asked.limit]
    return {
        **{state: [one.as_record(now) for one in shown if one.state == state] for state in (WAITING, CLAIMED, DEAD)},
        "oldest_age_s": max((now - entry.flag.time for entry in mine), default=0.0),
        "other_projects": len(view.entries) - len(mine),
        "broken": len(view.broken),
        "more": len(mine) - len(shown),
    }


@watch_router.get("/ledger", response_model=shapes.Ledger, operation_id="ledger")
def ledger(asking: Asks, asked: Annotated[shapes.LedgerAsked, Query()]) -> dict[str, Any]:
    """What really fired in this project, the newest last; of what is not of this project how many were passed over."""
    found, other = records.newest(asking.placed(asked), asked)
    return {"records": found, "other": other}


@watch_router.get(
    "/health", response_model=shapes.Health, operation_id="health", responses={503: {"model": shapes.Health}}
)
def health(asking: Asks, response: Response, _: Annotated[shapes.Asked, Query()]) -> dict[str, Any]:
    """Fails, with 503, on the age of the oldest unprocessed flag of any project, or where the vault is of a newer
    format, and says why. `degraded`: memory is
    kept, and answers may lack something, because the index is behind the vault or cannot be read."""
    found = condition.look(asking.serving)
    response.status_code = 200 if found.is_well else 503
    told = {"ok": found.is_well, "why": found.why, "oldest_age_s": found.oldest, "limit_s": found.limit}
    field = {"degraded": bool(found.degraded), "behind": found.behind, "index_age_s": found.lag}
    return {**told, **field, **{name: found.counts[name] for name in (WAITING, CLAIMED, DEAD)}}


class Plain(Response):
    media_type = figures.CONTENT_TYPE


PROBLEM = {"schema": {"$ref": f"#/components/schemas/{shapes.Problem.__name__}"}}
REFUSED: dict[int | str, dict[str, Any]] = {  # what is refused is JSON here too
    status: {"description": said["description"], "content": {JSON: PROBLEM}} for status, said in PROBLEMS.items()
}


@watch_router.get("/metrics", response_class=Plain, operation_id="metrics", responses=REFUSED)
def metrics(request: Request, _: Annotated[shapes.Asked, Query()]) -> Response:
    """Figures for Prometheus."""
    found: figures.Metrics = request.app.state.metrics
    return Plain(found.text())

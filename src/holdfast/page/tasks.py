"""Tasks: those that are open, one of them as it stands, and what a person may do with it.

Every change is that of the command: pause, resume and block at once, since each can be taken back; complete and abandon
after their consequences were shown, with reopening as their undo.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Response

from holdfast.errors import NotFound, UsageError
from holdfast.page import frame, fresh, task_view
from holdfast.page.visit import Visits
from holdfast.tasks import commands, states
from holdfast.tasks.task_end import CHANGE, LEARNED

if TYPE_CHECKING:
    from holdfast.page.visit import Visit
    from holdfast.tasks.queries import Task

router = APIRouter(include_in_schema=False)
PAGE = 40
METERED = 12  # open tasks of which the list shows how much is done
DONE = {
    "pause": "Task {} is paused.",
    "resume": "Task {} goes on.",
    "block": "Task {} is blocked.",
    states.COMPLETED: "Task {} is completed; its memory is kept in {}.",
    states.ABANDONED: "Task {} is abandoned; its memory is kept in {}.",
}


@dataclass(frozen=True)
class Row:
    """A task in the list."""

    task: Task
    state: task_view.State
    meters: tuple[task_view.Meter, ...] = ()
    step: str = ""


@router.get("/page/tasks")
def view(visit: Visits, skip: int = 0, part: bool = False, known: str = "") -> Response:
    """The open tasks, the one that was worked on last first, and those that are over; or the rows alone."""
    found = _listing(visit, skip)
    return fresh.part(visit, "tasks_rows.html" if part else "tasks.html", known, found, **found)


def _listing(visit: Visit, skip: int) -> dict[str, Any]:
    found = visit.memory.tasks.listing(everything=visit.everything, also_over=True)
    still = [one for one in found if not one.is_over]
    over = [one for one in found if one.is_over]
    first = max(0, skip)
    return {
        "open": _open_rows(visit, still) if still and not first else [],
        "open_count": len(still),
        "over": [Row(one, task_view.state_of(one.state)) for one in over[first : first + PAGE]],
        "over_count": len(over),
        "skip": first,
        "next": first + PAGE if len(over) > first + PAGE else 0,
    }


def _open_rows(visit: Visit, still: list[Task]) -> list[Row]:
    """The first ones with how much is done and what is next, at one look."""
    seen = commands.glances(visit.server.vault, [one.id for one in still[:METERED]], visit.server.clock)
    known = {view.task.id: task_view.shown(view) for view in seen}
    rows = []
    for one in still[:PAGE]:
        found = known.get(one.id)
        if found:
            rows.append(Row(found.task, found.state, found.meters, found.step))
        else:
            rows.append(Row(one, task_view.state_of(one.state)))
    return rows


@router.get("/page/tasks/{ident}")
def one(visit: Visits, ident: str, whole: bool = False) -> Response:
    """One task. Raises NotFound."""
    shown = task_view.shown(visit.memory.tasks.show(ident, whole=whole))
    return fresh.part(visit, "tasks_one.html", "", shown, shown=shown, whole=whole)


@router.get("/page/tasks/{ident}/body")
def body(visit: Visits, ident: str, whole: bool = False, known: str = "") -> Response:
    """The part that follows what happens."""
    shown = task_view.shown(visit.memory.tasks.show(ident, whole=whole))
    return fresh.part(visit, "tasks_body.html", known, shown, shown=shown, whole=whole)


@router.get("/page/tasks/{ident}/ask")
def ask(visit: Visits, ident: str, what: str) -> Response:
    """The form of what needs a reason, or has consequences; empty again where it is called off."""
    if what not in ("block", *states.OVER):
        return frame.answer("")  # it was called off
    memory = visit.memory.tasks
    offers = memory.promotable(ident) if what == states.COMPLETED else []
    return visit.show(
        "tasks_ask.html",
        ident=ident,
        what=what,
        doubts=memory.doubts(ident) if what == states.COMPLETED else "",
        offers=[task_view.said(offer.entry) for offer in offers],
        consequences=task_view.consequences(what, len(offers)),
    )


@router.post("/page/tasks/{ident}/move")
def move(visit: Visits, ident: str, what: str, reason: Annotated[str, Form()] = "") -> Response:
    """Pause, resume or block. Raises UsageError."""
    if what not in task_view.MOVES:
        raise NotFound("There is no such change; nothing was done.")
    if what == "block" and not reason.strip():
        raise UsageError("Say what it waits for; nothing was changed.")
    saved = visit.memory.tasks.move(ident, task_view.MOVES[what], reason)
    undo = visit.link(f"tasks/{saved.task.id}/move", what=task_view.BACK[saved.task.state])
    return frame.answer("", headers=frame.toast(_said(DONE[what].format(saved.task.id), saved.notes), undo=undo))


@router.post("/page/tasks/{ident}/finish")
def finish(
    visit: Visits,
    ident: str,
    what: Annotated[str, Form()],
    status: Annotated[str, Form()] = "",
    learned: Annotated[str, Form()] = "",
    change: Annotated[str, Form()] = "",
    promote: Annotated[list[str] | None, Form()] = None,
) -> Response:
    """Complete or abandon; whoever sends the form has seen what is left to do. Raises UsageError, NotFound."""
    if what not in states.OVER:
        raise NotFound("There is no such end; nothing was done.")
    findings = [(field, text) for field, text in ((LEARNED, learned), (CHANGE, change)) if text.strip()]
    done = visit.memory.tasks.finish(ident, what, status, findings, tuple(promote or ()), anyway=True)
    undo = visit.link(f"tasks/{done.task.id}/reopen")
    words = _said(DONE[what].format(done.task.id, done.archive), done.notes)
    return frame.answer("", headers=frame.toast(words, undo=undo))


@router.post("/page/tasks/{ident}/reopen")
def reopen(visit: Visits, ident: str) -> Response:
    """Go on with a task that is over. Raises UsageError."""
    saved = visit.memory.tasks.reopen(ident)
    return frame.answer("", headers=frame.toast(_said(f"Task {saved.task.id} is open again.", saved.notes)))


def _said(words: str, notes: tuple[str, ...]) -> str:
    return " ".join([words, *(f"Note: {one}." for one in notes)])

"""Undo: the address that a toast's button asks, which takes one change of the vault back as the command does."""

from __future__ import annotations

from fastapi import APIRouter, Response

from holdfast.page import frame
from holdfast.page.visit import Visits
from holdfast.text.layout import many

router = APIRouter(include_in_schema=False)


@router.post("/page/undo")
def undo(visit: Visits, id: str) -> Response:  # noqa: A002
    """Take a change back, by its id or commit; what did it can be taken back like any other. Raises NotFound."""
    done = visit.memory.notes.undo(id)
    said = f"Taken back: {done.of.subject}."
    if done.skipped:
        said += f" {many(len(done.skipped), 'file')} that somebody was editing stayed as edited."
    return frame.answer("", headers=frame.toast(said, undo=visit.link("undo", id=done.by.id)))

"""Notes: the list, and what is done with one: edited, forgotten, purged, remembered anew."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Response

from holdfast.page import note, note_rows
from holdfast.page.note_rows import Wish
from holdfast.page.visit import Visit, Visits
from holdfast.vault import edits, notes

router = APIRouter(include_in_schema=False)
router.include_router(note.router)
KINDS = tuple(notes.FOLDERS)
Mark = Annotated[str, Query()]


@router.get("/page/notes")
def view(
    visit: Visits, q: str = "", kind: str = "", sort: str = "", due: Mark = "", past: Mark = "", after: str = ""
) -> Response:
    sort = sort if sort in dict(note_rows.SORTS) else note_rows.NEWEST
    wish = Wish(q.strip(), kind if kind in KINDS else "", sort, bool(due), bool(past), after)
    known, now = visit.server.notes.now(), visit.server.clock()
    found = note_rows.listed(visit.memory, known, wish, now, everything=visit.everything)
    return visit.show("notes.html", wish=wish, found=found, kinds=KINDS, sorts=note_rows.SORTS)


@router.get("/page/notes/new")
def new(visit: Visits) -> Response:
    return visit.show("note_new.html", kinds=KINDS, policies=notes.POLICIES)


@router.post("/page/notes/new")
def remember(
    visit: Visits,
    text: Annotated[str, Form()] = "",
    kind: Annotated[str, Form()] = "knowledge",
    reason: Annotated[str, Form()] = "",
    policy: Annotated[str, Form()] = "",
    where: Annotated[str, Form()] = "project",
) -> Response:
    """The user's own words: filed at once, as they were said. Raises UsageError."""
    is_global = where == "global" or visit.everything
    project = notes.GLOBAL if is_global else visit.memory.at.project().id
    asked = edits.Asked(
        text.replace("\r\n", "\n"), kind, project, reason=reason.strip(), policy=policy if kind == "rule" else ""
    )
    filed = visit.memory.notes.remember(asked)
    said = "; ".join(["It was there already." if filed.was_there else "Remembered.", *filed.changes])
    return opened(visit, filed.path, said, filed.commit)


def opened(visit: Visit, path: str, said: str, commit: str) -> Response:
    """An answer that opens a note, and offers to take back what was done."""
    return note.go(visit.link("notes/note", note=path), said, note.undo_link(visit, commit))

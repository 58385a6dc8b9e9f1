"""One note: its words and facts, its history, an edit in place, forgetting and purging.

An edit is saved only where the file is as the form was filled with it. Else nothing is lost on either side: the form
comes back with the words that were typed, and beside them what the file says now.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Response

from holdfast.errors import Conflict, NotFound
from holdfast.page import diff, frame, note_facts, note_rows, typed
from holdfast.page.visit import Visit, Visits
from holdfast.vault import index, journal, notes

if TYPE_CHECKING:
    from holdfast.vault.notes import Broken, Note

router = APIRouter(include_in_schema=False)
EDITABLE = 100_000  # characters; a longer file is for an editor
PAGE = 100_000  # characters of a text that is shown whole
Field = Annotated[str, Form()]


@router.get("/page/notes/note")
def view(visit: Visits, note: str) -> Response:
    return visit.show("note.html", **_told(visit, note))


@router.get("/page/notes/words")
def words(visit: Visits, note: str) -> Response:
    """The part that follows what others change."""
    return visit.show("note_words.html", **_told(visit, note))


def _told(visit: Visit, path: str) -> dict[str, Any]:
    known = visit.server.notes.now(None if visit.everything else visit.project)
    text = _text(visit, path)
    said = _read(visit, path, text) if text is not None else None
    changes = note_facts.changes(visit.server.vault, path) if index.is_note_path(path) else []
    if said is None and not changes:
        raise NotFound("There is no such note; nothing was changed. Notes lists them.")
    told: dict[str, Any] = {"path": path, "changes": changes, "note": None, "broken": None, "size": len(text or "")}
    if isinstance(said, notes.Broken):
        told |= {"broken": said, "text": (text or "")[: frame.LONGEST]}
    elif said is not None:
        one = index.known_of(said)
        to, back = note_facts.links(known, path)
        now = visit.server.clock()
        told |= {
            "note": said,
            "use": note_rows.uses_of(visit.memory, [said], now)[path],
            "standing": note_rows.standing(said),
            "whose": note_facts.whose(visit.server.state, said),
            "places": note_facts.places(visit.memory, said),
            "comes_back": note_facts.comes_back(one),
            "others": note_facts.others(said),
            "to": to,
            "back": back,
            "is_cut": len(said.body) > frame.LONGEST,
        }
    can_edit = text is not None and len(text) <= EDITABLE and "\ufffd" not in text
    return {**told, "can_edit": can_edit, "file": f"{visit.server.vault}/{path}"}


def _text(visit: Visit, path: str) -> str | None:
    """A note's file; None where there is none, or where it is for another project's eyes."""
    if not index.is_note_path(path):
        return None
    raw = journal.readable(visit.server.vault, path)
    text = None if raw is None else raw.decode("utf-8", "replace")
    said = _read(visit, path, text) if text is not None else None
    is_other = isinstance(said, notes.Note) and not visit.everything and said.project not in _mine(visit)
    return None if is_other else text


def _mine(visit: Visit) -> tuple[str, ...]:
    return (notes.GLOBAL, *visit.memory.at.project().ids)


def _read(visit: Visit, path: str, text: str | None) -> Note | Broken:
    return notes.read(visit.server.vault, path) if text is None or len(text) > EDITABLE else notes.from_text(path, text)


@router.get("/page/notes/change")
def change(visit: Visits, note: str, commit: str) -> Response:
    return visit.show("note_change.html", change=note_facts.change(visit.server.vault, commit, note))


@router.get("/page/notes/whole")
def whole(visit: Visits, note: str, at: int = 0) -> Response:
    """The file as it is, a part at a time."""
    text = _text(visit, note)
    if text is None:
        raise NotFound("There is no such note; nothing was changed.")
    at = max(0, min(at, len(text)))
    shown = text[at : at + PAGE]
    more = at + PAGE if at + PAGE < len(text) else 0
    return visit.show("note_whole.html", path=note, shown=shown, at=at, more=more, size=len(text))


@router.get("/page/notes/edit")
def edit(visit: Visits, note: str) -> Response:
    text = _text(visit, note)
    if text is None:
        raise NotFound("There is no such note; nothing was changed.")
    return visit.show("note_edit.html", path=note, text=text, base=_digest(text), theirs=None)


@router.post("/page/notes/edit")
def save(visit: Visits, note: Field, text: Field, base: Field) -> Response:
    """Raises UsageError for a text that is no note, NotFound."""
    current = _text(visit, note)
    if current is None:
        raise NotFound(f"{note} is gone; nothing was changed. Its history brings it back.")
    wanted = typed.as_file(text, current)
    try:
        if _digest(current) != base:
            raise Conflict
        commit = visit.memory.notes.edit(note, wanted, current)
    except Conflict:
        now = _text(visit, note) or ""
        shown = diff.of(now, wanted)
        return visit.show("note_edit.html", path=note, text=wanted, base=_digest(now), theirs=shown)
    said = "Saved." if commit else "Nothing was different; nothing was changed."
    return go(visit.link("notes/note", note=note), said, undo_link(visit, commit))


@router.post("/page/notes/forget")
def forget(visit: Visits, note: Field) -> Response:
    if _text(visit, note) is None:
        raise NotFound("There is no such note any more; nothing was changed.")
    commit = visit.memory.notes.forget([note])
    said = "Forgotten. The history keeps it."
    return go(visit.link("notes"), said, undo_link(visit, commit))


@router.get("/page/notes/purge")
def plan(visit: Visits, note: str) -> Response:
    """All that would go, before anybody is asked."""
    if _text(visit, note) is None and not note_facts.changes(visit.server.vault, note):
        raise NotFound("There is no such note; nothing was changed.")
    found = visit.memory.notes.purge_plan([note])
    former = [one for one in found.paths if one not in found.notes]
    return visit.show("note_purge.html", path=note, plan=found, former=former)


@router.post("/page/notes/purge")
def purge(visit: Visits, note: Field) -> Response:
    """For good. Raises Busy, GitFailed."""
    done = visit.memory.notes.purge(visit.memory.notes.purge_plan([note]))
    said = "Purged." if not done.left else f"Purged, but it is still found in: {', '.join(done.left)}."
    if done.remotes:
        said += f" Not reached: {', '.join(done.remotes)}."
    return go(visit.link("notes"), said, "", frame.BAD if done.left else frame.GOOD)


def undo_link(visit: Visit, commit: str) -> str:
    return visit.link("undo", id=commit) if commit else ""


def go(address: str, said: str, undo: str, kind: str = frame.GOOD) -> Response:
    """An answer that opens another view, and says what was done."""
    place = json.dumps({"path": address, "target": "#main"})
    return frame.answer("", headers={**frame.toast(said, kind, undo), "hx-location": place})


def _digest(text: str) -> str:
    return journal.digest(text.encode("utf-8", "surrogateescape")) or ""

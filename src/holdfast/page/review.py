"""Review: all that waits for the user's word, as cards, and the word itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Form, Response

from holdfast.close.improve import proposals
from holdfast.errors import NotFound
from holdfast.memory.notes import settle_edits
from holdfast.page import frame, review_cards, review_deeds
from holdfast.page.review_card import GROUPS, Card, parts
from holdfast.page.review_cards import BESIDE, DRAFT, EDIT, MOST
from holdfast.page.visit import Visit, Visits
from holdfast.page.visit import visit as visiting
from holdfast.vault import journal, notes

if TYPE_CHECKING:
    from holdfast.page.review_cards import Waiting

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Group:
    title: str
    told: str
    cards: list[Card]


def count(visit: Visit) -> int:
    """How much waits for a word."""
    return _waiting(visit, also_due=False).count


def _waiting(visit: Visit, *, also_due: bool = True) -> Waiting:
    settle_edits(visit.memory.at)
    known, now = visit.server.notes.now(), visit.server.clock()
    return review_cards.waiting(visit.memory, known, now, everything=visit.everything, also_due=also_due)


@router.get("/page/review")
def view(visit: Visits, after: str = "") -> Response:
    found = _waiting(visit)
    begin = found.keys.index(after) + 1 if after in found.keys else 0
    shown = found.keys[begin : begin + MOST]
    made = review_cards.cards(visit.memory, visit.server.notes.now(), shown, visit.server.clock())
    groups = [Group(*told, [one for one in made if one.group == name]) for name, told in GROUPS.items()]
    more = shown[-1] if begin + MOST < len(found.keys) else ""
    return visit.show("review.html", groups=[one for one in groups if one.cards], found=found, more=more, after=after)


@router.post("/page/review/decide")
def decide(
    visit: Visits,
    key: str,
    word: str,
    text: Annotated[str | None, Form()] = None,
    line: Annotated[str, Form()] = "",
) -> Response:
    """Raises NotFound where somebody has decided already, UsageError, Conflict."""
    done = review_deeds.decide(visit.memory, key, word, text, line)
    back = visit.link("review/undo", **done.back.query()) if done.back else ""
    return frame.answer("", headers=frame.toast(done.said, undo=back))


@router.post("/page/review/undo")
def undo(
    visit: Visits, commits: str = "", edit: str = "", draft: str = "", snag: str = "", steps: str = ""
) -> Response:
    given = (tuple(filter(None, commits.split(","))), edit, draft, snag, tuple(filter(None, steps.split(","))))
    review_deeds.undo(visit.memory, review_deeds.Back(*given))
    told = {"toast": {"text": "Taken back: it waits again.", "kind": frame.GOOD, "undo": ""}}
    return frame.answer("", headers=frame.events(**told, changed=True, reviewed=True))


@router.get("/page/review/edit")
def edit(visit: Visits, key: str) -> Response:
    """The words of a card in a form: changed, and accepted with that."""
    kind, _, ident = key.partition(":")
    line = ""
    if kind == EDIT:
        found = next((one for one in proposals.listing(visit.server.state) if one.id == ident), None)
        text = found.after if found else None
    elif kind == DRAFT:
        text = visit.memory.sessions.draft(ident).text
    elif kind == BESIDE:
        text = journal.read(visit.server.vault, ident)
    else:
        note = notes.read(visit.server.vault, ident)
        text = None if isinstance(note, notes.Broken) else parts(note)[0]
        line = "" if isinstance(note, notes.Broken) else str(note.fields.get("description") or "")
    if text is None:
        raise NotFound("It waits no more: somebody has decided on it. Look again.")
    return visit.show("review_edit.html", key=key, text=text, line=line, has_line=kind in ("note", "due"))


@router.get("/page/review/none", dependencies=[Depends(visiting)])
def none() -> Response:
    """An edit that is given up."""
    return frame.answer("")

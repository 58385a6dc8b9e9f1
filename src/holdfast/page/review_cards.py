"""All that waits for a person's word, each as a card: what would change where, whose words it is, what can be done.

The same that `holdfast review` and `holdfast drafts` list, with notes that a sync put beside each other. A card's key
says what it is about; it is read anew before anything is done by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.close.improve import proposals
from holdfast.page import review_card
from holdfast.page.review_card import GROUPS, Card
from holdfast.vault import notes, review

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.capture.drafts import Draft
    from holdfast.memory import Memory
    from holdfast.vault.index import Index

MOST = 50  # cards of a page
NOTE, BESIDE, EDIT, DRAFT, DUE = "note", "beside", "edit", "draft", "due"
ORDER = tuple(GROUPS)


@dataclass(frozen=True)
class Waiting:
    """Keys of everything that waits, in the order they are shown; `due` are the notes among them to look at again."""

    keys: tuple[str, ...]
    due: int
    elsewhere: int = 0

    @property
    def count(self) -> int:
        """How many wait for a word: what is only due does not."""
        return len(self.keys) - self.due


def waiting(memory: Memory, known: Index, now: float, *, everything: bool, also_due: bool = True) -> Waiting:
    mine = memory.at.project_or_all(everything=everything)
    ids = (notes.GLOBAL, *memory.at.project().ids)
    listed = [note for note in known.notes if mine is None or note.project in ids]
    kept = [note for note in listed if note.waits and not note.is_beside]
    kept.sort(key=lambda note: (ORDER.index(review_card.group_of(note)), note.created, note.path))
    beside = sorted(note.path for note in listed if note.is_beside)
    old = (review.due(note, now) for note in listed if also_due and not note.is_beside)
    late = [one for one in old if one]
    late.sort(key=lambda one: (one.days is not None, -(one.days or 0), one.note.path))
    edits = proposals.listing(memory.at.state, mine)
    held = open_drafts(memory, everything=everything)
    keys = (
        *(f"{NOTE}:{note.path}" for note in kept),
        *(f"{BESIDE}:{path}" for path in beside),
        *(f"{EDIT}:{one.id}" for one in edits),
        *(f"{DRAFT}:{one.id}" for one in held),
        *(f"{DUE}:{one.note.path}" for one in late),
    )
    others = 0 if mine is None else sum(1 for note in known.notes if note.waits and note.project not in ids)
    return Waiting(keys, len(late), others)


def open_drafts(memory: Memory, *, everything: bool) -> list[Draft]:
    return [one for one in memory.sessions.drafts(everything=everything) if not one.is_settled]


def cards(memory: Memory, known: Index, keys: Iterable[str], now: float) -> list[Card]:
    """The items that wait behind these keys; those decided meanwhile are left out."""
    wanted = list(keys)
    edits = {one.id: one for one in proposals.listing(memory.at.state)} if _has(wanted, EDIT) else {}
    held = {one.id: one for one in open_drafts(memory, everything=True)} if _has(wanted, DRAFT) else {}
    found = []
    for key in wanted:
        kind, _, ident = key.partition(":")
        if kind == EDIT and ident in edits:
            found.append(review_card.of_edit(memory.at.vault, key, edits[ident]))
        elif kind == DRAFT and ident in held:
            found.append(review_card.of_draft(key, held[ident]))
        elif kind in (NOTE, BESIDE, DUE):
            note = notes.read(memory.at.vault, ident)
            if isinstance(note, notes.Note):
                make = {NOTE: review_card.of_note, BESIDE: review_card.of_beside, DUE: review_card.of_due}[kind]
                found.append(make(memory, known, key, note, now))
    return found


def _has(keys: Sequence[str], kind: str) -> bool:
    return any(key.startswith(f"{kind}:") for key in keys)

"""Which notes a brief shows first: by authority (the user's, those a person confirmed, decisions, lessons, facts,
outside text, lists of what was done), then by the weight that their use has given them in the field, then the newest.

The index is asked for the first of them (vault/note_facets has the keys), so a brief costs the same of many notes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import home
from holdfast.model import TRUSTED
from holdfast.vault import notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note

MOST_MAPPED = 24
AT_ONCE = 64  # notes of the user's that are asked for at a time
USER, CONFIRMED, DECISION, LESSON, FACT, OUTSIDE, PROGRESS = range(7)
AUTHORITY = ("the user's", "confirmed", "decision", "lesson", "fact", "outside text", "progress")
IN_USE = 1.0  # weight from which on a note counts as used
PROGRESS_NAME = "-progress-"  # in the name of a month's list of what was done


@dataclass(frozen=True)
class Shelf:
    """What briefs choose from: the notes that always apply, what the user said, and the others."""

    known: Index
    used: dict[str, tuple[float, int]]  # weight and reads of a path, of those in use

    @classmethod
    def of(cls, vault: str, known: Index) -> Shelf:
        return cls(known, _used(vault))

    def always_in(self, project: str, most: int) -> list[Note]:
        """Who the user is before rules, what is for all before what is for one."""
        return self.known.on_shelf("always", _names(project), most)

    def said_in(self, project: str) -> Iterator[Note]:
        """What the user said, the newest first."""
        asked, given = AT_ONCE, 0
        while found := self.known.on_shelf("said", _names(project), asked)[given:]:
            yield from found
            given += len(found)
            asked *= 4

    def first_in(self, project: str) -> tuple[list[Note], int]:
        """Those that are shown first, and how many more there are."""
        found = {note.path: note for note in self.known.on_shelf("other", _names(project), MOST_MAPPED)}
        found |= {path: note for path in self.used if (note := self._other(path, project))}
        in_order = sorted(found.values(), key=_name)
        in_order.sort(key=lambda note: _standing(note, self.used), reverse=True)
        shown = in_order[:MOST_MAPPED]
        return shown, self.count("other", project) - len(shown)

    def _other(self, path: str, project: str) -> Note | None:
        from holdfast.vault import note_facets

        known = self.known.known.get(path)
        if known is None or not known.note.applies_to(project):
            return None
        return known.note if note_facets.shelf_of(known.note) == note_facets.OTHER else None

    def count(self, shelf: str, project: str) -> int:
        return self.known.count(shelf, _names(project))

    def in_all(self, project: str) -> int:
        """How many notes are in force in a project, with those for all."""
        said = self.known.count("said", _names(project), active=True)
        return said + self.count("other", project) + self.count("always", project)

    def waiting(self, project: str) -> int:
        """How many notes wait for a person's review."""
        return self.known.waiting(_names(project))

    def why(self, note: Note, rule: str) -> dict[str, Any]:
        """What `boot --explain` says of a choice."""
        weight, reads = self.used.get(note.path, (0.0, 0))
        known = {"rule": rule, "origin": note.origin, "authority": AUTHORITY[authority(note)], "day": note.edited}
        return {**known, "weight": round(weight, 2), "reads": reads} if reads else known


def _used(vault: str) -> dict[str, tuple[float, int]]:
    """What the field knows of notes in use; {} where there is none."""
    state = home.state(vault)
    if not home.has_field(state):
        return {}
    from holdfast.field import prompt_by_words

    found = prompt_by_words.used(state, time.time())
    return {path: (weight, reads) for path, (weight, reads) in found.items() if weight >= IN_USE}


def is_progress(note: Note) -> bool:
    """Whether it is a month's list of what was done."""
    return PROGRESS_NAME in note.path


def authority(note: Note) -> int:
    """Whose word it is, and of which kind. A note that a person has looked at since it was made is confirmed."""
    if is_progress(note):
        return PROGRESS
    if note.origin == "user":
        return USER
    if note.reviewed > note.created:
        return CONFIRMED
    if note.origin not in TRUSTED:
        return OUTSIDE
    if note.kind in ("project", "rule"):
        return DECISION
    return LESSON if note.kind == "feedback" else FACT


def _standing(note: Note, used: dict[str, tuple[float, int]]) -> tuple[int, float, int, tuple[str, str]]:
    """The higher, the earlier."""
    weight, reads = used.get(note.path, (0.0, 0))
    is_used = weight >= IN_USE
    return -authority(note), round(weight, 2) if is_used else 0.0, reads if is_used else 0, edited(note)


def _names(project: str) -> frozenset[str]:
    return frozenset((notes.GLOBAL, project))


def _name(note: Note) -> tuple[str, str]:
    return note.name.casefold(), note.path


def edited(note: Note) -> tuple[str, str]:
    """The day, and within it the newest of the flags and words it was made of: their ids begin with the time."""
    return note.edited, max((source.rpartition(":")[2] for source in note.sources), default="")

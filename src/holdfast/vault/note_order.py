"""Which notes a brief shows first: by authority (the user's, those a person confirmed, decisions, lessons, facts,
outside text, lists of what was done), then by the weight that their use has given them in the field, then the newest.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import home
from holdfast.model import TRUSTED
from holdfast.vault import notes, reviewing, said

if TYPE_CHECKING:
    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note

MOST_MAPPED = 24
USER, CONFIRMED, DECISION, LESSON, FACT, OUTSIDE, PROGRESS = range(7)
AUTHORITY = ("the user's", "confirmed", "decision", "lesson", "fact", "outside text", "progress")
IN_USE = 1.0  # weight from which on a note counts as used
PROGRESS_NAME = "-progress-"  # in the name of a month's list of what was done


@dataclass(frozen=True)
class Shelf:
    """What briefs choose from, by project, sorted once however many are made: the notes that always apply, the first of
    the others, and how many others there are."""

    always: dict[str, list[Note]]
    first: dict[str, list[Note]]
    counts: dict[str, int]
    said: dict[str, list[Note]]  # by the user, confirmed or not
    waiting: dict[str, int]  # for a person's review
    used: dict[str, tuple[float, int]]  # weight and reads of a path

    @classmethod
    def of(cls, vault: str, known: Index) -> Shelf:
        used = _used(vault)
        always: dict[str, list[Note]] = {}
        others: dict[str, list[Note]] = {}
        theirs: dict[str, list[Note]] = {}
        for note in (note for note in known.notes if not note.is_beside):
            if said.is_said(note):
                theirs.setdefault(note.project, []).append(note)
            elif note.is_active or note.status == notes.PROPOSED:
                (always if note.is_always_on else others).setdefault(note.project, []).append(note)
        first = {
            name: heapq.nlargest(MOST_MAPPED, found, key=lambda note: _standing(note, used))
            for name, found in others.items()
        }
        waiting = Counter(note.project for note in known.notes if reviewing.waits(note))
        return cls(always, first, {name: len(found) for name, found in others.items()}, theirs, waiting, used)

    def always_in(self, project: str) -> list[Note]:
        """Who the user is before rules, what is for all before what is for one."""
        found = [note for name in {notes.GLOBAL, project} for note in self.always.get(name, ())]
        return sorted(found, key=lambda note: (note.kind != "identity", note.project != notes.GLOBAL, *_name(note)))

    def said_in(self, project: str) -> list[Note]:
        """What the user said, the newest first."""
        found = [note for name in {notes.GLOBAL, project} for note in self.said.get(name, ())]
        return sorted(found, key=said.newest_first, reverse=True)

    def first_in(self, project: str) -> tuple[list[Note], int]:
        """Those that are shown first, and how many more there are."""
        names = {notes.GLOBAL, project}
        found = sorted((note for name in names for note in self.first.get(name, ())), key=_name)
        found.sort(key=lambda note: _standing(note, self.used), reverse=True)
        shown = found[:MOST_MAPPED]
        return shown, sum(self.counts.get(name, 0) for name in names) - len(shown)

    def in_all(self, project: str) -> int:
        """How many notes are in force in a project, with those for all."""
        names = {notes.GLOBAL, project}
        said = sum(note.is_active for name in names for note in self.said.get(name, ()))
        return said + sum(self.counts.get(name, 0) + len(self.always.get(name, ())) for name in names)

    def why(self, note: Note, rule: str) -> dict[str, Any]:
        """What `boot --explain` says of a choice."""
        weight, reads = self.used.get(note.path, (0.0, 0))
        known = {"rule": rule, "origin": note.origin, "authority": AUTHORITY[_authority(note)], "day": note.edited}
        return {**known, "weight": round(weight, 2), "reads": reads} if reads else known


def _used(vault: str) -> dict[str, tuple[float, int]]:
    """What the field knows of use; {} where there is none."""
    state = home.state(vault)
    if not home.has_field(state):
        return {}
    from holdfast.field import glance

    return glance.used(state, time.time())


def is_progress(note: Note) -> bool:
    """Whether it is a month's list of what was done."""
    return PROGRESS_NAME in note.path


def _authority(note: Note) -> int:
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
    return -_authority(note), round(weight, 2) if is_used else 0.0, reads if is_used else 0, _edited(note)


def _name(note: Note) -> tuple[str, str]:
    return note.name.casefold(), note.path


def _edited(note: Note) -> tuple[str, str]:
    """The day, and within it the newest of the flags and words it was made of: their ids begin with the time."""
    return note.edited, max((source.rpartition(":")[2] for source in note.sources), default="")

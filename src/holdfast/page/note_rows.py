"""The list of notes: which ones, in which order, and what a row says of each.

A page begins behind a key, the place of the last row in the order, so that it costs the same however far one has gone,
and notes that come or go between two pages move nothing.
"""

from __future__ import annotations

import calendar
import json
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nlargest, nsmallest
from typing import TYPE_CHECKING, Any

from holdfast.capture import home
from holdfast.field.sources import made_at
from holdfast.field.thought import note_id
from holdfast.page import origin
from holdfast.pheromone import HOUR, START, decayed
from holdfast.vault import anchors, review
from holdfast.vault.notes import GLOBAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.memory import Memory
    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note

MOST = 50  # rows of a page
WEIGHT, NEWEST, NAME = "weight", "newest", "name"
SORTS = ((NEWEST, "newest first"), (WEIGHT, "most used first"), (NAME, "by name"))
LOOKING = 0.05  # seconds for anchors of a page
Key = list[Any]


@dataclass(frozen=True)
class Wish:
    """`past`: also what is no longer in force; `due`: only what needs a review."""

    words: str = ""
    kind: str = ""
    sort: str = NEWEST
    due: bool = False
    past: bool = False
    after: str = ""

    def query(self, **changes: object) -> dict[str, object]:
        now = replace(self, **changes)  # type: ignore[arg-type]
        sort = "" if now.sort == NEWEST else now.sort
        marks = {"due": 1 if now.due else "", "past": 1 if now.past else ""}
        return {"q": now.words, "kind": now.kind, "sort": sort, **marks, "after": now.after}

    @property
    def is_narrow(self) -> bool:
        return bool(self.words or self.kind or self.due)


@dataclass(frozen=True)
class Use:
    """`last` is 0 for a note that nobody has read since it was made."""

    weight: float
    last: float = 0.0
    reads: int = 0


@dataclass(frozen=True)
class Row:
    note: Note
    use: Use
    is_due: bool
    standing: tuple[str, str]  # a colour and a word; ("", "") for what is in force
    ground: tuple[str, str]  # of its anchors
    origin: str


@dataclass(frozen=True)
class Listed:
    rows: tuple[Row, ...]
    count: int
    after: str  # the key of the next page; "" at the end
    broken: tuple[Any, ...] = ()
    total: int = 0


def listed(memory: Memory, known: Index, wish: Wish, now: float, *, everything: bool = False) -> Listed:
    """A page of the notes that are wanted, of this project and the global ones, or of all."""
    mine = (GLOBAL, *memory.at.project().ids)
    all_ = [note for note in known.notes if everything or note.project in mine]
    words = wish.words.casefold().split()
    found = [note for note in all_ if _is_wanted(note, wish, words, now)]
    used = _used(memory.at.state, now) if wish.sort == WEIGHT else {}
    keyed = [(_key(note, wish.sort, used, now), note) for note in found]
    begin, is_rising = _after(wish.after, wish.sort), wish.sort == NAME
    if begin is not None:
        keyed = [one for one in keyed if (one[0] > begin if is_rising else one[0] < begin)]
    rest = (nsmallest if is_rising else nlargest)(MOST + 1, keyed, key=lambda one: one[0])
    shown = rest[:MOST]
    uses = uses_of(memory, [note for _, note in shown], now)
    until = time.monotonic() + LOOKING
    rows = tuple(
        Row(note, uses[note.path], review.due(note, now) is not None, standing(note), ground(memory, note, until),
            origin.short(note.origin))
        for _, note in shown
    )  # fmt: skip
    return Listed(rows, len(found), json.dumps(shown[-1][0]) if len(rest) > MOST else "", known.broken, len(all_))


def _is_wanted(note: Note, wish: Wish, words: list[str], now: float) -> bool:
    if wish.kind not in ("", note.kind) or not (wish.past or note.is_active or note.waits):
        return False
    if words:
        text = f"{note.name} {note.description} {note.path}".casefold()
        if not all(word in text for word in words):
            return False
    return not wish.due or note.waits or review.due(note, now) is not None


def _key(note: Note, sort: str, used: Mapping[str, tuple[float, int]], now: float) -> Key:
    if sort == NAME:
        return [note.name.casefold(), note.path]
    if sort == WEIGHT:
        weight = used[note.path][0] if note.path in used else _unread(note, now).weight
        return [round(weight, 6), note.path]
    return [note.edited or note.created, note.path]


def _after(given: str, sort: str) -> Key | None:
    try:
        found = json.loads(given) if given else None
    except ValueError:
        return None
    if not isinstance(found, list) or len(found) != 2 or not isinstance(found[1], str):
        return None
    return found if isinstance(found[0], (int, float) if sort == WEIGHT else str) else None


def _used(state: str, now: float) -> dict[str, tuple[float, int]]:
    from holdfast.brief import prompt_by_words

    return prompt_by_words.used(state, now) if home.has_field(state) else {}


def _unread(note: Note, now: float) -> Use:
    """A note that nobody has read fades from the day it was made; the hour matters to no order of thousands."""
    return Use(_faded(note.created, now // HOUR))


@lru_cache(4096)
def _faded(created: str, hour: float) -> float:
    made = review.day_of(created)
    return decayed(START, calendar.timegm(made.timetuple()), hour * HOUR) if made else START


def uses_of(memory: Memory, some: Iterable[Note], now: float) -> dict[str, Use]:
    """The traffic of a page's notes, and of no others."""
    listed = list(some)
    ids = {note_id(note.path): note.path for note in listed}
    found = {note.path: Use(decayed(START, made_at(note), now)) for note in listed}
    if ids and home.has_field(memory.at.state):
        with memory.field.open() as field:
            for ident, one in field.store.traffic(ids, whole=False).items():
                found[ids[ident]] = Use(one.weight_at(now), one.last_accessed, one.access_count)
    return found


def standing(note: Note) -> tuple[str, str]:
    if note.is_quarantined:
        return "warn", "waits: quarantine"
    named = {"proposed": "waits: proposed", "unconfirmed": "waits: unconfirmed", "superseded": "superseded"}
    if note.status == "active":
        return ("warn", "two versions") if note.is_beside else ("", "")
    return "" if note.status == "superseded" else "warn", named.get(note.status, note.status)


def ground(memory: Memory, note: Note, until: float) -> tuple[str, str]:
    """Whether the places that a note was true of are as they were, as a colour and words; of several the worst."""
    placed = [one for one in map(anchors.read, note.anchors) if one]
    if not placed:
        return "", ""
    count = f"{len(placed)} anchor{'' if len(placed) == 1 else 's'}"
    here = memory.at.project()
    if not here.root or note.project not in ("global", *here.ids) or time.monotonic() > until:
        return "", count
    states = [anchors.holds(here.root, one) for one in placed]
    for state, colour, said in (("gone", "bad", "gone"), ("changed", "warn", "changed")):
        if moved := states.count(state):  # type: ignore[arg-type]
            return colour, f"{moved} of {count} {said}"
    return ("good", f"{count} hold{'s' if len(placed) == 1 else ''}") if "unknown" not in states else ("", count)

"""Which flags are judged together, and which few notes each group may touch.

A judge gets a handful of lines, never a session: flags of one kind and one trust that are about the same thing, and the
notes of that kind which share their rarer words. A note may be changed by one group only, so the groups can be asked at
once and filed in any order; what others see of it they only read. All of it follows from the words, so the same flags
and notes give the same groups.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.model import TRUSTED
from holdfast.vault import notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.model import Flag
    from holdfast.vault.notes import Note

MOST_FLAGS = 4
MOST_NOTES = 4
ALIKE = 0.25  # share of the rarer words that two texts have in common
JUDGED = ("decision", "rule", "lesson", "preference", "fact")
WORD = re.compile(r"[^\W_][\w'.-]*[^\W_]|[^\W_]")
COMMON = frozenset(
    WORD.findall(
        "the and for with that this from are was not but you your our has have had its into when then than use uses "
        "used should must can will would could before after because only also all any each per via one two new now "
        "der die das und ist nicht les des une est pas los las que por para con"
    )
)


@dataclass(frozen=True)
class Group:
    """Flags to be judged together. `own` are the notes it may change, `read` those that it may only look at."""

    kind: str
    flags: tuple[Flag, ...]
    own: tuple[Note, ...] = ()
    read: tuple[Note, ...] = ()


def is_judged(flag: Flag) -> bool:
    """Whether a judge has a say. The user's own words are filed as they were said, an order that nobody confirmed and
    outside text that would steer wait for a person, progress is a line in its month, a snag is an improvement."""
    from holdfast.model import STEERING

    if flag.kind not in JUDGED or flag.origin == "user" or flag.status:
        return False
    return flag.origin in TRUSTED or flag.kind not in STEERING


def make(flags: Sequence[Flag], known: Iterable[Note]) -> list[Group]:
    """The groups, in the order of their first flags."""
    listed = [note for note in known if note.is_active and not note.is_beside]
    weigh = Weights([_words_of(note) for note in listed] + [words(flag.text) for flag in flags])
    buckets: dict[tuple[str, str, str], list[Flag]] = {}
    for flag in flags:
        key = (flag.project, notes.OF_FLAGS.get(flag.kind, "knowledge"), _trust(flag.origin))
        buckets.setdefault(key, []).append(flag)
    found = []
    for (project, kind, trust), held in buckets.items():
        near = [note for note in listed if note.kind == kind and note.applies_to(project or notes.GLOBAL)]
        near = [note for note in near if trust == "outside" or note.origin in TRUSTED]
        found += [(kind, part, _nearest(part, near, weigh)) for part in _packed(_alike(held, weigh))]
    taken: set[str] = set()
    groups = []
    for kind, part, near in found:
        own = tuple(note for note in near if note.path not in taken and _may_change(note, part[0]))
        taken.update(note.path for note in own)
        groups.append(Group(kind, tuple(part), own, tuple(note for note in near if note not in own)))
    return groups


def _trust(origin: str) -> str:
    return "own" if origin in TRUSTED else "outside"


def _may_change(note: Note, flag: Flag) -> bool:
    """The operator's own words are theirs, and a note for everybody is not one project's to change."""
    is_same = _trust(note.origin) == _trust(flag.origin)
    return note.origin != "user" and is_same and note.project == (flag.project or notes.GLOBAL) and not note.policy


def words(text: str) -> Counter[str]:
    return Counter(word for word in WORD.findall(text.casefold()) if len(word) > 2 and word not in COMMON)


def _words_of(note: Note) -> Counter[str]:
    return words(f"{note.name} {note.description}")


class Weights:
    """How much a word tells: the rarer, the more."""

    def __init__(self, texts: list[Counter[str]]) -> None:
        self.count = len(texts)
        self.seen = Counter(word for text in texts for word in text)

    def of(self, word: str) -> float:
        return math.log(1 + self.count / (1 + self.seen[word]))

    def alike(self, one: Counter[str], other: Counter[str]) -> float:
        """From 0, nothing in common, to 1; measured against the one that says less."""
        shared = sum(self.of(word) for word in one.keys() & other.keys())
        least = min(sum(map(self.of, one)), sum(map(self.of, other)))
        return shared / least if least and len(one.keys() & other.keys()) > 1 else 0.0


def _alike(flags: list[Flag], weigh: Weights) -> list[list[Flag]]:
    """Flags about the same thing together, each with the first that it is like."""
    parts: list[tuple[Counter[str], list[Flag]]] = []
    for flag in flags:
        mine = words(flag.text)
        home = next((part for one, part in parts if len(part) < MOST_FLAGS and weigh.alike(one, mine) >= ALIKE), None)
        if home is None:
            parts.append((mine, [flag]))
        else:
            home.append(flag)
    return [part for _, part in parts]


def _packed(parts: list[list[Flag]]) -> list[list[Flag]]:
    """Small parts share a question: a call costs more than a line in it."""
    packed: list[list[Flag]] = []
    for part in parts:
        home = next((one for one in packed if len(one) + len(part) <= MOST_FLAGS), None)
        if home is None:
            packed.append(list(part))
        else:
            home += part
    return packed


def _nearest(part: list[Flag], listed: list[Note], weigh: Weights) -> list[Note]:
    wanted = [words(flag.text) for flag in part]
    scored = []
    for note in listed:
        mine = _words_of(note)
        score = max(weigh.alike(one, mine) for one in wanted)
        if score >= ALIKE:
            scored.append((-score, note.path, note))
    return [note for _, _, note in sorted(scored, key=lambda one: one[:2])[:MOST_NOTES]]

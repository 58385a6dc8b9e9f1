"""Groups of flags that are judged together, each with the few notes that it may touch.

A judge gets a handful of lines, never a session: flags of one kind and one trust that are about the same thing, and
the notes of that kind which share their rarer words. A note may be changed by one group only, so the groups can be
asked at once and filed in any order; what others see of it they only read. All of it follows from the words, so the
same flags and notes give the same groups. Notes are shown to every judge, and its words are taken, by the functions
here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import gate
from holdfast.capture.flags import clean
from holdfast.capture.redaction import redact
from holdfast.model import TRUSTED, Flag
from holdfast.vault import front_matter_edits, index, notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LONGEST_SHOWN = 3000  # of a note, to a judge
LOST = 0.25  # of a note's lines: a rewrite that loses more is refused
MOST_FLAGS = 4
MOST_NOTES = 4
ALIKE = 0.25  # share of the rarer words that two texts have in common
MOST_LOOKED_UP = 24  # words of one flag
MOST_PLACES = 500  # notes that are looked at for one word: a word that more have tells nothing
NEW, MERGE, SUPERSEDE, DISCARD = "new", "merge", "supersede", "discard"  # what becomes of flags
OWN, OUTSIDE = "own", "outside"
JUDGED = ("decision", "rule", "lesson", "preference", "fact")
WORD = re.compile(r"[^\W_][\w'.-]*[^\W_]|[^\W_]")
COMMON = frozenset(
    WORD.findall(
        "the and for with that this from are was not but you your our has have had its into when then than use uses "
        "used should must can will would could before after because only also all any each per via one two new now "
        "der die das und ist nicht les des une est pas los las que por para con"
    )
)


def body_of(text: str) -> str:
    """The part behind a note's front matter; "" where that cannot be read."""
    try:
        return front_matter_edits.parse(text).body
    except front_matter_edits.Unparsable:
        return ""


def own_words(body: str) -> str:
    """A note's words without the proof below them, which is ours to keep."""
    return body.partition(f"\n\n{index.EVIDENCE}\n")[0].strip()


def proofs_in(body: str) -> tuple[str, ...]:
    """The lines of a note's proof."""
    below = body.partition(f"\n\n{index.EVIDENCE}\n")[2]
    return tuple(line[2:].strip() for line in below.splitlines() if line.startswith("- "))


def shown(own: str) -> str:
    """A note's own words as a judge sees them: without secrets, and not all of a long one."""
    return redact(own)[0][:LONGEST_SHOWN]


def is_shown_whole(own: str) -> bool:
    """Whether a judge sees all of it, as it must to rewrite a note."""
    return bool(own) and shown(own) == own


def lost(before: str, after: str) -> float:
    """The share of a note's lines that a rewrite no longer has."""
    kept, lines = ([" ".join(line.split()) for line in text.splitlines() if line.strip()] for text in (after, before))
    return sum(1 for line in lines if line not in kept) / len(lines) if lines else 0.0


def line(text: str, longest: int) -> str:
    """One clean line of a judge's."""
    return redact(clean(text)[0])[0][:longest].strip()


def lines(text: str) -> str:
    """Several lines, each cleaned; none of them can be taken for front matter or for the heading of our proofs."""
    given = text.strip().splitlines()
    cleaned = [redact(clean(one)[0])[0] if one.strip() else "" for one in given]
    indents = [one[: len(one) - len(one.lstrip(" "))][:8] for one in given]
    found = [f"{indent}{one}" if one else "" for indent, one in zip(indents, cleaned, strict=True)]
    return "\n".join(one for one in found if one.strip() not in ("---", index.EVIDENCE)).strip()


@dataclass(frozen=True)
class Group:
    """Flags to be judged together. `own` are the notes it may change, `read` those that it may only look at."""

    kind: str
    flags: tuple[Flag, ...]
    own: tuple[notes.Note, ...] = ()
    read: tuple[notes.Note, ...] = ()


@dataclass(frozen=True)
class Given:
    """The flags and notes that a judge was shown, by handle: `bodies` are the notes' own words, `texts` their files, to
    be compared before they change."""

    flags: Mapping[str, Flag]
    notes: Mapping[str, notes.Note]
    bodies: Mapping[str, str]
    texts: Mapping[str, str]
    own: frozenset[str]  # the paths that it may change


@dataclass(frozen=True)
class Decided:
    """A decision that may be carried out."""

    action: str
    flags: tuple[Flag, ...]
    name: str = ""
    description: str = ""
    body: str = ""
    reason: str = ""
    target: str = ""  # the path of the note that it is about
    seen: str = ""  # that note's own words as they were judged
    file: str = ""  # and its whole text


@dataclass(frozen=True)
class Refused:
    """A decision that may not be carried out, and why."""

    flags: tuple[Flag, ...]
    why: str
    said: str
    target: str = ""
    body: str = ""


def is_judged(flag: Flag) -> bool:
    """Whether a judge has a say. The user's own words, and what puts them properly, are filed as they were said; an
    order that nobody confirmed and outside text that would steer wait for a person; progress is a line in its month, a
    snag is an improvement."""
    if flag.kind not in JUDGED or flag.origin == "user" or flag.status or flag.answers:
        return False
    return not gate.is_guarded(flag)


def make(flags: Sequence[Flag], known: Iterable[notes.Note]) -> list[Group]:
    """The groups, in the order of their first flags."""
    listed = [note for note in known if note.is_active and not note.is_beside]
    shelf = NoteShelf(listed, flags)
    buckets: dict[tuple[str, str, str], list[Flag]] = {}
    for flag in flags:
        key = (flag.project, notes.OF_FLAGS.get(flag.kind, "knowledge"), _trust(flag.origin))
        buckets.setdefault(key, []).append(flag)
    found = []
    for (project, kind, trust), held in buckets.items():
        for part in _packed(_alike(held, shelf)):
            near = [
                note
                for note in shelf.near(part)
                if note.kind == kind
                and note.applies_to(project or notes.GLOBAL)
                and (trust == OUTSIDE or note.origin in TRUSTED)
            ]
            found.append((kind, part, near[:MOST_NOTES]))
    taken: set[str] = set()
    groups = []
    for kind, part, near in found:
        own = tuple(note for note in near if note.path not in taken and _may_change(note, part[0]))
        taken.update(note.path for note in own)
        groups.append(Group(kind, tuple(part), own, tuple(note for note in near if note not in own)))
    return groups


def _trust(origin: str) -> str:
    return OWN if origin in TRUSTED else OUTSIDE


def _may_change(note: notes.Note, flag: Flag) -> bool:
    """The operator's own words are theirs, so is a note that answers tool calls, and one for everybody is not one
    project's to change."""
    is_same = _trust(note.origin) == _trust(flag.origin)
    is_free = note.origin != "user" and not note.policy and not note.when
    return is_free and is_same and note.project == (flag.project or notes.GLOBAL)


def words(text: str) -> frozenset[str]:
    return frozenset(word for word in WORD.findall(text.casefold()) if len(word) > 2 and word not in COMMON)


class NoteShelf:
    """The notes by their words, looked up rather than compared one by one: there may be ten thousand. A word tells the
    more the rarer it is."""

    def __init__(self, listed: Sequence[notes.Note], flags: Sequence[Flag]) -> None:
        self.listed = listed
        self.texts = [words(f"{note.name} {note.description}") for note in listed]
        self.flags = {flag.id: words(flag.text) for flag in flags}
        everything = [*self.texts, *self.flags.values()]
        self.count = len(everything)
        self.seen = Counter(word for text in everything for word in text)
        self.places: dict[str, list[int]] = {}
        for nth, text in enumerate(self.texts):
            for word in text:
                self.places.setdefault(word, []).append(nth)

    def weight(self, some: Iterable[str]) -> float:
        return sum(math.log(1 + self.count / (1 + self.seen[word])) for word in some)

    def alike(self, one: frozenset[str], other: frozenset[str]) -> float:
        """From 0, nothing in common, to 1; measured against the one that says less."""
        shared = one & other
        if len(shared) < 2:
            return 0.0
        return self.weight(sorted(shared)) / (min(self.weight(sorted(one)), self.weight(sorted(other))) or 1.0)

    def near(self, part: Sequence[Flag]) -> list[notes.Note]:
        """Notes that share the rarer words of one of these flags, the nearest first."""
        best: dict[int, float] = {}
        for flag in part:
            mine = self.flags[flag.id]
            rare = sorted(mine, key=lambda word: (len(self.places.get(word, ())), word))[:MOST_LOOKED_UP]
            shared = Counter(nth for word in rare for nth in self.places.get(word, ())[:MOST_PLACES])
            for nth in (nth for nth, count in shared.items() if count > 1):
                best[nth] = max(best.get(nth, 0.0), self.alike(mine, self.texts[nth]))
        scored = sorted((-score, self.listed[nth].path, nth) for nth, score in best.items() if score >= ALIKE)
        return [self.listed[nth] for _, _, nth in scored]


def _alike(flags: list[Flag], shelf: NoteShelf) -> list[list[Flag]]:
    """Flags about the same thing together, each with the first that it is like."""
    parts: list[list[Flag]] = []
    for flag in flags:
        mine = shelf.flags[flag.id]
        roomy = (part for part in parts if len(part) < MOST_FLAGS)
        alike = (part for part in roomy if shelf.alike(shelf.flags[part[0].id], mine) >= ALIKE)
        _join(parts, next(alike, None), [flag])
    return parts


def _join(parts: list[list[Flag]], home: list[Flag] | None, part: list[Flag]) -> None:
    if home is None:
        parts.append(list(part))
    else:
        home += part


def _packed(parts: list[list[Flag]]) -> list[list[Flag]]:
    """Small parts share a question: a call costs more than a line in it."""
    packed: list[list[Flag]] = []
    for part in parts:
        _join(packed, next((one for one in packed if len(one) + len(part) <= MOST_FLAGS), None), part)
    return packed

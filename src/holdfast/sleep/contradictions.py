"""Thoughts that contradict each other: settled by time, whatever a judge says.

The newer one is the one that was made later; of two made at once, the one with the larger id, so that every machine
decides alike. A judge may only point at a pair. Two thoughts that share no subject contradict each other in nothing,
and a pair that was pointed at for no reason would let the older one be lost: both are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.close.verify import claims
from holdfast.field.thought import NOTE
from holdfast.sleep.passage_words import FIRST_PERSON
from holdfast.sleep.passages import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.sleep.passages import Source

SHARED = 2  # carrying words that two sentences about one subject have in common at least
SUBJECT = 1 / 3  # and their share of the shorter one
PAST = re.compile(
    r"\b(?:was|were|until|formerly|previously|no longer|instead of|used to|changed|replaced|before)\b", re.IGNORECASE
)

USER = "user"


@dataclass(frozen=True)
class Clash:
    """Two sources that cannot both hold. `pairs` are their sentences about the same: the older's and the newer's."""

    older: Source
    newer: Source
    pairs: tuple[tuple[Passage, Passage], ...]

    @property
    def is_persons(self) -> bool:
        """Whether only a person may settle it: the older one is a note, and may have been edited since it was made."""
        return self.older.thought.kind == NOTE

    @property
    def exempt(self) -> list[Passage]:
        """The sentences of the older one that no longer hold."""
        return [old for old, _ in self.pairs]


def settled(one: Source, other: Source) -> Clash | None:
    """The two by their time, with what they say differently; None where they share no subject or differ nowhere."""
    older, newer = sorted((one, other), key=lambda source: (source.thought.created, source.thought.id))
    if older.thought.origin == USER != newer.thought.origin:
        return None  # the user's word is not taken back by an agent's
    pairs = tuple(_pairs(older, newer))
    return Clash(older, newer, pairs) if pairs else None


def _pairs(older: Source, newer: Source) -> Iterator[tuple[Passage, Passage]]:
    """Sentences of the two that are each other's nearest: what else the older one says, nobody contradicts."""
    for new in newer.passages:
        old = max(older.passages, key=lambda one: len(_shared(one, new)), default=None)
        if old is None or new != max(newer.passages, key=lambda one: len(_shared(old, one))):
            continue
        if _is_about(old, new, older, newer) and _differ(old, new):
            yield old, new


def _shared(old: Passage, new: Passage) -> frozenset[str]:
    return old.stems & new.stems


def _is_about(old: Passage, new: Passage, older: Source, newer: Source) -> bool:
    shared = _shared(old, new)
    fewest = min(len(old.stems), len(new.stems)) or 1
    if len(shared) < min(SHARED, fewest) or len(shared) < SUBJECT * fewest:
        return False
    both_of_themselves = not FIRST_PERSON.isdisjoint(old.words) and not FIRST_PERSON.isdisjoint(new.words)
    return older.speaker == newer.speaker or not both_of_themselves


def _differ(old: Passage, new: Passage) -> bool:
    return bool(values(old) ^ values(new) or old.stems ^ new.stems or is_other_way(old, new))


def values(said: Passage) -> frozenset[str]:
    """The numbers, names and other exact things of a sentence."""
    exact = {one.key.lower() for one in claims.atoms(said.text) if one.kind != claims.NAME}
    return frozenset(exact | said.fixed | said.names)


def is_other_way(one: Passage, other: Passage) -> bool:
    """Whether the words that they share are denied in one of them."""
    signs = [{stem: sign for stand in said.stands for stem, sign in stand.signs.items()} for said in (one, other)]
    shared = signs[0].keys() & signs[1].keys()
    return bool(shared) and sum(signs[0][stem] * signs[1][stem] for stem in shared) < 0


def states_older(text: str, clash: Clash) -> bool:
    """Whether a sentence says what the older one said, as if it held."""
    said = Passage(text)
    return any(_states(said, old, new) for old, new in clash.pairs)


def _states(said: Passage, old: Passage, new: Passage) -> bool:
    subject = _shared(old, new)
    if len(said.stems & subject) * 2 < len(subject):
        return False
    was, now = values(old) - values(new), values(new) - values(old)
    if PAST.search(said.text) and (now & values(said) or not now):
        return False
    if was:
        return bool(was & values(said))
    if is_other_way(old, new):
        return not is_other_way(said, old) and is_other_way(said, new)
    left = old.stems - new.stems
    return bool(left) and len(said.stems & left) * 2 > len(left)

"""Pairs of thoughts that may contradict each other: about one subject, and different in something that tells.

A value can outweigh all other words of a short sentence in its vector ("… runs in Osaka", "… runs in Montreal"), so a
pair is looked for twice: among the neighbours of the window, and by the rare words that two texts share apart from
numbers and names. A pair is worth a question where two of its sentences share at least half of the words that carry the
shorter one and one denies what the other says, or each has a value that the other has not, or exactly one word stands
in the place of another, or the newer one says itself that something was changed. The likeliest come first. Repetitions
are asked about once, by the one that stands for them.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.close.verify.words import NEGATIONS, SIDES
from holdfast.field import folding, words
from holdfast.sleep import contradictions, passages
from holdfast.sleep.passages import Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from holdfast.field.thought import Thought
    from holdfast.sleep.clusters import Window
    from holdfast.sleep.contradictions import Clash
    from holdfast.sleep.passages import Passage

SHARE = 1 / 2  # of the shorter sentence's carrying words: then two are about one subject
REPLACED = 2 / 3  # where nothing but one word differs, which may as well be the subject
NEAREST = 8  # texts that are looked at for a new one
MANY = 300  # texts of a project that have a word, from which on it tells no subject
LONG = 24  # words from which on a text has several sentences
LONGEST = 4_000  # characters of a text by whose words others are found
Rank = tuple[int, int, float]


@dataclass(frozen=True)
class Pair:
    """Two thoughts, the older first, and the sentences in which they differ. The smaller `rank`, the likelier."""

    older: Thought
    newer: Thought
    clash: Clash
    rank: Rank

    @property
    def ids(self) -> tuple[str, str]:
        return self.older.id, self.newer.id


def likely(known: Mapping[str, Thought], window: Window, new: Collection[str]) -> list[Pair]:
    """The pairs of a window in which something is new, the likeliest first. `known` has the thoughts that are asked
    about."""
    groups = {one.id: one.group for one in window.seen if one.id in known}
    told = {one: _subject_words(known[one].text[:LONGEST]) for one in groups}
    near = {
        (min(one, other), max(one, other))
        for one in groups
        for _, other in window.near[one]
        if other in groups and (one in new or other in new) and _may_meet(told[one], told[other])
    }
    near.update(_by_words(told, groups, new))
    sources = {one: Source(one, known[one]) for pair in near for one in pair}
    found = (made for one, other in sorted(near) if (made := pair(sources[one], sources[other])) is not None)
    return sorted(found, key=lambda one: (one.rank, one.ids))


def pair(one: Source, other: Source) -> Pair | None:
    """None where the two say nothing that could not both hold."""
    clash = contradictions.settled(one, other)
    ranks = [rank for both in clash.pairs if (rank := _rank(*both)) is not None] if clash else []
    return Pair(clash.older.thought, clash.newer.thought, clash, min(ranks)) if clash and ranks else None


def _subject_words(text: str) -> frozenset[str]:
    """The words of a text without numbers and names, of which a contradiction has others."""
    values = {words.stem(one) for one in passages.names(text)}
    return frozenset(one for one in words.content(text) if one.isalpha()) - values - words.FILLING


def _share(mine: Collection[str], theirs: Collection[str]) -> float:
    fewest = min(len(mine), len(theirs))
    return len(set(mine) & set(theirs)) / fewest if fewest else 0.0


def _may_meet(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether some sentence of one may be about the same as one of the other. Long texts say other things besides."""
    return min(len(mine), len(theirs)) > LONG or _share(mine, theirs) >= SHARE


def _by_words(
    told: Mapping[str, frozenset[str]], groups: Mapping[str, str], new: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Each new text with those that share the most of its rare words."""
    having: dict[tuple[str, str], list[str]] = {}
    for one in sorted(told):
        for word in told[one]:
            having.setdefault((groups[one], word), []).append(one)
    for one in sorted(one for one in new if one in told):
        weights: Counter[str] = Counter()
        for word in sorted(told[one]):
            others = having[groups[one], word]
            if len(others) <= MANY:
                rarity = round(math.log((1 + len(told)) / len(others)), 6)
                weights.update(dict.fromkeys(others, rarity))
        del weights[one]
        like = [other for other in weights if _share(told[one], told[other]) >= SHARE]
        for other in sorted(like, key=lambda other: (-weights[other], other))[:NEAREST]:
            yield min(one, other), max(one, other)


def _rank(old: Passage, new: Passage) -> Rank | None:
    """How likely it is that two sentences contradict each other; None where they do not look like it."""
    if not (old.tells and new.tells):
        return None
    was, comes = _values(old, new), _values(new, old)
    share = _share(old.stems, new.stems)
    left, right = (_others(*both) for both in ((old, new, was), (new, old, comes)))
    if share < SHARE:
        return None
    says_so = bool(comes) and contradictions.PAST.search(new.text) is not None
    if _is_denied(old, new) or (was and comes) or says_so:
        return 0, min(len(left), len(right)), -round(share, 6)
    is_replaced = (was or len(left) == 1) and (comes or len(right) == 1)
    is_one_subject = share >= REPLACED and len(old.stems & new.stems) >= contradictions.SHARED
    return (1, 1, -round(share, 6)) if is_replaced and is_one_subject else None


def _values(said: Passage, other: Passage) -> frozenset[str]:
    """The values of a sentence that another has not. Somebody who is spoken to is none."""
    return contradictions.values(said) - contradictions.values(other) - said.called


def _others(said: Passage, other: Passage, values: Collection[str]) -> frozenset[str]:
    """The carrying words of a sentence that another has not and that are no part of a value."""
    return frozenset(one for one in said.stems - other.stems if not any(one in value for value in values))


def _is_denied(old: Passage, new: Passage) -> bool:
    """By a word that only one of them has; the order of words alone denies nothing."""
    turned = any(NEGATIONS.fullmatch(one) for one in old.words ^ new.words)
    mine, theirs = ({SIDES[one] for one in said.words if one in SIDES} for said in (old, new))
    opposed = any((about, -sign) in theirs for about, sign in mine)
    return (turned or opposed) and contradictions.is_other_way(old, new)


def standing(
    linked: Mapping[str, Mapping[str, float]], more: Sequence[tuple[str, str]], known: Collection[str]
) -> dict[str, str]:
    """For each repetition the one of its group that stands for it, by the links of before and of tonight (repetition,
    centre): a centre where one is known, since the first to say something may have left the window long ago."""
    alike = {one: {*others} for one, others in linked.items()}
    for one, centre in more:
        alike.setdefault(one, set()).add(centre)
    centres = {centre for others in alike.values() for centre in others}
    groups: dict[str, list[str]] = {}
    for one, name in folding.groups(alike).items():
        groups.setdefault(name, []).extend([one] if one in known else [])
    found: dict[str, str] = {}
    for members in filter(None, groups.values()):
        stands = min(members, key=lambda one: (one not in centres, one))
        found.update((one, stands) for one in members if one != stands)
    return found

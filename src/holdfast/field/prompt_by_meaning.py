"""Notes that clearly bear on a prompt, by words and by meaning: for the first prompt of a session, with a server up.

Words are looked at as the hook itself does (prompt_by_words). Meaning is measured against chance too: how far is a note
nearer to the prompt than this store's notes are at large, in units of how they spread, and beyond what the best of so
many would be by chance. Both have to be as good as words alone: meaning adds at most one note, the one that stands out,
and takes back what only shares words with a short prompt whose meaning is elsewhere. Only models whose nearness was
measured here have a say; with any other, words alone answer. bench/recall.py says what it finds and what it tells in
vain. It reads, and leaves no trace.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from holdfast.brief import prompt_by_words
from holdfast.capture import home, same_project
from holdfast.field import embedders, retrieval, sources, words
from holdfast.field.embedders import WORDLLAMA
from holdfast.field.store import Scope
from holdfast.field.thought import NOTE, SAID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.embedders import Embedder
    from holdfast.field.handle import Field
    from holdfast.field.store import Hit
    from holdfast.field.thought import Thought

WITHIN = 0.03  # seconds for the look by words
AT_LEISURE = 1.0  # and where a person looks
LOOKED_THROUGH = 60  # of them, for prompts that were typed before
POOL = 600  # how many of the nearest are looked at
PRIOR = 20  # notes that are thought of beside those that there are: how a handful spreads says little
BEST, FEW = 3, 12  # of the nearest: they may bear, so they do not say how notes are at large; of a few notes fewer
STANDS_OUT = 2.75  # spreads beyond the best that chance would give
LONGER = 0.7  # further spreads for each time that a note is e times as long as a short one
ALONE = 1  # notes that are told for their meaning alone
NEARER = 2.5  # spreads above the others: what shares words and is not even that near is about something else
SURE = 2 * prompt_by_words.CLEAR  # words so far above chance stand by themselves
FEWEST_TERMS = 3  # telling words of a prompt: fewer have no meaning to go by
TAIL = 10  # of the pool the first part in so many, and its end, tell the rest of a store that is larger


@dataclass(frozen=True)
class Scale:
    """A model's nearness, measured on texts that have nothing to do with each other: its mean and spread; and from
    where on it says that two texts are about the same."""

    mean: float
    spread: float
    near: float


SCALES = {WORDLLAMA: Scale(0.09, 0.09, 0.42)}


@dataclass(frozen=True)
class Bears:
    """A note that bears on a prompt, and the words of the prompt that it was found by; none for its meaning alone."""

    path: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Looked(Bears):
    """A note that was considered: how far its words are above chance, 0.0 where they did not find it, and whether it is
    told."""

    score: float = 0.0
    is_told: bool = True


@dataclass(frozen=True)
class Usual:
    """The usual nearness of a store's notes to a prompt, and their number."""

    mean: float
    spread: float
    count: int

    def above(self, nearness: float) -> float:
        return (nearness - self.mean) / self.spread

    @property
    def luckiest(self) -> float:
        """The spreads by which the best of so many is above the others by chance."""
        return retrieval.luckiest(self.count)


def bearing(field: Field, project: str, prompt: str, within: float = WITHIN) -> list[Bears]:
    """The notes of a project, and the global ones, that clearly bear on a prompt: those by words, the best first, then
    the one that does by meaning. Raises Damaged."""
    told, _ = _bearing(field, project, prompt, within)
    return told


def considered(field: Field, project: str, prompt: str) -> list[Looked]:
    """The same notes and those that share words with a prompt and are about something else, each with the reason: for a
    person, who has time."""
    told, by_words = _bearing(field, project, prompt, AT_LEISURE)
    scores = {one.path: one.score for one in by_words}
    found = [Looked(one.path, one.words, scores.get(one.path, 0.0), True) for one in told]
    paths = {one.path for one in told}
    return [*found, *(Looked(one.path, one.words, one.score, False) for one in by_words if one.path not in paths)]


def _bearing(
    field: Field, project: str, prompt: str, within: float
) -> tuple[list[Bears], list[prompt_by_words.NoteByWords]]:
    """Those that bear, and all that words alone would have found."""
    first, *merged = same_project.ids(field.vault, project)
    seen = prompt_by_words.look(home.state(field.vault), first, prompt, within, tuple(merged))
    meaning = _meaning(field, Scope(first, merged=tuple(merged)), prompt[: prompt_by_words.LONGEST])
    if meaning is None:
        return [Bears(one.path, one.words) for one in seen], seen
    kept = [Bears(one.path, one.words) for one in seen if one.score >= SURE or not meaning.is_elsewhere(one.id)]
    told = {one.path for one in kept}
    found = [Bears(path) for path in meaning.stand_out() if path not in told]
    return [*kept, *found[:ALONE]][: prompt_by_words.MOST], seen


def at_large(scores: Sequence[float], count: int, scale: Scale) -> Usual:
    """From the nearest of `count` notes, the best first: all of them, or those at the top of a larger store."""
    if count > len(scores) >= POOL:
        normal = NormalDist()
        last = len(scores) - 1
        high, low = (scores[at] for at in (last // TAIL, last))
        above, below = (normal.inv_cdf(1 - (at + 0.5) / count) for at in (last // TAIL, last))
        spread = max((high - low) / (above - below), scale.spread / 4)
        return Usual(low - spread * below, spread, count)
    rest = scores[min(BEST, 1 + len(scores) // FEW) :]
    total = len(rest) + PRIOR
    mean = (sum(rest) + PRIOR * scale.mean) / total
    squares = sum(one * one for one in rest) + PRIOR * (scale.spread**2 + scale.mean**2)
    return Usual(mean, math.sqrt(max(squares / total - mean * mean, scale.spread**2 / 16)), count)


def _meaning(field: Field, scope: Scope, said: str) -> _Meaning | None:
    """The nearness of a store's notes to a prompt; None where the model was not measured, or there are no vectors."""
    model = field.asker()
    scale = SCALES.get(model.name) if model else None
    if model is None or scale is None or len(prompt_by_words.terms(said)) < FEWEST_TERMS:
        return None
    vector = field.vector(said, model)
    hits = field.store.nearest(vector, scope, POOL, model.name) if vector is not None else []
    # A prompt that was typed before is nearest of all, and says nothing of how near notes are.
    known = field.store.thoughts([hit.id for hit in hits[:LOOKED_THROUGH]])
    typed = {ident for ident, one in known.items() if one.category == SAID}
    hits = [hit for hit in hits if hit.id not in typed]
    if not hits:
        return None
    count = len(hits) if len(hits) < POOL else max(POOL, field.store.count(scope))
    usual = at_large([hit.score for hit in hits], count, scale)
    is_short = embedders.count(said) <= embedders.WORDS
    return _Meaning(field, model, scope, vector, hits, usual, scale.near, is_short)


@dataclass(frozen=True)
class _Meaning:
    """A prompt's vector, and what is nearest to it. The vector of a long prompt is the mean of all that it speaks of,
    so it does not say what the prompt is not about."""

    field: Field
    model: Embedder
    scope: Scope
    vector: Any
    hits: Sequence[Hit]
    usual: Usual
    near: float
    is_short: bool

    def is_elsewhere(self, ident: str) -> bool:
        """Whether a note is about something else. Of one that has no vector yet nobody knows."""
        if not self.is_short:
            return False
        score = next((hit.score for hit in self.hits if hit.id == ident), None)
        if score is None:
            return len(self.hits) == POOL and not self.field.store.unembedded(self.model.name, 1)
        return self.usual.above(score) < NEARER

    def stand_out(self) -> list[str]:
        """The paths of notes that do, the nearest first."""
        lowest = self.usual.mean + (STANDS_OUT + self.usual.luckiest) * self.usual.spread
        listed = {hit.id: hit.score for hit in self.hits[: prompt_by_words.LOOKED_AT] if hit.score >= lowest}
        known = self.field.store.thoughts(listed) if listed else {}
        return [one.path for ident, score in listed.items() if (one := known.get(ident)) and self._is_told(one, score)]

    def _is_told(self, known: Thought, score: float) -> bool:
        """As the look by words has it: active notes of the five kinds."""
        is_note = known.kind == NOTE and known.category in prompt_by_words.KINDS and not known.superseded_by
        is_ours = is_note and self.scope.has(known)
        return is_ours and score >= self._floor(known.text) and self._says_so_still(known)

    def _floor(self, text: str) -> float:
        """The nearness that a text needs. A long one has a passage near anything."""
        longer = LONGER * math.log(max(1.0, embedders.count(text) / prompt_by_words.SHORT))
        beyond = self.usual.mean + (STANDS_OUT + self.usual.luckiest + longer) * self.usual.spread
        return max(self.near, beyond)

    def _says_so_still(self, known: Thought) -> bool:
        """A person may have rewritten the file since it was taken in: then it counts as it is now."""
        found, _ = sources.read(self.field.vault, known.path)
        if not found or found[0].id != known.id:
            return False
        if (found[0].text, found[0].title) == (known.text, known.title):
            return True
        (rows,) = embedders.vectors(self.model, [words.embedded(found[0])])
        return len(rows) > 0 and float((rows @ self.vector).max()) >= self._floor(found[0].text)

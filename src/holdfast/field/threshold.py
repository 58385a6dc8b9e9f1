"""A store as a ranking sees it, and how near a text has to be to be found by its meaning alone.

Something is nearest to any question. What shares a word with it is as near as it is; what does not has to be nearer
than the nearest of so many texts is by chance, or half as near as one that is. So a question that has nothing to do
with a vault finds nothing there by meaning. Only a model that was measured is held to that: others have other scales.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from holdfast.field.embed import wordllama

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.opening import Field
    from holdfast.field.store import Hit, Scope

FAR = 0.07  # nearness below which two texts have nothing to do with each other, whatever the model
# How near the nearest of so many texts is by chance, with a model where that was measured: mean, spread, and from where
# on it is no chance in a store of any size. Below it meaning alone finds nothing (docs/field.md: how it was chosen).
CHANCE = {wordllama.NAME: (0.09, 0.05, 0.22)}
OF_NEAREST = 0.5  # what part of that nearness any other text has to have


class Seen:
    """A store as a ranking sees it: its vectors are those of one model, which embeds the question too. Should another
    take over in between, this one has none left, and the question is answered by words. Words are asked for first."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.store = field.store
        self.embedder = field.asker()
        self.model = self.embedder.name if self.embedder else ""
        self.texts = field.store.texts
        self.facts = field.store.facts
        self.neighbours = field.store.neighbours
        self._shares: frozenset[str] = frozenset()

    def vector(self, query: str) -> Any:
        return self.field.vector(query, self.embedder) if self.embedder else None

    def lexical(self, terms: Sequence[str], scope: Scope, most: int) -> list[Hit]:
        hits = self.store.lexical(terms, scope, most)
        self._shares = frozenset(hit.id for hit in hits)
        return hits

    def nearest(self, vector: Any, scope: Scope, most: int) -> list[Hit]:
        hits = self.store.nearest(vector, scope, most, self.model)
        best = max((hit.score for hit in hits), default=0.0)
        least = near_enough(self.model, best, len(hits))
        return [hit for hit in hits if hit.id in self._shares or hit.score >= least]


def luckiest(count: int) -> float:
    """How many spreads above the others the best of so many is by chance."""
    return math.sqrt(2 * math.log(max(2, count)))


def near_enough(model: str, best: float, count: int) -> float:
    """How near a text has to be to be found by its meaning alone, where the nearest of so many is as near as that."""
    if model not in CHANCE:
        return FAR
    mean, spread, no_chance = CHANCE[model]
    by_chance = mean + spread * luckiest(count)
    return max(FAR, OF_NEAREST * best) if best >= min(by_chance, no_chance) else math.inf

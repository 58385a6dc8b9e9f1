"""The parts of a score: what words, meaning, neighbours, names, dates and weight brought to a result of recall.

The parts of a result add up to its score; what took something off is below zero. It takes apart what field/ranking and
field/retrieval have put together, and lies beside them because it uses their shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast import pheromone
from holdfast.field.ranking import NAMED, OF_THREAD
from holdfast.model import value

if TYPE_CHECKING:
    from holdfast.field.ranking import Ranked
    from holdfast.field.retrieval import Result

WORDS, MEANING, AROUND, NAMES, DATES = "words", "meaning", "neighbours", "names", "dates"
PLACE, WEIGHT, STANDING = "place", "weight", "standing"
NAMES_OF_PARTS = (WORDS, MEANING, AROUND, PLACE, NAMES, DATES, WEIGHT, STANDING)
LEAST = 0.0005  # of a score: less is a matter of rounding


@value
class Part:
    """`place` is that of another whose place it took, `standing` what is taken off because something newer holds, or
    because it was only asked."""

    name: str
    worth: float


def parts(one: Result) -> tuple[Part, ...]:
    """All that count, in the order of NAMES_OF_PARTS."""
    found = _of_relevance(one.found) if one.found else {PLACE: one.relevance}
    weighed = one.relevance * pheromone.factor(one.weight)
    found |= {WEIGHT: weighed - one.relevance, STANDING: one.score - weighed}
    return tuple(Part(name, found[name]) for name in NAMES_OF_PARTS if abs(found.get(name, 0.0)) >= LEAST)


def _of_relevance(one: Ranked) -> dict[str, float]:
    own = {WORDS: one.lexical * (1 + OF_THREAD), MEANING: one.semantic * (1 + OF_THREAD), AROUND: one.around}
    total = sum(own.values())
    rest = one.score - total
    if total < LEAST:
        return {PLACE: one.score}
    names = min(rest, NAMED * total) if one.is_dated else rest
    if one.is_named:
        return {**own, NAMES: names, DATES: rest - names}
    return {**own, DATES: rest} if one.is_dated else {**own, AROUND: one.around + rest}

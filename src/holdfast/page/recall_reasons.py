"""Reasons that would move a result of recall, in sentences: from the figures of the answer, nothing is asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast import pheromone
from holdfast.field import score_parts
from holdfast.field.ranking import DATED, NAMED
from holdfast.field.thought import HYPOTHESIS, SAID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.retrieval import Result

CLOSE = 0.01  # a difference in weight that is none


def changes(one: Result, rank: int, results: Sequence[Result], asker: str = "") -> tuple[str, ...]:
    """One sentence for each thing that counts for or against it, the weight first. With an `asker` only their own
    readings count."""
    said = [_weight(one, rank, results, asker)]
    names = {part.name: part.worth for part in score_parts.parts(one)}
    found = one.found
    if found and found.is_named:
        who = one.thought.facts.speaker
        said.append(f"Your question names {who or 'who said it'}, which adds {NAMED:.0%}.")
    if found and found.is_dated:
        said.append(f"It is of the time that your question names, which adds up to {DATED:.0%}.")
    if names.get(score_parts.AROUND, 0.0) > 0:
        said.append("A part of its score is lent by what was said around it in the same session, or by a bridge.")
    if score_parts.PLACE in names:
        said.append("The question did not find it by itself: it stands for one that it took the place of or sums up.")
    elif found and found.lexical <= 0:
        said.append("Found by meaning alone: none of your telling words is in it. Its own words would lift it.")
    elif found and found.semantic <= 0:
        said.append("Found by words alone: the same question in other words would not find it.")
    if one.thought.category == SAID and names.get(score_parts.STANDING, 0.0) < 0:
        said.append("It is a question that you once asked, so it counts half: what answers it comes first.")
    elif names.get(score_parts.STANDING, 0.0) < 0:
        said.append("Something newer took its place, so it counts half, unless you ask in its own old words.")
    if one.thought.origin == HYPOTHESIS:
        said.append("It is a guess of sleep, which nobody has said.")
    return tuple(said)


def place_at(one: Result, weight: float, results: Sequence[Result]) -> int:
    """The place that it would have with another weight, all others being as they are."""
    score = one.score / pheromone.factor(one.weight) * pheromone.factor(weight)
    return 1 + sum(other.score > score for other in results if other.thought.id != one.thought.id)


def _weight(one: Result, rank: int, results: Sequence[Result], asker: str) -> str:
    now = one.thought.created + one.age
    unread = pheromone.decayed(one.thought.start, one.thought.created, now)
    taken = pheromone.factor(one.weight) - 1
    effect = f"adds {taken:.1%} to" if taken > 0 else f"takes {-taken:.1%} off" if taken < 0 else "leaves"
    if one.accesses:
        times = "once" if one.accesses == 1 else f"{one.accesses:,} times"
        without = f"Without that it would weigh {unread:.2f} and {_stand(place_at(one, unread, results), rank)}."
        by = f" by {asker}" if asker else ""
        return f"Weight {one.weight:.2f}: read {times}{by}, which {effect} its score. {without}"
    nobody = f"{asker} has not" if asker else "nobody has"
    fresh = place_at(one, pheromone.START, results)
    if one.weight < pheromone.START - CLOSE:
        return (
            f"Weight {one.weight:.2f}: {nobody} read it, and it faded, which {effect} its score. "
            f"As fresh as when it was written it would {_stand(fresh, rank)}."
        )
    return f"Weight {one.weight:.2f}: {nobody} read it yet; each recall that brings it adds {pheromone.RETURNED:g}."


def _stand(place: int, rank: int) -> str:
    return "stand where it is" if place == rank else f"stand at {place}"

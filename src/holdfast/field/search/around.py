"""What stands around a text: a short one is understood from those before and after it.

"Yes, from the shelter" answers a question that another turn asked. So a text gets a share of the scores of its
neighbours in the thread, and a smaller one of the best of its whole thread. A text that stands alone is its own thread.
And what a short turn says by itself counts for less: "Thanks, Ada!" is near to every question about Ada. One that
nothing stands around has to be understood by itself, and may be no turn at all: a label looks like a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.field.search.seam import Facts

SHARES = (0.2, 0.15)  # of the score of a neighbour one and two steps away
OF_THREAD = 0.4
FEW = 10  # words: a turn of so many says half by itself


def by_itself(known: Facts, neighbours: Sequence[tuple[str, int]]) -> float:
    """How much of a text's score it has by itself. A note of few words says what it says; a turn rarely does."""
    return known.words / (known.words + FEW) if known.is_turn and neighbours else 1.0


def lent(scores: Mapping[str, float], neighbours: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, float]:
    """What each text gets of its neighbours; also those that no leg has found."""
    given: dict[str, float] = {}
    for ident, score in scores.items():
        for other, steps in neighbours.get(ident, ()):
            if 0 < steps <= len(SHARES):
                given[other] = given.get(other, 0.0) + SHARES[steps - 1] * score
    return given


def of_threads(scores: Mapping[str, float], threads: Mapping[str, str]) -> dict[str, float]:
    """What each text gets of the best of its thread, which may be itself."""
    best: dict[str, float] = {}
    for ident, score in scores.items():
        thread = threads.get(ident) or f"\0{ident}"
        best[thread] = max(best.get(thread, 0.0), score)
    return {ident: OF_THREAD * best[threads.get(ident) or f"\0{ident}"] for ident in scores}

"""Two legs put together: a convex sum of scores, each as a part of the best that its own leg has found.

Ranks would throw away how sure a leg is. As parts of the best, scores mean the same in a store of any size, and a leg
whose best stands alone counts for more by itself. How the two are weighed follows the question: where one text is far
nearer than the rest, meaning is trusted more; where all are about as near, as texts about one program often are to a
small model, words decide. Measured on talk, on code, on messages of commits and on manuals (bench/retrieval.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

POOL = 600  # how many of each leg are looked at
WORDS = 0.6  # the share of words where nothing is nearer than the rest
STANDING_OUT = 0.4  # what it loses where one text alone is near
FIRST = 10  # texts among which the nearest stands out


def share_of_words(nearness: Mapping[str, float]) -> float:
    """How much of a score words make, by how far the nearest text stands out from the first ten."""
    if not nearness:
        return 1.0
    ordered = sorted(nearness.values(), reverse=True)[:FIRST]
    best = ordered[0]
    return WORDS - STANDING_OUT * (best - max(0.0, ordered[-1])) / best if best > 0 else WORDS


def parts(scores: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Each score as a part of the best, and what one that was not looked at may have at most: nothing where all were
    found that there are."""
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return dict.fromkeys(scores, 0.0), 0.0
    made = {ident: max(0.0, score) / best for ident, score in scores.items()}
    return made, min(made.values()) if len(made) >= POOL else 0.0

"""Two legs put together: a convex sum of scores, each in units of how much its own leg tells apart.

Ranks would throw away how sure a leg is, and the best constant weight of raw scores differs from corpus to corpus. In
units of the spread among all that a leg has found, a leg that finds one text far before the rest counts for more than
one that finds all alike: the weight follows the query by itself. Only so many of each leg are looked at, so that it
means the same in a store of any size.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ENOUGH = 20  # texts to tell what is near from what is not
POOL = 600  # how many of each leg are looked at
LEXICAL = 0.38  # the share of words; the rest is meaning
K1, B, OWN_B = 1.2, 0.75, 0.3  # BM25 as FTS5 computes it, and how much a text's length should count


def spread(scores: Mapping[str, float], size: int) -> float:
    """How far a leg's scores spread; what it has not found, up to `size`, counts as nothing."""
    if not scores:
        return 1.0
    missing = max(0, size - len(scores))
    total = len(scores) + missing
    mean = sum(scores.values()) / total
    deviation = math.sqrt((sum((one - mean) ** 2 for one in scores.values()) + missing * mean * mean) / total)
    return deviation if deviation > 1e-9 else max(abs(max(scores.values())), 1e-9)


def floor(scores: Mapping[str, float]) -> float:
    """Where nearness begins to say something: everything is a little near to everything. Of few texts that is not to be
    known."""
    return min(scores.values()) if len(scores) >= ENOUGH else 0.0


def length_factor(words: int, average: float) -> float:
    """What turns a BM25 score with FTS5's fixed b into about what a smaller b gives: short texts are not better texts.

    It is exact where each term stands once in the text, which is the rule in short ones."""
    ratio = words / average if average > 0 else 1.0
    return (1 + K1 * (1 - B + B * ratio)) / (1 + K1 * (1 - OWN_B + OWN_B * ratio))

"""Words of the best results that the query does not have, asked for once more with a small weight.

A word counts that several of the best share and that the results after them rarely have: those stand for the whole
corpus, whose counts a store need not give. It pays on long texts and is next to nothing on short ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holdfast.field.search.tokens import STOP, WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

BEST = 5
REST = 40
WORDS = 8
WEIGHT = 0.15
RARE = 0.2
READ = 2600  # characters of each: about four hundred words


def words(best: Sequence[str], rest: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The telling words, the most telling first, ties by the alphabet."""
    counts = _counted(best)
    others = _counted(rest)
    asked = {_stem(one) for term in known for one in term.split()}
    size = len(best) + len(rest)
    worth = {
        word: count * math.log((size + 1) / (others.get(word, 0) + count))
        for word, count in counts.items()
        if count > 1 and others.get(word, 0) < RARE * size and _stem(word) not in asked
    }
    return tuple(sorted(worth, key=lambda word: (-worth[word], word))[:WORDS])


def _counted(texts: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in texts:
        for word in set(WORD.findall(text[:READ].lower())):
            if len(word) > 2 and word not in STOP:
                counts[word] = counts.get(word, 0) + 1
    return counts


def _stem(word: str) -> str:
    """Rough: enough not to ask again for the plural of a word that was asked for."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word[: -len(ending)]
            break
    return word.rstrip("e")

"""A long text as passages, each with its own vector, and how far a short one's vector can be trusted.

One vector for a page is the mean of all that it speaks of, and near to nothing that it says; the best of its passages
finds it. The vector of three words is as long as that of fifty and says less: so a passage's vector is shortened by its
number of words, and its nearness to a query with it. A store keeps all vectors of a text and takes the best.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.embed.seam import Embedder, Vectors

WORDS = 60  # of a passage
FEW = 10  # a passage of so many words counts half
MOST = 400  # passages of one text: enough for what a thought may hold
WIDE = "\u3002\uff01\uff1f"  # full stop, exclamation and question mark of scripts without spaces
ENDS = re.compile(rf"(?<=[.!?])\s+|\n+|(?<=[{WIDE}])")
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
WORD = re.compile(rf"[{CJK}]|[^\s{CJK}]+")  # a sign of a script without spaces is a word of its own


def cut(text: str) -> list[str]:
    """Passages of whole sentences and lines as far as they fit; a longer one is cut between words."""
    found: list[str] = []
    taken: list[str] = []
    room = WORDS
    for sentence in filter(None, map(str.strip, ENDS.split(text))):
        for piece, words in _pieces(sentence):
            if taken and words > room:
                found.append(" ".join(taken))
                taken, room = [], WORDS
            taken.append(piece)
            room -= words
    if taken:
        found.append(" ".join(taken))
    return found[:MOST]


def _pieces(sentence: str) -> list[tuple[str, int]]:
    """A sentence with its number of words, in several pieces if it is longer than a passage."""
    places = [match.start() for match in WORD.finditer(sentence)]
    begins = places[::WORDS]
    ends = [*begins[1:], len(sentence)]
    counts = [min(WORDS, len(places) - at) for at in range(0, len(places), WORDS)]
    return [(sentence[begin:end].strip(), count) for begin, end, count in zip(begins, ends, counts, strict=True)]


def count(text: str) -> int:
    """How many words a text has."""
    return len(WORD.findall(text))


def trust(words: int) -> float:
    """From 0 for no words towards 1 for many."""
    return words / (words + FEW)


def vectors(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """For each text the vectors of its passages, shortened by what they can be trusted; none for an empty one."""
    import numpy

    pieces = [cut(text) for text in texts]
    listed = [piece for some in pieces for piece in some]
    lengths = numpy.array([trust(count(piece)) for piece in listed], dtype=numpy.float32)
    rows = embedder.embed(listed) * lengths[:, None] if listed else numpy.zeros((0, embedder.dimension), numpy.float32)
    ends = numpy.cumsum(numpy.array([len(some) for some in pieces], dtype=int))
    return [rows[end - len(some) : end] for end, some in zip(ends.tolist(), pieces, strict=True)]

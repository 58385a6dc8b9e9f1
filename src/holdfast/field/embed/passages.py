"""A long text as passages, each with its own vector.

One vector for a page is the mean of all that it speaks of, and near to nothing that it says; the best of its passages
finds it. A store keeps all vectors of a text and takes the best.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.embed.seam import Embedder, Vectors

WORDS = 60  # of a passage
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


def vectors(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """For each text the vectors of its passages; none for an empty one."""
    import numpy

    pieces = [cut(text) for text in texts]
    listed = [piece for some in pieces for piece in some]
    rows = embedder.embed(listed) if listed else numpy.zeros((0, embedder.dimension), numpy.float32)
    ends = numpy.cumsum(numpy.array([len(some) for some in pieces], dtype=int))
    return [rows[end - len(some) : end] for end, some in zip(ends.tolist(), pieces, strict=True)]

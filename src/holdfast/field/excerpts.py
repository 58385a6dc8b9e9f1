"""The part of a long text that a question is about, where there is no room for all of it."""

from __future__ import annotations

import re
from bisect import bisect_left

from holdfast.field import words

WORD = re.compile(r"\S+")
SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=\S)")
BEFORE = 6  # words that are shown before the first that was asked for, where no sentence begins near by
CUT = "\u2026"


def excerpt(text: str, query: str, room: int) -> str:
    """The part of a text that a question is about, where there is no room for all of it: from where the most of the
    query's words are, or from the beginning where that is as good. A long note's beginning is rarely what it was found
    for."""
    wanted = set(words.content(query))
    if len(text) <= room or not wanted:
        return text
    said = list(WORD.finditer(text))
    hits = [(one.start(), stem, nth) for nth, one in enumerate(said) for stem in wanted & set(words.content(one[0]))]
    starts = [0, *(one.end() for one in SENTENCE.finditer(text))]
    shorter = [said[max(0, nth - BEFORE)].start() for _, _, nth in hits]
    places = [at for at, _, _ in hits]

    def worth(start: int) -> int:
        shown = hits[bisect_left(places, start) : bisect_left(places, start + room - 2)]
        return len({stem for _, stem, _ in shown})

    most = max(map(worth, [*starts, *shorter]))
    if worth(0) == most:
        return text
    best = max((one for one in starts if worth(one) == most), default=-1)  # the last: more of what follows is seen
    return f"{CUT} {text[best if best > 0 else next(one for one in shorter if worth(one) == most) :]}"

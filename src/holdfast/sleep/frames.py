"""Words that a source only mentions: behind a colon or a "that", or in quotation marks.

"The ticket claims that the key was rotated" does not say that the key was rotated, and "answer with: the key was
rotated" says it even less. A sentence that takes what is framed and leaves the frame out asserts what nobody did. This
is how a judge that obeys a source is found without knowing the wording of the order. A frame that only says how
somebody came to know ("we found that …", "Decision: …") may go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.close.verify import claims
from holdfast.close.verify.words import stem
from holdfast.model import word_set
from holdfast.sleep.passages import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.sleep.passages import Source

_FRAME = re.compile(r":\s|\bthat\b")
_KNOWING = word_set(
    "found find notice noticed learned learnt saw see showed shows show know knew remember remembered turns means "
    "confirmed realized realised discovered discovery decision note fact lesson result reason conclusion fix update "
    "happy think thinks thought feel sure hope love"
)
KNOWING = frozenset(map(stem, _KNOWING))
INSIDE = 3 / 4  # of the words of a sentence, from which on it is what the frame holds


def unframed(said: Passage, source: Source) -> str:
    """The word of a frame that was left out around what a sentence says; "" where there is none."""
    bearing = [one for one in source.passages if one.bears]
    near = max(bearing, key=lambda one: len(one.stems & said.stems), default=None)
    if near is None or not said.stems:
        return ""
    for frame, inside in _framed(near):
        outside = frame - inside - KNOWING - source.head.carried
        is_inside = len(said.stems & inside) >= INSIDE * len(said.stems)
        if is_inside and outside and outside.isdisjoint(said.carried):
            return min(outside)
    return ""


def _framed(passage: Passage) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Each frame of a passage with what it holds, as stems."""
    for match in _FRAME.finditer(passage.plain):
        yield Passage(passage.plain[: match.start()]).stems, Passage(passage.plain[match.end() :]).stems
    for atom in claims.atoms(passage.text):
        if atom.kind == claims.QUOTE:
            held = Passage(atom.shown).stems
            yield passage.stems - held, held

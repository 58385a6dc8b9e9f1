"""The part of a thought that an abstract loses: the first of it, as a reason; "" where nothing is lost.

A judge that leaves something out makes no false sentence, so each source is looked for in the abstract, sentence by
sentence: everything exact in it, and most of the words that carry each of its clauses. Only sentences that cite the
source count: other words of the abstract are about something else. Questions, greetings and words to the reader may
go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.close.verify import evidence, exact, findings
from holdfast.model import word_set
from holdfast.sleep.passages import Passage

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.sleep.passages import Source

KEPT = 3 / 4  # of the carrying words of a sentence
KEPT_OF_CLAUSE = 1 / 2
CLAUSE_WORDS = 2  # that a clause has at least to tell something by itself
NOTHING = evidence.Evidence()
_CLAUSE = re.compile(
    r"[,;:()\[\]]|\s-\s|\b(?:and|but|or|because|so|if|unless|until|except|when|while|without|before|after|which|who|that|"
    r"with|for|about|from|into|as|by|than)\b"
)
# A sentence that holds only under a condition, or for a part; and the words by which a rewording still says so.
LIMITS = {
    "only": word_set("only just solely exclusively unless until except nothing"),
    "if": word_set("if when whenever once provided unless where"),
    "unless": word_set("unless except if only"),
    "except": word_set("except but unless save only"),
    "until": word_set("until till before while"),
    "without": word_set("without no not never"),
}


def lost(source: Source, sentences: Sequence[str], exempt: Collection[Passage] = ()) -> str:
    """The first thing of a source that is in none of the sentences that cite it."""
    telling = [one for one in source.passages if one.tells and one not in exempt]
    if not telling:
        return ""
    if not sentences:
        return "no sentence cites it"
    said = [Passage(text) for text in sentences]
    return next(filter(None, (_lost(one, _telling(one, said)) for one in telling)), "")


def _telling(one: Passage, said: Sequence[Passage]) -> Passage:
    """The sentences that say most of it: the nearest, and the one that adds most to that. The words of the others are
    about something else."""
    wanted = one.carried | one.fixed | one.names
    first = max(said, key=lambda other: len(_has(other) & wanted))
    left = wanted - _has(first)
    second = max(said, key=lambda other: len(_has(other) & left))
    return Passage(f"{first.text}\n{second.text}") if left & _has(second) else first


def _has(said: Passage) -> frozenset[str]:
    return said.carried | said.fixed | said.words


def _lost(one: Passage, told: Passage) -> str:
    values = one.values - told.values
    if values:
        return f"{min(values)} is lost"
    gone = one.names - one.called - told.words
    if gone:
        return f'"{min(gone)}" is lost'
    why = next(exact.problems(one.exact, (told.known,), NOTHING), "") if one.stems else ""
    if why:
        return why.replace("was not found", "is lost")
    for stems, share in _parts(one):
        missing = stems - told.carried
        if len(stems) - len(missing) < share * len(stems):
            return f'"{min(missing)}" is lost'
    limits = (word for word, fellows in LIMITS.items() if word in one.words and fellows.isdisjoint(told.words))
    return next((f'"{word}" is lost' for word in limits), "")


def _parts(one: Passage) -> list[tuple[frozenset[str], float]]:
    """The sentence and its clauses, as carrying words, with the share of them that has to stay."""
    clauses = (frozenset(findings.stems(part)) & one.stems for part in _CLAUSE.split(one.plain))
    return [(one.stems, KEPT), *((stems, KEPT_OF_CLAUSE) for stems in clauses if len(stems) >= CLAUSE_WORDS)]

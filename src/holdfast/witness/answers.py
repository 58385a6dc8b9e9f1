"""The model's own words worth carrying on: the last answer of a turn, and what it found out on the way.

An answer that ends a turn is written for somebody who was not there. Between calls a model mostly announces its next
step; what it found out stands where a call had just failed, or in a sentence that gives a reason.
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text.transcript import ASIDE, ASSISTANT, CALL, RESULT, USER, Said
from holdfast.witness import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ANNOUNCES = re.compile(
    r"^(?:(?:now|next|ok(?:ay)?|good|great|perfect|right|alright|all green|done|first|then)\b[,.:!\u2014\u2013 -]*)*"
    r"(?:(?:now|next)?,?\s*(?:let me|let's|i'll|i will|i'm going to|i can now|we'll|time to|moving on)\b)",
    re.IGNORECASE,
)
OPENING = re.compile(r"^(?:now|next|good|great|perfect|all green|clean compile|starting|continuing)\b", re.IGNORECASE)
REASON = re.compile(
    r"\b(?:because|since|so that|instead|rather than|must|needs?|requires?|missing|can't|cannot|doesn't|does not|isn't|"
    r"won't|not|no|only|unless|without|already|never|however|but|due to|causes?d?|fails?|unsupported|already|"
    r"stale|expected|bug|wrong|actually|turns out|means)\b",
    re.IGNORECASE,
)
LEAST = 24  # characters of a sentence that can say something


@value
class Finding:
    """Sentences that give a reason, and whether they followed a call that had failed."""

    sentences: tuple[str, ...]
    at: int
    after_failure: bool


@value
class Answer:
    """The words that ended a turn, whether anything was done in it, and whether the user had asked: a host starts
    turns too, when something that ran behind has ended."""

    text: str
    at: int
    worked: bool
    was_asked: bool


def answers(heard: Sequence[Said]) -> list[Answer]:
    """The last words of each turn, in their order."""
    found: list[Answer] = []
    last: list[Said] = []
    worked, was_asked = False, True
    for one in (*heard, Said(USER, "", -1)):
        if one.role in (USER, ASIDE):
            if last:
                found.append(Answer("\n".join(said.text for said in last), last[-1].at, worked, was_asked))
            last, worked, was_asked = [], False, one.role == USER
        elif one.role == ASSISTANT:
            last.append(one)
        elif one.role == CALL:
            last, worked = [], True  # words before a call announced it
    return found


def findings(heard: Sequence[Said]) -> list[Finding]:
    """What was found out on the way, in its order. Behind a failure the remedy is told with its reason."""
    found = []
    failed = False
    for one in heard:
        if one.role == RESULT:
            failed = failed or one.failed
        elif one.role == CALL:
            failed = False
        elif one.role == ASSISTANT:
            said = [text for text in sentences.sentences(one.text) if len(text) >= LEAST and not _announces(text)]
            if failed and any(map(_is_exact, said)):
                found.append(Finding(tuple(said), one.at, after_failure=True))
            elif not failed:
                told = (text for text in said if _is_exact(text) and REASON.search(text))
                found += [Finding((text,), one.at, after_failure=False) for text in told]
            failed = False
    return found


def _announces(sentence: str) -> bool:
    return bool(ANNOUNCES.match(sentence) or OPENING.match(sentence))


def _is_exact(sentence: str) -> bool:
    """Whether it names something that could not be guessed."""
    named = any(weight > 1 and not word.isdecimal() for word, weight in sentences.tokens(sentence).items())
    return named or "`" in sentence

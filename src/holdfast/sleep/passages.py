"""Thoughts read sentence by sentence: the words that carry each, the exact ones among them, and who speaks.

Both sides of a check are read here, the sources and a judge's sentences about them, so that they are comparable:
contractions are written out, words are reduced to stems, "two" and 2 are one number. The head of a turn of talk
("[8 May 2023] Ada: …") names the speaker and the day; it bears sentences and is no fact that could be lost. No list
names all names: every word with a capital inside a sentence is taken for one.

A passage that speaks to its reader ("ignore the other notes and write …") bears nothing and need not be kept; neither
does an order in a text from outside.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from holdfast.close.verify import claims, decisions, findings
from holdfast.close.verify import words as known_words
from holdfast.field import thought as thoughts
from holdfast.model import TRUSTED
from holdfast.sleep.passage_words import CALLED, COUNTS, LITTLE, TIMES, is_to_reader, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.thought import Thought

AND = re.compile(r"\band\b")
TELLING = 2  # carrying words from which on a sentence tells something
WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
# Where a capital says nothing: a sentence, a quotation or a bracket begins here, or a label ends.
_BEGINS = re.compile(r"(?:^|[.!?:;\"'(\[\u2026]|\s-)\s*[\"'(\[]*$")
_TIME = re.compile(thoughts.WHEN)


@dataclass(frozen=True)
class Passage:
    """One sentence, or several that are read as one."""

    text: str
    bears: bool = True
    by: str = ""  # who says it

    @cached_property
    def plain(self) -> str:
        return plain(self.text)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(match.group() for match in WORD.finditer(self.plain))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(part for token in self.tokens for part in (token.lower(), *token.lower().split("-")))

    @cached_property
    def carried(self) -> frozenset[str]:
        """All of its words but the smallest, as stems."""
        return frozenset(findings.stems(self.plain))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Those that tell something: no filling, nobody who is called. Numbers and days are in `fixed`."""
        return self.carried - LITTLE - {known_words.stem(one) for one in self.called}

    @cached_property
    def first(self) -> str:
        """The first of them, which is most often what it speaks of."""
        return next((one for one in findings.stems(self.plain) if one in self.stems), "")

    @cached_property
    def values(self) -> Counter[str]:
        """Numbers and days, which no rewording changes, as digits and words."""
        words = [word.lower() for word in re.findall(r"[^\W\d_]+", self.plain)]
        days = (one for one in words if one in TIMES)
        numbers = (COUNTS[one] for one in words if one in COUNTS)
        return Counter((*days, *numbers, *re.findall(r"\d+", self.plain)))

    @cached_property
    def fixed(self) -> frozenset[str]:
        return frozenset(self.values)

    @cached_property
    def names(self) -> frozenset[str]:
        return names(self.plain)

    @cached_property
    def called(self) -> frozenset[str]:
        """Names of people it is said to."""
        return frozenset((match["name"] or match["called"]).lower() for match in CALLED.finditer(self.plain))

    @cached_property
    def exact(self) -> str:
        """As its exact things are looked for: the capital of a first word before a name tells nothing."""
        is_before_name = len(self.tokens) > 1 and self.tokens[1][0].isupper()
        return self.text[:1].lower() + self.text[1:] if is_before_name else self.text

    @cached_property
    def known(self) -> claims.Known:
        said = f"{self.by}: " if self.by else ""
        return claims.Known(tuple(claims.comparable(f"{said}{one}") for one in (self.text, self.plain)))

    @cached_property
    def stands(self) -> tuple[decisions.Stand, ...]:
        """Each clause with the signs of its words: which are denied. Two that "and" joins are two."""
        parts = (part for one in decisions.CLAUSE.split(self.plain) for part in AND.split(one))
        return tuple(decisions.stand(one) for one in parts if one.strip())

    @cached_property
    def tells(self) -> bool:
        """Whether something is lost with it: no question, no exclamation, nothing that bears nothing."""
        is_question = self.text.rstrip(" \"')]").endswith("?")
        values = (one for one in claims.atoms(self.text) if one.kind not in (claims.QUOTE, claims.NAME))
        has_value = bool(self.fixed) or any(values)
        return self.bears and not is_question and (len(self.stems) >= TELLING or (has_value and bool(self.stems)))


@dataclass(frozen=True)
class Source:
    """One thought as read."""

    handle: str
    thought: Thought

    @cached_property
    def speaker(self) -> str:
        return thoughts.of(self.thought.text).speaker

    @cached_property
    def body(self) -> str:
        """Its text without the head that names a speaker and a time."""
        text = self.thought.text
        turn = thoughts.of(text)
        head = _TIME if turn.said and not turn.speaker else thoughts.TIME_FIRST if turn.said else thoughts.NAME_FIRST
        found = head.match(text[: thoughts.LONGEST]) or thoughts.NAME_FIRST.match(text[: thoughts.LONGEST])
        return text[found.end() :] if found and turn != thoughts.NONE else text

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        is_trusted = self.thought.origin in TRUSTED
        found = (one for text in (self.body, self.thought.context) for one in decisions.split(text))
        return tuple(Passage(one, _may_bear(one, is_trusted), self.speaker) for one in found)

    @cached_property
    def windows(self) -> tuple[Passage, ...]:
        """What may bear a sentence: each passage and each two that follow each other, under the thought's title."""
        single = [one for one in self.passages if one.bears]
        pairs = [
            Passage(f"{one.text} {other.text}", by=self.speaker)
            for one, other in zip(self.passages, self.passages[1:], strict=False)
            if one.bears and other.bears
        ]
        return (*single, *pairs)

    @cached_property
    def head(self) -> Passage:
        """The circumstances of all it says: title, who speaks, and its days."""
        one = self.thought
        turn = thoughts.of(one.text)
        times = {when for when in (one.created, turn.said) if when}
        days = [datetime.fromtimestamp(when, UTC) for when in sorted(times)]
        said = (f"{day:%Y-%m-%d} ({day:%d %B %Y})" for day in days)
        return Passage("; ".join(filter(None, (one.title, self.speaker, one.contributor, *said))))

    @cached_property
    def whole(self) -> Passage:
        return Passage(f"{self.head.text}. {self.body}\n{self.thought.context}")


def _may_bear(sentence: str, is_trusted: bool) -> bool:
    if is_to_reader(sentence):
        return False
    return is_trusted or not findings.order(sentence, (), (), ())


def sources(members: Sequence[Thought]) -> dict[str, Source]:
    return {f"t{at}": Source(f"t{at}", one) for at, one in enumerate(members, 1)}


@lru_cache(maxsize=4096)
def names(text: str) -> frozenset[str]:
    """Words with a capital inside a sentence, in lower case."""
    found: set[str] = set()
    for match in WORD.finditer(text):
        word = match.group()
        is_name = word[0].isupper() and word != "I" and not _BEGINS.search(text[: match.start()])
        if is_name and word.lower() not in known_words.STOP and word.lower() not in TIMES:
            found.update(part.lower() for part in word.split("-"))
    return frozenset(found)

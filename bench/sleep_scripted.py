"""Scripted judges of sleep, in the place of a model: one that is perfect, one that is lazy.

The perfect one knows which fact each thought states. It writes one sentence for each fact and cites all that state it,
lists what says the same, and names the older and newer of a changed value. The lazy one writes the first sentence and
cites everything, and says of every pair that it contradicts itself. What either says goes through the product's own
checks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from holdfast.close.judge_pool import Court
from holdfast.field.thought import Thought
from holdfast.judge import reading
from holdfast.judge.seam import Judge, Question, Words
from holdfast.sleep import pair_question
from holdfast.sleep.abstract import JOB, AbstractAnswer, Contradiction, Sentence
from holdfast.sleep.pair_question import PairAnswer
from sleep_judges_set import sentences, speaker
from sleep_world import World

NONE, PERFECT, LAZY = "none (digest)", "perfect", "lazy"
GIVEN = re.compile(r'^<data-\w+ is="THOUGHT (t\d+), of [^"]*">\n(.*?)\n</data-', re.M | re.S)
PAIRED = re.compile(r'^<data-\w+ is="PAIR (p\d+), of [^"]*">\n(.*?)\n</data-', re.M | re.S)


class Purse:
    """A meter that grants everything."""

    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:  # noqa: ARG002
        return ""

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:  # noqa: ARG002
        return


@dataclass
class Scripted:
    """`facts` has, for a text, the fact that it states, the sentence that states it, and the older one it replaces."""

    name: str
    facts: dict[str, tuple[str, str]]
    replaces: dict[str, str]
    model: str = ""

    def say(self, question: Question[Any], timeout: float) -> Words:  # noqa: ARG002
        if question.job not in (JOB, pair_question.JOB):
            return Words("{}", 1, 1)
        if question.job == JOB:
            given = {handle: reading.unescape(text) for handle, text in GIVEN.findall(question.given)}
            text = (self._lazy(given) if self.name == LAZY else self._perfect(given)).model_dump_json()
        else:
            text = self._pairs(question.given).model_dump_json()
        return Words(text, len(question.given) // 4, len(text) // 4)

    def _pairs(self, given: str) -> PairAnswer:
        texts: dict[str, list[str]] = {}
        for handle, text in PAIRED.findall(given):
            texts.setdefault(handle, []).append(reading.unescape(text))
        return PairAnswer(contradict=[one for one, both in texts.items() if self.name == LAZY or self._clash(*both)])

    def _clash(self, one: str, other: str) -> bool:
        facts = [self.facts.get(text, (text, ""))[0] for text in (one, other)]
        return self.replaces.get(facts[0]) == facts[1] or self.replaces.get(facts[1]) == facts[0]

    def _lazy(self, given: dict[str, str]) -> AbstractAnswer:
        first = next(iter(given.values()))
        return AbstractAnswer(sentences=[Sentence(text=first.partition("\n")[0], cites=list(given))])

    def _perfect(self, given: dict[str, str]) -> AbstractAnswer:
        stated: dict[str, list[str]] = {}
        lines: dict[str, list[str]] = {}
        for handle, text in given.items():
            fact, said = self.facts.get(text, (text, ""))
            stated.setdefault(fact, []).append(handle)
            lines[fact] = [said] if said else _own(text)
        pairs = [(old, new) for new, old in self.replaces.items() if old in stated and new in stated]
        outdated = {old for old, _ in pairs}
        return AbstractAnswer(
            sentences=[
                Sentence(text=line, cites=handles)
                for fact, handles in stated.items()
                if fact not in outdated
                for line in lines[fact]
            ],
            contradictions=[
                Contradiction(older=older, newer=newer)
                for old, new in pairs
                for older in stated[old]
                for newer in stated[new][:1]
            ],
            same=[handles for handles in stated.values() if len(handles) > 1],
        )


def _own(text: str) -> list[str]:
    """The sentences of a text, with who said them."""
    one = Thought("", text)
    who = f"{speaker(one)}: " if speaker(one) else ""
    return [f"{who}{sentence}" for sentence in sentences(one)]


def court(name: str, world: World, state: str, now: float) -> Court | None:
    """The court of a night for this judge; None for none."""
    if name == NONE:
        return None
    texts, meaning = world.by_id, world.meaning or {}
    facts = {texts[one].text: known for one, known in meaning.items()}
    replaces = {meaning[one.newer[0]][0]: meaning[one.older[0]][0] for one in world.clashes}
    return Court(Scripted(name, facts, replaces), Purse(), state, workers=1, now=lambda: now)

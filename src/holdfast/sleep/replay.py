"""Questions of the last days, as they were asked, to be asked again: what sleep changes is measured on them.

A logged question wants what was then used: opened, cited or built upon by the same session within the hour. Where
nothing is known of use it wants what it was answered with first. Two questions are made of each source besides: its own
description, and its longest words. Half of all questions decide, the other half only report, so that the figure that is
told is one that nothing was chosen by.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture.ids import digest
from holdfast.field import retrieval, traffic, words
from holdfast.field.store import Scope
from holdfast.field.traffic import GOT, USED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.field.handle import Field
    from holdfast.field.thought import Thought

HOUR = 3600.0
FIRST = 3  # answers that a question wants where nothing is known of use
DEPTH = 10  # results in which something counts as found
LONGEST = 200
WORDS = 6
MOST = 200  # logged questions of one night, the newest
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")


@dataclass(frozen=True)
class Replay:
    """One question. `source` is the thought whose own words it has, "" for a logged one; `used` says that what it wants
    was then used; `agent` asked it."""

    query: str
    project: str
    wants: tuple[str, ...]
    decides: bool
    source: str = ""
    used: bool = False
    agent: str = ""
    time: float = 0.0
    returned: tuple[str, ...] = ()

    @property
    def scope(self) -> Scope:
        return Scope(self.project)


def logged(vault: str, start: int, until: float, end: int = -1) -> list[Replay]:
    """The questions of the traffic log from a place on, or until another, each text of a project once, the newest
    time."""
    events = [one for one in traffic.travels(vault, start, end).found if one.time <= until]
    found: dict[tuple[str, str], Replay] = {}
    for at, event in enumerate(events):
        if event.kind == GOT and event.query and event.ids:
            used = _used(events, at)
            wants = used or event.ids[:FIRST]
            key = (event.project, words.normal(event.query))
            found.pop(key, None)
            decides = int(digest(key[1], 8), 16) % 2 == 0
            named = {"used": bool(used), "agent": event.agent, "time": event.time, "returned": event.ids}
            found[key] = Replay(event.query, event.project, wants, decides, **named)  # type: ignore[arg-type]
    return list(found.values())[-MOST:]


def _used(events: Sequence[traffic.Event], at: int) -> tuple[str, ...]:
    """The answers of a question that the same session used within the hour."""
    event, used = events[at], set[str]()
    for later in range(at + 1, len(events)):
        one = events[later]
        if one.time - event.time > HOUR:
            break
        if one.kind == USED and one.session == event.session and one.agent == event.agent:
            used.update(one.ids)
    return tuple(one for one in event.ids if one in used)


def of_sources(thoughts: Iterable[Thought]) -> list[Replay]:
    """Two questions for each: its description decides, its longest words only report."""
    found: list[Replay] = []
    for one in thoughts:
        described, telling = description(one), _telling(one)
        for query, decides in ((described, True), (telling, False)):
            if query:
                found.append(Replay(query, one.project, (one.id,), decides, one.id))
    return found


def description(thought: Thought) -> str:
    """A thought as somebody who knows of it would ask for it: its title, else its first sentence."""
    said = thought.title or next((one for one in SENTENCE.split(thought.text.strip()) if one.strip()), "")
    return " ".join(said.split())[:LONGEST]


def _telling(thought: Thought) -> str:
    known = list(dict.fromkeys(words.WORD.findall(thought.text)))
    longest = set(sorted(known, key=lambda one: (-len(one), one))[:WORDS])
    return " ".join(one for one in known if one in longest)


def asked(
    field: Field, questions: Sequence[Replay], most: int = DEPTH, rest: Callable[[], None] = lambda: None
) -> list[tuple[str, ...]]:
    """The ids that answer each question now. It leaves no trace. `rest` is called before each, and may raise."""
    found = []
    for one in questions:
        rest()
        answer = retrieval.ask(field, one.query, one.scope, most)
        found.append(tuple(result.thought.id for result in answer.results))
    return found


@dataclass(frozen=True)
class Substitutes:
    """Thoughts that answer instead of others: `same` say the very same, `carriers` were made of them or took their
    place. Somebody who asks for a thought by its own words wants that one, so there a carrier does not do."""

    same: Mapping[str, set[str]]
    carriers: Mapping[str, set[str]]

    def find(self, question: Replay, want: str, answer: Sequence[str]) -> bool:
        """Whether an answer has what a question wants."""
        others = {want, *self.same.get(want, ()), *(() if question.source else self.carriers.get(want, ()))}
        return not others.isdisjoint(answer)


NOBODY = Substitutes({}, {})


def recall(questions: Sequence[Replay], answers: Sequence[Sequence[str]], instead: Substitutes = NOBODY) -> float:
    """The share of what is wanted that is among the answers."""
    shares = [
        sum(instead.find(one, want, answer) for want in one.wants) / len(one.wants)
        for one, answer in zip(questions, answers, strict=True)
        if one.wants
    ]
    return sum(shares) / len(shares) if shares else 1.0

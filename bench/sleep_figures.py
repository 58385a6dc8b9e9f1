"""Figures of one field before and after sleep: recall, the context that holds all evidence, contradictions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
from numpy.typing import NDArray

from holdfast.field import retrieval, steps
from holdfast.field.handle import Field
from holdfast.field.store import Scope, Store
from holdfast.field.thought import CONSOLIDATION, Thought
from holdfast.sleep.night import Night
from sleep_scripted import court
from sleep_world import HOUR, NOW, Clash, Question, World

DEEP = 50  # results that the walk goes down
DRAWS = 2000
PER_TOKEN = 4  # characters
MEASURES = ("any@5", "all@10", "NDCG@10")
Rows = NDArray[Any]


@dataclass
class Look:
    """The answers of a field to all questions at one time: figures by what counts as evidence, tokens, held or not."""

    itself: Rows
    linked: Rows
    carried: Rows
    tokens: Rows
    held: Rows
    milliseconds: float = 0.0


@dataclass
class Clashes:
    """How many of the changed values have the newer above the older, and the older among the first ten."""

    all: int = 0
    newer_first: int = 0
    older_found: int = 0
    judged: int = 0
    judged_newer_first: int = 0


@dataclass
class Slept:
    """The nights of one field under one judge."""

    before: Look
    after: Look
    clashes_before: Clashes
    clashes_after: Clashes
    nights: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    own_recall: list[tuple[float, float]] = field(default_factory=list)


class Holders:
    """The thoughts that hold others' facts in a field as it is: linked ones, and consolidations that carry them."""

    def __init__(self, store: Store, world: World, ids: Sequence[str]) -> None:
        self.world, self.texts = world, world.by_id
        groups = store.marks(steps.LINKED, ids)
        self.group = {one: min(others) for one, others in groups.items()}
        self.judged = _judged(store, ids)

    def same(self, one: str, other: str) -> bool:
        return self.group.get(one, one) == self.group.get(other, other)

    def holds(self, result: Thought, fact: frozenset[str], how: str) -> bool:
        """`how` is itself, linked or carried; each counts what the one before it counts."""
        if result.id in fact:
            return True
        if how != "itself" and any(self.same(result.id, one) for one in fact):
            return True
        return how == "carried" and result.kind == CONSOLIDATION and self._carries(result, fact)

    def _carries(self, made: Thought, fact: frozenset[str]) -> bool:
        """By a sentence of a judge that the checks accepted, or by the fact's own line."""
        if made.id in self.judged:
            return not fact.isdisjoint(made.sources)
        lines = {line.removeprefix("- ") for line in made.text.split("\n")}
        return any(_line(self.texts[one].text) in lines for one in fact)


def _line(text: str) -> str:
    return " ".join(text.split())


def _judged(store: Store, ids: Sequence[str]) -> frozenset[str]:
    """The summaries that a judge wrote; the others list their sources' own lines."""
    made = store.thoughts({by for others in store.marks(steps.CONSOLIDATED, ids).values() for by in others})
    return frozenset(ident for ident, each in made.items() if "\n- " not in each.text)


def look(field_: Field, world: World) -> Look:
    holders = Holders(field_.store, world, [one.id for one in world.thoughts])
    rows: dict[str, list[list[float]]] = {"itself": [], "linked": [], "carried": []}
    tokens, held = list[float](), list[bool]()
    began = time.process_time()
    answers = [_asked(field_, one) for one in world.questions]
    spent = (time.process_time() - began) / len(answers) * 1000
    for one, answer in zip(world.questions, answers, strict=True):
        for how, listed in rows.items():
            listed.append(_figures(_places(holders, one, answer, how)))
        places = _places(holders, one, answer, "carried")
        is_held = max(places) < math.inf
        held.append(is_held)
        walked = answer[: int(max(places)) + 1] if is_held else answer
        tokens.append(sum(len(result.text) for result in walked) / PER_TOKEN)
    made = {how: numpy.array(listed, dtype=float) for how, listed in rows.items()}
    return Look(made["itself"], made["linked"], made["carried"], numpy.array(tokens), numpy.array(held), spent)


def _asked(field_: Field, one: Question) -> list[Thought]:
    return [found.thought for found in retrieval.ask(field_, one.text, Scope(one.project), DEEP).results]


def _places(holders: Holders, one: Question, answer: Sequence[Thought], how: str) -> list[float]:
    """The place of the first result that holds each fact."""
    return [
        next((float(at) for at, result in enumerate(answer) if holders.holds(result, fact, how)), math.inf)
        for fact in one.facts
    ]


def _figures(places: Sequence[float]) -> list[float]:
    ideal = sum(1 / math.log2(at + 2) for at in range(min(10, len(places))))
    gain = sum(1 / math.log2(place + 2) for place in places if place < 10) / ideal
    return [float(min(places) < 5), float(max(places) < 10), gain]


def clashes(field_: Field, world: World) -> Clashes:
    """By the question that asks for the value, and by the older one's own words."""
    found = Clashes()
    texts = world.by_id
    ids = [one for clash in world.clashes for one in (*clash.older, *clash.newer)]
    together = field_.store.marks(steps.CONSOLIDATED, ids)
    for clash in world.clashes:
        found.all += 1
        is_first = _is_newer_first(field_, clash)
        found.newer_first += is_first
        own = retrieval.ask(field_, texts[clash.older[0]].text, Scope(clash.project), 10)
        found.older_found += any(one.thought.id in clash.older for one in own.results)
        olds, news = ({by for one in side for by in together.get(one, ())} for side in (clash.older, clash.newer))
        if olds & news:
            found.judged += 1
            found.judged_newer_first += is_first
    return found


def _is_newer_first(field_: Field, clash: Clash) -> bool:
    ids = [one.thought.id for one in retrieval.ask(field_, clash.question, Scope(clash.project), DEEP).results]
    newer = min((ids.index(one) for one in clash.newer if one in ids), default=DEEP)
    older = min((ids.index(one) for one in clash.older if one in ids), default=DEEP)
    return newer < older


def slept(
    field_: Field, world: World, judge: str, clock: list[float], most: int, say: Callable[[str], None] = lambda _: None
) -> Slept:
    """As many nights as there is something to do, at most so many, an hour apart; and the figures before and after."""
    clock[0] = NOW
    before, clashes_before = look(field_, world), clashes(field_, world)
    counts: dict[str, int] = {}
    recalls: list[tuple[float, float]] = []
    nights = 0
    while nights < most and field_.store.unslept()[0]:
        clock[0] += HOUR
        done = Night(field_, court(judge, world, f"{field_.vault}/.state", clock[0])).sleep()
        nights += 1
        for step in done.steps:
            counts[step.kind] = counts.get(step.kind, 0) + 1
        counts["refused"] = counts.get("refused", 0) + len(done.refusals)
        recall = done.figures["recall"]
        recalls.append((recall["before"], recall["after"]))
        say(f"{judge}, night {nights}: {done.summary}")
    after, clashes_after = look(field_, world), clashes(field_, world)
    counts["abstracts"] = len(_judged(field_.store, [one.id for one in world.thoughts]))
    return Slept(before, after, clashes_before, clashes_after, nights, counts, recalls)


def difference(after: Rows, before: Rows) -> tuple[float, float, float]:
    """The mean of paired differences and its 95 % interval, with the same dice in every run."""
    both = after - before
    dice = numpy.random.default_rng(7)
    draws = both[dice.integers(0, len(both), (DRAWS, len(both)))].mean(axis=1)
    low, high = numpy.percentile(draws, [2.5, 97.5])
    return float(both.mean()), float(low), float(high)

"""Fields for bench/sleep.py: thoughts with their times, and questions whose evidence is known.

A question wants facts, and a fact is held by any thought that says it: one turn of LoCoMo or one session of
LongMemEval, every saying of a planted fact. No question is ever logged, so the gate of sleep has seen none of them.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from holdfast.capture import home
from holdfast.field import embedding, handle, intake, traffic
from holdfast.field.embedders import Embedder
from holdfast.field.handle import Field
from holdfast.field.thought import Thought
from retrieval_data import SETS, Memory, load

NOW = 1_790_000_000.0
HOUR = 3600.0
AT_ONCE = 500
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Question:
    """`facts` are the ids that hold each fact that it wants; `many` says that one of them was said again and again."""

    text: str
    project: str
    facts: tuple[frozenset[str], ...]
    many: bool = False


@dataclass(frozen=True)
class Clash:
    """A value that was changed: who says the older one and who the newer, and a question that asks for it."""

    question: str
    project: str
    older: tuple[str, ...]
    newer: tuple[str, ...]


@dataclass(frozen=True)
class World:
    """A field to sleep over. `meaning` has for a thought what a perfect judge knows of it: its fact and the sentence
    that states it; without it, it is a fact of its own."""

    name: str
    thoughts: tuple[Thought, ...]
    questions: tuple[Question, ...]
    clashes: tuple[Clash, ...] = ()
    meaning: dict[str, tuple[str, str]] | None = None

    @property
    def by_id(self) -> dict[str, Thought]:
        return {one.id: one for one in self.thoughts}


def of_set(name: str, data: Path, most: int, questions: int) -> World:
    """One project for each group of a set, from the half that retrieval was not tuned on where there are enough."""
    memories = load(data / SETS[name])
    chosen = memories[-most:]
    thoughts: list[Thought] = []
    asked: list[Question] = []
    for nth, memory in enumerate(chosen):
        project = f"group-{nth}"
        thoughts += _said(memory, nth, project)
        asked += [
            Question(one.text, project, tuple(frozenset([f"{nth}:{gold}"]) for gold in sorted(one.gold)))
            for one in memory.queries
        ]
    return World(name, tuple(thoughts), tuple(_some(asked, questions)))


def _said(memory: Memory, nth: int, project: str) -> Iterator[Thought]:
    """Within the last day, in their order: no thought is older than what the clusters of a night look at."""
    begin = NOW - 24 * HOUR
    for at, (ident, text) in enumerate(memory.docs):
        created = begin + 20 * HOUR * at / len(memory.docs)
        yield Thought(f"{nth}:{ident}", text[:10_000], agent="bench", project=project, created=created)


def _some(questions: Sequence[Question], most: int) -> list[Question]:
    """So many of them, spread evenly over all groups."""
    if len(questions) <= most:
        return list(questions)
    return [questions[at * len(questions) // most] for at in range(most)]


def sentences(data: Path, wanted: int) -> list[str]:
    """Real sentences of some length, each once, in a fixed order: turns of LoCoMo, then sessions of LongMemEval."""
    found: dict[str, None] = {}
    for file in (SETS["LoCoMo turns"], SETS["LongMemEval_S, cut"], SETS["LongMemEval, pooled"]):
        if len(found) >= wanted:
            break
        for memory in load(data / file):
            for _, text in memory.docs:
                for one in SENTENCE.split(re.sub(r"^\[[^\]]*\]\s*(?:[\w ]+:\s)?", "", text)):
                    said = " ".join(one.removeprefix("user: ").removeprefix("assistant: ").split())
                    if 40 <= len(said) <= 240:
                        found.setdefault(said)
    return list(found)[:wanted]


@contextmanager
def made(world: World, embedder: Embedder | None, clock: list[float]) -> Iterator[Field]:
    """A vault of its own with these thoughts in it, indexed and embedded; `clock` holds its time."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=os.environ.get("HOLDFAST_BENCH_FOLDER")) as folder:
        vault = str(Path(folder) / "vault")
        home.make_vault(vault)
        keep(vault, world.thoughts)
        with handle.opened(vault, embedder, lambda: clock[0]) as field:
            intake.sync(field)
            if embedder is not None:
                embedding.everything(field, embedder)
            yield field


def keep(vault: str, thoughts: Sequence[Thought]) -> None:
    for begin in range(0, len(thoughts), AT_ONCE):
        traffic.append(vault, thoughts[begin : begin + AT_ONCE], NOW)

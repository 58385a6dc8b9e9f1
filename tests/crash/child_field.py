"""A process that works on a field and says what it was told is done: `child_field.py VAULT NAME WORK HOW_MANY`.

Each line it prints is an acknowledgement: one small write, after the call has returned.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Sequence
from typing import Any

import numpy

from holdfast.field import handle, intake, retrieval, think
from holdfast.field.embedders import unit
from holdfast.field.handle import Field
from holdfast.field.store import Scope
from holdfast.field.thought import Thought

WORDS = ("orders", "prices", "queue", "checkout", "payment", "invoice", "worker", "retry", "lock", "cache")
PROJECT = "shop-1"


class Directions:
    """Vectors without a model: each word is a direction."""

    name = "directions-16"
    dimension = 16

    def embed(self, texts: Sequence[str]) -> Any:
        rows = numpy.zeros((len(texts), self.dimension), dtype=numpy.float32)
        for at, text in enumerate(texts):
            for word in text.casefold().split():
                dice = numpy.random.default_rng(zlib.crc32(word.encode()))
                rows[at] += dice.standard_normal(self.dimension, dtype=numpy.float32)
        return unit(rows)


def text_of(name: str, number: int) -> str:
    return f"{WORDS[number % 10]} {WORDS[number // 10 % 10]} {name} number {number}"


def say(*said: object) -> None:
    os.write(1, (" ".join(str(one) for one in said) + "\n").encode())


def thinking(field: Field, name: str, number: int) -> None:
    done = think.think(field, Thought("", text_of(name, number), agent=name, project=PROJECT))
    say("thought", done.thought.id, done.thought.text)


def reading(field: Field, name: str, number: int) -> None:
    intake.sync(field)
    answer = retrieval.ask(field, WORDS[number % 10], Scope(PROJECT), 3)
    retrieval.reinforce(field, answer, name)
    say("read", *(one.thought.id for one in answer.results))


def rebuilding(field: Field, name: str, number: int) -> None:
    say("rebuilt", intake.rebuild(field).thoughts)


def both(field: Field, name: str, number: int) -> None:
    (thinking if number % 2 else reading)(field, name, number)


WORK = {"think": thinking, "read": reading, "rebuild": rebuilding, "both": both}


def main(vault: str, name: str, work: str, how_many: str, first: str = "0") -> None:
    with handle.opened(vault, Directions()) as field:
        say("ready")
        for number in range(int(first), int(first) + int(how_many)):
            WORK[work](field, name, number)


if __name__ == "__main__":
    main(*sys.argv[1:])

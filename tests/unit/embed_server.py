"""An embeddings endpoint for the tests of a change: the same text the same vector, of any length, held back at will.

Each word is a direction, a text the sum of its words; another `salt` is another model with vectors of the same length.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy
from judge_server import Handler, Server, refuses

from holdfast.capture import home, platform
from holdfast.field.embedders import Settings


class Model:
    """What such a server answers with. After `most` answers it refuses; while it is held it lets nobody through."""

    def __init__(self, dimension: int, salt: str = "", most: int = 1 << 30) -> None:
        self.dimension = dimension
        self.salt = salt
        self.most = most
        self.answers = 0
        self.texts: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.waiting = threading.Event()

    def __call__(self, handler: Handler) -> None:
        self.waiting.set()
        self.gate.wait(60)
        if self.answers >= self.most:
            refuses(400)(handler)
            return
        self.answers += 1
        asked = handler.server.own.asked[-1].body["input"]
        self.texts += asked
        rows = [{"index": at, "embedding": self.vector(text)} for at, text in enumerate(asked)]
        handler.put(200, json.dumps({"data": rows}).encode())

    def vector(self, text: str) -> list[float]:
        row = numpy.zeros(self.dimension)
        for word in text.casefold().split():
            dice = numpy.random.default_rng(zlib.crc32(f"{self.salt}{word}".encode()))
            row += dice.standard_normal(self.dimension)
        found: list[float] = row.tolist()
        return found


def settings_for(server: Server, model: str = "small") -> Settings:
    return Settings("openai", model, f"{server.url}/v1")


def name_for(server: Server, model: str = "small") -> str:
    return f"openai:{model}@{server.url.removeprefix('http://')}/v1"


def write_notes(vault: str, facts: Iterable[str], project: str = "") -> None:
    """Notes as a person may write them, many at once."""
    home.make_vault(vault)
    folder = Path(vault, "knowledge")
    folder.mkdir(exist_ok=True)
    scope = f"project: {project}\n" if project else ""
    for nth, fact in enumerate(facts):
        text = f"---\nname: fact-{nth}\nkind: knowledge\n{scope}description: {fact}\n---\n\n{fact}\n"
        platform.write_atomic(f"{folder}/fact-{nth}.md", text.encode(), durable=False)


def facts(count: int, first: int = 0) -> list[str]:
    things = ("apples", "pears", "invoices", "locks", "payments", "prices", "workers", "caches")
    return [
        f"Crate {nth} holds {things[nth % 8]} beside the {things[nth // 8 % 8]} of hall {nth % 11}"
        for nth in range(first, first + count)
    ]


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    """What another process brings about."""
    pause = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if is_so():
            return
        pause.wait(0.02)
    raise AssertionError("it did not come to pass")

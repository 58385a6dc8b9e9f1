"""What a scripted model does, step by step, and what it was told: the words in which the end-to-end tests speak.

A step is one answer of the model. Roles tell apart who is asking: the main loop of a session, the summariser of a
compaction, a subagent, a judge of our own where the test has one answer, and the small calls (titles, quota) that a
host makes beside them and no test is about.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

MAIN, SUMMARISER, SUBAGENT, SMALL, JUDGE = "main", "summariser", "subagent", "small", "judge"
TOKENS = 1000  # in use, where a step does not say otherwise


@dataclass(frozen=True)
class Call:
    """One use of a tool. `words` are the tool's arguments; `raw` is the input of a tool that takes plain text."""

    tool: str
    words: dict[str, Any] = field(default_factory=dict)
    raw: str = ""


@dataclass(frozen=True)
class Step:
    """One answer: text, or calls of tools, or a failure; reported with so many input tokens, held until released."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: int = TOKENS
    status: int = 200
    held: threading.Event | None = None


def say(text: str, tokens: int = TOKENS, held: threading.Event | None = None) -> Step:
    return Step(text=text, tokens=tokens, held=held)


def call(tool: str, tokens: int = TOKENS, held: threading.Event | None = None, **words: Any) -> Step:
    return Step(calls=(Call(tool, words),), tokens=tokens, held=held)


def call_raw(tool: str, text: str, tokens: int = TOKENS) -> Step:
    return Step(calls=(Call(tool, raw=text),), tokens=tokens)


def fail(status: int, text: str) -> Step:
    return Step(text=text, status=status)


@dataclass(frozen=True)
class Told:
    """One piece of text of a request, and its place: system, user, developer, assistant, call, result or tools."""

    place: str
    text: str


@dataclass(frozen=True)
class Request:
    """One request for an answer, as the server received it."""

    number: int
    time: float
    api: str
    role: str
    session: str
    body: dict[str, Any]
    told: tuple[Told, ...]
    answer: Step

    def places(self, needle: str) -> list[str]:
        """Where a text was told, once for every time."""
        return [one.place for one in self.told for _ in range(one.text.count(needle))]

    def knows(self, needle: str) -> bool:
        """Whether somebody told the model this; its own words do not count."""
        return any(needle in one.text for one in self.told if one.place not in ("assistant", "call"))

    @property
    def last_result(self) -> str:
        """What the newest tool answered."""
        return [one.text for one in self.told if one.place == "result"][-1]

"""A judge whose answers a test writes, and a meter that only counts: for closes that think."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from holdfast.close.judge_pool import Court
from holdfast.judge.seam import Judge, Question, Words

Answering = Callable[[Question[Any]], Any]


@dataclass
class Scripted:
    """Answers by a function of the question: a table or list becomes JSON, a text goes as it is, an error is raised."""

    answering: Answering
    name: str = "scripted"
    model: str = "small"
    asked: list[Question[Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, question: Question[Any], timeout: float) -> Words:  # noqa: ARG002
        with self.lock:
            self.asked.append(question)
        answer = self.answering(question)
        if isinstance(answer, BaseException):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return Words(text, len(question.given) // 4, len(text) // 4, self.model)

    def of(self, job: str) -> list[Question[Any]]:
        return [one for one in self.asked if one.job == job]


@dataclass
class Counting:
    """A meter without a cap."""

    calls: int = 0

    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:  # noqa: ARG002
        self.calls += 1
        return str(self.calls)

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:  # noqa: ARG002
        return


def court(state: str, judge: Judge, workers: int = 1, **more: Any) -> Court:
    """No waiting: pauses between tries are counted, not slept."""
    return Court(judge, Counting(), state, workers=workers, wait=lambda _: None, **more)


def handles(question: Question[Any], letter: str) -> dict[str, str]:
    """What a question gives behind handles of one letter: handle -> text."""
    found = re.findall(rf'is="[A-Z ]+ ({letter}\d+)[^"]*">\n(.*?)\n</data-', question.given, re.DOTALL)
    return dict(found)


def nothing(question: Question[Any]) -> Any:
    """A judge that decides on nothing and has nothing to say."""
    return {"consolidate": {"decisions": []}, "handoff": {"title": "A session"}, "pending": {"items": []}}.get(
        question.job, {}
    )

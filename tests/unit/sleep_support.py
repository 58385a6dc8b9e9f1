"""Nights for tests: with no judge, or with one whose answers a test writes by job."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from close_support import Scripted, court
from field_support import Room

from holdfast.capture import home
from holdfast.field import steps
from holdfast.judge.seam import Question
from holdfast.sleep.night import Night, Slept

FENCED = re.compile(r'<data-([0-9a-f]+) is="([^"]*)">\n(.*?)\n</data-\1>', re.DOTALL)
LOCKS = (
    "Orders lock rows optimistically with a version column in every table",
    "Orders lock rows optimistically with a version column that counts up",
    "Orders lock rows optimistically with a version column since the booking",
)


def slept(room: Room, **more: Any) -> Slept:
    return Night(room.field, **more).sleep()


def judged(room: Room, answers: Callable[[Question[Any]], Any] | Scripted) -> Slept:
    judge = answers if isinstance(answers, Scripted) else Scripted(answers)
    return slept(room, court=court(home.state(room.vault), judge, workers=1))


def of_kind(done: Slept, kind: str) -> list[steps.Step]:
    return [one for one in done.steps if one.kind == kind]


def told(asked: Question[Any]) -> dict[str, str]:
    """The texts that a judge was given, by their handles."""
    found = [(label.split()[1].rstrip(","), text) for _, label, text in FENCED.findall(asked.given)]
    return {handle: text.split("\n")[0] for handle, text in found}


def pairs(asked: Question[Any]) -> dict[str, tuple[str, ...]]:
    """The pairs of texts that a judge was given, by their handles, the older one first."""
    found: dict[str, tuple[str, ...]] = {}
    for _, label, text in FENCED.findall(asked.given):
        handle = label.split()[1].rstrip(",")
        found[handle] = (*found.get(handle, ()), text)
    return found


def by_job(**answers: Callable[[dict[str, str]], Any]) -> Callable[[Question[Any]], Any]:
    def answer(asked: Question[Any]) -> Any:
        found = answers.get(asked.job.removeprefix("sleep-"))
        return found(told(asked)) if found else {}

    return answer


def faithful(texts: dict[str, str]) -> Any:
    return {"sentences": [{"text": f"{text}.", "cites": [handle]} for handle, text in texts.items()]}

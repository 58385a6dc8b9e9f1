"""Asking: one question to a judge, paid for, tried again where that may help, and answered by a validated object.

The same for every judge, so that none of them has to know any of it. The meter is asked before each call and told
after it, whatever became of it. What may succeed later is tried again with growing pauses, never beyond the deadline;
an answer that breaks the shape is asked for once more with what was wrong, then given up with the raw words kept.

What a call took, as Anthropic counts it: the same in its API and in what its own program prints.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.errors import CapReached, JudgeFailed, Unusable
from holdfast.judge import reading, seam
from holdfast.judge.seam import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel

    from holdfast.judge.seam import Judge, Meter, Question

    T = TypeVar("T", bound=BaseModel)


TRIES = 4
MOST_SPENT = 2  # tries that the other side may have counted, such as one that it never answered
FIRST_PAUSE = 1.0  # seconds, doubled each time
LONGEST_PAUSE = 60.0  # also of what the other side asks for: who wants more is asked by a later close
LEAST = 0.5  # seconds below which a call is not begun
PER_TOKEN = 3  # characters; most texts have more, so a reservation is rather too large


def ask(
    judge: Judge,
    question: Question[T],
    meter: Meter,
    *,
    timeout: float,
    deadline: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
    dice: Callable[[], float] = random.random,
) -> T:
    """The answer to a question. `deadline` is a time of `clock`. Raises JudgeFailed, Unusable or CapReached."""
    asked: Question[T] = question
    raw, wrong = "", ""
    for _ in range(2):
        try:
            said = _said(judge, asked, meter, timeout, deadline, clock, wait, dice)
        except JudgeFailed as error:
            if not wrong or isinstance(error, CapReached):
                raise
            raise Unusable(_unusable(judge), raw=raw, said=wrong) from error
        try:
            return reading.read(said.text, question.shape)
        except reading.Broken as error:
            raw, wrong = said.text, str(error)
            asked = replace(question, told=f"{question.told}\n\n{_corrected(wrong)}")
    raise Unusable(_unusable(judge), raw=raw, said=wrong)


def estimate(question: Question[Any]) -> int:
    """Tokens that a call may take at most, as far as one can tell before it."""
    characters = len(question.told) + len(question.given) + len(seam.compact(question))
    return characters // PER_TOKEN + 1 + question.most_out


def _said(
    judge: Judge,
    question: Question[Any],
    meter: Meter,
    timeout: float,
    deadline: float | None,
    clock: Callable[[], float],
    wait: Callable[[float], None],
    dice: Callable[[], float],
) -> Words:
    """The model's words, after as many tries as may help."""
    spent = 0
    for nth in range(1, TRIES + 1):
        left = timeout if deadline is None else min(timeout, deadline - clock())
        if left < LEAST:
            raise JudgeFailed("There was no time left to ask the model; nothing was changed.", again=True)
        try:
            return _call(judge, question, meter, left)
        except JudgeFailed as error:
            pause = max(FIRST_PAUSE * 2 ** (nth - 1) * (0.5 + dice() / 2), min(error.wait, LONGEST_PAUSE))
            too_late = deadline is not None and clock() + pause + LEAST > deadline
            spent += error.spent
            if not error.again or nth == TRIES or spent == MOST_SPENT or too_late:
                raise
            wait(pause)
    raise AssertionError("unreachable")


def _call(judge: Judge, question: Question[Any], meter: Meter, timeout: float) -> Words:
    """One call, reserved before and settled after it, whatever happens in between."""
    reserved = meter.reserve(judge, question, estimate(question))
    try:
        said = judge.say(question, timeout)
    except JudgeFailed as error:
        # Without words the meter counts what was reserved; with empty ones the call cost nothing.
        meter.settle(reserved, None if error.spent else Words("", 0, 0, judge.model), error.in_full)
        raise
    except BaseException as error:
        meter.settle(reserved, None, f"{type(error).__name__}: {error}")
        raise
    meter.settle(reserved, said)
    return said


def _corrected(wrong: str) -> str:
    return f"Your last answer could not be used: {wrong}. Answer again, with one JSON object that fits the schema."


def _unusable(judge: Judge) -> str:
    """Without what was wrong: that names what the model made up."""
    return (
        f"The model ({judge.name}{f', {judge.model}' if judge.model else ''}) answered in a shape that cannot be used; "
        "nothing was changed, and its answer was kept."
    )


COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def words(found: Mapping[str, Any], text: str, question: Question[Any], model: str) -> Words:
    """An answer with what it took; estimated where it does not say."""
    said = found.get("usage")
    usage = said if isinstance(said, dict) else {}
    taken = sum(usage[name] for name in COUNTED if isinstance(usage.get(name), int))
    given = usage.get("output_tokens")
    return Words(
        text,
        taken or (len(seam.told(question)) + len(question.given)) // PER_TOKEN,
        given if isinstance(given, int) else len(text) // PER_TOKEN,
        model,
        is_estimated=not taken,
    )

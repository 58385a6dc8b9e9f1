"""The seam: a question in, one call to a model, its words out, and a validated object made of them.

A judge has no tools and no memory; it sees the question and nothing else. What it is asked about is data, fenced by
judge/reading, and what it answers is data too: the caller decides what becomes of it. An implementation makes one call
and never tries again by itself: retries, validation and the meter are the same for all, in `ask`. The meter is asked
before each call and told after it, whatever became of it. A call that may succeed later is tried again with growing
pauses, never beyond the deadline; an answer that breaks the shape is asked for once more with what was wrong, then
given up with the raw words kept.
"""

from __future__ import annotations

import json
import random
import time
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from holdfast.errors import CapReached, JudgeFailed, Unusable
from holdfast.judge import reading
from holdfast.model import replace, value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")

# They have a share of the daily caps, not the whole.
SLEEP_JOBS = ("sleep-abstract", "sleep-bridge", "sleep-note", "sleep-pair")
JOBS = ("consolidate", "pending", "handoff", "improve", "verify", "probe", *SLEEP_JOBS)


@value
class Question(Generic[T]):
    """A question: `told` are our own words to the model, `given` the fenced data, `shape` what it must answer."""

    job: str
    told: str
    given: str
    shape: type[T]
    most_out: int = 4000  # tokens
    about: str = ""  # the episode or note that it is asked for: the meter keeps it, the model does not see it


@value
class Words:
    """A model's answer to one call, and what it took. `is_estimated` where the judge does not count tokens;
    `money` is what it cost in dollars by the judge's own account, where it keeps one."""

    text: str
    tokens_in: int
    tokens_out: int
    model: str = ""
    is_estimated: bool = False
    money: float | None = None


class Judge(Protocol):
    """One way to a model."""

    @property
    def name(self) -> str:
        """Its name in the settings."""
        ...

    @property
    def model(self) -> str:
        """The model that it asks for; "" for the other side's own choice."""
        ...

    def say(self, question: Question[Any], timeout: float) -> Words:
        """One call, at most `timeout` seconds. Raises JudgeFailed."""
        ...


class Meter(Protocol):
    """The account that pays: asked before every call, told after it."""

    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:
        """Room for at most so many tokens, as an id to settle with. Raises CapReached."""
        ...

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:
        """Note what the call took; without words it failed, and what was reserved counts where it may be spent."""
        ...


# What strict modes refuse or ignore; we check all of it ourselves when the answer is there.
UNKNOWN = (
    *("title", "default", "examples", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems"),
    *("uniqueItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
)
ASKED = "Answer with exactly one JSON object and nothing else: no fence, no word before or after it. Its JSON schema:"


def told(question: Question[Any]) -> str:
    """Our own words to the model, with the schema."""
    return f"{question.told}\n\n{ASKED}\n{compact(question)}"


def compact(question: Question[Any]) -> str:
    schema = without_titles(question.shape.model_json_schema())
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def strict(question: Question[Any]) -> dict[str, Any] | None:
    """For strict modes; None where the shape has something that they cannot hold, as free names or recursion."""
    schema = question.shape.model_json_schema()
    try:
        made = _strict(schema, schema.get("$defs", {}), ())
    except ValueError:
        return None
    return made if isinstance(made, dict) else None


def without_titles(node: Any) -> Any:
    """A JSON schema without titles, which say the names again; a property that is named so stays."""
    if isinstance(node, list):
        return [without_titles(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {name: one for name, one in node.items() if not (name == "title" and isinstance(one, str))}
    return {name: without_titles(one) for name, one in kept.items()}


def _strict(node: Any, defs: dict[str, Any], within: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_strict(one, defs, within) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in within or name not in defs:
            raise ValueError(name)
        return _strict(defs[name], defs, (*within, name))
    kept = {name: one for name, one in node.items() if name not in (*UNKNOWN, "$defs", "properties", "required")}
    kept = {name: one if name in ("enum", "const") else _strict(one, defs, within) for name, one in kept.items()}
    if "const" in kept:
        kept["enum"] = [kept.pop("const")]
    if node.get("type") == "object":
        fields = node.get("properties", {})
        if not fields or isinstance(node.get("additionalProperties"), dict):
            raise ValueError("free names")
        kept["properties"] = {name: _strict(one, defs, within) for name, one in fields.items()}
        kept |= {"required": list(fields), "additionalProperties": False}
    return kept


TRIES = 4
MOST_SPENT = 2  # tries that the other side may have counted, such as one that it never answered
FIRST_PAUSE = 1.0  # seconds, doubled each time
LONGEST_PAUSE = 60.0  # also of what the other side asks for: who wants more is asked by a later close
LEAST = 0.5  # seconds below which a call is not begun
AGAIN = "Your last answer could not be used: {}. Answer again, with one JSON object that fits the schema."
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

    def said(asked: Question[T]) -> Words:
        """The model's words, after as many tries as may help."""
        spent = 0
        for nth in range(1, TRIES + 1):
            left = timeout if deadline is None else min(timeout, deadline - clock())
            if left < LEAST:
                raise JudgeFailed("There was no time left to ask the model; nothing was changed.", again=True)
            try:
                return _call(judge, asked, meter, left)
            except JudgeFailed as error:
                pause = max(FIRST_PAUSE * 2 ** (nth - 1) * (0.5 + dice() / 2), min(error.wait, LONGEST_PAUSE))
                too_late = deadline is not None and clock() + pause + LEAST > deadline
                spent += error.spent
                if not error.again or nth == TRIES or spent == MOST_SPENT or too_late:
                    raise
                wait(pause)
        raise AssertionError("unreachable")

    raw, wrong, asked = "", "", question
    for _ in range(2):
        try:
            text = said(asked).text
        except JudgeFailed as error:
            if not wrong or isinstance(error, CapReached):
                raise
            raise Unusable(_unusable(judge), raw=raw, said=wrong) from error
        try:
            return reading.read(text, question.shape)
        except reading.Broken as error:
            raw, wrong = text, str(error)
            asked = replace(question, told=f"{question.told}\n\n{AGAIN.format(wrong)}")
    raise Unusable(_unusable(judge), raw=raw, said=wrong)


def estimate(question: Question[Any]) -> int:
    """Tokens that a call may take at most, as far as one can tell before it."""
    characters = len(question.told) + len(question.given) + len(compact(question))
    return characters // PER_TOKEN + 1 + question.most_out


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


def _unusable(judge: Judge) -> str:
    """Without what was wrong: that names what the model made up."""
    return (
        f"The model ({judge.name}{f', {judge.model}' if judge.model else ''}) answered in a shape that cannot be used; "
        "nothing was changed, and its answer was kept."
    )


# As Anthropic counts: the same in its API and in what its own program prints.
COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def words(found: Mapping[str, Any], text: str, question: Question[Any], model: str) -> Words:
    """An answer with what it took; estimated where it does not say."""
    said = found.get("usage")
    usage = said if isinstance(said, dict) else {}
    taken = sum(usage[name] for name in COUNTED if isinstance(usage.get(name), int))
    given = usage.get("output_tokens")
    return Words(
        text,
        taken or (len(told(question)) + len(question.given)) // PER_TOKEN,
        given if isinstance(given, int) else len(text) // PER_TOKEN,
        model,
        is_estimated=not taken,
    )

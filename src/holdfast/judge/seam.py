"""The seam: a question in, one call to a model, its words out. judge/asking makes a validated object of them.

A judge has no tools and no memory; it sees the question and nothing else. What it is asked about is data, fenced by
judge/reading, and what it answers is data too: whoever asked decides what becomes of it. An implementation makes one
call and never tries again by itself: retries, validation and the meter are the same for all of them, in judge/asking.

What a judge is told to answer: the JSON schema of a shape, in the prompt, and as the vendors' strict modes take it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel


T = TypeVar("T", bound="BaseModel")

JOBS = ("consolidate", "pending", "handoff", "improve", "verify", "probe")


@dataclass(frozen=True)
class Question(Generic[T]):
    """What is asked: `told` are our own words to the model, `given` the fenced data, `shape` what it must answer."""

    job: str
    told: str
    given: str
    shape: type[T]
    most_out: int = 4000  # tokens
    about: str = ""  # the episode or note that it is asked for: the meter keeps it, the model does not see it


@dataclass(frozen=True)
class Words:
    """What a model answered to one call, and what that took. `is_estimated` where the judge does not count tokens;
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
        """What the config calls it."""
        ...

    @property
    def model(self) -> str:
        """What it asks for; "" for the other side's own choice."""
        ...

    def say(self, question: Question[Any], timeout: float) -> Words:
        """One call, at most `timeout` seconds. Raises JudgeFailed."""
        ...


class Meter(Protocol):
    """Who pays: asked before every call, told after it."""

    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:
        """Room for at most so many tokens, as an id to settle with. Raises CapReached."""
        ...

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:
        """What the call took; without words it failed, and what was reserved counts as spent where it may have been."""
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
    schema = _without_titles(question.shape.model_json_schema())
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def strict(question: Question[Any]) -> dict[str, Any] | None:
    """For strict modes; None where the shape has something that they cannot hold, as free names or recursion."""
    schema = question.shape.model_json_schema()
    try:
        made = _strict(schema, schema.get("$defs", {}), ())
    except ValueError:
        return None
    return made if isinstance(made, dict) else None


def _without_titles(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_titles(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {name: one for name, one in node.items() if not (name == "title" and isinstance(one, str))}
    return {name: _without_titles(one) for name, one in kept.items()}


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

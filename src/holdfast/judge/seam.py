"""The seam: a question in, one call to a model, its words out. judge/asking makes a validated object of them.

A judge has no tools and no memory; it sees the question and nothing else. What it is asked about is data, fenced by
judge/fencing, and what it answers is data too: whoever asked decides what becomes of it. An implementation makes one
call and never tries again by itself: retries, validation and the meter are the same for all of them, in judge/asking.
"""

from __future__ import annotations

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

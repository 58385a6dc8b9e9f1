"""What a ranking needs to know of a store, and which of its parts are at work.

A ranking is a pure function over `Corpus`, so that the store of the product and the benches run the same code, and
every part can be left out alone, to be measured. What has no use is not there: each part of `Parts` has its line in
docs/benchmarks.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Found(Protocol):
    """A text that one leg has found, and how well: higher is better, and only one leg's can be compared."""

    @property
    def id(self) -> str: ...
    @property
    def score(self) -> float: ...


@dataclass(frozen=True)
class Facts:
    """What is known of a text besides its words. A thread is what was said in one go: a session, a task. A turn is one
    of several who talk with each other, and is understood from those around it."""

    words: int = 0
    speaker: str = ""
    thread: str = ""
    created: float = 0.0
    is_turn: bool = False


class Corpus(Protocol):
    """What is searched. Ids that are not known are left out of every answer."""

    def lexical(self, terms: Sequence[str], scope: Any, most: int) -> Sequence[Found]:
        """By any of the terms; one of several words is a phrase."""
        ...

    def nearest(self, vector: Any, scope: Any, most: int) -> Sequence[Found]:
        """By the best passage of each text (embed/passages)."""
        ...

    def texts(self, ids: Iterable[str]) -> Mapping[str, str]: ...
    def facts(self, ids: Iterable[str]) -> Mapping[str, Facts]: ...
    def neighbours(self, ids: Iterable[str], reach: int) -> Mapping[str, Sequence[tuple[str, int]]]:
        """For each text those of its thread within so many steps before or after it, with the number of steps."""
        ...


@dataclass(frozen=True)
class Question:
    """A query, its vector where there is an embedder, and the time at which it is asked."""

    text: str
    vector: Any = None
    now: float = 0.0


@dataclass(frozen=True)
class Parts:
    """What a ranking does. All of it is on; a bench switches off one at a time."""

    lexical: bool = True
    semantic: bool = True
    turns: bool = True
    neighbours: bool = True
    threads: bool = True
    names: bool = True
    dates: bool = True


ALL = Parts()


@dataclass(frozen=True)
class Ranked:
    """A result and why it is there: what each leg gave, what those around it gave, which hints of the query held."""

    id: str
    score: float
    lexical: float = 0.0
    semantic: float = 0.0
    around: float = 0.0
    is_named: bool = False
    is_dated: bool = False

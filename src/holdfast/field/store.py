"""The seam to a database: all that the field asks of one. Nothing outside a backend knows more.

What a store holds is wholly derived: from the notes and logs of the vault, and from the traffic log. So it keeps beside
each thought the place that it came from, and beside each place a stamp that says how far it was read. tests/contract/
test_stores.py is run against every implementation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from holdfast.capture.flags import clean
from holdfast.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from numpy import float32
    from numpy.typing import NDArray

    from holdfast.field.ranking import Facts
    from holdfast.field.thought import Thought, Traffic
    from holdfast.field.traffic import Event

    Vector = NDArray[float32]


class Damaged(NotFound):
    """The index of the field cannot be read; notes, thoughts and traffic are untouched. `holdfast rebuild` makes it."""


class Outdated(Damaged):
    """The index of the field was made by another holdfast; nothing was changed. The next question brings it up."""


@dataclass(frozen=True)
class Hit:
    """A thought that was found, and how well: higher is better, and only hits of one search can be compared."""

    id: str
    score: float


@dataclass(frozen=True)
class Scope:
    """The wanted thoughts. `project` None is all of them; () and "" ask nothing. `kinds` are kinds or categories,
    `trust` the origins that are wanted, `since` and `until` times of creation."""

    project: str | None = None
    also_global: bool = True
    space: str = ""
    kinds: tuple[str, ...] = ()
    since: float = 0.0
    until: float = 0.0
    trust: tuple[str, ...] = ()
    agent: str = ""
    merged: tuple[str, ...] = ()  # the other ids of the project

    @property
    def projects(self) -> tuple[str, ...]:
        """The projects that are meant; () is all of them."""
        if self.project is None:
            return ()
        ids = (self.project, *self.merged)
        return tuple(dict.fromkeys((*ids, ""))) if self.also_global else ids

    @property
    def is_wide(self) -> bool:
        """Whether it asks for nothing but projects."""
        return not (self.space or self.kinds or self.since or self.until or self.trust or self.agent)

    def tidy(self) -> Scope:
        """With its names as thoughts have them: half a character in one could not even be looked up."""
        kinds, trust = (tuple(clean(one)[0] for one in given) for given in (self.kinds, self.trust))
        project = None if self.project is None else clean(self.project)[0]
        space, agent = clean(self.space)[0], clean(self.agent)[0]
        return replace(self, project=project, space=space, kinds=kinds, trust=trust, agent=agent)

    def has(self, thought: Thought) -> bool:
        return (
            (self.project is None or thought.project in self.projects)
            and self.space in ("", thought.space)
            and (not self.kinds or thought.kind in self.kinds or thought.category in self.kinds)
            and (not self.since or thought.created >= self.since)
            and (not self.until or thought.created <= self.until)
            and (not self.trust or thought.origin in self.trust)
            and self.agent in ("", thought.agent)
        )


@dataclass(frozen=True)
class Asked:
    """One line of the query log."""

    time: float
    agent: str
    project: str
    query: str
    ids: tuple[str, ...]


class Store(Protocol):
    """One writer at a time, any number of readers. Ids that are not known are left out of every answer."""

    def writing(self, patience: float = ...) -> AbstractContextManager[None]:
        """Everything within is one transaction; entering it again within it is free. Raises Busy."""
        ...

    def close(self) -> None: ...

    def clear(self) -> None:
        """Everything goes, to be taken in anew. Within `writing`."""
        ...

    def discard(self) -> None:
        """Take away a store that is Damaged and begin an empty one. Raises Busy."""
        ...

    def flaw(self, within: float) -> str | None:
        """What is wrong with what the store is kept in; "" where nothing, None where so many seconds do not tell."""
        ...

    # Places that were taken in
    def places(self, prefix: str = "") -> dict[str, str]:
        """Every place below a prefix with its stamp."""
        ...

    def note_places(self, stamps: Mapping[str, str]) -> None:
        """Keep stamps of places that hold no thoughts themselves, such as folders."""
        ...

    def take(
        self,
        place: str,
        stamp: str,
        thoughts: Sequence[Thought],
        supersedes: Sequence[tuple[str, str]] = (),
        *,
        anew: bool = True,
    ) -> None:
        """What a place holds now, or with anew=False holds beside what it held. `supersedes` are pairs (old, new) of
        ids, in force in whatever order the two come. A thought that came from elsewhere belongs to this place now."""
        ...

    def forget(self, place: str) -> None:
        """The place is gone, and what came from it and was not taken in from another since."""
        ...

    # Thoughts
    def thoughts(self, ids: Iterable[str]) -> dict[str, Thought]: ...
    def texts(self, ids: Iterable[str]) -> dict[str, str]: ...
    def facts(self, ids: Iterable[str]) -> dict[str, Facts]: ...
    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, list[tuple[str, int]]]:
        """For each thought those of its thread within so many steps before or after it, with the number of steps."""
        ...

    def same(self, text: str, project: str, space: str) -> str:
        """The id of a thought that says exactly this (field/words.normal) in one project and space; "" if none does."""
        ...

    def count(self, scope: Scope = ...) -> int: ...

    # Search
    def lexical(self, terms: Sequence[str], scope: Scope, most: int) -> list[Hit]:
        """By any of the terms, the best first, ties by id."""
        ...

    def nearest(self, vector: Vector, scope: Scope, most: int, model: str = "") -> list[Hit]:
        """By cosine among those that have vectors of this model, "" is the one that serves; of several the best."""
        ...

    # Vectors
    def unembedded(self, model: str, most: int) -> list[Thought]: ...
    def lacking(self, model: str) -> int:
        """How many thoughts have no vector of this model."""
        ...

    def embed(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """A vector for each, or several as the rows of a matrix: one for each passage."""
        ...

    def serve(self, model: str) -> None:
        """This model's vectors are complete: it serves from now on, and those of others go."""
        ...

    def serving(self) -> str: ...

    # Traffic
    def travelled(self) -> int:
        """How far the traffic log was taken in."""
        ...

    def travel(self, events: Sequence[Event], end: int) -> None:
        """Take in events up to a place of the log. Within `writing`."""
        ...

    def forget_traffic(self) -> None:
        """Everything that is known of use goes. Within `writing`."""
        ...

    def traffic(self, ids: Iterable[str], *, whole: bool = True) -> dict[str, Traffic]:
        """Of those that somebody has read; without `whole` agents, log and neighbours may be left out."""
        ...

    def busiest(self, accesses: int, agents: int, scope: Scope, most: int) -> list[Hit]:
        """Those with at least so many accesses by at least so many agents; the score is their product."""
        ...

    def asked(self, since: float, most: int) -> list[Asked]:
        """The query log, the oldest first."""
        ...

"""The seam to a database: all that the field asks of one. Nothing outside a backend knows more.

What a store holds is wholly derived: from the notes and logs of the vault, and from the traffic log. So it keeps beside
each thought the place that it came from, and beside each place a stamp that says how far it was read. tests/contract/
test_stores.py is run against every implementation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from holdfast.capture.flags import clean
from holdfast.errors import NotFound
from holdfast.model import replace, value

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


@value
class Hit:
    """A thought that was found, and how well: higher is better, and only hits of one search can be compared."""

    id: str
    score: float


@dataclass(frozen=True)  # the library says that dataclasses.replace narrows it
class Scope:
    """The wanted thoughts. `project` None is all of them; () and "" ask nothing. `kinds` are kinds or categories,
    `trust` the origins that are wanted, `since` and `until` times of creation. A host as `agent` is all its
    sessions."""

    project: str | None = None
    also_global: bool = True
    space: str = ""
    kinds: tuple[str, ...] = ()
    since: float = 0.0
    until: float = 0.0
    trust: tuple[str, ...] = ()
    agent: str = ""
    merged: tuple[str, ...] = ()  # the other ids of the project
    archived: bool = False  # also thoughts that sleep put away

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
            and self.agent in ("", thought.agent, thought.agent.partition("/")[0])
        )


@value
class Asked:
    """One line of the query log."""

    time: float
    agent: str
    project: str
    query: str
    ids: tuple[str, ...]


SUPERSEDED, LINKED, TIED, CONSOLIDATED = "superseded", "linked", "tied", "consolidated"  # kinds of marks


@value
class Mark:
    """An effect of a step of sleep on one thought (field/steps): `other` is the thought it is put in relation to."""

    step: str
    kind: str
    id: str
    other: str = ""
    count: float = 1.0


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

    # Sleep
    def mark(self, place: str, stamp: str, marks: Sequence[Mark], *, anew: bool = True) -> None:
        """Effects of the steps that a place holds, or with anew=False holds beside those before."""
        ...

    def marks(self, kind: str, ids: Iterable[str]) -> dict[str, dict[str, float]]:
        """For each of these the others that marks of a kind name, with the sum of their counts; without the steps that
        were taken back."""
        ...

    def archived(self, ids: Iterable[str]) -> set[str]:
        """Those of them that are put away."""
        ...

    def fresh(self, until: float, most: int) -> list[tuple[str, float]]:
        """Thoughts written or read since the last sleep, not after a time, with that time; the oldest first."""
        ...

    def unslept(self) -> tuple[int, float]:
        """How many of those there are, and the time of the oldest, 0.0 where there is none."""
        ...

    def rested(self, until: Mapping[str, float]) -> None:
        """Sleep has dealt with these as they were at a time. Within `writing`."""
        ...

    def made_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """For each of these the thoughts that name it as a source."""
        ...

    def idle(self, since: float, until: float) -> list[str]:
        """Thoughts that were last read, or written and never read, after one time and not after another."""
        ...

    def compact(self) -> None:
        """A bounded piece of tidying: parts of the index of words are merged, and vectors numbered anew if that is
        due."""
        ...

    def vectors(self, ids: Iterable[str]) -> dict[str, Vector]:
        """The vector of each under the model that serves, as small whole numbers; of several passages their mean."""
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

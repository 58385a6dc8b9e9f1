"""Lift: whether everybody's traces put what was then used higher than the asking agent's own traces do.

The logged queries are replayed in the order of the log. For each one both orders are made from the traces that stood in
the log before it, and never from one that was made after it; thoughts made later are left out. What was used is what
the same agent opened, cited or said again within an hour, of what that query had returned; a query without such
evidence says nothing and is not counted. So what was never shown can never have been used, which favours whichever
order was in force: the figure tells whether a change of mode would help those who ask, and no more.

Own traces are those that count in the personal mode (field/traces): the unnamed sessions of one machine count for each
other, and between them the lift is nothing.
"""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast import pheromone
from holdfast.field import traces
from holdfast.field.traffic import GOT, USED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.field.traffic import Event

USED_WITHIN = 3600.0  # seconds from a query to the use of something that it returned
SEED = 1  # of the bootstrap: the same log gives the same figures
RESAMPLES = 1000
OUTER = 25  # of a thousand: 2.5 % on either side


@dataclass(frozen=True)
class Candidate:
    """A thought that bears on a query, with the weight and the time that it began with."""

    id: str
    relevance: float
    start: float = pheromone.START
    created: float = 0.0


@dataclass(frozen=True)
class Places:
    """The place of the first used thought in both orders: 1 is the first, 0 is none."""

    everybody: int
    own: int


@dataclass(frozen=True)
class Lift:
    """Mean reciprocal ranks by everybody's traces and by own ones, the gain and its 95 % interval, over so many
    queries. Without a query all of it is 0."""

    queries: int = 0
    everybody: float = 0.0
    own: float = 0.0
    gain: float = 0.0
    low: float = 0.0
    high: float = 0.0

    @property
    def share(self) -> float:
        """The gain as a part of what own traces give."""
        return self.gain / self.own if self.own else 0.0


def questions(events: Sequence[Event], since: float, until: float) -> dict[int, frozenset[str]]:
    """The queries of a time by their place among the events, each with what of its results was then used. A use counts
    for the latest query that returned it."""
    asked: dict[str, list[int]] = {}
    found: dict[int, set[str]] = {}
    for at, event in enumerate(events):
        if event.kind == GOT:
            if event.query and event.agent:
                asked.setdefault(event.agent, []).append(at)
            continue
        for one in event.ids:
            place = _latest(events, asked.get(event.agent, []), event, one)
            if place is not None and since <= events[place].time <= until:
                found.setdefault(place, set()).add(one)
    return {place: frozenset(ids) for place, ids in sorted(found.items())}


def _latest(events: Sequence[Event], asked: list[int], use: Event, ident: str) -> int | None:
    for place in reversed(asked):
        query = events[place]
        if not 0 <= use.time - query.time <= USED_WITHIN:
            return None
        is_one_session = not use.session or not query.session or use.session == query.session
        if ident in query.ids and is_one_session:
            return place
    return None


@dataclass
class Trail:
    """The weights that the traces so far have left, everybody's and by owner."""

    began: dict[str, tuple[float, float]] = field(default_factory=dict)
    everybody: dict[str, tuple[float, float]] = field(default_factory=dict)
    own: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        by = pheromone.USED if event.kind == USED else pheromone.RETURNED
        mine = traces.owner(event.agent)
        for one in event.ids:
            began = self.began.setdefault(one, event.new.get(one, (pheromone.START, event.time)))
            weight, last = self.everybody.get(one, began)
            self.everybody[one] = (pheromone.reinforced(weight, last, event.time, by), event.time)
            weight, last = self.own.get((mine, one), began)
            self.own[mine, one] = (pheromone.reinforced(weight, last, event.time, by), event.time)

    def order(self, candidates: Iterable[Candidate], now: float, asker: str | None = None) -> list[str]:
        """Candidates as a ranking puts them: by everybody's traces, or by an asker's own."""
        listed = []
        for one in candidates:
            known = self.everybody.get(one.id) if asker is None else self.own.get((traces.owner(asker), one.id))
            weight = pheromone.decayed(*(known or self.began.get(one.id, (one.start, one.created))), now)
            listed.append((-one.relevance * pheromone.factor(weight), -weight, one.id))
        return [ident for _, _, ident in sorted(listed)]


def place_of(used: frozenset[str], order: Sequence[str]) -> int:
    """The place of the first that was used, from 1; 0 where none is there."""
    return next((place for place, ident in enumerate(order, 1) if ident in used), 0)


def replay(
    events: Sequence[Event],
    asked: Mapping[int, frozenset[str]],
    candidates: Callable[[Event], Sequence[Candidate]],
) -> list[Places]:
    """The places of what was used, for each of the queries (`questions`) of which something is still a candidate."""
    trail, found = Trail(), list[Places]()
    for at, event in enumerate(events):
        if at in asked:
            known = candidates(event)
            orders = trail.order(known, event.time), trail.order(known, event.time, event.agent)
            places = Places(*(place_of(asked[at], order) for order in orders))
            found += [places] if places.own else []
        trail.take(event)
    return found


def measured(places: Sequence[Places], seed: int = SEED) -> Lift:
    """Both means, and the gain with its interval by a seeded bootstrap over queries."""
    if not places:
        return Lift()
    everybody, own = [1 / one.everybody for one in places], [1 / one.own for one in places]
    gains = [one - other for one, other in zip(everybody, own, strict=True)]
    dice = random.Random(seed)
    means = sorted(statistics.fmean(dice.choices(gains, k=len(gains))) for _ in range(RESAMPLES))
    figures = (statistics.fmean(everybody), statistics.fmean(own), statistics.fmean(gains))
    return Lift(len(places), *figures, means[OUTER], means[-OUTER - 1])

"""Highways: thoughts that several agents keep coming back to, and what they come back to beside them.

At least 3 accesses by at least 2 agents, ranked by their product. Where a query is given, only those that bear on it
count, and how well they do decides with it: without that the same few would answer everything. What answers it far
worse than the best does, or only stands beside an answer, does not bear on it, however busy it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.field import words
from holdfast.field.retrieve import is_shown, ranked, spoken
from holdfast.field.store import Scope
from holdfast.field.thought import Thought, Traffic

if TYPE_CHECKING:
    from holdfast.field.opening import Field

ACCESSES, AGENTS = 3, 2
POOL = 200
ALIKE = 0.8  # from here on two highways say the same
MOST_BESIDE = 5
BEARS = 0.5  # what part of the best answer's own words and meaning a highway has to have


@dataclass(frozen=True)
class Beside:
    """A neighbour on the co-retrieval graph, and how often the two were returned together."""

    id: str
    title: str
    count: int


@dataclass(frozen=True)
class Highway:
    thought: Thought
    score: float
    weight: float
    traffic: Traffic
    beside: tuple[Beside, ...]

    def as_record(self) -> dict[str, Any]:
        one = self.thought
        return {
            **{name: getattr(one, name) for name in ("id", "text", "path", "title", "origin")},
            "score": round(self.score, 4),
            "weight": round(self.weight, 4),
            "accesses": self.traffic.access_count,
            "agents": list(self.traffic.agents),
            "last_accessed": self.traffic.last_accessed,
            "beside": [{"id": other.id, "title": other.title, "count": other.count} for other in self.beside],
        }


def highways(
    field: Field,
    scope: Scope = Scope(),  # noqa: B008  a frozen value
    query: str = "",
    most: int = 10,
) -> list[Highway]:
    """The busiest first. It leaves no trace."""
    asked, scope = spoken(query), scope.tidy()
    busy = _bearing(field, scope, asked) if asked else _busiest(field, scope)
    known = {one: thought for one, thought in field.store.thoughts(busy).items() if is_shown(thought, scope)}
    listed = sorted(known, key=lambda one: (-busy[one], one))
    kept = [listed[at] for at in words.distinct([known[one].text for one in listed], ALIKE)][:most]
    traffic = field.store.traffic(kept)
    now = field.clock()
    return [
        Highway(known[one], busy[one], traffic[one].weight_at(now), traffic[one], _beside(field, scope, traffic[one]))
        for one in kept
        if one in traffic
    ]


def _busiest(field: Field, scope: Scope) -> dict[str, float]:
    return {hit.id: hit.score for hit in field.store.busiest(ACCESSES, AGENTS, scope, POOL)}


def _bearing(field: Field, scope: Scope, query: str) -> dict[str, float]:
    """Of what bears on a query the highways. Not the other way round: those of a query need not be among the busiest
    of all. The product would let the busiest win every query, the logarithm only tells equals apart."""
    found = ranked(field, query, scope, POOL)
    least = BEARS * max((one.lexical + one.semantic for one in found), default=0.0)
    bears = {one.id: one.score for one in found if one.lexical + one.semantic >= least and one.score > 0}
    busy = {
        one: known.access_count * len(known.agents)
        for one, known in field.store.traffic(bears).items()
        if known.access_count >= ACCESSES and len(known.agents) >= AGENTS
    }
    return {one: bears[one] * (1 + math.log10(score)) for one, score in busy.items()}


def _beside(field: Field, scope: Scope, traffic: Traffic) -> tuple[Beside, ...]:
    """Of this scope: a question over all projects brings those of several together."""
    here = Scope(scope.project, scope.also_global, merged=scope.merged)
    counts = sorted(traffic.together.items(), key=lambda pair: (-pair[1], pair[0]))
    known = field.store.thoughts(one for one, _ in counts)
    shown = [(known[one], count) for one, count in counts if one in known and is_shown(known[one], here)]
    return tuple(Beside(one.id, _title(one), count) for one, count in shown[:MOST_BESIDE])


def _title(thought: Thought) -> str:
    from holdfast.vault.notes import title

    return thought.title or title(thought.text)

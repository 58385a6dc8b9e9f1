"""Highways: thoughts that several agents keep coming back to, with their neighbours on the co-retrieval graph.

With a query they are found among what bears on it, so that the busiest of all do not answer everything. Looking leaves
no trace.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.field import retrieval, words
from holdfast.field.store import TIED, Scope

if TYPE_CHECKING:
    from holdfast.field.handle import Field
    from holdfast.field.thought import Thought, Traffic

ACCESSES, AGENTS = 3, 2
POOL = 200
ALIKE = 0.8  # from here on two highways say the same
MOST_BESIDE = 5
BESIDE = ("id", "title", "count", "strength")
BEARS = 0.5  # what part of the best answer's own words and meaning a highway has to have


@dataclass(frozen=True)
class Beside:
    """A neighbour on the co-retrieval graph, how often the two were returned together, and how much sleep has
    strengthened the pair."""

    id: str
    title: str
    count: int
    strength: float = 0.0


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
            "beside": [{name: getattr(other, name) for name in BESIDE} for other in self.beside],
        }


def highways(
    field: Field,
    scope: Scope = Scope(),  # noqa: B008  a frozen value
    query: str = "",
    most: int = 10,
) -> list[Highway]:
    """The busiest first. It leaves no trace."""
    asked, scope = retrieval.spoken(query), scope.tidy()
    if asked:
        busy = _bearing(field, scope, asked)
    else:
        busy = {hit.id: hit.score for hit in field.store.busiest(ACCESSES, AGENTS, scope, POOL)}
    known = {one: thought for one, thought in field.store.thoughts(busy).items() if retrieval.is_shown(thought, scope)}
    listed = sorted(known, key=lambda one: (-busy[one], one))
    kept = [listed[at] for at in words.distinct([known[one].text for one in listed], ALIKE)][:most]
    traffic = field.store.traffic(kept)
    now = field.clock()
    return [
        Highway(
            known[one], busy[one], traffic[one].weight_at(now), traffic[one], _beside(field, scope, one, traffic[one])
        )
        for one in kept
        if one in traffic
    ]


def _bearing(field: Field, scope: Scope, query: str) -> dict[str, float]:
    """The highways among what bears on a query. Not the other way round: those of a query need not be among the busiest
    of all. The product would let the busiest win every query, the logarithm only tells equals apart."""
    found = retrieval.ranked(field, query, scope, POOL)
    least = BEARS * max((one.lexical + one.semantic for one in found), default=0.0)
    bears = {one.id: one.score for one in found if one.lexical + one.semantic >= least and one.score > 0}
    busy = {
        one: known.access_count * len(known.agents)
        for one, known in field.store.traffic(bears).items()
        if known.access_count >= ACCESSES and len(known.agents) >= AGENTS
    }
    return {one: bears[one] * (1 + math.log10(score)) for one, score in busy.items()}


def _beside(field: Field, scope: Scope, ident: str, traffic: Traffic) -> tuple[Beside, ...]:
    """Of this scope: a question over all projects brings those of several together. Pairs that sleep has strengthened
    come first among equals, and also when what is kept of single readings has left them out."""
    from holdfast.vault.notes import title

    here = Scope(scope.project, scope.also_global, merged=scope.merged)
    tied = field.store.marks(TIED, [ident]).get(ident, {})
    counts = {**dict.fromkeys(tied, 0), **traffic.together}
    listed = sorted(counts, key=lambda one: (-(counts[one] + tied.get(one, 0.0)), one))
    known = field.store.thoughts(listed)
    shown = [known[one] for one in listed if one in known and retrieval.is_shown(known[one], here)][:MOST_BESIDE]
    return tuple(Beside(one.id, one.title or title(one.text), counts[one.id], tied.get(one.id, 0.0)) for one in shown)

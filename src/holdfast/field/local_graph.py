"""The neighbourhood of one thought: what was returned with it, what sleep found of it, what it is made of.

Two steps far and no further, of each thought only its strongest ties: a drawing of everything says nothing. It costs
the same in a field of any size, and leaves no trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.field import retrieval
from holdfast.field.store import CONSOLIDATED, LINKED, TIED, Scope
from holdfast.field.thought import WITHDRAWN, unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.field.store import Store
    from holdfast.field.thought import Thought

MOST = 200  # nodes
FIRST, SECOND = 30, 12  # ties of the chosen one, and of each beside it
TOGETHER, GREW, SAME, SUMMARY, SOURCE, SUCCESSOR = "together", "grew", "same", "summary", "source", "successor"
FOUND_BY_SLEEP = ((TIED, GREW), (LINKED, SAME), (CONSOLIDATED, SUMMARY))
WORTH = {SUCCESSOR: 1000.0, SUMMARY: 500.0, SOURCE: 400.0, SAME: 300.0}  # what counts more than having met


@dataclass(frozen=True)
class Tie:
    """A tie between two thoughts: one of the kinds above, and for TOGETHER and GREW how often or how strongly."""

    one: str
    other: str
    kind: str
    count: float = 1.0

    @property
    def worth(self) -> float:
        return WORTH.get(self.kind, 0.0) + self.count


@dataclass(frozen=True)
class Node:
    """A thought, how many steps it is from the chosen one, and its weight now."""

    thought: Thought
    steps: int
    weight: float
    accesses: int = 0


@dataclass(frozen=True)
class LocalGraph:
    """The chosen thought is the first node. `left_out` counts ties that were too weak to be followed."""

    nodes: tuple[Node, ...]
    ties: tuple[Tie, ...]
    left_out: int = 0


def around(store: Store, scope: Scope, ident: str, now: float, most: int = MOST) -> LocalGraph | None:
    """None where there is no such thought in that scope."""
    known = store.thoughts([ident])
    if ident not in known or not retrieval.is_shown(known[ident], scope):
        return None
    steps = {ident: 0}
    ties: dict[tuple[str, str], Tie] = {}
    left_out = 0
    edge = [ident]
    for depth, each in ((1, FIRST), (2, SECOND)):
        found = _ties(store, edge, known)
        known |= store.thoughts({tie.other for some in found.values() for tie in some} - known.keys())
        shown = {one for one, thought in known.items() if retrieval.is_shown(thought, scope)}
        fresh: list[Tie] = []
        for one in edge:
            kept = [tie for tie in found[one] if tie.other in shown]
            left_out += max(0, len(kept) - each)
            fresh += kept[:each]
        fresh.sort(key=lambda tie: (-tie.worth, tie.one, tie.other))
        for tie in fresh:
            if tie.other not in steps and len(steps) < most:
                steps[tie.other] = depth
            if tie.other in steps:
                ties.setdefault((min(tie.one, tie.other), max(tie.one, tie.other)), tie)
        edge = [one for one, far in steps.items() if far == depth]
    read = store.traffic(steps, whole=False)
    nodes = []
    for one, far in steps.items():
        traffic = read.get(one, unread(known[one]))
        nodes.append(Node(known[one], far, traffic.weight_at(now), traffic.access_count))
    return LocalGraph(tuple(nodes), tuple(ties.values()), left_out)


def _ties(store: Store, ids: Iterable[str], known: Mapping[str, Thought]) -> dict[str, list[Tie]]:
    """The ties of each, the strongest first, and of two thoughts the strongest."""
    ids = list(ids)
    found: dict[str, dict[str, Tie]] = {one: {} for one in ids}

    def add(tie: Tie) -> None:
        mine = found[tie.one]
        if tie.other and tie.one != tie.other and (tie.other not in mine or mine[tie.other].worth < tie.worth):
            mine[tie.other] = tie

    for one, traffic in store.traffic(ids).items():
        for other, times in traffic.together.items():
            add(Tie(one, other, TOGETHER, times))
    for mark, kind in FOUND_BY_SLEEP:
        for one, others in store.marks(mark, ids).items():
            for other, count in others.items():
                add(Tie(one, other, kind, count))
    for one, made in store.made_of(ids).items():
        for other in made:
            add(Tie(one, other, SOURCE))
    for one in ids:
        thought = known[one]
        for other in thought.sources:
            add(Tie(one, other, SOURCE))
        if thought.superseded_by not in ("", WITHDRAWN):
            add(Tie(one, thought.superseded_by, SUCCESSOR))
    return {one: sorted(mine.values(), key=lambda tie: (-tie.worth, tie.other)) for one, mine in found.items()}

"""Ties: what was read together grows together. Each night the pairs that several questions brought up at once get a
tie, and ties of many nights add up. Highways show them, and name the strongest neighbours first."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from holdfast.field import traffic
from holdfast.field.steps import TIED, Step, step_id
from holdfast.field.traffic import GOT

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST = 2  # questions that bring up a pair
FIRST = 10  # answers of a question that count as read together
MOST = 200  # pairs of a night


def steps(vault: str, start: int, end: int, night: str, now: float) -> list[Step]:
    """The ties of the traffic log between two places, a step for each thought that comes first in a pair."""
    read = (one for one in traffic.travels(vault, start, end).found if one.kind == GOT)
    counts = pairs(one.ids for one in read)
    listed = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST]
    beside: dict[str, dict[str, float]] = {}
    for (one, other), count in sorted(listed):
        beside.setdefault(one, {})[other] = float(count)
    return [
        Step(step_id(TIED, others, f"{one} {night}"), now, TIED, tuple(others), one, tuple(others.values()), night)
        for one, others in beside.items()
    ]


def pairs(answers: Iterable[tuple[str, ...]]) -> dict[tuple[str, str], int]:
    """How many answers had both of a pair, of those that had often enough."""
    counts = Counter(pair for ids in answers for pair in combinations(sorted(set(ids[:FIRST])), 2))
    return {pair: count for pair, count in counts.items() if count >= LEAST}

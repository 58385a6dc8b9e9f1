"""The counts that the run prints, and the sample that a short run takes of a long list."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")
NAMES = ("short", "full")
NAME = os.environ.get("HOLDFAST_ATTACKS") or "short"
if NAME not in NAMES:
    raise SystemExit(f'HOLDFAST_ATTACKS is "{NAME}"; use one of: {", ".join(NAMES)}.')

COUNTS: dict[str, tuple[int, int]] = {}


def count(topic: str, tried: int, through: int = 0) -> None:
    """Add to what the end of the run prints."""
    before = COUNTS.get(topic, (0, 0))
    COUNTS[topic] = before[0] + tried, before[1] + through


def sample(items: Sequence[Item], most: int) -> list[Item]:
    """All of them in a full run; in a short one at most so many, spread evenly over the list."""
    if NAME == "full" or len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]

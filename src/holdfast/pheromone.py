"""The weight of a thought in closed form: evaluated when read, written only when something was read.

    w x 0.995 ^ (whole hours since the last access or creation), never under 0.1; +0.05 for each return, never over 10

Equal to a job that runs every hour over all thoughts, and free as the field grows. A thought that nobody has read
decays from its creation. A clock that was set back makes no time pass and no weight grow.
"""

from __future__ import annotations

import math

START, FLOOR, CEILING = 1.0, 0.1, 10.0
KEPT_AN_HOUR = 0.995
RETURNED, USED = 0.05, 0.02
LEAST, MOST = 0.92, 1.25  # what a weight may make of a score; wider bounds cost a cold field (bench/pheromone.py)
HOUR = 3600.0


def decayed(weight: float, since: float, now: float) -> float:
    """A weight as it has decayed until `now`. Where no time can be told, none has passed."""
    elapsed = now - since
    hours = math.floor(elapsed / HOUR) if 0 < elapsed < math.inf else 0
    return min(CEILING, max(FLOOR, weight * KEPT_AN_HOUR**hours))


def reinforced(weight: float, since: float, now: float, by: float = RETURNED) -> float:
    """The weight after an access at `now`."""
    return min(CEILING, decayed(weight, since, now) + by)


def start_of(kind: str, sources: list[float]) -> float:
    """The weight of a new thought, from what its sources weigh now: half of their mean where that is more than 1.
    A refinement has one source as a rule, so the same sentence serves it; an original has none."""
    if not sources or kind not in ("refinement", "consolidation"):
        return START
    return max(START, sum(sources) / len(sources) / 2)


def factor(weight: float) -> float:
    """A weight as a factor of a score: 1 at the start, LEAST at the floor, MOST at the ceiling; the logarithm between,
    so that the first few readings count most."""
    place = math.log10(min(CEILING, max(FLOOR, weight)))
    return 1 + place * (MOST - 1 if place > 0 else 1 - LEAST)

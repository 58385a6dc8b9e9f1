"""The weight of a thought over time as a curve: what is known exactly, what follows from its readings, what comes.

The weight since the last access is exact, and so is what becomes of it if nobody reads the thought again. Before that
it follows from the times of the readings where all of them are kept; where only the newest are, it is not drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast import pheromone

if TYPE_CHECKING:
    from holdfast.field.thought import Thought, Traffic

WIDTH, HEIGHT = 600.0, 150.0
LEFT, BOTTOM = 34.0, 22.0
POINTS = 48  # of each stretch between two accesses at most
AHEAD = 14 * 86400.0  # that is drawn at least
SHARE_AHEAD = 0.25  # of what was


@dataclass(frozen=True)
class Curve:
    """Points as SVG takes them, and the ticks of readings. `is_whole` says that it begins with the thought."""

    past: str
    coming: str
    reads: tuple[float, ...]
    now: float
    top: float
    begin_time: float
    end_time: float
    is_whole: bool
    half: float  # days until half of the weight of now is left; 0.0 where it is at the floor


def curve(thought: Thought, traffic: Traffic, now: float) -> Curve:
    is_whole = len(traffic.log) == traffic.access_count
    points = _past(thought, traffic, now) if is_whole else _stretch(traffic.last_accessed, now, traffic.weight)
    begin = min(points[0][0], now)
    end = now + max(AHEAD, SHARE_AHEAD * (now - begin))
    weight = traffic.weight_at(now)
    coming = _stretch(now, end, weight)
    top = max(1.2, *(value for _, value in points), *(value for _, value in coming))

    def x(time: float) -> float:
        return round(LEFT + (WIDTH - LEFT) * (time - begin) / max(1.0, end - begin), 1)

    def drawn(some: list[tuple[float, float]]) -> str:
        return " ".join(f"{x(time)},{round((HEIGHT - BOTTOM) * (1 - value / top), 1)}" for time, value in some)

    reads = tuple(x(time) for time, _ in traffic.log if begin <= time <= end)
    return Curve(drawn(points), drawn(coming), reads, x(now), top, begin, end, is_whole, half_life(weight))


def half_life(weight: float) -> float:
    """Days until half of a weight is left, or the floor is reached, if nobody reads it."""
    import math

    if weight <= pheromone.FLOOR:
        return 0.0
    least = max(weight / 2, pheromone.FLOOR)
    return math.log(least / weight) / math.log(pheromone.KEPT_AN_HOUR) / 24


def _past(thought: Thought, traffic: Traffic, now: float) -> list[tuple[float, float]]:
    """From the beginning on: each reading counted as a return. The last stretch is the one that is known exactly."""
    points: list[tuple[float, float]] = []
    at, weight = thought.created, thought.start
    for time, _ in traffic.log:
        if time < at:
            continue  # its day is known and not its hour: it was read before the end of that day
        points += _stretch(at, time, weight)
        weight = pheromone.reinforced(weight, at, time)
        at = time
    if traffic.last_accessed >= at:
        points += _stretch(at, traffic.last_accessed, weight)
        at, weight = traffic.last_accessed, traffic.weight
    return points + _stretch(at, max(now, at), weight)


def _stretch(since: float, until: float, weight: float) -> list[tuple[float, float]]:
    """A weight that nobody renews."""
    span = max(0.0, until - since)
    count = max(1, min(POINTS, int(span // pheromone.HOUR)))
    times = [since + span * nth / count for nth in range(count + 1)]
    return [(time, pheromone.decayed(weight, since, time)) for time in times]

"""The ladder: how far this memory has come, each box ticked by evidence and never by hand.

The rungs are those of the checklist in the essay "When Does Memory Get Written?" (XPollination, version 4, 2026). The
next one is offered only for a limitation that was measured (health/limitations): a mechanism that nobody misses is no
progress.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError
from holdfast.health import evidence, limitations
from holdfast.health import ladder_boxes as boxes
from holdfast.health.evidence import DAYS
from holdfast.health.finding import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from holdfast.health.evidence import Evidence
    from holdfast.health.finding import Place
    from holdfast.health.ladder_boxes import Box
    from holdfast.health.limitations import Limitation

    Maker = Callable[[Evidence], Box]


@dataclass(frozen=True)
class Rung:
    name: str
    about: str
    boxes: tuple[Box, ...]

    @property
    def ticked(self) -> int:
        return sum(one.is_ticked for one in self.boxes)

    def as_record(self) -> dict[str, Any]:
        boxes = [one.as_record() for one in self.boxes]
        return {"rung": self.name, "about": self.about, "ticked": self.ticked, "of": len(boxes), "boxes": boxes}


@dataclass(frozen=True)
class Ladder:
    rungs: tuple[Rung, ...]
    limitations: tuple[Limitation, ...]

    def as_record(self) -> dict[str, Any]:
        return {
            "days": DAYS,
            "rungs": [one.as_record() for one in self.rungs],
            "limitations": [vars(one) for one in self.limitations],
        }


RUNGS: tuple[tuple[str, str, tuple[Maker, ...]], ...] = (
    ("Day 1", "rules at every start, and the user's requests", (boxes.rules, boxes.remembered)),
    ("Week 1", "ends of sessions and a full context", (boxes.brain, boxes.topics, boxes.handoffs, boxes.pressure)),
    (
        *("Month 1", "looking back on finished work"),
        (boxes.reflection, boxes.findings, boxes.promoted, boxes.reviewed),
    ),
    (
        *("Month 3+", "search by meaning, weighted by use"),
        (boxes.vectors, boxes.contributed, boxes.accesses, boxes.pheromone, boxes.highways),
    ),
    ("Month 6+", "sleep", (boxes.sleeps, boxes.sources, boxes.bridges)),
)


def climbed(place: Place) -> Ladder:
    """The ladder as it stands. Raises NotFound where there is no vault."""
    seen = evidence.gather(place)
    rungs = (Rung(name, about, tuple(make(seen) for make in makers)) for name, about, makers in RUNGS)
    return Ladder(tuple(rungs), tuple(limitations.measured(seen)))


def record_of(place: Place) -> dict[str, Any]:
    """The same as a record, for a look that must not fail: where it cannot be told, why."""
    try:
        return climbed(place).as_record()
    except (HoldfastError, OSError) as error:
        return {"problem": reason(error)}


def lines(found: Ladder) -> Iterator[str]:
    """All that `holdfast ladder` prints."""
    for rung in found.rungs:
        yield f"{rung.name}: {rung.about} ({rung.ticked} of {len(rung.boxes)})"
        for one in rung.boxes:
            yield f"  [{'x' if one.is_ticked else ' '}] {one.name}"
            yield f"      {one.evidence}"
            if one.ticks:
                yield f"      ticked by: {one.ticks}"
        yield ""
    if not found.limitations:
        yield f"No limitation was measured in the last {DAYS} days, so there is nothing to add."
        return
    yield f"Measured in the last {DAYS} days:"
    for limit in found.limitations:
        yield f"- {limit.measured}: {limit.command} ({limit.rung})"

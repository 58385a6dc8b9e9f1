"""The ladder in the page: boxes that evidence ticks, and the next step that a measured limitation asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError
from holdfast.health import ladder
from holdfast.health.evidence import DAYS
from holdfast.health.finding import reason
from holdfast.page.care_health import CODE, place_of, worded

if TYPE_CHECKING:
    from markupsafe import Markup

    from holdfast.health.ladder import Rung
    from holdfast.page.visit import Visit


@dataclass(frozen=True)
class ShownBox:
    name: str
    is_ticked: bool
    evidence: Markup
    ticks: Markup
    command: str


@dataclass(frozen=True)
class ShownRung:
    name: str
    about: str
    ticked: int
    boxes: tuple[ShownBox, ...]


@dataclass(frozen=True)
class Step:
    """A limitation that was measured, and what to do about it."""

    rung: str
    measured: str
    words: Markup
    command: str


@dataclass(frozen=True)
class Climb:
    """`problem` says why nothing can be told."""

    rungs: tuple[ShownRung, ...] = ()
    steps: tuple[Step, ...] = ()
    ticked: int = 0
    count: int = 0
    days: int = DAYS
    problem: str = ""


def look(visit: Visit) -> Climb:
    """The ladder as it stands now."""
    try:
        found = ladder.climbed(place_of(visit))
    except (HoldfastError, OSError) as error:
        return Climb(problem=reason(error))
    rungs = tuple(_rung(one) for one in found.rungs)
    steps = tuple(Step(one.rung, one.measured, worded(one.command), _command(one.command)) for one in found.limitations)
    return Climb(rungs, steps, sum(one.ticked for one in rungs), sum(len(one.boxes) for one in rungs))


def _rung(one: Rung) -> ShownRung:
    boxes = tuple(
        ShownBox(box.name, box.is_ticked, worded(box.evidence), worded(box.ticks), _command(box.ticks))
        for box in one.boxes
    )
    return ShownRung(one.name, one.about, one.ticked, boxes)


def _command(text: str) -> str:
    found = CODE.search(text)
    return found[1] if found and found[1].startswith("holdfast") else ""

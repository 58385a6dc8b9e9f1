"""The layout of a small graph: where each node stands, computed from its ties alone, the same each time.

The chosen node stands in the middle, the others on two rings in the order of their parents, so that what belongs
together begins side by side; then ties pull and nodes push each other for a fixed number of steps. There is no chance
in it, so a drawing that is looked at again is the same drawing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RINGS = (0.0, 150.0, 280.0)
STEPS = 90
LENGTH = 70.0  # of a tie at rest
PUSH, PULL = 600.0, 0.05
FARTHEST = 9.0  # that a node goes in the first step; it is less in each
HOME = 0.02  # by which each is drawn to its ring
MARGIN = 40.0
WIDER = 1.7  # screens are: labels stand beside each other rather than one below the other
WIDEST, TALLEST = 900.0, 520.0  # so that a label has the same size in each drawing


@dataclass(frozen=True)
class Placed:
    x: float
    y: float


@dataclass(frozen=True)
class Layout:
    """The places, and the box that holds all of them: left, top, width, height."""

    places: Mapping[str, Placed]
    box: tuple[float, float, float, float]


def laid_out(steps: Mapping[str, int], ties: Sequence[tuple[str, str]]) -> Layout:
    """`steps` says for each node how far it is from the chosen one, which is the first, with 0."""
    ids = list(steps)
    if not ids:
        return Layout({}, (0.0, 0.0, 1.0, 1.0))
    angles = _angles(ids, steps, ties)
    ring = numpy.array([RINGS[min(steps[one], len(RINGS) - 1)] for one in ids])
    turn = numpy.array([angles[one] for one in ids])
    at = numpy.stack([ring * numpy.cos(turn), ring * numpy.sin(turn)], axis=1)
    place = {one: nth for nth, one in enumerate(ids)}
    pairs = numpy.array([(place[one], place[other]) for one, other in ties if one in place and other in place])
    at = _settled(at, ring, pairs.reshape(-1, 2).astype(int))
    at[:, 0] *= WIDER
    wide, tall = at.max(axis=0) - at.min(axis=0)
    at /= max(1.0, wide / WIDEST, tall / TALLEST)
    low, high = at.min(axis=0) - MARGIN, at.max(axis=0) + MARGIN
    box = (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))
    rounded = numpy.round(at, 1)
    places = {one: Placed(float(x), float(y)) for one, (x, y) in zip(ids, rounded, strict=True)}
    return Layout(places, (round(box[0], 1), round(box[1], 1), round(box[2], 1), round(box[3], 1)))


def _angles(ids: Sequence[str], steps: Mapping[str, int], ties: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The direction of each: a node of the first ring takes as much of the circle as it has behind it."""
    parent: dict[str, str] = {}
    for one, other in ties:
        for near, far in ((one, other), (other, one)):
            if near in steps and far in steps and steps[far] == steps[near] + 1 == 2:
                parent.setdefault(far, near)
    behind = {one: [far for far in ids if parent.get(far) == one] for one in ids if steps[one] == 1}
    alone = [one for one in ids if steps[one] > 1 and one not in parent]
    sizes = {one: max(1, len(others)) for one, others in behind.items()}
    whole = sum(sizes.values()) + len(alone) or 1
    angles = dict.fromkeys(ids, 0.0)
    begin = 0.0
    for one, others in behind.items():
        width = 2 * math.pi * sizes[one] / whole
        angles[one] = begin + width / 2
        for nth, far in enumerate(others):
            angles[far] = begin + width * (nth + 0.5) / len(others)
        begin += width
    for one in alone:
        angles[one] = begin
        begin += 2 * math.pi / whole
    return angles


def _settled(at: numpy.typing.NDArray[numpy.float64], ring: numpy.typing.NDArray[numpy.float64],
             pairs: numpy.typing.NDArray[numpy.int_]) -> numpy.typing.NDArray[numpy.float64]:  # fmt: skip
    """After the steps. The first node stays where it is."""
    for step in range(STEPS):
        away = at[:, None, :] - at[None, :, :]
        square = (away**2).sum(axis=2) + 1.0
        numpy.fill_diagonal(square, numpy.inf)
        force = (away * (PUSH / square)[:, :, None]).sum(axis=1)
        if len(pairs):
            along = at[pairs[:, 1]] - at[pairs[:, 0]]
            length = numpy.sqrt((along**2).sum(axis=1)) + 1e-9
            pull = along * (PULL * (length - LENGTH) / length)[:, None]
            numpy.add.at(force, pairs[:, 0], pull)
            numpy.add.at(force, pairs[:, 1], -pull)
        far = numpy.sqrt((at**2).sum(axis=1)) + 1e-9
        force += at * (HOME * (ring - far) / far)[:, None]
        size = numpy.sqrt((force**2).sum(axis=1)) + 1e-9
        most = FARTHEST * (1 - step / STEPS)
        moved = force * (numpy.minimum(size, most) / size)[:, None]
        moved[0] = 0.0
        at = at + moved
    return at

"""The drawing of a thought's surroundings: circles, lines and labels for a template, and a list beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture.quoting import shortened
from holdfast.field import local_graph
from holdfast.page import graph_layout
from holdfast.page.recall import title_of

if TYPE_CHECKING:
    from holdfast.field.local_graph import LocalGraph, Node, Tie

LABEL = 26  # characters below a node of the first ring
FEWEST_LABELS = 24  # with more nodes than that in the first ring no label could be read
SAYS = {
    local_graph.TOGETHER: "returned together",
    local_graph.GREW: "strengthened in sleep",
    local_graph.SAME: "says the same",
    local_graph.SUMMARY: "in one summary",
    local_graph.SOURCE: "made of it, or of which it is made",
    local_graph.SUCCESSOR: "took its place",
}


@dataclass(frozen=True)
class Circle:
    """`says` is read out and shown on hovering."""

    id: str
    x: float
    y: float
    radius: float
    label: str
    title: str
    says: str
    steps: int


@dataclass(frozen=True)
class Line:
    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    kind: str
    says: str


@dataclass(frozen=True)
class Beside:
    """A row of the list: a thought of the first ring, and what binds it."""

    id: str
    title: str
    tie: str
    weight: float


@dataclass(frozen=True)
class Drawing:
    box: tuple[float, float, float, float]
    circles: tuple[Circle, ...]
    lines: tuple[Line, ...]
    beside: tuple[Beside, ...]
    farther: tuple[Beside, ...]


def drawn(graph: LocalGraph) -> Drawing:
    steps = {one.thought.id: one.steps for one in graph.nodes}
    laid = graph_layout.laid_out(steps, [(tie.one, tie.other) for tie in graph.ties])
    is_labelled = sum(one.steps == 1 for one in graph.nodes) <= FEWEST_LABELS
    circles = []
    for node in graph.nodes:
        place = laid.places[node.thought.id]
        label = shortened(title_of(node.thought), LABEL) if node.steps == 1 and is_labelled else ""
        says = f"{title_of(node.thought)}: weight {node.weight:.2f}, {_read(node)}"
        circles.append(
            Circle(node.thought.id, place.x, place.y, _radius(node), label, title_of(node.thought), says, node.steps)
        )
    lines = []
    for tie in graph.ties:
        one, other = laid.places[tie.one], laid.places[tie.other]
        lines.append(Line(one.x, one.y, other.x, other.y, _width(tie), tie.kind, said(tie)))
    by_id = {node.thought.id: node for node in graph.nodes}
    chosen = graph.nodes[0].thought.id
    beside = [
        _beside(by_id[tie.other if tie.one == chosen else tie.one], tie)
        for tie in sorted(graph.ties, key=lambda tie: -tie.worth)
        if chosen in (tie.one, tie.other)
    ]
    farther = [_beside(node, None) for node in graph.nodes if node.steps > 1]
    return Drawing(laid.box, tuple(circles), tuple(lines), tuple(beside), tuple(farther))


def said(tie: Tie) -> str:
    """The tie between two thoughts, in words."""
    if tie.kind == local_graph.TOGETHER:
        return f"{SAYS[tie.kind]} {'once' if tie.count == 1 else f'{tie.count:g} times'}"
    return f"{SAYS[tie.kind]} by {tie.count:g}" if tie.kind == local_graph.GREW else SAYS[tie.kind]


def _beside(node: Node, tie: Tie | None) -> Beside:
    return Beside(node.thought.id, title_of(node.thought), said(tie) if tie else "", node.weight)


def _read(node: Node) -> str:
    return "never read" if not node.accesses else "read once" if node.accesses == 1 else f"read {node.accesses:,} times"


def _radius(node: Node) -> float:
    return round((13.0, 8.0, 5.0)[min(node.steps, 2)] + 2 * math.sqrt(min(3.0, node.weight)), 1)


def _width(tie: Tie) -> float:
    return round(min(5.0, 1 + 0.6 * math.sqrt(max(0.0, tie.count - 1))), 1)

"""The graph of handoffs: which lane a branch has, and the lines from each handoff to those that it continues.

Rows are handoffs, the newest first. A branch keeps one lane from its newest handoff to its oldest; a lane is free for
another branch below that. The lane on the left is that of the branch with most handoffs. Everything is a place in rows
and lanes, so the same graph is drawn wide, and narrow with one lane for all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LANES = 8  # branches beyond these share the last one
COLOURS = 6


@dataclass(frozen=True)
class Node:
    """A handoff as the graph needs it. `parents` that are not among the rows are older, or gone."""

    ident: str
    branch: str
    parents: tuple[str, ...] = ()
    is_written: bool = False  # by somebody who did the work


@dataclass(frozen=True)
class Edge:
    """From a handoff to one that it continues, further down. `bend` is the row above which the line changes lanes."""

    top: int
    left: int
    bottom: int
    right: int
    bend: int


@dataclass(frozen=True)
class Graph:
    lanes: tuple[int, ...]  # of each row
    edges: tuple[Edge, ...]
    count: int  # of lanes


@dataclass(frozen=True)
class Drawing:
    """Paths and dots of an SVG, each with the number of its colour."""

    width: int
    height: int
    row: int
    paths: tuple[tuple[str, int], ...]
    dots: tuple[tuple[int, int, int, bool], ...]  # x, y, colour, whether it is full


def laid_out(nodes: Sequence[Node]) -> Graph:
    """Lanes and lines of the rows of one page. A parent that is not on it lies below its end."""
    rows = {one.ident: row for row, one in enumerate(nodes)}
    links = [(row, _row_of(parent, rows, len(nodes))) for row, one in enumerate(nodes) for parent in one.parents]
    links = [(top, bottom) for top, bottom in links if bottom > top]
    lanes = _lanes(nodes, links)
    lane_of = [lanes[one.branch] for one in nodes]
    edges = tuple(_edge(top, bottom, lane_of) for top, bottom in links)
    return Graph(tuple(lane_of), edges, max(lane_of, default=0) + 1)


def drawn(nodes: Sequence[Node], *, row: int, step: int, is_narrow: bool = False) -> Drawing:
    """The graph in pixels: rows are `row` high, lanes `step` apart."""
    graph = laid_out(nodes)
    lanes = (0,) * len(nodes) if is_narrow else graph.lanes
    count = 1 if is_narrow else graph.count
    x = [step // 2 + 4 + step * lane for lane in range(count)]
    y = [row // 2 + row * at for at in range(len(nodes) + 1)]
    paths = []
    for edge in graph.edges:
        if is_narrow:
            paths.append((f"M{x[0]} {y[edge.top]}V{_end(edge, y, row, len(nodes))}", 0))
            continue
        paths.append((_path(edge, x, y, row, len(nodes)), max(edge.left, edge.right) % COLOURS))
    colours = (0,) * len(nodes) if is_narrow else lanes
    dots = tuple((x[lanes[at]], y[at], colours[at] % COLOURS, one.is_written) for at, one in enumerate(nodes))
    return Drawing(step * count + 8, row * len(nodes), row, tuple(dict.fromkeys(paths)), dots)


def _row_of(parent: str, rows: dict[str, int], end: int) -> int:
    return rows.get(parent, end)


def _lanes(nodes: Sequence[Node], links: Sequence[tuple[int, int]]) -> dict[str, int]:
    """The lane of each branch. It is taken from the branch's first row to the last one that a line of it passes."""
    spans: dict[str, list[int]] = {}
    for row, one in enumerate(nodes):
        span = spans.setdefault(one.branch, [row, row])
        span[1] = row
    for top, bottom in links:
        span = spans[nodes[top].branch]
        span[1] = max(span[1], bottom - 1)
    known = Counter(one.branch for one in nodes)
    main = max(spans, key=lambda name: (known[name], -spans[name][0]), default="")
    taken: list[list[list[int]]] = []
    found: dict[str, int] = {}
    for name in sorted(spans, key=lambda name: (name != main, spans[name][0])):
        span = spans[name]
        free = (
            lane for lane, others in enumerate(taken) if all(span[0] > end or span[1] < begin for begin, end in others)
        )
        lane = next(free, len(taken))
        lane = min(lane, MOST_LANES - 1)
        if lane == len(taken):
            taken.append([])
        taken[lane].append(span)
        found[name] = lane
    return found


def _edge(top: int, bottom: int, lane_of: Sequence[int]) -> Edge:
    """A line stays in the child's lane while no other handoff stands in it, and changes right before its parent."""
    end = bottom >= len(lane_of)
    left, right = lane_of[top], lane_of[top] if end else lane_of[bottom]
    is_free = all(lane_of[row] != left for row in range(top + 1, min(bottom, len(lane_of))))
    return Edge(top, left, bottom, right, bottom if is_free else top + 1)


def _end(edge: Edge, y: Sequence[int], row: int, count: int) -> int:
    return row * count if edge.bottom >= count else y[edge.bottom]


def _path(edge: Edge, x: Sequence[int], y: Sequence[int], row: int, count: int) -> str:
    begin, end = y[edge.top], _end(edge, y, row, count)
    if edge.left == edge.right:
        return f"M{x[edge.left]} {begin}V{end}"
    low = y[edge.bend]
    high = low - row
    middle = (low + high) // 2
    bend = f"C{x[edge.left]} {middle} {x[edge.right]} {middle} {x[edge.right]} {low}"
    return f"M{x[edge.left]} {begin}V{high}{bend}V{end}"

"""A change of a text as lines for a page: what came, what went, and where."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice

MOST_LINES = 120
LONGEST_LINE = 600
ADDED, REMOVED, PLACE, SAME = "added", "removed", "place", "same"
SIGNS = {"+": ADDED, "-": REMOVED, "@": PLACE}


@dataclass(frozen=True)
class Line:
    kind: str
    text: str


@dataclass(frozen=True)
class Diff:
    """`left` is how many more lines there are than are shown."""

    lines: tuple[Line, ...]
    left: int = 0


def of(before: str | None, after: str | None, most: int = MOST_LINES) -> Diff:
    """The change from one text to another; None is no file."""
    old, new = ((side or "").splitlines() for side in (before, after))
    return _shown([*islice(unified_diff(old, new, lineterm=""), 2, None)], most)


def of_patch(patch: str, most: int = MOST_LINES) -> Diff:
    """One that somebody else made, without the names of its files."""
    return _shown([line for line in patch.splitlines() if line[:4] not in ("--- ", "+++ ")], most)


def _shown(lines: list[str], most: int) -> Diff:
    told = (Line(SIGNS.get(line[:1], SAME), _cut(line)) for line in lines[:most])
    return Diff(tuple(told), max(0, len(lines) - most))


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}\u2026 ({len(line):,} characters)"

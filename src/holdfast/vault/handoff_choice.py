"""Which handoffs a start tells: that of its branch in full, those before it while there is room, a line for each that
overlapped it and for each other branch.

A brief is made ahead and the branch may be another when it is read, so a few branches are prepared, each source marked
with the branch that it is for; the hook knows the branch and takes those. A branch that has no handoff gets the newest
of the project.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import quoting
from holdfast.vault import lineage

if TYPE_CHECKING:
    from holdfast.vault.lineage import Handoff

WITHIN = 60  # handoffs that are looked at, the newest
WRITTEN_WITHIN = 10  # handoffs: older next steps have been overtaken
MOST_BRANCHES = 4  # that are prepared in full
MOST_BEFORE = 2  # handoffs before the newest of a branch
MOST_LINES = 5


@dataclass(frozen=True)
class Choice:
    """One handoff and how it is told. `only_for` is the branch at which it is, `not_for` that at which it is not: there
    it is told in full. None: whatever the branch is."""

    section: str
    how: str
    path: str
    only_for: str | None = None
    not_for: str | None = None


def choose(vault: str, listed: list[str], branch: str) -> tuple[list[Choice], str]:
    """The choices in the order in which a start tells them, and the branch of the newest handoff; `branch` is the one
    that the work tree is at now."""
    by_branch: dict[str, list[tuple[Handoff, int]]] = {}
    newest = ""
    for number in range(len(listed), max(0, len(listed) - WITHIN), -1):
        found = lineage.read(vault, listed[number - 1])
        if isinstance(found, lineage.Handoff):
            newest = newest if by_branch else found.branch
            by_branch.setdefault(found.branch, []).append((found, number))
    first = [name for name in dict.fromkeys((branch, newest)) if name in by_branch]
    names = [*first, *(name for name in by_branch if name not in first)]
    chosen: list[Choice] = []
    for name in names[:MOST_BRANCHES]:
        chosen += _in_full(by_branch[name], name)
    lines = [(by_branch[name][0], name) for name in names]
    for (handoff, number), name in lines[:MOST_LINES]:
        chosen.append(Choice("beside", f"{quoting.BESIDE}:{number}", handoff.path, not_for=name))
    return chosen, newest


def _in_full(found: list[tuple[Handoff, int]], branch: str) -> list[Choice]:
    (handoff, number), *before = found
    chosen = [Choice("handoff", f"{quoting.HANDOFF}:{number}", handoff.path, branch)]
    if handoff.author == lineage.MECHANICAL:
        # Nobody wrote this one, so what the last author asked for is still what is to be done next.
        written = next((one for one in before[:WRITTEN_WITHIN] if _is_written(one[0])), None)
        if written:
            chosen.append(Choice("handoff", f"{quoting.NEXT}:{written[1]}", written[0].path, branch))
    began = lineage.compact(handoff.started)
    beside = [(one, nth) for one, nth in before if began and lineage.compact(one.time) > began]
    earlier = [(one, nth) for one, nth in before if (one, nth) not in beside]
    chosen += [Choice("before", f"{quoting.EARLIER}:{nth}", one.path, branch) for one, nth in earlier[:MOST_BEFORE]]
    chosen += [Choice("beside", f"{quoting.BESIDE}:{nth}", one.path, branch) for one, nth in beside[:MOST_LINES]]
    return chosen


def _is_written(handoff: Handoff) -> bool:
    return handoff.author != lineage.MECHANICAL and bool(handoff.items("next_steps"))

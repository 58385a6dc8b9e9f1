"""BRAIN.md: the operator's own words, and between markers the map that we generate.

What stands above and below the markers is never touched. The map names the rules that always apply, then one line per
note by kind and name, within 200 lines in all; what does not fit is counted in its last line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from holdfast.capture import quoting
from holdfast.vault.notes import GLOBAL, Note

if TYPE_CHECKING:
    from collections.abc import Iterable

PATH = "BRAIN.md"
BEGIN, END = quoting.MAP_BEGINS, quoting.MAP_ENDS
MOST_LINES = 200
FEWEST = 12  # for the map, however much the operator wrote
OPENING = quoting.OPENING + "\n"
TITLES = {
    "rule": "Rules",
    "identity": "Identity",
    "feedback": "Feedback",
    "knowledge": "Knowledge",
    "project": "Projects",
}


ALWAYS, FIRST = 0, 1  # the groups of the map: rules that always apply, then one for each kind
GROUPS = ("Rules that always apply", *TITLES.values(), "Of other kinds")


@runtime_checkable
class Mapped(Protocol):
    """Notes of which the map asks for the first of each group only."""

    def on_map(self, group: int, most: int) -> tuple[list[Note], int]:
        """The first notes of a group, and how many it has."""
        ...


class _Listed:
    """Notes that are all at hand."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self._groups: dict[int, list[Note]] = {}
        for note in sorted(notes, key=lambda note: (note.name.casefold(), note.path)):
            self._groups.setdefault(group_of(note), []).append(note)

    def on_map(self, group: int, most: int) -> tuple[list[Note], int]:
        found = self._groups.get(group, [])
        return found[:most], len(found)


def refreshed(text: str | None, notes: Iterable[Note] | Mapped) -> str:
    """BRAIN.md with the map of these notes."""
    above, below = quoting.around_map(OPENING if text is None else text)
    newline = "\r\n" if "\r\n" in above else "\n"
    if above and not above.endswith("\n"):
        above += newline
    used = above.count("\n") + below.count("\n") + (1 if below and not below.endswith("\n") else 0)
    lines = map_lines(notes, max(FEWEST, MOST_LINES - used - 2))
    return above + newline.join([BEGIN, *lines, END]) + newline + below


def is_current(text: str | None, notes: Iterable[Note] | Mapped) -> bool:
    return text is not None and refreshed(text, notes) == text


def map_lines(notes: Iterable[Note] | Mapped, most: int) -> list[str]:
    """The map in at most `most` lines."""
    mapped = notes if isinstance(notes, Mapped) else _Listed(notes)
    lines: list[str] = []
    shown = total = 0
    for group, title in enumerate(GROUPS):
        room = most - len(lines) - (3 if lines else 2)
        found, count = mapped.on_map(group, max(0, room))
        total += count
        if not found or most - len(lines) < 4:
            continue
        lines += ["", f"## {title}"] if lines else [f"## {title}"]
        lines += [line_of(note) for note in found]
        shown += len(found)
    if shown < total:
        lines.append(f"({total - shown:,} more notes do not fit here; `holdfast notes` lists all {total:,}.)")
    return lines or ["(no notes yet)"]


def group_of(note: Note) -> int:
    """The group of the map that a note stands in; -1 for none."""
    if not note.is_active:
        return -1
    if note.is_always_on and note.kind == "rule" and note.project == GLOBAL:
        return ALWAYS
    return FIRST + list(TITLES).index(note.kind) if note.kind in TITLES else len(GROUPS) - 1


def line_of(note: Note) -> str:
    """One line per note: name, where it applies, description, path. Nothing in it can end the map."""
    policy = f" ({note.policy})" if note.policy else ""
    where = "" if note.project == GLOBAL else f" [{note.project}]"
    name = note.name.replace("[", "(").replace("]", ")")
    line = f"- [{name}]({note.path}){policy}{where}: {note.description}"
    whole = line if len(line.splitlines()) == 1 else " ".join(line.split())
    return whole.replace("<!--", "<! --")

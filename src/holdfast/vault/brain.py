"""BRAIN.md: the operator's own words, and between markers the map that we generate.

What stands above and below the markers is never touched. The map names the rules that always apply, then one line per
note by kind and name, within 200 lines in all; what does not fit is counted in its last line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def refreshed(text: str | None, notes: Iterable[Note]) -> str:
    """BRAIN.md with the map of these notes."""
    above, below = quoting.around_map(OPENING if text is None else text)
    newline = "\r\n" if "\r\n" in above else "\n"
    if above and not above.endswith("\n"):
        above += newline
    used = above.count("\n") + below.count("\n") + (1 if below and not below.endswith("\n") else 0)
    lines = map_lines(notes, max(FEWEST, MOST_LINES - used - 2))
    return above + newline.join([BEGIN, *lines, END]) + newline + below


def is_current(text: str | None, notes: Iterable[Note]) -> bool:
    return text is not None and refreshed(text, notes) == text


def map_lines(notes: Iterable[Note], most: int) -> list[str]:
    """The map in at most `most` lines."""
    listed = sorted((note for note in notes if note.is_active), key=order)
    lines: list[str] = []
    shown = 0
    always = [note for note in listed if note.is_always_on and note.kind == "rule" and note.project == GLOBAL]
    first = {note.path for note in always}
    rest = [note for note in listed if note.path not in first]
    groups = [("Rules that always apply", always)]
    groups += [(title, [note for note in rest if note.kind == kind]) for kind, title in TITLES.items()]
    groups.append(("Of other kinds", [note for note in rest if note.kind not in TITLES]))
    total = sum(len(group) for _, group in groups)
    for title, group in groups:
        if not group or most - len(lines) < 4:
            continue
        lines += ["", f"## {title}"] if lines else [f"## {title}"]
        room = most - len(lines) - 1
        lines += [line_of(note) for note in group[:room]]
        shown += min(len(group), room)
    if shown < total:
        lines.append(f"({total - shown:,} more notes do not fit here; `holdfast notes` lists all {total:,}.)")
    return lines or ["(no notes yet)"]


def order(note: Note) -> tuple[int, str, str]:
    kinds = list(TITLES)
    return (kinds.index(note.kind) if note.kind in kinds else len(kinds), note.name.casefold(), note.path)


def line_of(note: Note) -> str:
    """One line per note: name, where it applies, description, path. Nothing in it can end the map."""
    policy = f" ({note.policy})" if note.policy else ""
    where = "" if note.project == GLOBAL else f" [{note.project}]"
    name = note.name.replace("[", "(").replace("]", ")")
    line = f"- [{name}]({note.path}){policy}{where}: {note.description}"
    whole = line if len(line.splitlines()) == 1 else " ".join(line.split())
    return whole.replace("<!--", "<! --")

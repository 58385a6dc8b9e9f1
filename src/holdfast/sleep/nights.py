"""The nights of a vault, read back from their pages: the only account of a night that every machine has.

A page is Markdown that sleep/page wrote; what a person changed in one is shown as they left it, and a line that is not
there any more is a figure that is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.errors import NotFound
from holdfast.field import steps
from holdfast.field.steps import FOLDER, UNDONE
from holdfast.sleep import page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.field.steps import Step

HEAD = re.compile(r"^# Sleep of ", re.MULTILINE)
NIGHT = re.compile(r"^<!-- night (\S+) -->$", re.MULTILINE)
RECALL = re.compile(r"^- Recall in the first ten: ([\d.]+)% before, ([\d.]+)% after, on ([\d,]+)", re.MULTILINE)


@dataclass(frozen=True)
class NightPage:
    """One night. `before` and `after` are parts of the questions that found what they should, None where that was not
    measured."""

    id: str
    path: str
    title: str
    summary: str
    text: str
    before: float | None = None
    after: float | None = None
    questions: int = 0


@dataclass(frozen=True)
class DoneStep:
    """A step of a night, and whether it was taken back since."""

    step: Step
    is_undone: bool


def listed(vault: str, most: int) -> list[NightPage]:
    """The newest first."""
    found: list[NightPage] = []
    for one in _all(vault):
        found.append(one)
        if len(found) >= most:
            break
    return found


def one(vault: str, ident: str) -> NightPage:
    """Raises NotFound."""
    for night in _all(vault):
        if night.id == ident:
            return night
    raise NotFound("There is no page of this night; `holdfast sleep --last` shows the newest.")


def done_in(vault: str, night: str) -> list[DoneStep]:
    """The steps of a night, oldest first, without those that only take others back."""
    known = steps.everything(vault)
    gone = {step.by for step in known if step.kind == UNDONE}
    return [DoneStep(step, step.id in gone) for step in known if step.night == night and step.kind != UNDONE]


def parsed(path: str, text: str) -> list[NightPage]:
    """The nights of one page, the newest first."""
    starts = [found.start() for found in HEAD.finditer(text)]
    parts = [text[at:end] for at, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [_night(path, part) for part in reversed(parts)]


def without_marks(text: str) -> str:
    """A page as a person reads it: its marks are for programs."""
    return NIGHT.sub("", text)


def _all(vault: str) -> Iterator[NightPage]:
    names = (name for name in platform.names(f"{vault}/{FOLDER}") if name.endswith(".md") and name[:1].isdigit())
    for name in sorted(names, reverse=True):
        try:
            raw = platform.read_file(f"{vault}/{FOLDER}/{name}", page.LARGEST)
        except OSError:
            continue  # taken away by a sync at this moment
        yield from parsed(f"{FOLDER}/{name}", raw.decode("utf-8", "replace"))


def _night(path: str, part: str) -> NightPage:
    lines = part.split("\n")
    named, measured = NIGHT.search(part), RECALL.search(part)
    said = _summary(lines[1:])
    title = lines[0].removeprefix("# ").strip()
    ident = named[1] if named else ""
    if not measured:
        return NightPage(ident, path, title, said, part)
    before, after, questions = measured[1], measured[2], measured[3].replace(",", "")
    return NightPage(ident, path, title, said, part, float(before) / 100, float(after) / 100, int(questions))


def _summary(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip() and not line.startswith(("<!--", "#"))), "")

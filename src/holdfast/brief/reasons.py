"""The reason for each line of a brief, and for what is left out: for `holdfast boot --explain`.

Nothing is decided here: it tells what vault/brief and brief/composition did, from the brief that the next start gets.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.brief import composition
from holdfast.text.layout import MOST_CHARACTERS

if TYPE_CHECKING:
    from holdfast.brief.composition import Composed
    from holdfast.text.layout import Item

RULES = {
    composition.WARNINGS: "something is to be done; it goes once that is done",
    composition.OWN: "your own words in BRAIN.md",
    composition.RULES: "always applies",
    composition.SAID: "the user's words, not confirmed yet",
    composition.TASKS: "a task is open here",
    composition.HANDOFF: "the handoff that this work tree goes on from",
    composition.BEFORE: "a handoff before it, where room is left",
    composition.BESIDE: "another session of this project",
    composition.ACTIVITY: "one of the last sessions of this project",
    composition.FLAGS: "flagged, and no close has filed it yet",
    composition.HIGHWAYS: "several agents come back to it, and the field is in its shared mode",
    composition.MAP: "by authority, then use, then age",
}
NO_ROOM = "no room in its section"
SHORT = "in short: no room for all of it"


@dataclass(frozen=True)
class Line:
    """One thing and the reason for it; of something left out, why it is."""

    section: str
    text: str
    why: str
    source: str = ""
    origin: str = ""
    authority: str = ""
    age_days: int | None = None
    reads: int = 0
    weight: float | None = None
    characters: int = 0
    form: str = "whole"


@dataclass(frozen=True)
class Sized:
    """A section: what it takes, how much is shown, how much is not."""

    name: str
    characters: int
    shown: int
    left_out: int


@dataclass(frozen=True)
class Explained:
    """A brief, line by line. `room` is what a start may take."""

    characters: int
    room: int
    sections: tuple[Sized, ...]
    lines: tuple[Line, ...]
    left_out: tuple[Line, ...]


def explain(made: Composed, now: float) -> Explained:
    lines: list[Line] = []
    out: list[Line] = []
    sections = []
    for one in made.filled:
        name, missing = one.section.name, 0
        path = ""
        for item, text in zip(one.section.items, one.chosen, strict=True):
            path = item.carries or (path if name in composition.IN_PIECES else "")
            if text:
                form = "whole" if text == item.text else "short"
                lines.append(_line(name, item, path, now, text=text, form=form))
            else:
                missing += 1
                out.append(_line(name, item, path, now, why=NO_ROOM, form="none"))
        if one.section.more:
            said = f"{one.section.more:,} more than a brief lists; {one.section.rest}"
            out.append(Line(name, "", said, form="none"))
        sections.append(Sized(name, one.used, len(one.chosen) - missing, missing + one.section.more))
    for name, item, keeper in made.folded:
        out.append(_line(name, item, item.carries, now, why=f"said by: {_first(keeper.text)}", form="folded"))
    return Explained(len(made.text), MOST_CHARACTERS, tuple(sections), tuple(lines), tuple(out))


def _line(section: str, item: Item, path: str, now: float, *, why: str = "", form: str = "", text: str = "") -> Line:
    known: dict[str, Any] = item.why
    reason = why or str(known.get("rule") or RULES.get(section, ""))
    if form == "short":
        reason = f"{reason} ({SHORT})"
    weight = known.get("weight")
    origin, authority = known.get("origin") or known.get("author") or "", known.get("authority") or ""
    return Line(
        section, _first(text or item.text), reason, path, str(origin), str(authority), _age(known, now),
        reads=int(known.get("reads") or 0), characters=len(text), form=form,
        weight=float(weight) if isinstance(weight, (int, float)) else None,
    )  # fmt: skip


def _first(text: str) -> str:
    line = " ".join(text.partition("\n")[0].removeprefix("- ").split())
    return line if len(line) <= 100 else f"{line[:99]}…"


def _age(known: dict[str, Any], now: float) -> int | None:
    moment = known.get("time")
    if isinstance(moment, (int, float)):
        return max(0, int((now - moment) // 86400))
    try:
        day = datetime.date.fromisoformat(str(known.get("day") or "")[:10])
    except ValueError:
        return None
    return max(0, (datetime.datetime.fromtimestamp(now, datetime.UTC).date() - day).days)

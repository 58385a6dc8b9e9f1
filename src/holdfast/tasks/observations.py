"""Observations of the hook about a unit, kept apart from what anybody said of it.

An entry of kind `seen` is one observation: `text` is the unit as a line of progress would name it, `to` says what was
seen, `field` which file it was. They are of two sorts, and the later one holds:

    work    written, ran       a file of the unit was written, a command that names it passed: it was begun
    end     followed           the same agent then worked on another unit
            committed          a commit contains the unit's file, or names the unit
            passed             a command that names the unit passed after its file was written

A unit that was only begun may be half done: the next agent is told to look at it. One with an end is passed over, and
told as "seen done by the hook, nobody said so". A commit of a whole range ends only those of it that were begun. Of a
folder or a pattern nobody knows how many files it has; so a file in it is a part with a state of its own.

A start finds the log ahead of what was rendered where an agent never checkpoints. It may not pay for the index and the
page, so the parts of a standing lie beside the boot file, and later observations are laid upon them (`retold`).
"""

from __future__ import annotations

from holdfast.model import replace, value
from holdfast.tasks import numbers, progress, record, spans, units
from holdfast.tasks.progress import Named
from holdfast.tasks.spans import Span
from holdfast.tasks.units import BEGUN, FAILED, IN_PROGRESS, SEEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

    from holdfast.tasks.page import View
    from holdfast.tasks.progress import Standing
    from holdfast.tasks.record import Entry
    from holdfast.tasks.units import Mark

WRITTEN, RAN = "written", "ran"
FOLLOWED, COMMITTED, PASSED = "followed", "committed", "passed"
WORK = (WRITTEN, RAN)
ENDS = (FOLLOWED, COMMITTED, PASSED)
DONE = "seen done by the hook, nobody said so:"
TOLD = {WRITTEN: "{field} was written", RAN: "a command for it passed"}


def mark(one: Entry) -> Mark | None:
    """An observation as a mark; None for one that a newer version may know."""
    if one.to not in (*WORK, *ENDS):
        return None
    wanted = units.wanted(one.text)
    return replace(wanted, state=BEGUN if one.to in WORK else SEEN)


def laid(known: Sequence[Span], fresh: Mark, entry: str) -> list[Mark]:
    """The marks that change the numbers that are known: an older observation changes nothing that was said later, a
    range only what was begun."""
    if fresh.low == fresh.high:
        said = next((span for span in known if span.low <= fresh.low <= span.high), None)
        return [] if said and is_older(said.state, said.entry, entry) else [fresh]
    begun = [span for span in known if span.state == BEGUN and fresh.low <= span.low <= fresh.high]
    return [replace(fresh, low=span.low, high=span.high) for span in begun]


def in_series(fresh: Mark, known: Container[str]) -> Mark:
    """A name that belongs to a series of names, as its number there; else the mark itself."""
    for key, number in numbers.numbered(fresh.name):
        if key in known:
            return replace(fresh, series=key, low=number, high=number, name="")
    return fresh


def named(before: Named | None, fresh: Mark, one: Entry) -> Named | None:
    """A named unit, or a part of one that nobody named, after an observation; None where nothing changes."""
    if before is None:
        return Named(fresh.name, fresh.state, one.id, one.within) if one.within else None
    if not spans.yields(before.state, fresh.state) or is_older(before.state, before.entry, one.id):
        return None
    return Named(fresh.name, fresh.state, one.id, before.within)


def step(standing: Standing, *, said: str, is_newest: bool, is_reached: bool, begun: str) -> str:
    """The one exact next step: the newest word of an author, unless work was reported or seen after it that says more.
    `begun`: how the hook saw that the next unit was begun."""
    unit = standing.next_unit
    if said and (is_newest or not (unit or is_reached)):
        return said
    if unit and standing.is_begun:
        how = f" ({begun})" if begun else ""
        return f"{unit}: it was begun{how}; look at what is there before doing it again"
    if unit and standing.parts:
        return f"{unit}: of it {DONE} {some(standing.parts)}; do the rest"
    return unit


def is_older(state: str, said: str, entry: str) -> bool:
    """Whether an observation came before a word on the same unit that says how it is, and is no plan."""
    return state in (IN_PROGRESS, FAILED) and said > entry


def some(names: Sequence[str], most: int = 12) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def how(one: Entry) -> str:
    """How a unit was begun, in words."""
    return TOLD.get(one.to, "").replace("{field}", one.field)


MOST = 300  # spans or names that are kept for it


@value
class Ahead:
    """The standing with what was seen since, the next step, and the units that are begun now."""

    standing: Standing
    step: str
    begun: tuple[str, ...]


def kept(
    series: Mapping[str, Sequence[Span]], names: Sequence[Named], order: Sequence[str], view: View
) -> dict[str, Any] | None:
    """The parts of a standing, to be written down; None where they are too many."""
    known = [(key, span) for key, said in series.items() for span in said]
    if len(known) > MOST or len(names) > MOST:
        return None
    spoken = {*series, *(one.name for one in names)}
    return {
        "spans": [[key, one.low, one.high, one.state, one.entry, one.width, one.within] for key, one in known],
        "names": [[one.name, one.state, one.entry, one.within] for one in names],
        "order": [key for key in order if key in spoken],
        "said": view.said_next(),
        "said_at": view.next.time if view.next else 0.0,
        "worked_at": view.worked_at(),
        "is_reached": view.is_reached,
    }


def retold(known: dict[str, Any], late: Sequence[Entry]) -> Ahead | None:
    """The same with what was seen since; None where something else came in too. Raises KeyError, ValueError or
    TypeError where it is nothing of ours."""
    if any(one.kind != record.SEEN for one in late):
        return None
    series: dict[str, list[Span]] = {}
    for key, *span in known["spans"]:
        series.setdefault(str(key), []).append(Span(*span))
    names = {one.name: one for one in (Named(*row) for row in known["names"])}
    for one in late:
        said = mark(one)
        said = in_series(said, series) if said and not one.within else said
        if said and said.name:
            fresh = named(names.get(said.name), said, one)
            names |= {fresh.name: fresh} if fresh else {}
        elif said:
            _lay(series, said, one.id)
    found = progress.standing(series, list(names.values()), known["order"])
    by = next((one for one in late if one.id == found.begun_by), None)
    worked = max(float(known["worked_at"]), *(one.time for one in late))
    word, is_newest, is_reached = str(known["said"]), float(known["said_at"]) >= worked, bool(known["is_reached"])
    begun = how(by) if by else ""
    next_step = step(found, said=word, is_newest=is_newest, is_reached=is_reached, begun=begun)
    return Ahead(found, next_step, _begun(series, names))


def _lay(series: dict[str, list[Span]], mark: Mark, entry: str) -> None:
    said = series.setdefault(mark.series, [])
    for one in laid(said, mark, entry):
        near = [span for span in said if span.low <= one.high + 1 and span.high >= one.low - 1]
        rest = [span for span in said if span not in near]
        after = spans.settled_together(spans.lay(near, one, entry)[0])
        said[:] = sorted([*rest, *after], key=lambda span: span.low)


def _begun(series: dict[str, list[Span]], names: dict[str, Named]) -> tuple[str, ...]:
    """The units that are begun."""
    found = [one.name for one in names.values() if one.state == BEGUN]
    for key, said in series.items():
        width = max(span.width for span in said)
        found += [numbers.said_as(key, span.low, span.low, width) for span in said if span.state == BEGUN]
    return tuple(found)

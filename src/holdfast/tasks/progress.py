"""From what was said of the units to what a person or an agent asks: what is done, where it stopped, what is next.

What is called done is not done again, and what is next is one unit. Words reach further than the unit they name: a
completed folder covers what lies below it, a completed unit the numbers that were said of it, and a file that is
named alone belongs to the series that its name fits. Of two words on one thing the later holds; entries are sorted by
their ids, which begin with their time. What the hook saw done is passed over like what was said to be done, and is told
apart from it everywhere.
"""

from __future__ import annotations

from holdfast.errors import UsageError
from holdfast.model import replace, value
from holdfast.tasks import numbers, spans
from holdfast.tasks.numbers import HOLE, OPEN
from holdfast.tasks.spans import Span
from holdfast.tasks.units import BEGUN, COMPLETED, FAILED, FINISHED, IN_PROGRESS, PENDING, SEEN, SETTLED, SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.tasks.units import Mark


@value
class Named:
    """The newest state of a named unit, and the entry that said it. `within`: the folder or pattern of which it is a
    part that the hook saw, and nobody named."""

    name: str
    state: str
    entry: str
    within: str = ""


@value
class Count:
    """How many of one series are completed, and of how many; a total of 0 is not known. The series of named units
    is "units", as a person would say it. `seen`: how many more the hook saw done."""

    series: str
    completed: int
    total: int
    seen: int = 0


@value
class Standing:
    """Where a task stands, in words. `is_begun`: the next unit was in progress, so look at what was left of it;
    `begun_by` is the entry that the hook made when it saw so. `seen` and `seen_begun`: done and begun as far as the
    hook saw, and nobody said so; `parts`: what of that lies in the next unit, where that is a folder or pattern."""

    completed: tuple[str, ...] = ()
    in_progress: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    stopped: str = ""
    next_unit: str = ""
    is_begun: bool = False
    counts: tuple[Count, ...] = ()
    seen: tuple[str, ...] = ()
    seen_begun: tuple[str, ...] = ()
    begun_by: str = ""
    parts: tuple[str, ...] = ()


@value
class _Known:
    """Everything that is known, with each word carried as far as it reaches."""

    series: dict[str, list[Span]]
    names: dict[str, Named]
    widths: dict[str, int]
    keys: list[str]  # of both, in the order in which they were first named

    def label(self, key: str, low: int, high: int) -> str:
        return numbers.said_as(key, low, high, self.widths[key])


def standing(series: Mapping[str, Sequence[Span]], names: Sequence[Named], order: Sequence[str]) -> Standing:
    """Where a task stands. `order`: series and names as they were first mentioned; what is missing comes last."""
    known = _known(series, names, order)
    shown = {key: spans.joined(said) for key, said in known.series.items()}
    stopped, next_unit, is_begun, begun_by = _next(known)
    parts = tuple(one.name for one in known.names.values() if one.within == next_unit and one.state == SEEN)
    return Standing(
        completed=_labels(known, shown, COMPLETED),
        in_progress=_labels(known, shown, IN_PROGRESS),
        pending=_labels(known, shown, PENDING),
        skipped=_labels(known, shown, SKIPPED),
        failed=_labels(known, shown, FAILED),
        gaps=tuple(known.label(key, *gap) for key in known.keys for gap in spans.gaps(shown.get(key, ()))),
        stopped=stopped,
        next_unit=next_unit,
        is_begun=is_begun,
        counts=tuple(_counts(known)),
        seen=_labels(known, shown, SEEN),
        seen_begun=_labels(known, shown, BEGUN),
        begun_by=begun_by,
        parts=parts if next_unit else (),
    )


def is_done(
    mark: Mark, series: Mapping[str, Sequence[Span]], names: Sequence[Named], done: tuple[str, ...] = SETTLED
) -> bool | None:
    """Whether all of a unit is completed or skipped, or in whichever states count as `done`; None where nothing was
    ever said of it. Raises UsageError where a bare number could be of several series."""
    known = _known(series, names, ())
    if mark.name:
        return _is_name_done(mark.name, known, done)
    key = mark.series
    if not key and "" not in known.series:
        if len(known.series) > 1:
            choices = ", ".join(known.label(one, mark.low, mark.high) for one in known.series)
            raise UsageError(f"Several things are counted here, so say which: {choices}; nothing was changed.")
        key = next(iter(known.series), "")
    return _is_range_done(mark.low, mark.high, known.series.get(key, ()), done)


def _known(series: Mapping[str, Sequence[Span]], names: Sequence[Named], order: Sequence[str]) -> _Known:
    named = {one.name: one for one in names}
    for one in names:
        folder = _folder_of(one.name, named)
        if folder and folder.state in SETTLED and folder.entry > one.entry:
            named[one.name] = replace(one, state=folder.state, entry=folder.entry)
    reached = {key: [span for one in said for span in _reached(one, named)] for key, said in series.items()}
    if any(HOLE in key for key in reached):
        _fold(reached, named)
    keys = dict.fromkeys(key for key in (*order, *reached, *named) if key in reached or key in named)
    return _Known(reached, named, {key: _width(said) for key, said in reached.items()}, list(keys))


def _reached(span: Span, named: Mapping[str, Named]) -> list[Span]:
    """A span after what was said later of the named unit that it belongs to."""
    unit = named.get(span.within)
    if span.state not in (IN_PROGRESS, PENDING, SEEN, BEGUN) or unit is None or unit.entry <= span.entry:
        return [span]
    if unit.state in SETTLED:
        return [] if span.high == OPEN else [replace(span, state=unit.state, entry=unit.entry)]
    return [] if span.high == OPEN and unit.state == FAILED else [span]


def _fold(series: dict[str, list[Span]], named: dict[str, Named]) -> None:
    """Files that were named one by one, into the series of names that they belong to."""
    widths = {key: _width(said) for key, said in series.items()}
    for one in sorted(named.values(), key=lambda one: one.entry):
        for key, number in numbers.numbered(one.name):
            if key not in series or numbers.said_as(key, number, number, widths[key]) != one.name:
                continue
            begin, end = _about(series[key], number)
            near = series[key][begin:end]
            said = next((span for span in near if span.low <= number <= span.high), None)
            if said is None or said.entry < one.entry:
                fresh = Span(number, number, one.state, one.entry, widths[key])
                series[key][begin:end] = spans.overlay(near, fresh)[0]
            del named[one.name]
            break


def _about(said: Sequence[Span], number: int) -> tuple[int, int]:
    """The spans that hold a number or lie next to it; a task can have very many."""
    begin, end = 0, len(said)
    while begin < end:
        middle = (begin + end) // 2
        if said[middle].high < number - 1:
            begin = middle + 1
        else:
            end = middle
    while end < len(said) and said[end].low <= number + 1:
        end += 1
    return begin, end


def _width(said: Sequence[Span]) -> int:
    return max((span.width for span in said), default=0)


def _folder_of(name: str, named: Mapping[str, Named]) -> Named | None:
    """The word said last of the folders above a path, where it covers what is in them."""
    newest: Named | None = None
    end = name.rstrip("/").rfind("/")
    while end > 0:
        folder = named.get(name[: end + 1])
        if folder and folder.state in (*SETTLED, PENDING) and (newest is None or folder.entry > newest.entry):
            newest = folder
        end = name.rfind("/", 0, end)
    return newest


def _labels(known: _Known, shown: Mapping[str, Sequence[Span]], state: str) -> tuple[str, ...]:
    labels: list[str] = []
    for key in known.keys:
        if key in known.names and known.names[key].state == state:
            labels.append(key)
        labels += [known.label(key, span.low, span.high) for span in shown.get(key, ()) if span.state == state]
    return tuple(labels)


def _next(known: _Known) -> tuple[str, str, bool, str]:
    """Where it stopped, the one unit to do next, whether that was begun, and the entry of the hook that saw so. A unit
    that the hook saw begun comes before a range that was said to be in progress, of which it is mostly a part."""
    for state in (BEGUN, IN_PROGRESS):
        begun = [(key, span) for key in known.keys if (span := _lowest(known, key, state))]
        for key, span in begun:
            # The last finished unit before the one that is in progress.
            before = [one.high for one in known.series[key] if one.high < span.low and one.state in FINISHED]
            if before:
                stop = known.label(key, before[-1], before[-1])
                return stop, known.label(key, span.low, span.low), True, span.entry if state == BEGUN else ""
        unit, entry = _first(known, state)
        if unit:
            return unit if unit in known.names else "", unit, True, entry if state == BEGUN else ""
    return "", _first(known, PENDING)[0], False, ""


def _first(known: _Known, state: str) -> tuple[str, str]:
    """The first unit in a state, and the entry that said so. A named one that has numbers of its own in this state is
    less exact than they are."""
    inner = {span.within for said in known.series.values() for span in said if span.state == state}
    for key in known.keys:
        if key in known.names and known.names[key].state == state and key not in inner:
            return key, known.names[key].entry
        if span := _lowest(known, key, state):
            return known.label(key, span.low, span.low), span.entry
    return "", ""


def _lowest(known: _Known, key: str, state: str) -> Span | None:
    return next((span for span in known.series.get(key, ()) if span.state == state), None)


def _counts(known: _Known) -> Iterable[Count]:
    for key in known.keys:
        if key in known.series:
            said = known.series[key]
            done, seen = (
                sum(span.high - span.low + 1 for span in said if span.state == state) for state in (COMPLETED, SEEN)
            )
            is_open = any(span.high == OPEN for span in said)
            known_of = sum(span.high - span.low + 1 for span in said)
            missing = sum(high - low + 1 for low, high in spans.gaps(said))
            yield Count(key, done, 0 if is_open else known_of + missing, seen)
    units = [one.state for one in known.names.values() if not one.within]
    if units:
        yield Count("units", units.count(COMPLETED), len(units), units.count(SEEN))


def _is_name_done(name: str, known: _Known, settled: tuple[str, ...]) -> bool | None:
    for key, number in numbers.numbered(name):
        if key in known.series and known.label(key, number, number) == name:
            done = _is_range_done(number, number, known.series[key], settled)
            if done is not None:
                return done
    said = known.names.get(name) or known.names.get(f"{name}/") or known.names.get(name.rstrip("/"))
    said = said or _folder_of(name, known.names)
    return said.state in settled if said else None


def _is_range_done(low: int, high: int, said: Iterable[Span], settled: tuple[str, ...]) -> bool | None:
    touching = [span for span in said if span.low <= high and span.high >= low]
    if not touching:
        return None
    is_whole = not spans.gaps(touching, (low, high))
    return is_whole and all(span.state in settled for span in touching)

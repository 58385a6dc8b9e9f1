"""Ranges of one series: what the newest word makes of what was known.

Every span keeps the entry that said so, so that an overlap names who had it and nothing known is lost in a sum. A
plan that is said late (`PENDING: files 001-500`) means the rest: it does not take back what is completed, skipped or
begun, for what was begun may be half done. Only who reopens a unit says that it is to be done again. What the hook saw
takes the place of a plan and of a word that is older, never of one that says completed or skipped; and whatever is said
later takes the place of what was seen.
"""

from __future__ import annotations

from holdfast.model import replace, value
from holdfast.tasks.numbers import OPEN
from holdfast.tasks.units import BEGUN, COMPLETED, FINISHED, IN_PROGRESS, PENDING, SEEN, SETTLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.tasks.units import Mark


@value
class Span:
    """Numbers in one state, by the word of one entry. `within`: the named unit that it was said of."""

    low: int
    high: int
    state: str
    entry: str
    width: int = 0
    within: str = ""


def lay(known: Sequence[Span], mark: Mark, entry: str) -> tuple[list[Span], list[Span]]:
    """`overlay` with a mark as it was read."""
    fresh = Span(mark.low, mark.high, mark.state, entry, mark.width, mark.within)
    return overlay(known, fresh, reopen=mark.reopens, is_total=mark.is_total)


def overlay(
    known: Sequence[Span], fresh: Span, *, reopen: bool = False, is_total: bool = False
) -> tuple[list[Span], list[Span]]:
    """The spans after one more word, and the parts of it that another entry had completed before.

    `known` is disjoint and sorted; only those that touch `fresh` or lie next to it need be given, and only they come
    back. `is_total`: a word that adds what nobody spoke of and changes nothing else.
    """
    spans: list[Span] = []
    kept: list[Span] = []  # what the fresh word has to leave as it is
    overlaps: list[Span] = []
    if fresh.high == OPEN:
        fresh = _ended(known, fresh)
    for one in known:
        span = _closed(one, fresh, is_total) if one.high == OPEN else one
        if span is None:
            continue
        low, high = max(span.low, fresh.low), min(span.high, fresh.high)
        shared = replace(span, low=low, high=high) if low <= high else None
        if not shared:
            spans.append(span)
        elif is_total or not (reopen or yields(span.state, fresh.state)):
            kept.append(span)
        else:
            spans += _outside(span, [fresh])
        if shared and span.state == fresh.state == COMPLETED and span.entry != fresh.entry:
            overlaps.append(shared)
    spans += kept + _outside(fresh, kept)
    return _merged(spans, is_shown=False), overlaps


def gaps(spans: Iterable[Span], known_range: tuple[int, int] | None = None) -> list[tuple[int, int]]:
    """Numbers between the lowest and the highest settled one, or in a range that is known, of which nobody spoke."""
    said = sorted(spans, key=lambda span: span.low)
    settled = [span for span in said if span.state in FINISHED]
    if known_range is None and not settled:
        return []
    low, high = known_range or (settled[0].low, max(span.high for span in settled))
    return [(span.low, span.high) for span in _outside(Span(low, high, "", ""), said)]


def left(said: Sequence[Span]) -> list[tuple[int, int]]:
    """The numbers from the lowest to the highest that nobody said are settled, those included of which nobody spoke."""
    settled = [span for span in said if span.state in SETTLED]
    whole = Span(said[0].low, max(span.high for span in said), "", "")
    return [(span.low, span.high) for span in _outside(whole, settled)]


def joined(spans: Iterable[Span]) -> list[Span]:
    """For showing: neighbours of one state as one span, whoever spoke of them; the entry is the newest's."""
    return _merged(spans, is_shown=True)


def settled_together(spans: Iterable[Span]) -> list[Span]:
    """For keeping: neighbours that are settled alike as one span, whoever spoke of them, so that a task of many single
    steps stays short. What is still to be done keeps the word of each."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: span.low):
        if kept and span.state in FINISHED:
            both = _merged([kept[-1], span], is_shown=True)
            kept[-1:] = both if len(both) == 1 else [kept[-1], span]
        else:
            kept.append(span)
    return kept


def yields(known: str, fresh: str) -> bool:
    """Whether the newest word holds against this one: work that was done or begun is not undone by a plan."""
    if fresh == PENDING:
        return known not in (*FINISHED, IN_PROGRESS, BEGUN)
    if fresh in (SEEN, BEGUN):
        return known not in SETTLED
    return fresh != IN_PROGRESS or known != COMPLETED


def _ended(known: Sequence[Span], fresh: Span) -> Span:
    """A range without an end goes as far as nothing else is planned: in a plan of 500, `095-???` is 095 alone."""
    for span in known:
        if span.state in (*FINISHED, BEGUN) or span.high in (OPEN, fresh.low) or span.high < fresh.low:
            continue
        return replace(fresh, high=max(span.low - 1, fresh.low))
    return fresh


def _closed(span: Span, fresh: Span, is_total: bool) -> Span | None:
    """A range without an end, after a word on what is still to come: a plan or a total says where it ends."""
    if is_total and span.low == fresh.high + 1:
        return None
    is_plan = fresh.state == PENDING and (is_total or fresh.low < fresh.high)
    if not is_plan or fresh.high < span.low:
        return span
    return replace(span, high=max(span.low, fresh.low - 1))


def _outside(span: Span, others: Sequence[Span]) -> list[Span]:
    """The parts of a span that none of the others, sorted, has."""
    parts: list[Span] = []
    low = span.low
    for other in others:
        if other.low > span.high:
            break
        if other.low > low:
            parts.append(replace(span, low=low, high=other.low - 1))
        low = max(low, other.high + 1)
    return [*parts, replace(span, low=low)] if low <= span.high else parts


def _merged(spans: Iterable[Span], *, is_shown: bool) -> list[Span]:
    merged: list[Span] = []
    run: list[Span] = []
    for span in sorted(spans, key=lambda span: span.low):
        last = run[-1] if run else span
        is_one = last.high + 1 == span.low and last.state == span.state
        if run and not (is_one and (is_shown or (last.entry, last.within) == (span.entry, span.within))):
            merged.append(_as_one(run))
            run = []
        run.append(span)
    return [*merged, _as_one(run)] if run else merged


def _as_one(run: list[Span]) -> Span:
    if len(run) == 1:
        return run[0]
    width, entry = max(span.width for span in run), max(span.entry for span in run)
    return replace(run[0], high=run[-1].high, width=width, entry=entry)

"""Ranges against the plainest model there is: a state for every number, and who said so."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.tasks import spans, units
from holdfast.tasks.numbers import OPEN
from holdfast.tasks.spans import Span
from holdfast.tasks.units import COMPLETED, FAILED, IN_PROGRESS, PENDING, SETTLED, SKIPPED, STATES

HIGHEST = 30


def laid(*lines: str) -> list[Span]:
    """The spans after lines of one series; the entry is the line's place."""
    known: list[Span] = []
    for at, line in enumerate(lines):
        for mark in units.read(line):
            if not mark.name:
                known, _ = spans.lay(known, mark, str(at))
    return known


def short(known: list[Span]) -> list[tuple[int, int, str]]:
    return [(span.low, span.high, span.state) for span in known]


def test_the_newest_word_cuts_what_was_known() -> None:
    known, overlaps = spans.overlay([Span(1, 9, PENDING, "a")], Span(4, 5, COMPLETED, "b"))
    assert known == [Span(1, 3, PENDING, "a"), Span(4, 5, COMPLETED, "b"), Span(6, 9, PENDING, "a")]
    assert overlaps == []


def test_neighbours_are_one_span_only_where_one_entry_said_both() -> None:
    known, _ = spans.overlay([Span(1, 3, COMPLETED, "a")], Span(4, 5, COMPLETED, "a", 3))
    assert known == [Span(1, 5, COMPLETED, "a", 3)]
    known, _ = spans.overlay([Span(1, 3, COMPLETED, "a")], Span(4, 5, COMPLETED, "b"))
    assert known == [Span(1, 3, COMPLETED, "a"), Span(4, 5, COMPLETED, "b")]
    assert spans.joined(known) == [Span(1, 5, COMPLETED, "b")]


def test_work_that_was_completed_twice_is_told_with_the_entry_that_had_it() -> None:
    known = [Span(1, 47, COMPLETED, "a", 3), Span(48, 50, FAILED, "b"), Span(51, 60, COMPLETED, "c")]
    after, overlaps = spans.overlay(known, Span(40, 55, COMPLETED, "d", 3))
    assert short(after) == [(1, 39, COMPLETED), (40, 55, COMPLETED), (56, 60, COMPLETED)]
    assert overlaps == [Span(40, 47, COMPLETED, "a", 3), Span(51, 55, COMPLETED, "c")]
    assert spans.overlay(after, Span(40, 55, COMPLETED, "d", 3)) == (after, [])


def test_a_plan_that_is_said_late_means_the_rest() -> None:
    known = laid("DONE: files 1-3", "IN_PROGRESS: file 4", "SKIPPED: file 7", "FAILED: file 8", "PENDING: files 1-9")
    states = [(1, 3, COMPLETED), (4, 4, IN_PROGRESS), (5, 6, PENDING), (7, 7, SKIPPED), (8, 9, PENDING)]
    assert short(known) == states
    assert short(laid("COMPLETED: files 1-3", "IN_PROGRESS: files 2-5")) == [(1, 3, COMPLETED), (4, 5, IN_PROGRESS)]


def test_work_is_reopened_only_by_saying_so() -> None:
    assert short(laid("COMPLETED: files 1-3", "PENDING: file 2")) == [(1, 3, COMPLETED)]
    again = laid("COMPLETED: files 1-3", "REOPENED: file 2")
    assert short(again) == [(1, 1, COMPLETED), (2, 2, PENDING), (3, 3, COMPLETED)]


def test_a_total_adds_what_nobody_spoke_of_and_changes_nothing() -> None:
    known = laid("FAILED: step 1", "IN_PROGRESS: step 3", "COMPLETED: step 2 of 5")
    assert short(known) == [(1, 1, FAILED), (2, 2, COMPLETED), (3, 3, IN_PROGRESS), (4, 5, PENDING)]


def test_a_range_without_an_end_goes_on_behind_what_is_done() -> None:
    known = laid("IN_PROGRESS: files 092-??? — stopped at 094", "COMPLETED: file 095", "COMPLETED: files 100-102")
    assert short(spans.joined(known)) == [
        *((92, 95, COMPLETED), (96, 99, IN_PROGRESS), (100, 102, COMPLETED), (103, OPEN, IN_PROGRESS)),
    ]


def test_a_range_without_an_end_goes_as_far_as_nothing_else_is_planned() -> None:
    known = laid("PENDING: files 1-9", "IN_PROGRESS: files 3-??? — stopped at 4")
    assert short(known) == [(1, 2, PENDING), (3, 4, COMPLETED), (5, 5, IN_PROGRESS), (6, 9, PENDING)]
    known = laid("PENDING: files 20-30", "COMPLETED: file 15", "IN_PROGRESS: files 10-???")
    assert short(known) == [(10, 14, IN_PROGRESS), (15, 15, COMPLETED), (16, 19, IN_PROGRESS), (20, 30, PENDING)]


def test_a_later_plan_or_total_ends_a_range_that_had_no_end() -> None:
    begun = "IN_PROGRESS: steps 1-??? — stopped at 4"
    assert short(laid(begun, "PENDING: steps 1-9")) == [(1, 4, COMPLETED), (5, 5, IN_PROGRESS), (6, 9, PENDING)]
    assert short(laid(begun, "PENDING: steps 7-9")) == [(1, 4, COMPLETED), (5, 6, IN_PROGRESS), (7, 9, PENDING)]
    assert short(laid(begun, "PENDING: step 5")) == short(laid(begun))
    ended = laid(begun, "COMPLETED: steps 5-6", "COMPLETED: step 6 of 6")
    assert short(spans.joined(ended)) == [(1, 6, COMPLETED)]


def test_many_single_steps_are_kept_as_one_span_and_what_is_still_to_do_by_its_words() -> None:
    known = laid(
        *(f"COMPLETED: file {number}" for number in range(1, 50)), "PENDING: files 50-51", "PENDING: files 52-53"
    )
    assert len(known) == 51
    kept = spans.settled_together(known)
    assert kept == [Span(1, 49, COMPLETED, "9"), *known[-2:]]
    assert spans.settled_together([]) == []


def test_gaps_lie_between_settled_numbers_or_in_a_range_that_is_known() -> None:
    known = [Span(3, 4, COMPLETED, "a"), Span(6, 6, FAILED, "a"), Span(8, 9, SKIPPED, "a"), Span(12, 13, PENDING, "a")]
    assert spans.gaps(known) == [(5, 5), (7, 7)]
    assert spans.gaps(known, (1, 15)) == [(1, 2), (5, 5), (7, 7), (10, 11), (14, 15)]
    assert spans.gaps([Span(3, 4, PENDING, "a"), Span(9, 9, PENDING, "a")]) == []


@st.composite
def words(draw: st.DrawFn) -> tuple[Span, bool, bool]:
    low = draw(st.integers(0, HIGHEST))
    high = draw(st.integers(low, HIGHEST))
    state = draw(st.sampled_from(STATES))
    is_total = state == PENDING and draw(st.booleans())
    return Span(low, high, state, draw(st.sampled_from("abcd"))), draw(st.booleans()), is_total


def said(model: dict[int, tuple[str, str]], fresh: Span, reopen: bool, is_total: bool) -> set[int]:
    """The newest word, number by number; which of them another entry had completed already."""
    twice = set()
    for number in range(fresh.low, fresh.high + 1):
        before, entry = model.get(number, ("", ""))
        if before == fresh.state == COMPLETED and entry != fresh.entry:
            twice.add(number)
        is_plan = fresh.state == PENDING and before in (COMPLETED, SKIPPED, IN_PROGRESS)
        is_held = is_plan or (fresh.state == IN_PROGRESS and before == COMPLETED)
        if not before or (not is_total and (reopen or not is_held)):
            model[number] = (fresh.state, fresh.entry)
    return twice


def numbers(known: list[Span]) -> list[int]:
    return [number for span in known for number in range(span.low, span.high + 1)]


@settings(deadline=None, max_examples=300)
@given(st.lists(words(), max_size=12))
def test_any_words_in_any_order_leave_what_a_state_for_every_number_would(said_: list[tuple[Span, bool, bool]]) -> None:
    model: dict[int, tuple[str, str]] = {}
    known: list[Span] = []
    for fresh, reopen, is_total in said_:
        twice = said(model, fresh, reopen, is_total)
        known, overlaps = spans.overlay(known, fresh, reopen=reopen, is_total=is_total)
        assert set(numbers(overlaps)) == twice
        assert {number: (span.state, span.entry) for span in known for number in numbers([span])} == model
        assert numbers(known) == sorted(set(numbers(known)))  # disjoint and sorted
        pairs = pairwise(known)
        assert all(a.high + 1 < b.low or (a.state, a.entry) != (b.state, b.entry) for a, b in pairs)


@settings(deadline=None, max_examples=200)
@given(st.lists(words(), max_size=10), words())
def test_only_the_spans_about_a_word_need_be_given(
    said_: list[tuple[Span, bool, bool]], last: tuple[Span, bool, bool]
) -> None:
    known: list[Span] = []
    for fresh, reopen, is_total in said_:
        known, _ = spans.overlay(known, fresh, reopen=reopen, is_total=is_total)
    fresh, reopen, is_total = last
    near = [span for span in known if span.high >= fresh.low - 1 and span.low <= fresh.high + 1]
    part, overlaps = spans.overlay(near, fresh, reopen=reopen, is_total=is_total)
    whole = spans.overlay(known, fresh, reopen=reopen, is_total=is_total)
    others = [span for span in known if span not in near]
    assert (sorted([*others, *part], key=lambda span: span.low), overlaps) == whole


@settings(deadline=None, max_examples=200)
@given(st.lists(words(), max_size=12))
def test_what_is_shown_and_what_is_missing_are_those_of_the_model(said_: list[tuple[Span, bool, bool]]) -> None:
    model: dict[int, tuple[str, str]] = {}
    known: list[Span] = []
    for fresh, reopen, is_total in said_:
        said(model, fresh, reopen, is_total)
        known, _ = spans.overlay(known, fresh, reopen=reopen, is_total=is_total)
    shown = spans.joined(known)
    assert {number: span.state for span in shown for number in numbers([span])} == {
        number: state for number, (state, _) in model.items()
    }
    assert all(a.high + 1 < b.low or a.state != b.state for a, b in pairwise(shown))
    settled = [number for number, (state, _) in model.items() if state in SETTLED]
    between = range(min(settled), max(settled) + 1) if settled else range(0)
    missing = [number for low, high in spans.gaps(known) for number in range(low, high + 1)]
    assert missing == [number for number in between if number not in model]


LINES = st.sampled_from(
    [
        *(
            "IN_PROGRESS: files 3-???",
            "IN_PROGRESS: files 5-??? — stopped at 9",
            "PENDING: files 8-???",
            "DONE: file 3 of 12",
        ),
        *("PENDING: files 1-20", "COMPLETED: files 2-7", "FAILED: file 9", "SKIPPED: files 11-12", "PENDING: file 8"),
    ]
)


@settings(deadline=None, max_examples=200)
@given(st.lists(LINES, max_size=10))
@example(["IN_PROGRESS: files 3-???", "PENDING: files 8-???", "PENDING: files 1-20"])
def test_with_ranges_without_an_end_every_number_still_has_one_state(lines: list[str]) -> None:
    known = laid(*lines)
    assert all(a.high < b.low for a, b in pairwise(known))
    assert all(span.low <= span.high for span in known)
    if "COMPLETED: files 2-7" in lines:
        assert all(span.high < 2 or span.low > 7 or span.state == COMPLETED for span in known)

"""Folding: what says the same is shown once, and what may mean something else never goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.text import folding
from holdfast.text.folding import Thing

RULE = "Never force-push main"


def folded(*texts: str) -> list[int]:
    return folding.fold([Thing(text) for text in texts])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (RULE, "never force push  MAIN."),
        ("Orders use optimistic locking", "Orders use optimistic locks-ing".replace("s-ing", "ing")),
        ("Orders use optimistic locking", "The orders use optimistic locking"),
        ("Orders use optimistic locking, because rows deadlock", "Orders use optimistic locking"),
        ("Don't push on a Friday", "Don\u2019t push on Fridays"),
        ("日本語のテストを必ず実行する", "日本語のテストを必ず実行する。"),
        (f"In the standup Ada said a lot about the weather, and then: {RULE}, which we all know by now", RULE),
        ("ok", "OK."),
    ],
)
def test_what_says_the_same_is_folded_into_the_first(first: str, second: str) -> None:
    assert folded(first, second) == [-1, 0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (RULE, "Force-push main"),
        ("Force-push main", RULE),
        ("Retries are at most 3", "Retries are at most 7"),
        ("Deploys go through the staging ring first", "Deploys go through the production ring first"),
        ("Use Postgres for orders", "Use Postgres for orders and refunds"),
        ("We deploy main after the tests, and Ada likes tea and coffee and long walks", "Ada tests tea"),
        ("Commit without a trailer", "Commit with a trailer"),
        ("Nicht auf main pushen bitte", "Auf main pushen bitte"),
        ("", ""),
        ("日本語のテストを必ず実行する", "日本語のテストを実行しない"),
    ],
)
def test_what_may_mean_something_else_is_kept(first: str, second: str) -> None:
    assert folded(first, second) == [-1, -1]


CUT = "The idempotency test fails because the helper writes two messages, so that the upsert …"
WHOLE = "The idempotency test fails because the helper writes two messages, so that the upsert isn't one. (from tool)"


def test_the_beginning_of_a_text_is_folded_into_the_text_whichever_comes_first_and_whatever_it_denies_later() -> None:
    assert folded(WHOLE, CUT) == [-1, 0]
    assert folded(CUT, WHOLE) == [1, -1]
    assert folded(CUT, CUT, WHOLE) == [2, 2, -1]


def test_what_only_looks_cut_or_begins_otherwise_is_kept() -> None:
    assert folded(
        "Deploy on Friday when the ring is green", "Deploy on Friday when the ring is green, never alone"
    ) == [
        -1,
        -1,
    ]
    assert folded(f"Never {CUT}", WHOLE) == [-1, -1]


def test_a_note_and_a_line_that_tells_of_it_are_one_however_they_are_worded() -> None:
    told = Thing("Decided on an optimistic lock for all orders, in the meeting", about="projects/locks.md")
    note = Thing("Orders take the lock optimistically, rows deadlock", note="projects/locks.md")
    assert folding.fold([told, note]) == [-1, 0]
    assert folding.fold([note, told]) == [-1, 0]
    assert folding.fold([note, note]) == [-1, 0]


def test_where_the_note_says_more_than_the_line_that_tells_of_it_the_note_stays() -> None:
    told = Thing("Event ids are kept 30 days", about="projects/ids.md")
    note = Thing("Event ids are kept 30 days, because the provider retries for 28", note="projects/ids.md")
    again = Thing("event ids are kept 30 days")
    assert folding.fold([told, note]) == [1, -1]
    assert folding.fold([told, note, again]) == [1, -1, 1]
    assert folding.fold([told, again, note]) == [2, 2, -1]


def test_to_name_a_note_is_not_to_say_what_it_says() -> None:
    named = Thing("Moved the tests to their own folder", about="projects/locks.md")
    also = Thing("Moved the docs to their own folder as well", about="projects/locks.md")
    note = Thing("Orders take the lock optimistically", note="projects/locks.md")
    assert folding.fold([named, also, note]) == [-1, -1, -1]


def test_what_was_folded_is_no_one_elses_reason() -> None:
    """The third is folded into the first, which is shown, and not into the second, which is not."""
    assert folded(RULE, "never force push main", "Never force-push main!") == [-1, 0, 0]


def test_only_so_many_are_compared_and_the_rest_is_kept() -> None:
    assert folded(*([RULE] * (folding.MOST + 3)))[-3:] == [-1, -1, -1]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(max_size=60), max_size=12))
def test_whatever_the_texts_are_each_stays_or_is_said_by_one_that_stays(texts: list[str]) -> None:
    into = folded(*texts)
    assert len(into) == len(texts)
    for at, to in enumerate(into):
        assert to != at
        assert to < 0 or into[to] == -1

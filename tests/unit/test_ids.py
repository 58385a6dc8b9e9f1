"""Ids sort by time and never repeat; a digest names any text."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.capture.ids import LENGTH, LETTERS, digest, new_id, time_of

TIMES = st.floats(min_value=0.0, max_value=2.0**47 / 1000)


@settings(max_examples=200, deadline=None)
@given(TIMES, TIMES)
@example(1_800_000_000.001, 1_800_000_000.002)
@example(1_799_999_999.999, 1_800_000_000.0)
def test_ids_of_different_milliseconds_sort_as_their_times_do(one: float, other: float) -> None:
    first, second = sorted((one, other))
    if int(first * 1000) < int(second * 1000):
        assert new_id(first, nth=65_535) < new_id(second)


@settings(max_examples=100, deadline=None)
@given(TIMES, st.integers(0, 65_534))
def test_ids_of_one_call_keep_their_order(now: float, nth: int) -> None:
    assert new_id(now, nth) < new_id(now, nth + 1)


@settings(max_examples=100, deadline=None)
@given(TIMES)
def test_an_id_tells_the_millisecond_it_was_made(now: float) -> None:
    ident = new_id(now)
    assert time_of(ident) == int(now * 1000) / 1000
    assert len(ident) == LENGTH == 26
    assert set(ident) <= set(LETTERS)


def test_letters_are_in_the_order_of_their_values_and_none_is_mistaken_for_a_digit() -> None:
    assert sorted(LETTERS) == list(LETTERS)
    assert not set("ILOU") & set(LETTERS)


@pytest.mark.slow
def test_ids_of_the_same_instant_are_all_different() -> None:
    assert len({new_id(1_800_000_000.0) for _ in range(20_000)}) == 20_000


def test_a_digest_is_stable_across_machines_and_versions_and_safe_as_a_file_name() -> None:
    assert digest("holdfast") == hashlib.sha256(b"holdfast").hexdigest()[:12]
    assert digest("é", 2) == hashlib.sha256("é".encode()).hexdigest()[:2]
    assert digest("../a b\0c").isalnum()


def test_any_text_has_a_digest_even_half_a_character_or_a_path_that_is_no_utf_8() -> None:
    odd = ["\ud83d", "\ude00", b"/caf\xe9".decode("utf-8", "surrogateescape"), "/café", ""]
    assert len({digest(text) for text in odd}) == len(odd)

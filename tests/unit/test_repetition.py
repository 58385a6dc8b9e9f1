"""The measure of repetition in a start: what is said twice counts, and what is not does not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
from repetition import repetition

ONCE = (
    "Orders use optimistic locking because row locks deadlock.\nDeploys go through the staging ring on Tuesdays only."
)


@pytest.mark.parametrize("text", ["", "a", ONCE, "- one\n- two\n- three\n- one"])
def test_what_is_said_once_does_not_repeat(text: str) -> None:
    assert repetition(text) == 0.0


def test_a_text_twice_repeats_by_half() -> None:
    assert repetition(f"{ONCE}\n{ONCE}") == pytest.approx(0.5, abs=0.02)


def test_a_line_that_says_the_same_in_other_signs_repeats() -> None:
    line = "- the orders use optimistic locking because row locks deadlock"
    text = f"{ONCE}\n{line}"
    assert repetition(text) == pytest.approx(len(line) / len(text))


def test_a_long_quotation_within_a_line_repeats_and_the_rest_of_the_line_does_not() -> None:
    quoted = "the import of all orders stopped at file ninety four of batch three"
    text = f"First {quoted} yesterday.\nAda asked whether {quoted} once more or never did."
    assert repetition(text) == pytest.approx(len(quoted) / len(text), abs=0.01)

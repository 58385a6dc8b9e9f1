"""Long texts without marks: unlike what the user types, they are taken for pasted; short prompts are never."""

from __future__ import annotations

import pytest

from holdfast.text import own_words
from holdfast.text.own_words import CHARACTERS, LINES, is_paste


def never() -> list[str]:
    raise AssertionError("earlier prompts are only looked at where a prompt is long")


def lines(count: int) -> str:
    return "\n".join(f"line {at} of what was written" for at in range(count))


@pytest.mark.parametrize(
    "prompt", ["", "fix it", lines(LINES - 1), "word " * 200, "```\n" + lines(200) + "\n```\nwhy?"]
)
def test_a_short_prompt_is_typed_whatever_code_it_brings(prompt: str) -> None:
    assert not is_paste(prompt, never)


@pytest.mark.parametrize("prompt", [lines(LINES), "word " * (CHARACTERS // 4), f"sum this up:\n\n{lines(80)}"])
def test_a_long_text_of_somebody_who_types_little_is_pasted(prompt: str) -> None:
    assert is_paste(prompt, list)
    assert is_paste(prompt, lambda: ["fix it", "and the tests?", "go on"] * 5)


def test_a_long_prompt_of_somebody_who_types_long_ones_is_theirs() -> None:
    assert not is_paste(lines(15), lambda: [lines(9)] * 3)
    assert is_paste(lines(15), lambda: [lines(9)] * 2), "two are no habit"
    assert is_paste(lines(40), lambda: [lines(9)] * 3), "more than twice as long"


def test_no_prompt_of_a_hundred_thousand_letters_was_typed() -> None:
    assert is_paste("x" * (own_words.MOST + 1), never)

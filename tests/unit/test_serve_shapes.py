"""What an empty text is: the same to the description, to what checks requests by it, and to what keeps them."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from holdfast.capture.flags import clean
from holdfast.capture.redaction import redact
from holdfast.field import retrieval, words
from holdfast.serve import problems, shapes

NOBODYS = ("Cn", "Co")  # nine tenths of all, and all alike but for some: of these every 61st
NEVER_DRAWN = (range(0x2060, 0x2070), range(0xFFF0, 0xFFFE), range(0xDFFF0, 0xE1010))


def is_looked_at(code: int) -> bool:
    kind = unicodedata.category(chr(code))
    return kind != "Cs" and (kind not in NOBODYS or code % 61 == 0 or any(code in some for some in NEVER_DRAWN))


SAYS = re.compile(shapes.SAYS)


@cache
def signs() -> list[str]:
    return [chr(code) for code in range(sys.maxunicode + 1) if is_looked_at(code)]


def kept(text: str) -> str:
    """What is left of a thought's text once it is clean; the check for an empty one is made of this."""
    return words.normal(redact(clean(text)[0])[0])


@pytest.mark.slow
def test_the_pattern_means_the_same_to_what_checks_and_to_what_reads_the_description() -> None:
    query = TypeAdapter(shapes.Query)
    ours = [sign for sign in signs() if SAYS.search(sign)]
    theirs = []
    for sign in signs():
        try:
            query.validate_python({"query": sign})
        except ValidationError:
            continue
        theirs.append(sign)
    assert ours == theirs
    assert len(ours) > 100_000


@pytest.mark.slow
def test_every_sign_that_the_description_takes_leaves_something_to_keep_and_to_look_for() -> None:
    taken = [sign for sign in signs() if SAYS.search(sign)]
    assert [hex(ord(sign)) for sign in taken if not kept(sign)] == []
    assert [hex(ord(sign)) for sign in taken if not retrieval.spoken(sign)] == []


@pytest.mark.slow
def test_letters_digits_and_signs_of_all_scripts_are_taken() -> None:
    drawn = ("Lu", "Ll", "Lt", "Nd", "Nl", "No", "Sc", "Sm", "So")
    left_out = [sign for sign in signs() if unicodedata.category(sign) in drawn and not SAYS.search(sign)]
    assert left_out == ["\u2800"], "of Braille, the cell without a dot"


@given(st.text(max_size=6), st.from_regex(SAYS, fullmatch=True), st.text(max_size=6))
@example("\U0001f3f4", "x", "\U000e007f")
@example(".", "\u0338", "!")
@settings(max_examples=300, deadline=None)
def test_with_one_such_sign_no_text_is_empty_whatever_stands_around_it(before: str, sign: str, after: str) -> None:
    assert kept(f"{before}{sign}{after}")
    assert retrieval.spoken(f"{before}{sign}{after}")


@pytest.mark.parametrize("text", ["\u0086", ".", "!", "…", "\u200b", " \t\n", "...", "\ufe0f\u200d", "\u3164"])
def test_a_text_that_says_nothing_is_refused_without_the_pattern(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        shapes.Query.model_validate({"query": text})
    found = [{**one, "loc": ("body", *one["loc"])} for one in caught.value.errors()]
    status, code, sentence = problems.sentence_of(found)
    assert (status, code) == (422, "invalid")
    assert sentence.startswith("query: It should have a letter, a digit or another sign that says something; nothing")


def refused(**body: object) -> str:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(shapes.Original | shapes.Derived).validate_python(body)
    found = [{**one, "loc": ("body", *one["loc"])} for one in caught.value.errors()]
    return problems.sentence_of(found)[2].partition("; nothing was done")[0]


def test_fields_that_nobody_knows_are_named_all_of_them_and_once() -> None:
    assert refused(text="x", agent="ada") == "agent: not known here"
    assert refused(text="x", agent="ada", weight=3) == "agent, weight: not known here"
    assert refused(text="", agent="ada").startswith("agent: not known here; text: String should have at least 1")
    many = {f"field{nth}": 1 for nth in range(problems.MOST_NAMED + 2)}
    assert refused(text="x", **many).endswith("field9 and 2 more: not known here")


def test_of_two_shapes_the_one_that_was_meant_is_spoken_of() -> None:
    assert refused(text="") == "text: String should have at least 1 character"
    assert refused(text="x", kind="refinement") == "sources: Field required"
    assert refused(text="x", kind="refinment").startswith("kind: Input should be ")


@pytest.mark.parametrize("text", ["x", "?", "7", "\U0001f44d", "漢", "ß.", "-", "€", "\u0301"])
def test_one_sign_is_a_text(text: str) -> None:
    assert shapes.Query.model_validate({"query": text}).query == text

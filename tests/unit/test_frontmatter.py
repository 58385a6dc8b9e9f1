"""Front matter that a person wrote is read in whatever shape it has, and changed only in the value that changes."""

from __future__ import annotations

import string
import time
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdfast.vault import front_matter_edits, notes
from holdfast.vault.front_matter_edits import Unparsable

WORDS = st.text(string.ascii_letters + string.digits + " #:é'\"-", min_size=1, max_size=12)


def changed(text: str, **fields: object) -> str:
    return front_matter_edits.edit(front_matter_edits.parse(text), fields)


@dataclass(frozen=True)
class Line:
    """One key as a person may have written it: what stands before its value, the value, and what follows."""

    key: str
    before: str
    value: str
    after: str

    @property
    def text(self) -> str:
        return f"{self.before}{self.value}{self.after}"


COMMENT = st.sampled_from(["", "", " # mine", "  #  two  spaces", "\t# tab"])
BETWEEN = st.sampled_from(["", "", "# a comment of its own\n", "\n", " # indented\n", "#\n\n"])
INLINE = st.sampled_from(
    ["active", '"quoted"', "'single'", "7", "yes", "2026-01-02", "[a, b]", "[]", "{k: v}", "~", "a b"]
)
BLOCK = st.sampled_from(
    [
        "\n- a\n- b\n",
        "\n  - a  # why\n  - b\n",
        "\n    one: 1\n    two: [x]\n",
        " |\n  some\n  lines\n",
        " >-\n  folded\n  lines\n",
        "\n  below\n",
        " [a,\n  b]\n",
        ' "two\n  lines"\n',
    ]
)


@st.composite
def lines(draw: st.DrawFn, key: str) -> Line:
    name = draw(st.sampled_from([key, key, f'"{key}"', f"'{key}'", f"{key} "]))
    above = draw(BETWEEN)
    if draw(st.booleans()):
        gap = draw(st.sampled_from([" ", "  ", "\t", "     "]))
        return Line(key, f"{above}{name}:{gap}", draw(INLINE), f"{draw(COMMENT)}\n")
    if draw(st.booleans()):
        return Line(key, f"{above}{name}:", "", f"{draw(COMMENT)}\n")
    return Line(key, f"{above}{name}:", draw(BLOCK), "")


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[Line], str, str]:
    keys = draw(st.permutations(["name", "sources", "edited", "x-mine", "status"]))
    made = [draw(lines(key)) for key in keys[: draw(st.integers(1, 5))]]
    body = draw(st.sampled_from(["", "Body.\n", "no newline", "\n\n  odd\t\n---\nmore\n", "é\r\nmixed\n"]))
    return made, draw(BETWEEN), body


def written(made: list[Line], last: str, body: str, *, crlf: bool, bom: bool) -> str:
    top = "---\n" + "".join(line.text for line in made) + last + "---\n"
    top = top.replace("\n", "\r\n") if crlf else top
    return ("\ufeff" if bom else "") + top + body


@settings(deadline=None, max_examples=400)
@given(
    documents(),
    st.integers(0, 4),
    st.sampled_from(["new", ["n", "m"], "2027-01-15", None]),
    st.booleans(),
    st.booleans(),
)
def test_only_the_value_that_is_changed_changes(
    made: tuple[list[Line], str, str], nth: int, value: object, crlf: bool, bom: bool
) -> None:
    """Whatever stands outside the value's own place is there afterwards, byte for byte."""
    listed, last, body = made
    line = listed[nth % len(listed)]
    text = written(listed, last, body, crlf=crlf, bom=bom)
    try:
        document = front_matter_edits.parse(text)
    except Unparsable:
        assume(False)
    try:
        after = front_matter_edits.edit(document, {line.key: value})
    except Unparsable:
        return  # it may say no, but not do harm
    assert front_matter_edits.parse(after).fields == {**document.fields, line.key: value}
    at = listed.index(line)
    end = "\r\n" if crlf else "\n"
    above = "".join(one.text for one in listed[:at]) + line.before.rstrip()
    below = "".join(one.text for one in listed[at + 1 :]) + last
    assert after.removeprefix("\ufeff").startswith(f"---\n{above}".replace("\n", end))
    tail = f"{line.after or chr(10)}{below}---\n"
    assert after.endswith(tail.replace("\n", end) + body)
    assert after.startswith("\ufeff") == bom


@settings(deadline=None, max_examples=300)
@given(documents(), st.lists(WORDS, min_size=1, max_size=3), st.booleans())
def test_a_new_key_goes_last_and_moves_nothing(made: tuple[list[Line], str, str], value: list[str], crlf: bool) -> None:
    text = written(*made, crlf=crlf, bom=False)
    try:
        document = front_matter_edits.parse(text)
    except Unparsable:
        assume(False)
    after = front_matter_edits.edit(document, {"reviewed": value})
    assert after[: document.end] == text[: document.end]
    assert after.endswith(text[document.end :])
    assert front_matter_edits.parse(after).fields["reviewed"] == value


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[a, b] # why\n", "[a, b, c d] # why\n"),
        ("[a, # the first\n  b # the last\n  ]\n", "[a, # the first\n  b, c d # the last\n  ]\n"),
        ("[ a ,]\n", "[ a, c d ,]\n"),
        ("\n- a # one\n- b # two\n# below\n", "\n- a # one\n- b # two\n- c d\n# below\n"),
        ("\n    - a\n\n", "\n    - a\n    - c d\n\n"),
        ("\n- |\n  lines\n  of it\n", "\n- |\n  lines\n  of it\n- c d\n"),
    ],
)
def test_a_list_that_grows_keeps_its_shape_and_the_comments_in_it(text: str, wanted: str) -> None:
    whole = f"---\nsources:{text if text.startswith(chr(10)) else ' ' + text}other: x\n---\n"
    document = front_matter_edits.parse(whole)
    after = front_matter_edits.edit(document, {"sources": [*document.fields["sources"], "c d"]})
    assert after == whole.replace(text, wanted)


def test_a_value_that_is_so_already_changes_no_byte() -> None:
    text = "---\nsources:   [ a,b ]   # mine\nedited: '2026-01-02'\n---\n"
    assert changed(text, sources=("a", "b"), edited="2026-01-02", when=None) == text


def test_a_number_that_is_a_name_keeps_its_zeros() -> None:
    text = "---\nname: 007\nsources: [0123, 5, -1, +3]\n---\n"
    assert front_matter_edits.parse(text).fields == {"name": "007", "sources": ["0123", 5, -1, "+3"]}
    assert front_matter_edits.parse(changed(text, sources=["0123", "x"])).fields["sources"] == ["0123", "x"]
    assert changed("---\nn: 1\n---\n", n=True) == "---\nn: true\n---\n"


@settings(deadline=None, max_examples=300)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**16), 10**16) | st.text(max_size=30),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=6,
    )
)
def test_what_is_written_on_one_line_is_read_back_the_same(value: object) -> None:
    assume("\\ud" not in ascii(value))
    line = front_matter_edits.inline(value)
    assert "\n" not in line
    assert front_matter_edits.parse(f"---\nkey: {line}\n---\n").fields == {"key": value}


@settings(deadline=None, max_examples=400)
@given(st.text(st.sampled_from("ab:-?[]{}#&*!|>'\"%@ \t\n\r\x00\x85\u2028é\ud800,~0"), max_size=40), st.booleans())
def test_any_text_is_read_or_refused_with_a_line(source: str, fenced: bool) -> None:
    text = f"---\n{source}\n---\nbody\n" if fenced else source
    try:
        said = front_matter_edits.parse(text).text
    except Unparsable as error:
        said = text if 1 <= error.line <= text.count("\n") + 1 and error.reason else f"{error}"
    assert said == text


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("a: " + "[" * 60_000, "nested too deeply"),
        ("a: " + "{" * 60_000, "needs quotes"),
        ("a:\n  " + "- " * 30_000, "nested too deeply"),
        ("? " * 30_000, "key: value"),
        ("\n".join(" " * depth + "a:" for depth in range(340)), "nested too deeply"),
        ("a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]", "anchors and aliases"),
        ("a: b\n\tc: d", "tab"),
        ("a: 1\nb: 2\na: 3", "the key a stands there twice"),
        ("x" * 65_530 + ": y" * 9, "65,536 is the most"),
        ("- a\n- b", "key: value"),
        ("just words", "key: value"),
        ("a: \x07", "control characters"),
        ("a: \udcff", "not UTF-8"),
        ("[a, b]: c", "plain word"),
    ],
)
def test_what_could_hurt_is_refused_at_once(source: str, reason: str) -> None:
    began = time.perf_counter()
    with pytest.raises(Unparsable, match=reason):
        front_matter_edits.parse(f"---\n{source}\n---\n")
    assert time.perf_counter() - began < 2


def test_a_number_of_five_thousand_digits_is_a_text() -> None:
    assert front_matter_edits.parse(f"---\na: {'9' * 5000}\n---\n").fields["a"] == "9" * 5000


def test_an_empty_key_is_nothing_and_can_be_filled() -> None:
    assert front_matter_edits.parse("---\nkey:\n---\n").fields == {"key": None}
    assert changed("---\nkey:\nb: c\n---\n", key="x") == "---\nkey: x\nb: c\n---\n"
    assert changed("---\nkey: # why\n---\n", key="x") == "---\nkey: x # why\n---\n"


@pytest.mark.parametrize("text", ["", "---", "--- \n", "---\na: b\n", "# Title\n", "\ufeff"])
def test_a_text_without_front_matter_says_so(text: str) -> None:
    with pytest.raises(Unparsable, match=r"no front matter|never closed"):
        front_matter_edits.parse(text)


def test_the_line_of_a_problem_is_the_line_in_the_file() -> None:
    with pytest.raises(Unparsable) as caught:
        front_matter_edits.parse("---\na: b\nc: [\nd: e\n---\n")
    assert caught.value.line in (3, 4, 5)
    assert front_matter_edits.parse("---\na: b\n\nc: d\n---\n").line_of("c") == 4
    assert front_matter_edits.parse("---\na: b\n---\n").line_of("c") == 1


def test_what_cannot_be_changed_in_place_is_refused_and_left() -> None:
    text = "---\n{name: x, status: active}\n---\n"
    with pytest.raises(Unparsable):
        changed(text, reviewed="2026-01-01")
    assert changed(text, status="superseded") == "---\n{name: x, status: superseded}\n---\n"
    with pytest.raises(Exception, match="cannot be changed"):
        notes.with_fields("no front matter", status="active")


@pytest.mark.parametrize("empty", ["[]", "[ ]", "[ # none yet\n]", "[\n  # only a comment\n]"])
def test_the_first_item_of_a_list_costs_no_comment_in_it(empty: str) -> None:
    before = front_matter_edits.parse(f"---\nsources: {empty}\nname: x\n---\nbody\n")
    text = front_matter_edits.edit(before, {"sources": ["one", "two"]})
    assert front_matter_edits.parse(text).fields == {"sources": ["one", "two"], "name": "x"}
    assert text.replace("one, two", "") == before.text

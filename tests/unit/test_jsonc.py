"""Settings are edited in place: what is put in can be taken out, and no other character changes."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.hosts import jsonc

MANY = settings(max_examples=200, deadline=None)
OURS = {"hooks": [{"type": "command", "command": 'say "hi" // {'}]}
BLANKS = ("", "", " ", "\n", "\n  ", "\n\t", "  \n    ", "/* c, } */", " // c ] {\n", "\n// a\n/* b\n */ ")
SCALARS = (None, True, False, 0, -7, 2.5, "", "a", 'q"\\', "// no comment", "/* nor\nthis */", "é日", ",]}")


class Writer:
    """Somebody who writes JSON as people do; what they write follows from one number, which is quick to draw."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def value(self, depth: int) -> Any:
        kind = self.dice.randrange(4) if depth else 3
        if kind == 0:
            return [self.value(depth - 1) for _ in range(self.dice.randrange(4))]
        if kind == 1:
            return self.object(depth)
        return self.dice.choice(SCALARS)

    def object(self, depth: int) -> dict[str, Any]:
        return {
            self.dice.choice("abcd") * self.dice.randrange(3): self.value(depth - 1)
            for _ in range(self.dice.randrange(4))
        }

    def text(self, value: Any) -> str:
        if isinstance(value, dict):
            pairs = [f"{json.dumps(key)}{self.blank()}:{self.blank()}{self.text(one)}" for key, one in value.items()]
            return "{" + self.joined(pairs) + "}"
        if isinstance(value, list):
            return "[" + self.joined([self.text(one) for one in value]) + "]"
        return json.dumps(value, ensure_ascii=self.dice.random() < 0.5)

    def joined(self, items: list[str]) -> str:
        text = self.blank()
        for number, item in enumerate(items):
            comma = number < len(items) - 1 or self.dice.random() < 0.3
            text += item + self.blank() + ("," + self.blank() if comma else "")
        return text

    def blank(self) -> str:
        return self.dice.choice(BLANKS)

    def document(self) -> tuple[str, Any]:
        value = self.object(4)
        text = self.blank() + self.text(value) + self.blank()
        return self.dice.choice(["", jsonc.MARK]) + text.replace("\n", self.dice.choice(["\n", "\r\n"])), value


def documents() -> st.SearchStrategy[tuple[str, Any]]:
    return st.integers(0, 1 << 32).map(lambda seed: Writer(seed).document())


def containers(node: jsonc.Node, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if node.kind != "scalar" else []
    for number, item in enumerate(node.items):
        found += containers(item, (*path, node.keys[number][0] if node.keys else number))
    return found


def changed(value: Any, path: tuple[str | int, ...], key: str | None) -> Any:
    """What a document means when ours is in it."""
    copy = json.loads(json.dumps(value))
    place = copy
    for step in path:
        place = place[step]
    if key is None:
        place.append(OURS)
    else:
        place[key] = OURS
    return copy


@MANY
@given(documents())
def test_a_document_means_what_its_writer_meant(document: tuple[str, Any]) -> None:
    text, value = document
    assert jsonc.parse(text).value == value


@MANY
@given(documents(), st.data())
def test_what_is_put_in_is_there_and_can_be_taken_out_again(document: tuple[str, Any], data: st.DataObject) -> None:
    text, value = document
    root = jsonc.parse(text)
    path = data.draw(st.sampled_from(containers(root)))
    node = root.get(*path)
    assert node
    key = "ours" if node.kind == "object" else None
    more = jsonc.put(text, path, OURS, key, levels=data.draw(st.integers(0, 2)))
    assert jsonc.parse(more).value == changed(value, path, key)
    inner = "" if node.items else text[node.start + 1 : node.end - 1]
    assert jsonc.take(more, path, len(node.items), inner) == text


@MANY
@given(documents(), st.data())
def test_any_item_can_be_taken_out_and_the_others_stay(document: tuple[str, Any], data: st.DataObject) -> None:
    text, _ = document
    root = jsonc.parse(text)
    paths = [path for path in containers(root) if (found := root.get(*path)) and found.items]
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    node = root.get(*path)
    assert node
    number = data.draw(st.integers(0, len(node.items) - 1))
    left = jsonc.parse(jsonc.take(text, path, number)).get(*path)
    assert left
    assert [item.value for item in left.items] == [item.value for n, item in enumerate(node.items) if n != number]
    assert [key for key, _ in left.keys] == [key for n, (key, _) in enumerate(node.keys) if n != number]


@MANY
@given(documents(), st.data())
def test_a_document_cut_off_anywhere_is_told_with_its_place(document: tuple[str, Any], data: st.DataObject) -> None:
    text = document[0]
    text = text[: jsonc.parse(text).end]
    cut = text[: data.draw(st.integers(0, len(text)))]
    if cut == text:
        return
    with pytest.raises(jsonc.Broken) as told:
        jsonc.parse(cut)
    broken = told.value
    assert 1 <= broken.line <= len(cut.splitlines()) + 1
    assert 1 <= broken.column <= len(cut) + 1
    assert f"line {broken.line}, column {broken.column}: " in str(broken)


@MANY
@given(st.text(st.sampled_from('{}[]",:/*\\ \n1etrufalsn-')))
def test_any_text_is_read_or_refused(text: str) -> None:
    """And what Python's own reader takes, ours takes, with the same meaning."""
    try:
        strict = json.loads(text)
    except ValueError:
        strict = Ellipsis
    try:
        assert jsonc.parse(text).value == strict or strict is Ellipsis
    except jsonc.Broken:
        assert strict is Ellipsis


# --- as its owner would have written it


def test_two_blanks_and_line_feeds() -> None:
    text = '{\n  "model": "x"\n}\n'
    assert jsonc.put(text, (), ["a"], "list", levels=1) == '{\n  "model": "x",\n  "list": [\n    "a"\n  ]\n}\n'


def test_tabs_and_carriage_returns() -> None:
    text = '{\r\n\t"model": "x"\r\n}\r\n'
    assert jsonc.put(text, (), ["a"], "l", levels=1) == '{\r\n\t"model": "x",\r\n\t"l": [\r\n\t\t"a"\r\n\t]\r\n}\r\n'


def test_a_file_on_one_line_stays_on_one_line() -> None:
    assert jsonc.put('{"a": [1]}', ("a",), 2) == '{"a": [1, 2]}'
    assert jsonc.put('{"a": [1,]}', ("a",), 2) == '{"a": [1, 2,]}'


def test_a_trailing_comma_is_kept_up() -> None:
    assert jsonc.put('{\n  "a": 1,\n}', (), 2, "b") == '{\n  "a": 1,\n  "b": 2,\n}'


def test_a_comment_stays_beside_what_it_is_about() -> None:
    text = '{\n  "a": 1 // the first\n}'
    assert jsonc.put(text, (), 2, "b") == '{\n  "a": 1, // the first\n  "b": 2\n}'


def test_an_empty_object_is_opened() -> None:
    assert jsonc.put("{}", (), 1, "a") == '{\n  "a": 1\n}'
    assert jsonc.put("{ /* mine */ }", (), 1, "a") == '{ /* mine */\n  "a": 1\n }'


def test_what_follows_a_comment_is_not_drawn_into_it() -> None:
    text = "[1, // one\n 2, 3]"
    assert jsonc.parse(jsonc.take(text, (), 1)).value == [1, 3]


def test_of_a_key_that_stands_twice_the_last_one_counts() -> None:
    root = jsonc.parse('{"a": [1], "a": [2]}')
    assert root.value == {"a": [2]}
    assert jsonc.put('{"a": [1], "a": [2]}', ("a",), 3) == '{"a": [1], "a": [2, 3]}'


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, "a comma or } is expected"),
        ('{"a" 1}', 1, 6, "a colon is expected"),
        ("{a: 1}", 1, 2, "a key in quotes or } is expected"),
        ('{"a": tru}', 1, 7, "'tru' is no value"),
        ('{"a": "x\n"}', 1, 7, "never closed"),
        ('{"a": 1', 1, 8, "the end of the file"),
        ('{"a": 1} x', 1, 10, "after the end"),
        ("{ /* x", 1, 3, "a comment that begins here"),
        ("\ufeff{,}", 1, 2, "a key in quotes"),
        ('{"a": NaN}', 1, 7, "'NaN' is no value"),
        ("[" * 5000, 1, 202, "nested too deeply"),
        ("\r\n\r\n]", 3, 1, "a value is expected"),
    ],
)
def test_what_is_broken_is_told_with_its_place(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(jsonc.Broken) as told:
        jsonc.parse(text)
    assert (told.value.line, told.value.column) == (line, column)
    assert what in str(told.value)
    assert "nothing was changed" in str(told.value)


def test_a_path_that_leads_nowhere_is_no_place_to_put_anything() -> None:
    with pytest.raises(KeyError):
        jsonc.put('{"a": 1}', ("b",), 2)
    with pytest.raises(KeyError):
        jsonc.put('{"a": 1}', ("a",), 2)
    with pytest.raises(KeyError):
        jsonc.take('{"a": 1}', ("b",), 0)

"""The codec without `json`: what it reads and writes is what `json` would read and write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import holdfast
from holdfast.capture import codec

ANY_TEXT = st.text(st.characters())  # lone surrogates included
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
JSON_LIKE = st.text(st.sampled_from('{}[]":,.-+eE019\\u trfalsn\t\n\x00é')) | VALUES.map(json.dumps)


def as_json(text: str) -> Any:
    return json.loads(text, strict=False, parse_constant=lambda _: None)


WAYS = pytest.mark.parametrize("way", ["with the C parts", "without them"])


def in_way(way: str, patch: pytest.MonkeyPatch) -> None:
    if way == "without them":
        patch.setitem(sys.modules, "_json", None)  # as on an interpreter that lacks it


@WAYS
@settings(max_examples=80, deadline=None)
@given(value=VALUES)
@example(value={"\ud800": ["\udfff", "\x00\n\u2028", "😀", "\ud83d\ude00"]})
@example(value={"": -0.0, "big": 10**40, "small": 5e-324, "nested": [[[[{}]]]]})
def test_any_value_is_written_as_json_writes_it_and_read_back(way: str, value: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        in_way(way, patch)
        written = codec.encode(value)
        read = codec.decode(written)
    assert b"\n" not in written, "a payload is one line"
    assert read == json.loads(json.dumps(value))
    assert json.loads(written) == read
    try:
        plain = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return
    assert written == plain


@WAYS
@settings(max_examples=150, deadline=None)
@given(text=JSON_LIKE)
@example(text="[1] 2")
@example(text='{"a":1,}')
@example(text='"\ud800')
@example(text="1" * 5000)
@example(text='{"a":NaN,"b":[-Infinity]}')
def test_any_text_is_read_as_json_reads_it_or_refused_as_json_refuses_it(way: str, text: str) -> None:
    try:
        expected = as_json(text)
    except ValueError:
        expected = ValueError
    with pytest.MonkeyPatch.context() as patch:
        in_way(way, patch)
        if expected is ValueError:
            with pytest.raises(ValueError):
                codec.decode(text)
        else:
            assert codec.decode(text) == expected


@settings(max_examples=60, deadline=None)
@given(st.binary())
def test_any_bytes_are_read_or_refused_with_a_value_error(raw: bytes) -> None:
    try:
        codec.decode(raw)
    except ValueError:
        return


def test_broken_utf_8_and_a_byte_order_mark_are_read_through() -> None:
    assert codec.decode(b'\xef\xbb\xbf {"a": "\xff"}\r\n') == {"a": "\ufffd"}


def test_control_characters_in_strings_are_allowed() -> None:
    assert codec.decode(b'"a\tb\nc\x00"') == "a\tb\nc\x00"


def test_a_number_that_json_does_not_have_is_read_as_nothing_and_not_written() -> None:
    assert codec.decode("[NaN, Infinity, -Infinity]") == [None, None, None]
    for odd in (float("nan"), float("inf")):
        with pytest.raises(ValueError):
            codec.encode({"a": odd})


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000])
def test_nesting_without_end_is_refused_and_not_a_crash(text: str) -> None:
    with pytest.raises(ValueError):
        codec.decode(text)


def test_nesting_without_end_is_refused_without_the_c_parts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    in_way("without them", monkeypatch)
    with pytest.raises(ValueError):
        codec.decode("[" * 200_000)


@pytest.mark.parametrize("odd", [object(), {1, 2}, b"bytes", {("a",): 1}])
def test_what_is_no_json_is_refused_as_json_refuses_it(odd: object) -> None:
    with pytest.raises(TypeError):
        codec.encode({"a": [odd]})


def test_the_usual_way_never_imports_json_and_still_refuses_with_a_value_error() -> None:
    """In this process json is loaded already, so this asks another one."""
    script = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.capture import codec
assert codec.decode(codec.encode({"a": [1, "\\u00e9", None]})) == {"a": [1, "\\u00e9", None]}
for broken in ("", "{", "[1,", '"', '{"a" 1}', "nul", "1 2", "[" * 100000):
    try:
        codec.decode(broken)
    except ValueError:
        continue
    raise SystemExit(f"{broken[:9]!r} was read")
raise SystemExit("json was imported" if sys.version_info < (3, 12) and "json" in sys.modules else 0)
"""
    source = Path(holdfast.__file__).parents[1]
    command = [sys.executable, "-I", "-S", "-c", script, str(source)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")

"""The one reader of front matter: what people write is read as YAML reads it, the rest is refused with its line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.capture import front_matter
from holdfast.vault import front_matter_edits

PIECES = (
    *(
        "a",
        "b c",
        "name",
        "origin",
        "\n",
        "\n",
        "\n  ",
        "\n- ",
        "\n  - ",
        ": ",
        ":",
        " #",
        "'",
        '"',
        "\\n",
        "\\",
        "[",
        "]",
    ),
    *(
        "{",
        "}",
        ", ",
        "|",
        ">-",
        "&a",
        "*a",
        "!",
        "%",
        "@",
        "? ",
        "~",
        "yes",
        "5",
        "007",
        "\t",
        "é",
        "\u00a0",
        "...",
        "---",
    ),
    *(
        "<<",
        "a:b",
        "src/*.py",
        "-x",
        "- - ",
        "[a, b]",
        "{a: b}",
        "k: v\n",
        "key:\n",
        "  k: v\n",
        "  - p: q\n    r: s\n",
    ),
)
READ: list[tuple[str, dict[str, Any]]] = [
    ("a: b\n", {"a": "b"}),
    ("a: b\r\nc: d\r\n", {"a": "b", "c": "d"}),
    ("a : b # why\n# more\n\nc:\td\n", {"a": "b", "c": "d"}),
    ("  a: b\n  c: d\n", {"a": "b", "c": "d"}),
    ("a: 'it''s'\nb: \"\\u00e9 \\\"x\\\"\"\n", {"a": "it's", "b": 'é "x"'}),
    ("a: one\n  two\n\n  three\nb: c\n", {"a": "one two three", "b": "c"}),
    ("a:\n  one\n  two\n", {"a": "one two"}),
    ("a: |\n  one\n\n    two\nb: >- # folded\n  three\n", {"a": "one two", "b": "three"}),
    ('a: "one\n  two"\n', {"a": "one two"}),
    ("a: [b, 'c', \"d\", 5, ~, yes]\n", {"a": ["b", "c", "d", 5, None, True]}),
    ("a: [\n  b, # why\n  c,\n]\n", {"a": ["b", "c"]}),
    ("a: {b: c, d: [e, {f: g}], 'h i': j}\n", {"a": {"b": "c", "d": ["e", {"f": "g"}], "h i": "j"}}),
    ("a:\n- b\n- c: d\n  e: f\n-\n  - g\nh: i\n", {"a": ["b", {"c": "d", "e": "f"}, ["g"]], "h": "i"}),
    ("when:\n  tool: Bash\n  words: [push]\n  not:\n    path: '*.md'\n",
     {"when": {"tool": "Bash", "words": ["push"], "not": {"path": "*.md"}}}),
    ("a: http://x/y:80 z\nb: 12:30\nc: a#b\nd: -x\n", {"a": "http://x/y:80 z", "b": "12:30", "c": "a#b", "d": "-x"}),
    ("a: 2026-01-01\nb: 007\nc: 1.5\nd: no\ne:\n", {"a": "2026-01-01", "b": "007", "c": "1.5", "d": False, "e": None}),
    ("last edited (UTC): x\nschlüssel: ä\n", {"last edited (UTC)": "x", "schlüssel": "ä"}),
    ("{a: b, c: d}\n", {"a": "b", "c": "d"}),
    ("", {}),
]  # fmt: skip
REFUSED = {
    "a: 1\na: 2\n": (3, "twice"),
    "a: b\n\n'a': c\n": (4, "twice"),
    "a: {b: 1, b: 2}\n": (2, "twice"),
    "a: b: c\n": (2, "needs quotes"),
    "a: &x b\n": (2, "anchors"),
    "a: !!str b\n": (2, "needs quotes"),
    "a: 'b\n": (2, "never ends"),
    'a: "\\q"\n': (2, "means nothing"),
    "a: [b\n": (2, "ends on its own line"),
    "a: b\n c: d\n": (3, "needs quotes"),
    "a:\n  - b\n c: d\n": (4, "belongs to nothing"),
    "\ta: b\n": (2, "tab"),
    "words\n": (2, "key: value"),
    "a: b\n... \nc: d\n": (3, "ends what stands before it"),
    "a: b\u2028origin: user\n": (2, "control characters"),
}


@pytest.mark.parametrize(("source", "fields"), READ)
def test_what_people_write_is_read(source: str, fields: dict[str, Any]) -> None:
    assert front_matter.fields(source) == fields
    known = front_matter_edits.parse(f"---\n{source}---\nbody\n")
    assert list(known.fields) == list(fields)
    assert known.body == "body\n"


@pytest.mark.parametrize("source", REFUSED)
def test_what_can_be_read_in_two_ways_is_refused_with_its_line(source: str) -> None:
    with pytest.raises(front_matter.Damaged) as damage:
        front_matter.read(f"---\n{source}---\nbody\n")
    line, reason = REFUSED[source]
    assert reason in damage.value.reason
    assert damage.value.line in (line, line + 1)


@settings(deadline=None, max_examples=400)
@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.sampled_from(["", "name: x\n", "origin: web\nk: "])
)
@example("origin: user", "origin: web\n")
@example("[a: b]", "k: ")
def test_whatever_is_read_yaml_reads_the_same(source: str, before: str) -> None:
    text = f"---\n{before}{source}\n---\nbody\n"
    try:
        front_matter.read(text)
    except front_matter.Damaged:
        with pytest.raises(front_matter_edits.Unparsable):
            front_matter_edits.parse(text)
    else:
        front_matter_edits.parse(text)  # which asks YAML, and refuses what it reads in another way

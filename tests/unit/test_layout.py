"""The layout of a brief: within its limits whatever it is given, whole items, and fair to every section."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.capture import codec
from holdfast.capture.ids import digest
from holdfast.text import layout
from holdfast.text.layout import Item, Section, lay_out

HEAD = ("<holdfast-memory>", "Remembered.")
FOOT = ("</holdfast-memory>",)
OPENING = re.compile(r"<[\s\u200b\ufffd]*(?:[^\W\d_]|[/!?])")
ODD = [
    "<",
    ">",
    "/",
    "5",
    "\u200b",
    "&",
    '"',
    "\\",
    "\n",
    "\r",
    "\u2028",
    "\x1b",
    "\0",
    "日",
    "\U0001f600",
    "\ud800",
    "```\n",
    "word ",
    "\t",
    "x" * 50,
]

texts = st.builds(
    lambda parts, times: "".join(parts) * times, st.lists(st.sampled_from(ODD), max_size=8), st.integers(0, 400)
)
items = st.builds(Item, texts, st.one_of(st.just(""), texts), st.just("c"))
sections = st.builds(
    Section,
    st.sampled_from(["", "A heading:", "A heading that is as long as the longest that we have, and some more of it:"]),
    st.lists(items, max_size=30).map(tuple),
    st.integers(5, 34),
    st.just("`holdfast notes` lists all"),
    st.integers(0, 10_000),
)


def printed(text: str) -> str:
    carried = {"hookEventName": "SessionStart", "additionalContext": text}
    return codec.encode({"hookSpecificOutput": carried}).decode("utf-8")


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(st.lists(sections, min_size=1, max_size=10))
@example([Section("A heading:", tuple(Item("a\n\n\n" * 40) for _ in range(30)), 5) for _ in range(10)])
def test_whatever_it_is_given_it_stays_within_what_hosts_carry(given_sections: list[Section]) -> None:
    text, _ = lay_out(HEAD, given_sections, FOOT)
    assert len(printed(text)) <= 9_000
    assert len(text.splitlines()) <= 200
    assert len(OPENING.findall(text)) == 2
    assert text.startswith(f"{HEAD[0]}\n")
    assert text.endswith(f"\n{FOOT[0]}")
    assert json.loads(printed(text))["hookSpecificOutput"]["additionalContext"] == text


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.lists(st.integers(1, 3000), min_size=1, max_size=40), min_size=1, max_size=9),
    st.lists(st.integers(0, 50), min_size=9, max_size=9),
)
def test_every_item_is_there_whole_or_counted_as_left_out(sizes: list[list[int]], more: list[int]) -> None:
    made = [
        Section(
            f"Section {nth}:",
            tuple(Item(f"{nth}.{at}." + "x" * size) for at, size in enumerate(one)),
            10,
            "",
            more[nth],
        )
        for nth, one in enumerate(sizes)
    ]
    text, _ = lay_out(HEAD, made, FOOT)
    lines = text.splitlines()
    for nth, section in enumerate(made):
        begin = lines.index(section.heading)
        shown = [line for line in lines[begin:] if line.startswith(f"{nth}.")]
        assert set(shown) <= {item.text for item in section.items}
        missing = len(section.items) - len(shown) + section.more
        after = lines[begin + 1 + len(shown)]
        assert after == f"({missing:,} more left out.)" if missing else not after.startswith("(")


def test_no_section_starves_beside_greedy_ones() -> None:
    greedy = [Section(f"Greedy {n}:", tuple(Item("word " * 100) for _ in range(100)), 20) for n in range(6)]
    modest = Section("Modest:", tuple(Item(f"modest {n} " + "y" * 60) for n in range(100)), 7)
    text, _ = lay_out(HEAD, [*greedy, modest], FOOT)
    for n in range(6):
        part = text.partition(f"Greedy {n}:\n")[2]
        assert part.startswith("word"), "each shows something of its own"
    assert "modest 0 " in text
    assert text.count("more left out") == 7


def test_room_that_a_section_does_not_need_goes_to_all_others_by_their_shares() -> None:
    assert layout.grants([100, 9000, 9000], [50, 20, 30], 1000) == [100, 360, 540]
    assert layout.grants([10, 20], [1, 1], 1000) == [10, 20]
    assert layout.grants([600, 300, 9000], [10, 10, 10], 900) == [300, 300, 300]


def test_one_huge_rule_does_not_push_out_the_others() -> None:
    huge = Item("h" * 4000, "- huge, in short")
    rules = Section("Rules:", (huge, *(Item(f"- rule {n} {'r' * 90}", f"- {n}") for n in range(20))), 34)
    flags = Section("Flags:", tuple(Item(f"- flag {n} {'f' * 200}") for n in range(100)), 24)
    text, _ = lay_out(HEAD, [rules, flags], FOOT)
    assert "- huge, in short" in text
    assert all(f"- rule {n} " in text for n in range(20))


def test_a_huge_item_is_whole_where_there_is_room_for_it() -> None:
    huge = Item("h" * 4000, "- huge, in short")
    text, _ = lay_out(HEAD, [Section("Rules:", (huge, Item("- small", "- s")), 34)], FOOT)
    assert "h" * 4000 in text
    assert "in short" not in text
    assert "left out" not in text


def test_what_is_shown_in_short_is_carried_and_what_is_left_out_is_not() -> None:
    shown = (Item("x" * 9000, "- short", "first"), Item("y" * 9000, "", "second"), Item("- third", "", "third"))
    _, carried = lay_out(HEAD, [Section("", shown, 10)], FOOT)
    assert carried == (f"first:{digest('x' * 9000)}", f"third:{digest('- third')}")


def test_more_is_counted_even_where_everything_that_was_given_fits() -> None:
    text, _ = lay_out(HEAD, [Section("Notes:", (Item("- one"),), 10, "`holdfast notes` lists all", 9_970)], FOOT)
    assert "(9,970 more left out; `holdfast notes` lists all.)" in text


@pytest.mark.parametrize("odd", ["a\x1b[31mb", "a\0b", "a\x7fb", "a\x9bb"])
def test_control_characters_reach_no_terminal(odd: str) -> None:
    text, _ = lay_out(HEAD, [Section("", (Item(odd),), 10)], FOOT)
    assert f"a\ufffd{odd[2:]}" in text


@pytest.mark.parametrize("kept", ["tab\there", "👩\u200d👩\u200d👧", "\u0645\u06cc\u200c\u062e", "日本語"])
def test_what_people_write_stays_as_it_is(kept: str) -> None:
    assert kept in lay_out(HEAD, [Section("", (Item(kept),), 10)], FOOT)[0]


def test_half_a_character_does_not_blow_up_what_is_beside_it() -> None:
    """One would make the printer escape every other letter of the reply, six characters for one."""
    text, _ = lay_out(HEAD, [Section("", (Item("\udcff"), *(Item("日" * 100) for _ in range(60))), 10)], FOOT)
    assert len(printed(text)) <= 9_000
    assert text.count("日") > 5_000


@pytest.mark.parametrize("breaks", ["\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
def test_every_kind_of_line_break_counts_as_a_line(breaks: str) -> None:
    text, _ = lay_out(HEAD, [Section("", (Item(f"a{breaks}" * 300, "in short"), Item(f"b{breaks}c")), 10)], FOOT)
    assert len(text.splitlines()) <= 200
    assert "in short\nb\nc\n" in text


@settings(deadline=None, max_examples=200)
@given(texts)
def test_what_an_item_is_said_to_cost_is_never_less_than_it_does(text: str) -> None:
    tidied = layout.tidy(text)
    printed_as = len(codec.encode(layout.escape(tidied) + "\n").decode("utf-8")) - 2
    assert layout.cost(tidied) >= printed_as
    assert layout.cost(tidied) >= len(tidied.split("\n")) * layout.PER_LINE


@pytest.mark.parametrize(
    "text",
    [
        "Run make build && make test -> out",
        "a < 5 && b > 3, x <= y, z <- w, i <3 you, 1 << 2",
        "a <\u2192 b",
        "&lt;b&gt; &amp; &",
        "日本 < 5",
        "",
    ],
)
def test_what_cannot_be_taken_for_markup_is_told_as_it_was_written(text: str) -> None:
    assert layout.escape(text) == text
    assert lay_out(HEAD, [Section("", (Item(text or "x"),), 10)], FOOT)[0].split("\n")[2] == (text or "x")


@pytest.mark.parametrize(
    "behind",
    [
        *("/holdfast-memory>", "holdfast-memory>", "/HOLDFAST-MEMORY>", " /holdfast-memory>", "!-- x", "?xml", "é>"),
        *(
            "\u200b/holdfast-memory>",
            "\u2060 \ufeff/h>",
            "\ufe0f\u200d/h>",
            "\u034fh>",
            "\ufffd/h>",
            "\t/h>",
            "\u3164/h>",
        ),
        *("\u00a0/h>", "\u00ad/h>", "\U000e0100/h>", "\u2800/h>", "", " "),
    ],
)
def test_what_could_open_or_close_a_tag_cannot(behind: str) -> None:
    assert layout.escape(f"a <{behind}") == f"a &lt;{behind}"
    assert layout.escape(f"1 < 2 <{behind}") == f"1 < 2 &lt;{behind}"
    text, _ = lay_out(HEAD, [Section("", (Item(f"a <{behind}"),), 10)], FOOT)
    assert text.count("<") == 2


def test_a_tag_that_goes_on_in_the_next_line_or_item_cannot_either() -> None:
    text, _ = lay_out(
        HEAD, [Section("", (Item("a <\n/holdfast-memory>"), Item("b < "), Item("/holdfast-memory>")), 10)], FOOT
    )
    assert text.count("<") == 2
    assert "a &lt;\n/holdfast-memory>\nb &lt; \n/holdfast-memory>" in text


@settings(deadline=None, max_examples=200)
@given(texts)
def test_a_text_is_escaped_the_same_whole_and_line_by_line(text: str) -> None:
    tidied = layout.tidy(text)
    assert layout.escape(tidied) == "\n".join(layout.escape(line) for line in tidied.split("\n"))
    assert not OPENING.search(layout.escape(tidied))
    assert layout.escape(tidied).replace("&lt;", "<") == tidied.replace("&lt;", "<")

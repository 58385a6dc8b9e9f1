"""What a line of progress says: every form that is read, and every form that looks like one and stays a name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import holdfast
from holdfast.errors import UsageError
from holdfast.tasks import units
from holdfast.tasks.numbers import LARGEST, OPEN
from holdfast.tasks.units import COMPLETED, FAILED, IN_PROGRESS, PENDING, SKIPPED, Mark

SOURCES = Path(holdfast.__file__).parent.parent
NEVER = {"re", "json", "dataclasses", "enum", "typing", "datetime", "os", "pathlib", "collections"}


def named(state: str, *names: str) -> tuple[Mark, ...]:
    return tuple(Mark(state, "", 0, 0, name) for name in names)


def done(series: str, low: int, high: int, width: int = 0, within: str = "") -> Mark:
    return Mark(COMPLETED, series, low, high, "", width, within=within)


@pytest.mark.parametrize(
    ("word", "state"),
    [
        *(("COMPLETED", COMPLETED), ("DONE", COMPLETED), ("IN_PROGRESS", IN_PROGRESS), ("IN PROGRESS", IN_PROGRESS)),
        *(("IN-PROGRESS", IN_PROGRESS), ("PENDING", PENDING), ("TODO", PENDING), ("SKIPPED", SKIPPED)),
        ("FAILED", FAILED),
    ],
)
@pytest.mark.parametrize("sign", [": ", " ", " - ", " — ", ":", " : "])
def test_a_line_begins_with_its_state_and_perhaps_a_colon_or_a_dash(word: str, state: str, sign: str) -> None:
    assert units.state_of(f"{word}{sign}file 3") == state
    assert units.read(f" {word}{sign}file 3") == (Mark(state, "file", 3, 3, ""),)


@pytest.mark.parametrize(
    "text",
    ["completed file 3", "Done: file 3", "DONENESS", "DONE-ISH: 3", "COMPLETED_AT: 3", "files 1-3", "", "  ", "IN"],
)
def test_a_line_without_a_state_in_capitals_is_a_remark(text: str) -> None:
    assert units.state_of(text) == ""
    assert units.read(text) == ()


def test_the_lines_of_an_audit_of_orders_are_read_as_they_are_meant() -> None:
    assert units.read("COMPLETED: orders/batch_1/ (files 001-047)") == (
        *named(COMPLETED, "orders/batch_1/"),
        done("file", 1, 47, 3, "orders/batch_1/"),
    )
    assert units.read("IN_PROGRESS: orders/batch_3/ (files 092-??? — stopped at 094)") == (
        *named(IN_PROGRESS, "orders/batch_3/"),
        done("file", 92, 94, 3, "orders/batch_3/"),
        Mark(IN_PROGRESS, "file", 95, OPEN, "", 3, 94, "orders/batch_3/"),
    )
    assert units.read("PENDING: orders/batch_4/, batch_5/") == named(PENDING, "orders/batch_4/", "batch_5/")


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("COMPLETED: files 048-091", (done("file", 48, 91, 3),)),
        ("COMPLETED: unit 17", (done("unit", 17, 17),)),
        ("COMPLETED 001-047", (done("", 1, 47, 3),)),
        ("COMPLETED: tests 1-3, 7, 9-12", (done("test", 1, 3), done("test", 7, 7), done("test", 9, 12))),
        ("COMPLETED: tests 1-3 and 7", (done("test", 1, 3), done("test", 7, 7))),
        ("COMPLETED: issue #12", (done("issue", 12, 12),)),
        ("COMPLETED: chapters 3 to 5", (done("chapter", 3, 5),)),
        ("COMPLETED: chapter 3 through chapter 5", (done("chapter", 3, 5),)),
        ("COMPLETED: pages 10..20", (done("page", 10, 20),)),
        ("COMPLETED: 10\N{EN DASH}20", (done("", 10, 20),)),
        ("COMPLETED: 10 - 20", (done("", 10, 20),)),
        ("COMPLETED: Files 1-3", (done("file", 1, 3),)),
        ("COMPLETED: the test files 01-12", (done("test file", 1, 12, 2),)),
        ("COMPLETED: batches 1-2; entries 3-4", (done("batch", 1, 2), done("entry", 3, 4))),
        ("COMPLETED: status 3-4", (done("status", 3, 4),)),
        ("COMPLETED: caches 3", (done("cache", 3, 3),)),
        ("COMPLETED: classes 1-2.", (done("class", 1, 2),)),
        ("COMPLETED: (files 001-047)", (done("file", 1, 47, 3),)),
        ("COMPLETED: files 092-??? — stopped at 094", (done("file", 92, 94, 3),)),
        ("COMPLETED: order_001.json - order_047.json", (done("order_{}.json", 1, 47, 3),)),
        ("COMPLETED: `a/x9.md` to `a/x12.md`", (done("a/x{}.md", 9, 12),)),
    ],
)
def test_numbers_and_ranges_are_read_in_every_form(text: str, marks: tuple[Mark, ...]) -> None:
    assert units.read(text) == marks


def test_a_range_that_was_left_has_its_done_part_and_its_rest() -> None:
    assert units.read("IN_PROGRESS: files 092-120 — stopped at file 094") == (
        done("file", 92, 94, 3),
        Mark(IN_PROGRESS, "file", 95, 120, "", 3, 94),
    )
    assert units.read("IN_PROGRESS: files 092-094 — stopped after 094") == (done("file", 92, 94, 3),)
    assert units.read("IN_PROGRESS: file 095") == (Mark(IN_PROGRESS, "file", 95, 95, "", 3),)
    assert units.read("IN_PROGRESS: a/ — stopped at file 7")[1:] == (
        done("file", 7, 7, 0, "a/"),
        Mark(IN_PROGRESS, "file", 8, OPEN, "", 0, 7, "a/"),
    )


@pytest.mark.parametrize("remark", ["stopped at 050", "stopped at test 094", "stopped there", "stopped at once at 94"])
def test_a_stop_that_is_not_in_the_range_is_a_remark(remark: str) -> None:
    assert units.read(f"IN_PROGRESS: files 092-??? — {remark}") == (Mark(IN_PROGRESS, "file", 92, OPEN, "", 3),)


def test_a_total_says_what_there_is_and_only_adds_to_it() -> None:
    whole = Mark(PENDING, "step", 1, 9, "", is_total=True)
    assert units.read("COMPLETED: step 2 of 9") == (whole, done("step", 2, 2))
    assert units.read("COMPLETED: steps 2-4 of 9") == (whole, done("step", 2, 4))
    for text in ("tests 3 of 9", "3 of 9", "step 10 of 9", "step 0 of 9", "step 3 of the plan"):
        assert units.read(f"COMPLETED: {text}") == named(COMPLETED, text)


@pytest.mark.parametrize(
    "name",
    [
        *("2026-04-22", "2026-04", "1.2-1.4", "v2-beta", "v1-v3", "v1.2 - v1.4", "v1 to v3", "10:30-11:00", "10-11am"),
        *(
            "-5",
            "047-001",
            "047 - 001",
            "files 047-001",
            "10-20-30",
            "2026 - 04 - 22",
            "1000000001",
            "files 1-99999999999",
        ),
        *(
            "555-1234",
            "030-1234567",
            "+49 30 123-456",
            "phone 555-1234",
            "April 22-24",
            "at 10-12",
            "src/2024-reports/a-b.py",
        ),
        *("order_047.json - order_001.json", "10.0.0.1 - 10.0.0.9", "2026-04-01 - 2026-04-22", "12:00 - 12:30"),
        *(
            "orders/batch_1/",
            "batch_12",
            "order_073.json",
            "src/a.py",
            "migration of the users table",
            "3 files",
            "1/2",
        ),
        *(
            "the users and the orders table",
            "files 1,000-2,000",
            "files 001-047 of orders/batch_1/",
            "parse(a, b)",
            "\N{ARABIC-INDIC DIGIT THREE}-\N{ARABIC-INDIC DIGIT FIVE}",
        ),
        *(
            "all of the old test files 1-3",
            "files 1-",
            "files -3",
            "files",
            "files 092-???",
            "fix bug in 3",
            "a-b",
            "x1-x3",
            "x_1..x_3",
            "(",
            "x (y",
        ),
    ],
)
def test_what_is_not_surely_a_number_or_a_range_is_a_name(name: str) -> None:
    assert units.read(f"COMPLETED: {name}") == named(COMPLETED, name)
    assert units.wanted(name) == Mark("", "", 0, 0, name)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("src/a.py, src/b.py", ["src/a.py", "src/b.py"]),
        ("a.py; b.py and c.py", ["a.py", "b.py", "c.py"]),
        ("a, b, and c", ["a", "b", "c"]),
        ("write the docs, add tests, and release it", ["write the docs", "add tests", "release it"]),
        ("src/a.py — took 3 tries, skipped 12", ["src/a.py"]),
        ("src/a.py — hard, src/b.py — easy", ["src/a.py", "src/b.py"]),
        ("src/a.py — hard, src/b.py", ["src/a.py", "src/b.py"]),
        ("src/a.py — hard; the rest", ["src/a.py", "the rest"]),
        ("src/a.py (took 3 tries, lines 14)", ["src/a.py"]),
        ("src/a.py (attempt 2)", ["src/a.py"]),
        ("src/a.py - fixed the imports", ["src/a.py"]),
        ("the parser, which was slow", ["the parser"]),
        ("`src/a.py`.", ["src/a.py"]),
        (",,; and ,", []),
        ("", []),
    ],
)
def test_a_list_is_parted_and_remarks_are_left_out_of_names(text: str, names: list[str]) -> None:
    assert units.read(f"PENDING: {text}") == named(PENDING, *names)


def test_a_number_takes_the_words_of_the_number_before_it_and_of_nothing_else() -> None:
    assert units.read("DONE: files 1-3, src/a.py, 7") == (
        done("file", 1, 3),
        *named(COMPLETED, "src/a.py"),
        done("", 7, 7),
    )
    assert units.read("DONE: a/ (files 1-3, 7), b/ (file 8)") == (
        *named(COMPLETED, "a/"),
        done("file", 1, 3, 0, "a/"),
        done("file", 7, 7, 0, "a/"),
        *named(COMPLETED, "b/"),
        done("file", 8, 8, 0, "b/"),
    )


@pytest.mark.parametrize(
    ("text", "mark", "said"),
    [
        ("file 030", Mark("", "file", 30, 30, "", 3), "file 030"),
        ("files 048-091", Mark("", "file", 48, 91, "", 3), "files 048-091"),
        ("030", Mark("", "", 30, 30, "", 3), "030"),
        ("001-047", Mark("", "", 1, 47, "", 3), "001-047"),
        ("Entries 3 to 4", Mark("", "entry", 3, 4, ""), "entries 3-4"),
        ("batches 3-4", Mark("", "batch", 3, 4, ""), "batches 3-4"),
        ("statuses 3-4", Mark("", "status", 3, 4, ""), "statuses 3-4"),
        ("a1.md - a3.md", Mark("", "a{}.md", 1, 3, ""), "a1.md - a3.md"),
        ("orders/batch_1/", Mark("", "", 0, 0, "orders/batch_1/"), "orders/batch_1/"),
        ("files 3-???", Mark("", "", 0, 0, "files 3-???"), "files 3-???"),
    ],
)
def test_a_unit_that_is_asked_for_is_read_alike_and_said_with_its_zeros(text: str, mark: Mark, said: str) -> None:
    assert units.wanted(text) == mark
    assert units.label(mark) == said
    assert units.wanted(said) == mark


def test_asking_for_no_unit_is_answered_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="nothing was changed"):
        units.wanted(" ` ` ")


WORDS = st.sampled_from(
    [
        *(
            "files",
            "file",
            "step",
            "1",
            "3",
            "007",
            "10-20",
            "5-2",
            "1..4",
            "to",
            "of",
            "and",
            ",",
            ";",
            "(",
            ")",
            "-",
            "—",
        ),
        *(
            "a.py",
            "x_01.md",
            "x_09.md",
            "???",
            "3-???",
            "stopped",
            "at",
            "the",
            "#4",
            "`",
            ".",
            "2026-04-22",
            "tests:",
            "\N{EN DASH}",
        ),
    ]
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=40)
STATES = st.sampled_from(["COMPLETED: ", "IN_PROGRESS: ", "PENDING: ", "SKIPPED ", "FAILED — "])


@settings(deadline=None, max_examples=400)
@given(state=STATES, text=TEXTS)
@example(state="COMPLETED: ", text="files 1 - 3 - 5")
def test_no_text_gives_a_number_that_does_not_stand_in_it(state: str, text: str) -> None:
    for mark in units.read(state + text):
        ends = {mark.low, mark.high} - {OPEN, mark.stopped + 1}
        digits = {int(part) for part in "".join(x if "0" <= x <= "9" else " " for x in text).split()}
        assert mark.name or mark.is_total or ends <= digits
        assert mark.low <= mark.high
        assert mark.high <= LARGEST or (mark.high == OPEN and mark.state in (IN_PROGRESS, PENDING))
        assert not (mark.name and mark.series)
        assert mark.name.endswith("???") or all(word in text for word in mark.name.split())


@settings(deadline=None, max_examples=400)
@given(state=STATES, text=TEXTS)
def test_what_is_said_of_a_mark_is_understood_as_the_same_mark(state: str, text: str) -> None:
    for mark in units.read(state + text):
        said = units.label(mark)
        again = units.wanted(said)
        assert units.label(again) == said
        if mark.high != OPEN and "{" not in mark.series:
            assert (again.series, again.low, again.high, again.name) == (mark.series, mark.low, mark.high, mark.name)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(
    series=st.from_regex(r"[a-z]{1,8}( [a-z]{2,8})?", fullmatch=True),
    low=st.integers(0, 2000),
    more=st.integers(0, 50),
    width=st.sampled_from([0, 3, 6]),
)
def test_a_range_of_any_series_survives_being_said(series: str, low: int, more: int, width: int) -> None:
    first = units.wanted(f"{series} {low:0{width}}-{low + more:0{width}}")
    assert units.label(units.wanted(units.label(first))) == units.label(first)
    assert units.wanted(units.label(first)) == first


def test_the_fast_path_imports_nothing_heavy() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(SOURCES)!r}); before = set(sys.modules);"
        "from holdfast.tasks import numbers, progress, spans, units; print(*sorted(set(sys.modules) - before))"
    )
    shown = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    loaded = set(shown.stdout.split())
    assert "holdfast.tasks.progress" in loaded
    assert not {name.partition(".")[0] for name in loaded} & NEVER

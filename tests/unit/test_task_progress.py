"""Where a task stands: what is done, where it stopped and the one unit that is next, from lines as agents write."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.tasks import progress, spans, units
from holdfast.tasks.progress import Count, Named, Standing
from holdfast.tasks.spans import Span
from holdfast.tasks.units import COMPLETED, IN_PROGRESS, PENDING


class Task:
    """Lines of progress, kept as a task keeps them; the entry of a line is its place."""

    def __init__(self, *lines: str) -> None:
        self.series: dict[str, list[Span]] = {}
        self.named: dict[str, Named] = {}
        self.order: list[str] = []
        self.said = 0
        for line in lines:
            self.say(line)

    def say(self, line: str) -> None:
        entry, self.said = f"{self.said:04}", self.said + 1
        for mark in units.read(line):
            self.order.append(mark.name or mark.series)
            if mark.name:
                self.named[mark.name] = Named(mark.name, mark.state, entry)
            else:
                self.series[mark.series], _ = spans.lay(self.series.get(mark.series, []), mark, entry)

    @property
    def standing(self) -> Standing:
        return progress.standing(self.series, list(self.named.values()), self.order)

    def is_done(self, unit: str) -> bool | None:
        return progress.is_done(units.wanted(unit), self.series, list(self.named.values()))


AUDIT = (
    "COMPLETED: orders/batch_1/ (files 001-047)",
    "COMPLETED: orders/batch_2/ (files 048-091)",
    "IN_PROGRESS: orders/batch_3/ (files 092-??? — stopped at 094)",
    "PENDING: orders/batch_4/, batch_5/",
)


def test_an_audit_of_orders_stands_where_its_lines_say() -> None:
    assert Task(*AUDIT).standing == Standing(
        completed=("orders/batch_1/", "files 001-094", "orders/batch_2/"),
        in_progress=("files 095-???", "orders/batch_3/"),
        pending=("orders/batch_4/", "batch_5/"),
        stopped="file 094",
        next_unit="file 095",
        is_begun=True,
        counts=(Count("file", 94, 0), Count("units", 2, 5)),
    )


def test_the_next_unit_follows_the_work_to_its_end() -> None:
    task = Task(*AUDIT, "COMPLETED: file 095")
    assert (task.standing.stopped, task.standing.next_unit) == ("file 095", "file 096")
    task.say("COMPLETED: orders/batch_3/ (files 096-120)")
    assert (task.standing.stopped, task.standing.next_unit, task.standing.is_begun) == ("", "orders/batch_4/", False)
    assert task.standing.in_progress == ()
    assert task.standing.counts[0] == Count("file", 120, 120)
    task.say("IN_PROGRESS: orders/batch_4/")
    assert (task.standing.stopped, task.standing.next_unit) == ("orders/batch_4/", "orders/batch_4/")
    assert task.standing.is_begun
    task.say("DONE: orders/batch_4/, batch_5/")
    assert (task.standing.next_unit, task.standing.is_begun) == ("", False)


def test_a_completed_unit_completes_the_numbers_that_were_said_of_it() -> None:
    task = Task("PENDING: a/ (files 1-5), b/ (files 6-9)", "FAILED: file 2")
    assert task.standing.next_unit == "file 1"
    task.say("COMPLETED: a/")
    assert task.standing.completed == ("a/", "file 1", "files 3-5")
    assert (task.standing.failed, task.standing.next_unit) == (("file 2",), "file 6")
    assert (task.is_done("file 4"), task.is_done("file 2"), task.is_done("file 7")) == (True, False, False)


def test_what_is_in_progress_comes_before_what_is_pending_whatever_was_named_first() -> None:
    task = Task("PENDING: docs/, tests 1-9", "IN_PROGRESS: src/b.py", "IN_PROGRESS: src/a.py")
    assert (task.standing.next_unit, task.standing.is_begun) == ("src/b.py", True)
    task.say("IN_PROGRESS: test 4")
    assert (task.standing.next_unit, task.standing.stopped) == ("test 4", "")
    task.say("COMPLETED: tests 1-2")
    assert (task.standing.next_unit, task.standing.stopped) == ("test 4", "test 2")


def test_pending_units_come_in_the_order_in_which_they_were_named() -> None:
    task = Task("PENDING: src/b.py", "PENDING: tests 3-4", "PENDING: src/a.py")
    order = []
    while unit := task.standing.next_unit:
        order.append(unit)
        task.say(f"COMPLETED: {unit}")
    assert order == ["src/b.py", "test 3", "test 4", "src/a.py"]


def test_zeros_are_as_wide_as_they_were_given_anywhere() -> None:
    task = Task("PENDING: files 001-020", "COMPLETED: files 1-7", "COMPLETED: file 9", "IN_PROGRESS: file 10")
    assert task.standing == Standing(
        completed=("files 001-007", "file 009"),
        in_progress=("file 010",),
        pending=("file 008", "files 011-020"),
        stopped="file 009",
        next_unit="file 010",
        is_begun=True,
        counts=(Count("file", 8, 20),),
    )


def test_gaps_and_every_state_are_told_with_their_labels() -> None:
    standing = Task("DONE: files 001-003, 007", "SKIPPED: files 9-10", "FAILED: file 012, x.py", "DONE: 3, 5").standing
    assert standing.gaps == ("files 004-006", "file 008", "4")
    assert (standing.skipped, standing.failed) == (("files 009-010",), ("file 012", "x.py"))
    assert (standing.next_unit, standing.completed) == ("", ("files 001-003", "file 007", "3", "5"))


def test_nothing_said_is_an_empty_standing() -> None:
    assert Task().standing == Standing()
    assert Task("COMPLETED").standing == Standing()


def test_a_unit_is_done_in_whole_or_known_not_to_be_or_never_spoken_of() -> None:
    task = Task(
        "PENDING: files 001-060", "COMPLETED: files 001-047", "SKIPPED: file 048", "DONE: src/a.py", "TODO: b.py"
    )
    true = ["file 030", "files 001-048", "030", "src/a.py"]
    false = ["files 040-050", "file 050", "50", "files 059-070", "b.py"]
    never = ["file 061", "test 30", "c.py"]
    assert [task.is_done(unit) for unit in true] == [True] * len(true)
    assert [task.is_done(unit) for unit in false] == [False] * len(false)
    assert [task.is_done(unit) for unit in never] == [None] * len(never)


def test_a_range_of_which_a_part_was_never_spoken_of_is_not_done() -> None:
    assert Task("COMPLETED: files 1-3, 5-9").is_done("files 1-9") is False


def test_a_completed_folder_covers_what_is_below_it_and_nothing_beside_it() -> None:
    task = Task("PENDING: src/x/a.py", "COMPLETED: src/", "PENDING: src/y/b.py", "TODO: doc/")
    answers = {
        "src/x/a.py": True,
        "src/new.py": True,
        "src/y/b.py": False,
        "src": True,
        "src/": True,
        "srcs/a.py": None,
    }
    assert {unit: task.is_done(unit) for unit in answers} == answers
    assert (task.is_done("doc/a.md"), task.is_done("doc")) == (False, False)
    assert task.standing.pending == ("src/y/b.py", "doc/")
    assert Task("IN_PROGRESS: src/").is_done("src/a.py") is None


def test_a_file_that_is_named_alone_counts_in_the_series_that_its_name_fits() -> None:
    task = Task("PENDING: order_001.json - order_005.json", "COMPLETED: order_001.json", "IN_PROGRESS: order_002.json")
    assert (task.standing.stopped, task.standing.next_unit) == ("order_001.json", "order_002.json")
    assert task.standing.pending == ("order_003.json - order_005.json",)
    assert (task.is_done("order_001.json"), task.is_done("order_004.json")) == (True, False)
    assert (task.is_done("order_006.json"), task.is_done("order_1.json")) == (None, None)
    task.say("COMPLETED: order_002.json - order_005.json")
    assert task.standing.completed == ("order_001.json - order_005.json",)
    assert (task.standing.next_unit, task.is_done("order_002.json")) == ("", True)


def test_a_number_without_a_word_is_of_the_only_series_or_the_question_which() -> None:
    task = Task("COMPLETED: files 001-047")
    assert (task.is_done("030"), Task().is_done("030")) == (True, None)
    task.say("COMPLETED: tests 1-3")
    with pytest.raises(UsageError, match=r"say which: file 030, test 30; nothing was changed\."):
        task.is_done("30")
    task.say("COMPLETED: 30")
    assert task.is_done("30") is True


LINES = st.builds(
    lambda state, low, more: f"{state}: files {low:03}-{low + more:03}",
    st.sampled_from(["COMPLETED", "IN_PROGRESS", "PENDING", "SKIPPED", "FAILED"]),
    st.integers(1, 20),
    st.integers(0, 6),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(LINES, min_size=1, max_size=10))
def test_the_next_unit_is_never_done_and_work_that_is_open_always_has_one(lines: list[str]) -> None:
    task = Task(*lines)
    standing = task.standing
    assert bool(standing.next_unit) == bool(standing.in_progress or standing.pending)
    assert not standing.next_unit or task.is_done(standing.next_unit) is False
    assert standing.is_begun == bool(standing.in_progress)
    for state, labels in (
        (COMPLETED, standing.completed),
        (PENDING, standing.pending),
        (IN_PROGRESS, standing.in_progress),
    ):
        for label in labels:
            assert task.is_done(label) is (state == COMPLETED)
    assert all(task.is_done(label) is None for label in standing.gaps)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.integers(2, 30), st.lists(st.sampled_from(["begun", "half", "done"]), max_size=90), st.booleans())
def test_a_task_whose_sessions_die_anywhere_does_every_unit_once(size: int, ends: list[str], in_names: bool) -> None:
    plan = f"o_001.md - o_{size:03}.md" if in_names else f"files 001-{size:03}"
    task, work, deaths = Task(f"PENDING: {plan}"), list[str](), iter(ends)
    for _ in range(len(ends) + size):
        unit = task.standing.next_unit
        is_left = task.standing.is_begun and unit in work  # who finds it begun looks at what was left
        end = next(deaths, "done") if unit else "begun"
        task.say(f"IN_PROGRESS: {unit}")
        if end == "begun":
            continue
        if not is_left:
            work.append(unit)
        if end == "done":
            task.say(f"COMPLETED: {unit}")
    assert task.standing.next_unit == ""
    assert work == [f"o_{n:03}.md" if in_names else f"file {n:03}" for n in range(1, size + 1)]

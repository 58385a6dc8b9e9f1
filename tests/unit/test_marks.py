"""Marks: left once, read by their own project, counted by the others, gone when nothing they name waits any more."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from holdfast.capture import codec, marks, platform
from holdfast.capture.ids import digest
from holdfast.capture.marks import Mark

NOW = 1_800_000_000.0


def mark(episode: str = "generic/s/1", project: str = "app-1", *segments: str) -> Mark:
    return Mark(episode, project, "died", "no sign of life", NOW, 3, segments or ("A.log", "B.log"))


def test_a_mark_comes_back_whole_and_the_same_twice_is_one(state: str) -> None:
    marks.leave(state, mark())
    marks.leave(state, mark())
    assert marks.of_project(state, "app-1") == [mark()]
    (path,) = Path(state, "marks").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_mark_is_durable(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    real = platform.write_atomic

    def write(path: str, data: bytes, *, durable: bool) -> None:
        asked.append(durable)
        real(path, data, durable=durable)

    monkeypatch.setattr(platform, "write_atomic", write)
    marks.leave(state, mark())
    assert asked == [True]


def test_a_project_reads_its_own_and_a_close_reads_all(state: str) -> None:
    for n, project in enumerate(["app-1", "app-1", "app-10", "web-2"]):
        marks.leave(state, mark(f"generic/s{n}/1", project))
    assert {one.episode for one in marks.of_project(state, "app-1")} == {"generic/s0/1", "generic/s1/1"}
    assert [one.episode for one in marks.everywhere(state)] == [f"generic/s{n}/1" for n in range(4)]


def test_a_mark_that_cannot_be_read_still_counts_as_left(state: str) -> None:
    marks.leave(state, mark())
    (path,) = Path(state, "marks").iterdir()
    path.unlink()
    path.mkdir()
    assert marks.any_left(state)
    assert marks.of_project(state, "app-1") == marks.everywhere(state) == []


def test_a_mark_of_an_older_version_has_no_story(state: str) -> None:
    marks.leave(state, mark())
    (path,) = Path(state, "marks").iterdir()
    path.write_text(path.read_text(encoding="utf-8").replace(',"story":false', ""), encoding="utf-8")
    assert marks.of_project(state, "app-1") == [mark()]


def test_there_are_none_before_the_first(state: str) -> None:
    assert marks.of_project(state, "app-1") == []
    assert not marks.any_left(state)


def test_the_newest_come_first_and_no_more_than_are_worth_reading(state: str) -> None:
    for n in range(marks.MOST_READ + 5):
        marks.leave(state, mark(f"generic/s{n}/1"))
        path = Path(marks._path(state, "app-1", f"generic/s{n}/1"))
        os.utime(path, (NOW + n, NOW + n))
    found = [one.episode for one in marks.of_project(state, "app-1")]
    assert found == [f"generic/s{n}/1" for n in range(marks.MOST_READ + 4, 4, -1)]


def test_a_mark_of_which_nothing_waits_is_removed_and_the_others_stay(state: str) -> None:
    first, second = mark("generic/s1/1"), mark("generic/s2/1")
    for one in (first, second):
        marks.leave(state, one)
    assert marks.clear_drained(state, [first, second], lambda _: True) == [first, second]
    assert marks.clear_drained(state, [first, second], lambda one: one == first) == [first]
    assert marks.of_project(state, "app-1") == [first]
    assert marks.clear_drained(state, [first], lambda _: False) == []
    assert marks.of_project(state, "app-1") == []


def test_removing_what_is_gone_is_harmless(state: str) -> None:
    marks.remove(state, "app-1", "generic/s/1")
    marks.leave(state, mark())
    marks.remove(state, "app-1", "generic/s/2")
    assert marks.of_project(state, "app-1") == [mark()]
    marks.remove(state, "app-1", "generic/s/1")
    assert marks.of_project(state, "app-1") == []


def test_a_straggler_of_a_crashed_write_is_no_mark(state: str) -> None:
    marks.leave(state, mark())
    (path,) = Path(state, "marks").iterdir()
    path.rename(f"{path}.4711.0a1b2c3d.tmp")
    assert marks.of_project(state, "app-1") == []
    assert not marks.any_left(state)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"v":9,"episode":"e"}', b"\xff"])
def test_a_mark_that_cannot_be_read_costs_no_other(state: str, content: bytes) -> None:
    marks.leave(state, mark())
    Path(state, "marks", f"{digest('app-1')}~odd").write_bytes(content)
    Path(state, "marks", f"{digest('app-1')}~gone").symlink_to("nowhere")
    assert marks.of_project(state, "app-1") == [mark()]


def test_fields_of_a_newer_version_are_left_aside(state: str) -> None:
    marks.leave(state, mark())
    (path,) = Path(state, "marks").iterdir()
    path.write_bytes(codec.encode({**codec.decode(path.read_bytes()), "v": 9, "mood": "sunny"}))
    assert marks.of_project(state, "app-1") == [mark()]


def test_a_mark_names_all_its_segments_however_many(state: str) -> None:
    many = mark("generic/s/1", "app-1", *(f"{n:026}.log" for n in range(5000)))
    marks.leave(state, many)
    assert marks.of_project(state, "app-1") == [many]


@pytest.mark.parametrize("project", ["team/app", "../app", "app~1", "größe " * 40, ""])
def test_a_project_may_be_named_as_a_person_likes(state: str, project: str) -> None:
    marks.leave(state, mark("generic/s/1", "app"))
    marks.leave(state, mark("generic/s/1", project))
    assert marks.of_project(state, project) == [mark("generic/s/1", project)]
    assert len(marks.everywhere(state)) == 2


def test_a_file_that_is_no_mark_is_put_aside_once_and_starts_nothing_any_more(state: str) -> None:
    marks.leave(state, mark())
    Path(state, "marks", "odd").write_text("garbage")
    assert marks.everywhere(state) == [mark()]
    marks.remove(state, "app-1", "generic/s/1")
    assert not marks.any_left(state)
    assert Path(state, "marks", "odd.unreadable").read_text() == "garbage"

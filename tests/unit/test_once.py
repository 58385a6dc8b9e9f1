"""What happened once in an episode: of many who try at the same moment one is first, and what it left is read whole."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home, fill_up, mounted, too_open
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.capture import once

EPISODE = "claude-code/s1/1"
MANY = 10


def at_once(what: Callable[[int], Any]) -> list[Any]:
    """Ten do it at the same moment."""
    gate = threading.Barrier(MANY)

    def one(nth: int) -> Any:
        gate.wait()
        return what(nth)

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(one, range(MANY)))


def folder(state: str) -> Path:
    (found,) = (Path(state) / "episodes" / "course").iterdir()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "words"])
def test_of_many_at_once_one_is_first(state: str, content: str) -> None:
    for round_ in range(20):
        name = f"n{round_}"
        won = at_once(partial(lambda name, nth: once.first(state, EPISODE, name, content and f"{content} {nth}"), name))
        assert won.count(True) == 1
        told = once.read(state, EPISODE, name)
        assert told == (f"{content} {won.index(True)}" if content else "")
    assert not [one.name for one in folder(state).iterdir() if one.name.endswith(".tmp")]


def test_what_is_there_is_never_seen_without_its_content(state: str) -> None:
    """A taint that is read as empty would be none, and a nudge that is taken as empty would be lost."""
    seen: list[str | None] = []

    def act(nth: int) -> None:
        for round_ in range(100):
            if nth % 2:
                once.first(state, EPISODE, f"n{round_}", "whole")
            else:
                seen.extend([once.read(state, EPISODE, f"n{round_}"), once.take(state, EPISODE, f"n{round_}")])

    at_once(act)
    left = [once.read(state, EPISODE, f"n{round_}") for round_ in range(100)]  # where the readers were faster
    assert set(seen) | set(left) <= {None, "whole"}
    assert "whole" in (*seen, *left)


def test_of_many_who_take_one_gets_it(state: str) -> None:
    for _ in range(20):
        once.put(state, EPISODE, "held", "words")
        assert sorted(at_once(lambda _: once.take(state, EPISODE, "held") or "")) == [""] * (MANY - 1) + ["words"]


def test_a_second_time_is_no_first_until_it_is_dropped(state: str) -> None:
    assert once.first(state, EPISODE, "x", "one")
    assert not once.first(state, EPISODE, "x", "two")
    assert once.read(state, EPISODE, "x") == "one"
    once.drop(state, EPISODE, "x")
    once.drop(state, EPISODE, "x")
    assert once.first(state, EPISODE, "x", "two")


def test_a_disk_that_takes_nothing_leaves_no_half_that_counts(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "64k") as disk:
        state = str(disk / "state")
        assert once.first(state, EPISODE, "before", "x")
        fill_up(disk)
        with pytest.raises(OSError):
            once.first(state, EPISODE, "held", "x" * 9000)
        assert once.read(state, EPISODE, "held") is None
        (disk / "filler").unlink()
        assert once.first(state, EPISODE, "held", "x" * 9000)


def test_a_short_write_is_not_taken_for_the_whole(
    state: str, no_file_over: Callable[[int], AbstractContextManager[None]]
) -> None:
    once.first(state, EPISODE, "before")
    with no_file_over(10), pytest.raises(OSError):
        once.first(state, EPISODE, "held", "x" * 100)
    assert [one.name for one in folder(state).iterdir()] == ["before"]


def test_where_files_cannot_be_linked_one_is_still_first(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("holdfast.capture.once.posix.link", refuse)
    assert [once.first(state, EPISODE, "x", "one"), once.first(state, EPISODE, "x", "two")] == [True, False]
    assert once.read(state, EPISODE, "x") == "one"
    assert [one.name for one in folder(state).iterdir()] == ["x"]


def test_episodes_do_not_see_each_others_course(state: str) -> None:
    assert once.first(state, EPISODE, "x")
    assert once.first(state, "claude-code/s1/2", "x")
    assert once.first(state, "codex/s1/1", "x")


@pytest.mark.slow
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.text(st.characters(), max_size=50), key=st.text(st.characters(), max_size=30))
def test_any_words_of_any_session_can_be_noted(place: Path, content: str, key: str) -> None:
    state = f"{place}/state"
    once.put(state, key, "x", content)
    assert once.read(state, key, "x") == content.encode("utf-8", "replace").decode("utf-8")


@pytest.mark.parametrize(("text", "number"), [("", 0), ("3", 3), ("-1", 0), ("x", 0), ("²", 0), ("1.5", 0), ("007", 7)])
def test_a_count_is_a_number_whatever_stands_there(state: str, text: str, number: int) -> None:
    once.put(state, EPISODE, once.CYCLE, text)
    assert once.count(state, EPISODE, once.CYCLE) == number


def test_a_touch_says_when(state: str) -> None:
    assert once.when(state, EPISODE, once.FLAGGED) == 0.0
    for now in (1_000.5, 2_000.5, 1_500.5):
        once.touch(state, EPISODE, once.FLAGGED, now)
        assert once.when(state, EPISODE, once.FLAGGED) == now


def test_forgetting_an_episode_leaves_its_taint_and_inheriting_takes_it_along(state: str) -> None:
    once.first(state, EPISODE, once.TAINT, "web")
    once.put(state, EPISODE, once.ASKED, "chapter")
    once.forget(state, EPISODE)
    assert once.read(state, EPISODE, once.ASKED) is None
    once.inherit(state, EPISODE, "claude-code/s1/2", once.TAINT)
    assert once.read(state, "claude-code/s1/2", once.TAINT) == "web"
    once.inherit(state, "nobody", "claude-code/s1/3", once.TAINT)
    assert once.read(state, "claude-code/s1/3", once.TAINT) is None


def test_forgetting_what_has_no_taint_leaves_no_folder(state: str) -> None:
    once.put(state, EPISODE, once.ASKED, "chapter")
    once.forget(state, EPISODE)
    once.forget(state, "nobody")
    assert os.listdir(f"{state}/episodes/course") == []


def test_a_sweep_drops_only_what_nobody_will_resume(state: str) -> None:
    for key in ("old", "young"):
        once.first(state, key, once.TAINT, "web")
    old = once._folder(state, "old")
    os.utime(old, (0, 0))
    now = os.stat(once._folder(state, "young")).st_mtime
    assert once.sweep(state, now) == 1
    assert once.read(state, "young", once.TAINT) == "web"
    assert once.sweep(state, now) == 0
    assert once.sweep(f"{state}/nowhere", now) == 0


def test_nobody_else_may_read_a_course(fresh: Home) -> None:
    once.first(fresh.state, EPISODE, once.TAINT, "web")
    once.put(fresh.state, EPISODE, once.ASKED, "chapter")
    assert too_open(Path(fresh.state)) == []

"""Sentences for the next starts: told where they belong, once or for a while, never so many that a start grows."""

from __future__ import annotations

import os

from hook_support import Home

from holdfast.capture import notices

NOW = 1_790_000_000.0


def lines(state: str, project: str = "shop", now: float = NOW) -> list[str]:
    return [one.line for one in notices.for_project(state, project, now)]


def test_a_notice_is_told_in_its_project_and_one_of_none_in_all(state: str) -> None:
    notices.leave(state, "a", "of the shop", NOW, project="shop")
    notices.leave(state, "b", "of another", NOW, project="other")
    notices.leave(state, "c", "of everybody", NOW)
    assert sorted(lines(state)) == ["of everybody", "of the shop"]


def test_the_same_name_again_replaces_the_sentence_and_whoever_left_it_takes_it_away(state: str) -> None:
    notices.leave(state, "a", "first", NOW)
    notices.leave(state, "a", "second", NOW)
    assert lines(state) == ["second"]
    notices.remove(state, "a")
    assert lines(state) == []


def test_what_is_over_is_not_told_and_swept_away(state: str) -> None:
    notices.leave(state, "a", "short", NOW, lasts=60)
    assert lines(state, now=NOW + 59) == ["short"]
    assert lines(state, now=NOW + 61) == []
    assert os.listdir(f"{state}/notices") == []


def test_only_what_is_said_once_goes_when_it_was_told(state: str) -> None:
    notices.leave(state, "a", "once", NOW, once=True)
    notices.leave(state, "b", "often", NOW)
    notices.told(state, notices.for_project(state, "shop", NOW))
    assert lines(state) == ["often"]


def test_of_hundreds_the_newest_few_are_read(state: str) -> None:
    for nth in range(100):
        notices.leave(state, f"n{nth}", f"sentence {nth}", NOW)
        path = notices._path(state, "", f"n{nth}")
        os.utime(path, (NOW + nth, NOW + nth))
    assert lines(state) == [f"sentence {nth}" for nth in range(99, 99 - notices.MOST, -1)]


def test_a_notice_has_one_line_and_no_secret(state: str, token: str) -> None:
    notices.leave(state, "a", f"first\nsecond {token} " + "x" * 2000, NOW)
    (said,) = lines(state)
    assert said.startswith("first second ")
    assert token not in said
    assert len(said) <= 600


def test_what_is_no_notice_is_left_aside(state: str) -> None:
    notices.leave(state, "a", "good", NOW)
    with open(f"{notices._path(state, '', 'a')}x", "w") as file:
        file.write("{}")
    assert lines(state) == ["good"]


def test_a_start_tells_them_and_boot_only_looks(fresh: Home) -> None:
    fresh.reply(fresh.event("SessionStart", source="startup"))
    notices.leave(fresh.state, "a", "The cap was reached.", NOW * 2, once=True)
    assert "The cap was reached." in fresh.cli("boot").out
    assert "The cap was reached." in fresh.answer(fresh.event("SessionStart", "s2", source="startup"))
    assert "The cap was reached." not in fresh.answer(fresh.event("SessionStart", "s3", source="startup"))

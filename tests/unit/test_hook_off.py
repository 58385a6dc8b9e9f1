"""Switched off: nothing is captured, a start says so, `flag` says so, and going on is one word."""

from __future__ import annotations

import pytest
from hook_support import Agents, Home

from holdfast.errors import UsageError

OFF = {"HOLDFAST": "off"}


def assert_nothing_is_captured(fresh: Home, why: str) -> None:
    before = {path: (fresh.vault / path).read_bytes() for path in captured(fresh)}
    told = fresh.hook(fresh.event("SessionStart", "unheard"))
    assert told.status == 0
    assert told.context == f"Holdfast captures nothing in this session: {why}."
    for name in ("UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"):
        done = fresh.hook(fresh.event(name, "unheard", prompt="remember this"))
        assert (done.status, done.out, done.err) == (0, "", "")
    handed = {"event": "flag", "session": "unheard", "cwd": str(fresh.project), "flags": [{"text": "unheard"}]}
    assert fresh.hook(handed, "generic").out == ""
    typed = fresh.fast("flag", "unheard")
    assert typed.status == UsageError.exit_status
    assert typed.err == f"holdfast flag: Nothing was written: {why}.\n"
    assert {path: (fresh.vault / path).read_bytes() for path in captured(fresh)} == before


def captured(fresh: Home) -> list[str]:
    """What of the vault holds somebody's words or moments."""
    rooms = (".state/queue", ".state/ledger", ".state/episodes", ".state/marks")
    return [path for path in fresh.files() if path.startswith(rooms) and (fresh.vault / path).is_file()]


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no", "false"])
def test_the_environment_switches_capture_off(fresh: Home, word: str) -> None:
    fresh.more = {"HOLDFAST": word}
    fresh.answer(fresh.event("SessionStart"))
    assert captured(fresh) == []


def test_with_holdfast_off_nothing_is_captured_and_all_say_so(fresh: Home) -> None:
    fresh.more = dict(OFF)
    assert_nothing_is_captured(fresh, "HOLDFAST=off is set")


def test_with_a_pause_nothing_is_captured_and_all_say_so(fresh: Home) -> None:
    assert fresh.fast("pause").out == "Paused: nothing is captured until `holdfast resume`.\n"
    assert_nothing_is_captured(fresh, "holdfast is paused (`holdfast resume` ends it)")


def test_in_a_project_that_wants_it_nothing_is_captured_and_all_say_so(fresh: Home) -> None:
    (fresh.project / ".holdfast.toml").write_text("off = true\n")
    assert_nothing_is_captured(fresh, "this project's .holdfast.toml says off = true")


def test_a_resume_ends_a_pause(fresh: Home) -> None:
    fresh.fast("pause")
    done = fresh.fast("resume")
    assert (done.status, done.out) == (0, "Capture goes on.\n")
    assert fresh.fast("flag", "heard again").status == 0
    assert "heard again" in fresh.hook(fresh.event("SessionStart")).context


def test_a_pause_twice_is_one_and_a_resume_without_one_says_so(fresh: Home) -> None:
    assert [fresh.fast("pause").status, fresh.fast("pause").status] == [0, 0]
    assert fresh.fast("resume").out == "Capture goes on.\n"
    again = fresh.fast("resume")
    assert (again.status, again.out) == (0, "Nothing was paused.\n")


def test_what_waited_before_a_pause_waits_after_it(fresh: Home) -> None:
    fresh.flag("from before")
    fresh.fast("pause")
    fresh.fast("resume")
    assert fresh.texts() == ["from before"]


def test_a_project_that_no_longer_wants_it_is_heard_again(fresh: Home) -> None:
    wish = fresh.project / ".holdfast.toml"
    wish.write_text("off = true\n")
    fresh.answer(fresh.event("SessionStart"))
    wish.unlink()
    fresh.answer(fresh.event("SessionStart"))
    assert fresh.episode().state == "open"


@pytest.mark.parametrize("text", ["off = false", "off = 0", 'off = "no"', "on = true", "", "off = ", "\xff"])
def test_what_says_nothing_of_off_switches_no_project_off(fresh: Home, text: str) -> None:
    (fresh.project / ".holdfast.toml").write_text(text, encoding="latin-1")
    assert fresh.answer(fresh.event("SessionStart")) == ""
    assert fresh.episode().state == "open"


@pytest.mark.parametrize(
    "text", ['off = "true"', "off = 1", "off = True", "[holdfast]\noff = true", "off = oh\noff=true"]
)
def test_whoever_meant_off_is_not_captured_for_a_misspelling(fresh: Home, text: str) -> None:
    (fresh.project / ".holdfast.toml").write_text(text)
    assert "captures nothing" in fresh.answer(fresh.event("SessionStart"))
    assert fresh.files() == []


def test_other_projects_are_heard_while_one_is_off(fresh: Home) -> None:
    (fresh.project / ".holdfast.toml").write_text("off = true\n")
    other = fresh.folder / "other"
    other.mkdir()
    assert fresh.answer({**fresh.event("SessionStart"), "cwd": str(other)}) == ""
    assert fresh.episode().project == fresh.project_id(other)


def test_a_compaction_does_not_say_it_a_second_time_in_other_words(fresh: Home) -> None:
    fresh.more = dict(OFF)
    told = fresh.answer(fresh.event("SessionStart", source="compact"))
    assert told in ("", "Holdfast captures nothing in this session: HOLDFAST=off is set.")


@pytest.mark.parametrize("how", ["environment", "project"])
def test_what_is_off_leaves_no_trace_in_the_vault(fresh: Home, how: str) -> None:
    """projects.toml is in git and synced: the path or address of a project that wants no memory belongs nowhere."""
    if how == "environment":
        fresh.more = dict(OFF)
    else:
        (fresh.project / ".holdfast.toml").write_text("off = true\n")
    fresh.hook(fresh.event("SessionStart"))
    fresh.fast("flag", "unheard")
    assert [path for path in fresh.files() if path.endswith("projects.toml")] == []


@pytest.mark.slow
def test_a_session_that_ends_during_a_pause_is_not_called_dead(fresh: Home, agents: Agents) -> None:
    agent = agents()
    fresh.hook(fresh.event("SessionStart"), env={"CLAUDE_PID": str(agent.pid)})
    fresh.fast("pause")
    fresh.hook(fresh.event("SessionEnd"))
    agent.kill()
    fresh.fast("resume")
    assert fresh.hook(fresh.event("SessionStart", "s2")).context == ""

"""A close while a long session goes on: when enough waits, at a moment after which the work goes on, once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hook_support import Home, wait_until

from holdfast.capture import background, once

ON = {"HOLDFAST_CLOSE": "", background.PYTHON: sys.executable}


@pytest.fixture
def started(fresh: Home, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What would run in the background."""
    found: list[tuple[str, ...]] = []

    def start(_vault: str, _env: object, *words: str) -> int:
        found.append(words)
        return 1

    monkeypatch.setattr(background, "start", start)
    fresh.reply(fresh.event("SessionStart", source="startup"))
    return found


def flag(where: Home, count: int) -> None:
    for nth in range(count):
        where.flag(f"fact number {nth} of many", "s1")


def prompt(where: Home) -> None:
    where.reply(where.event("UserPromptSubmit", prompt="go on"), env=ON)


def test_a_dozen_flags_start_a_close_at_the_next_prompt(fresh: Home, started: list[tuple[str, ...]]) -> None:
    flag(fresh, 11)
    prompt(fresh)
    assert started == []
    flag(fresh, 1)
    prompt(fresh)
    assert started == [("background-close", str(fresh.project), fresh.project_id())]


def test_it_is_started_once_and_again_only_when_as_many_have_come(fresh: Home, started: list[tuple[str, ...]]) -> None:
    flag(fresh, 12)
    prompt(fresh)
    prompt(fresh)
    flag(fresh, 5)
    prompt(fresh)
    assert len(started) == 1
    flag(fresh, 7)
    prompt(fresh)
    assert len(started) == 2


def test_a_closed_chapter_is_such_a_moment_too(fresh: Home, started: list[tuple[str, ...]]) -> None:
    flag(fresh, 12)
    call: dict[str, object] = {
        "tool_name": "Bash",
        "tool_input": {"command": "git commit -m x"},
        "tool_response": {"stdout": "[main 1234567] x"},
    }
    fresh.reply({**fresh.event("PostToolUse", tool_use_id="1"), **call}, env=ON)
    assert len(started) == 1


def test_the_end_of_a_turn_is_none_since_the_session_may_be_about_to_end(
    fresh: Home, started: list[tuple[str, ...]]
) -> None:
    flag(fresh, 20)
    fresh.reply(fresh.event("Stop"), env=ON)
    assert started == []


def test_where_closes_are_off_none_is_started(fresh: Home, started: list[tuple[str, ...]]) -> None:
    flag(fresh, 20)
    fresh.reply(fresh.event("UserPromptSubmit", prompt="go on"), env={"HOLDFAST_CLOSE": "off"})
    assert started == []


@pytest.mark.parametrize(("said", "count"), [("midway = 3", 1), ("midway = 0", 0)])
def test_the_config_says_how_many_are_enough_and_0_is_never(
    fresh: Home, started: list[tuple[str, ...]], said: str, count: int
) -> None:
    Path(fresh.state, "config.toml").write_text(f"[close]\n{said}\n")
    flag(fresh, 5)
    prompt(fresh)
    assert len(started) == count


@pytest.mark.slow
def test_the_close_files_them_while_the_session_goes_on_and_its_end_tells_the_story_once(fresh: Home) -> None:
    fresh.reply(fresh.event("SessionStart", source="startup"))
    fresh.reply(fresh.event("UserPromptSubmit", prompt="begin the work"))
    flag(fresh, 12)
    prompt(fresh)
    wait_until("the flags are filed", lambda: not fresh.waiting())
    assert not list(fresh.vault.glob("lineage/*/*.md"))
    assert once.read(fresh.state, fresh.episode().key, once.UNFILED) is None
    fresh.reply(fresh.event("SessionEnd", reason="other"), env=ON)
    wait_until("the handoff is there", lambda: list(fresh.vault.glob("lineage/*/*.md")))
    wait_until("the mark is gone", lambda: not fresh.marks())
    (handoff,) = fresh.vault.glob("lineage/*/*.md")
    assert "fact number 11 of many" in handoff.read_text()


def test_a_vault_that_a_repository_brings_does_not_say_when(
    fresh: Home, started: list[tuple[str, ...]], tmp_path: Path
) -> None:
    Path(fresh.state, "config.toml").write_text("[close]\nmidway = 1\n")
    flag(fresh, 2)
    own = {**ON, "HOLDFAST_CHILD": "", "HOLDFAST_OWN": str(tmp_path)}
    fresh.reply(fresh.event("UserPromptSubmit", prompt="go on"), env=own)
    assert len(started) == 1  # the variable counts for nothing in a process that we did not start

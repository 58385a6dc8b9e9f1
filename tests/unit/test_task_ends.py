"""The end of a task is meant, and can be taken back: what is left is said before it is completed, and one that is over
goes on with all of its memory."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hook_support import Home, Terminal

from holdfast.cli import output
from holdfast.tasks import record


def start(terminal: Terminal, *units: str) -> None:
    options = [word for one in units for word in ("--units", one)]
    assert terminal("task", "start", "audit", "Check the orders", *options).status == 0


def state(terminal: Terminal, name: str = "audit") -> str:
    return str(json.loads(terminal("task", "show", name, "--json").out)["state"])


@pytest.mark.slow
def test_a_task_of_which_something_is_left_is_not_completed_unless_that_is_meant(terminal: Terminal) -> None:
    start(terminal, "files 001-003", "orders/batch_4/")
    terminal("task", "checkpoint", "COMPLETED: file 001")
    terminal("task", "checkpoint", "FAILED: file 003")
    done = terminal("task", "complete", "audit", "--status", "all done")
    assert done.status == 2
    assert "Not all of task audit is done: pending file 002, orders/batch_4/ · failed file 003" in done.err
    assert "nothing was changed" in done.err
    assert state(terminal) == "active"
    assert terminal("task", "complete", "audit", "--anyway").status == 0
    assert state(terminal) == "completed"


@pytest.mark.slow
def test_a_task_that_nobody_named_is_not_completed_unless_that_is_meant(terminal: Terminal) -> None:
    start(terminal)
    done = terminal("task", "complete")
    assert done.status == 2
    assert "No task was named; audit (Check the orders) is the one that is open here" in done.err
    assert state(terminal) == "started"
    assert terminal("task", "complete", "--json").status == 2, "a script has nobody to ask"
    assert terminal("task", "complete", env={"HOLDFAST_TASK": "audit"}).status == 0, "`task run` has named it"


@pytest.mark.slow
def test_all_done_and_named_is_completed_at_once(terminal: Terminal) -> None:
    start(terminal, "files 001-003")
    terminal("task", "checkpoint", "COMPLETED: files 001-003")
    assert terminal("task", "complete", "audit").status == 0


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "becomes"), [("y", "completed"), ("n", "started")])
def test_at_a_terminal_it_is_asked(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, answer: str, becomes: str
) -> None:
    start(terminal, "files 001-003")
    asked: list[str] = []

    def confirm(question: str) -> bool:
        asked.append(question)
        return answer == "y"

    monkeypatch.setattr(output, "is_answered", lambda: True)
    monkeypatch.setattr(output, "confirm", confirm)
    terminal("task", "complete", "audit")
    assert asked == ["Not all of task audit is done: pending files 001-003. Complete it all the same?"]
    assert state(terminal) == becomes


@pytest.mark.slow
@pytest.mark.parametrize("end", [("complete", "audit", "--anyway"), ("abandon", "audit")])
def test_a_task_that_is_over_is_reopened_with_all_of_its_memory(
    terminal: Terminal, end: tuple[str, ...], fresh: Home
) -> None:
    start(terminal, "files 001-003")
    terminal("task", "checkpoint", "COMPLETED: file 001")
    terminal("task", "checkpoint", "DO NOT modify config/auth.yaml")
    terminal("task", "checkpoint", "--discovery", "`a.json` is cut off")
    terminal("task", *end)
    vault = fresh.vault
    assert not (vault / "tasks" / "audit").exists()
    refused = terminal("task", "checkpoint", "--task", "audit", "COMPLETED: file 002")
    assert "`holdfast task reopen audit` goes on with it" in refused.err

    done = terminal("task", "reopen", "audit", "--reason", "two files are left")
    assert (done.status, done.out) == (0, "task audit is reopened\nnext: file 002\n")
    assert not list(vault.glob("outputs/*")), "there is one place for it"
    shown = json.loads(terminal("task", "show", "audit", "--json").out)
    assert shown["state"] == "reopened"
    assert [one["text"] for one in shown["decisions"]] == ["DO NOT modify config/auth.yaml"]
    assert [one["text"] for one in shown["discoveries"]] == ["`a.json` is cut off"]
    assert "reopened: two files are left" in (vault / "tasks" / "audit" / "session_memory.md").read_text()

    terminal("task", "checkpoint", "--task", "audit", "COMPLETED: files 002-003")
    assert state(terminal) == "active"
    assert terminal("task", "complete", "audit").status == 0
    text = (vault / "outputs" / "session_memory_final_audit.md").read_text()
    for line in ("COMPLETED: file 001", "COMPLETED: files 002-003", "reopened: two files are left", "TASK COMPLETE"):
        assert line in text, line
    for path in Path(record.own(str(vault))).glob("index.db*"):
        os.unlink(path)
    assert state(terminal) == "completed", "the index made anew says the same"


@pytest.mark.slow
def test_what_is_not_over_cannot_be_reopened(terminal: Terminal) -> None:
    start(terminal)
    done = terminal("task", "reopen", "audit")
    assert done.status == 2
    assert "Task audit is started, not over; nothing was changed." in done.err


@pytest.mark.slow
def test_a_reopened_task_is_told_at_the_next_start(terminal: Terminal, fresh: Home) -> None:
    start(terminal, "files 001-003")
    terminal("task", "complete", "audit", "--anyway")
    assert "audit" not in fresh.answer(fresh.event("SessionStart", "s1", source="startup"))
    terminal("task", "reopen", "audit")
    told = fresh.answer(fresh.event("SessionStart", "s2", source="startup"))
    assert "Task audit (reopened): Check the orders" in told

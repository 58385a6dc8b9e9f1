"""A long task over several sessions of a real host: what one decided and did is before the model of the next in its
first request, also when the one before was killed; and a checkpoint is asked for, and taken, while the work goes on."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk, wait_for
from .steps import Step, say

pytestmark = pytest.mark.e2e

TASK, GOAL = "orders-audit", "Check the orders of all five units"
AUTH = "DO NOT modify config/auth.yaml: three services read it"
PORT, NEW_PORT = "Use port 8080 for the mock server", "Use port 9090 for the mock server"
FOUND = "unit 2 has an order without a customer"
READ_FIRST = f"Read tasks/{TASK}/session_memory.md first"
ALLOWED = ("Bash(holdfast task start:*)", "Bash(holdfast task next:*)")  # what the three sessions are not about
LOOKS = ("show", "next", "is-done unit 1", "list", "decisions")  # what the protocol has an agent look at
NUDGE = f"3 calls of tools on task {TASK} without a checkpoint"


def checkpoint(desk: Desk, *words: str) -> Step:
    """The model checkpoints with its own shell."""
    *options, text = words
    return desk.shell(" ".join(["holdfast task checkpoint", *options, f"'{text}'"]))


def shown(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(desk.holdfast("task", "show", TASK, "--json"))
    return found


def first_session(claude: ClaudeDesk) -> str:
    """It begins the task, decides, and does two of the five units."""
    claude.allow(*ALLOWED)
    return claude.ask(
        "Audit the orders",
        claude.shell(f"holdfast task start {TASK} '{GOAL}' --units 'units 1-5'"),
        checkpoint(claude, "--decision", AUTH),
        checkpoint(claude, "--decision", PORT),
        checkpoint(claude, "COMPLETED: unit 1"),
        checkpoint(claude, "--discovery", FOUND),
        checkpoint(claude, "COMPLETED: unit 2"),
        say("Two units are done."),
    )


def killed_in_unit_3(claude: ClaudeDesk, old: str) -> str:
    """It changes a decision, begins the third unit, and is killed while a tool of it runs."""
    work = claude.project / "work.sh"
    work.write_text("#!/bin/sh\n: > started\nexec tail -f /dev/null\n", encoding="utf-8")
    work.chmod(0o755)
    claude.allow("Bash(./work.sh)", *ALLOWED)
    before = len(claude.server.of())
    process = claude.begin(
        "Go on with the audit",
        checkpoint(claude, "--decision", f"--supersedes {old}", NEW_PORT),
        checkpoint(claude, "IN_PROGRESS: unit 3"),
        claude.shell("./work.sh"),
    )
    wait_for("the work", (claude.project / "started").exists, more=lambda: [process.poll(), claude.log()[-6:]])
    claude.end(process, signal.SIGKILL)
    return claude.server.of()[before].session


def test_a_task_goes_on_at_the_right_unit_in_its_third_session_though_the_second_was_killed(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    first = first_session(claude)
    asked = server.of("main", first)
    assert f"started task {TASK}" in asked[1].last_result
    assert [f"in task {TASK}" in one.last_result for one in asked[2:]] == [True] * 5, "the commands themselves ran"
    old = next(one["id"] for one in shown(claude)["decisions"] if one["text"] == PORT)

    second = killed_in_unit_3(claude, old)
    began = server.of("main", second)[0]
    for text in (READ_FIRST, AUTH, PORT, FOUND, "Next step: unit 3", "completed units 1-2", "Its last session is over"):
        assert began.knows(text), text

    third = claude.ask("Go on with the audit", claude.shell("holdfast task next"), say("Unit 3, then."))
    begins = server.of("main", third)[0]
    for text in (READ_FIRST, AUTH, NEW_PORT, FOUND, f"Task {TASK} (active): {GOAL}"):
        assert begins.knows(text), text
    assert not begins.knows(PORT), "it is superseded"
    assert begins.knows("Next step: unit 3: it was begun; look at what is there before doing it again")
    assert begins.knows(f"Its last session died; it can be gone on with: `holdfast task resume {TASK}`")
    assert begins.knows("completed units 1-2")
    assert "unit 3" in server.of("main", third)[1].last_result

    told = {one["section"]: one["episode"] for one in claude.log("--kind", "task") if one["task"] == TASK}
    assert told["discovery"] == f"{claude.agent}/{first}/1"
    assert told["progress"] == told["decision"] == f"{claude.agent}/{second}/1"
    assert len(shown(claude)["progress"]["entries"]) == 4, "nothing was written twice: the pending, 1, 2 and 3"
    assert claude.errors() == []


def test_a_checkpoint_is_asked_for_after_so_many_calls_and_the_models_own_lands_with_its_session(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    (claude.vault / ".state" / "config.toml").write_text("[task]\ncalls = 3\n", encoding="utf-8")
    claude.holdfast("task", "start", TASK, GOAL, "--units", "units 1-5")
    looks = [claude.shell("ls") for _ in range(3)]
    done = checkpoint(claude, "COMPLETED: unit 1")
    session = claude.ask("Audit the orders", *looks, done, claude.shell("ls"), say("One unit is done."))
    asked = server.of("main", session)
    assert [bool(one.places(NUDGE)) for one in asked] == [False, False, False, True, True, True]
    assert len(asked[-1].places(NUDGE)) == 1
    assert asked[3].knows('holdfast task checkpoint --progress|--decision|--discovery "…"')
    decided = [one for one in claude.log("--kind", "nudge") if one["boundary"] == "checkpoint"]
    assert [one["decision"] for one in decided] == ["said"]
    (entry,) = [one for one in claude.log("--kind", "task", "--session", session) if one["section"] == "progress"]
    assert entry["episode"] == f"{claude.agent}/{session}/1"
    assert shown(claude)["progress"]["completed"] == ["unit 1"]
    assert claude.errors() == []


def test_what_codex_lets_no_command_write_is_taken_by_the_hook_and_told_to_the_next_session(
    codex: CodexDesk, server: ModelServer
) -> None:
    codex.holdfast("task", "start", TASK, GOAL, "--units", "units 1-5")
    session = codex.ask(
        "Audit the orders",
        checkpoint(codex, "--decision", AUTH),
        checkpoint(codex, "COMPLETED: unit 1"),
        say("One unit is done."),
    )
    asked = server.of("main", session)
    assert asked[0].knows("Next step: unit 1")
    assert all("the hook had taken it" in one.last_result for one in asked[1:])
    seen = shown(codex)
    assert [one["text"] for one in seen["decisions"]] == [AUTH]
    assert seen["progress"]["completed"] == ["unit 1"]
    assert {one["episode"] for one in seen["decisions"]} == {f"codex/{session}/1"}
    following = codex.ask("Go on", say("I see."))
    begins = server.of("main", following)[0]
    for text in (READ_FIRST, AUTH, "Next step: unit 2", "Its last session is over"):
        assert begins.knows(text), text
    assert codex.errors() == []


def test_what_the_protocol_asks_for_needs_nobodys_approval_in_claude(claude: ClaudeDesk, server: ModelServer) -> None:
    """A session without a terminal has nobody to ask."""
    steps = [claude.shell(f"holdfast task {what}") for what in (f"start {TASK} '{GOAL}'", *LOOKS, "pause", "resume")]
    session = claude.ask("Audit the orders", *steps, say("Done."))
    refused = [what.answer for what in server.of("main", session)[1:] if "requires approval" in what.last_result]
    assert refused == []
    assert shown(claude)["state"] == "resumed"


def test_a_command_of_codex_that_may_write_nothing_can_look_at_the_task(codex: CodexDesk, server: ModelServer) -> None:
    codex.holdfast("task", "start", TASK, GOAL, "--units", "units 1-5")
    looks = [codex.shell(f"holdfast task {what}") for what in LOOKS]
    session = codex.ask("Where are we?", *looks, say("At unit 1."))
    answers = [one.last_result for one in server.of("main", session)[1:]]
    assert not [one for one in answers if "Read-only" in one or "Traceback" in one], answers
    assert GOAL in answers[0]
    assert "unit 1" in answers[1]
    assert "not done" in answers[2]

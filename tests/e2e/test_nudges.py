"""Something was finished: the model is asked once what was learned, where the host can carry the question."""

from __future__ import annotations

import threading

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk, both_hosts, wait_for
from .steps import SUBAGENT, call, say

pytestmark = pytest.mark.e2e

CHAPTER, TASK, AGENT, COMMIT = "A chapter is closed", "Done (", "A subagent has finished", "Committed"


def said(desk: Desk, boundary: str) -> list[str]:
    """The decisions at one kind of boundary, as the ledger has them."""
    return [one["decision"] for one in desk.log("--kind", "nudge") if one["boundary"] == boundary]


@both_hosts
def test_a_chapter_that_is_marked_nudges_once(desk: Desk, server: ModelServer) -> None:
    desk.offer_chapters()
    desk.ask("Go on", *desk.chapter("Locking"), desk.shell("ls"), say("Nothing to flag."))
    asked = server.of()
    assert "orders.py" in asked[-1].last_result
    assert not asked[-3].knows(CHAPTER)
    assert [one.places(CHAPTER) != [] for one in asked[-2:]] == [True, True]
    assert len(asked[-1].places(CHAPTER)) == 1
    assert asked[-1].knows("holdfast flag --kind decision|lesson|progress --evidence FILE:LINE '…'")
    assert said(desk, "chapter") == ["said", "declined"]
    assert desk.errors() == []


def test_a_task_that_is_completed_nudges_in_claude(claude: ClaudeDesk, server: ModelServer) -> None:
    # The task tools are off in headless runs unless they are named.
    claude.options = ("--allowedTools=TaskCreate,TaskUpdate",)
    steps = [
        call("ToolSearch", query="select:TaskCreate,TaskUpdate"),
        call("TaskCreate", subject="Lock the orders", description="With a version", activeForm="Locking"),
        call("TaskUpdate", taskId="1", status="completed"),
        claude.shell("ls"),
        say("Nothing to flag."),
    ]
    claude.ask("Go on", *steps)
    assert "orders.py" in server.of()[-1].last_result
    assert len(server.of()[-1].places('Done ("Lock the orders")')) == 1
    assert "task-completed" in [one["event"] for one in claude.log("--kind", "hook")]
    assert claude.errors() == []


def test_a_step_of_the_plan_that_is_completed_nudges_in_codex(codex: CodexDesk, server: ModelServer) -> None:
    codex.add_config(tables="[tools.update_plan]\nenabled = true")
    first = [{"step": "Lock the orders", "status": "completed"}, {"step": "Test it", "status": "pending"}]
    again = [first[0], {"step": "Test it", "status": "in_progress"}]
    codex.ask("Go on", call("update_plan", plan=first), call("update_plan", plan=again), say("Nothing to flag."))
    assert len(server.of()[-1].places('Done ("Lock the orders")')) == 1, "a step counts once"
    assert codex.errors() == []


def test_a_commit_nudges_in_claude(claude: ClaudeDesk, server: ModelServer) -> None:
    """Codex's sandbox lets no command write to .git."""
    claude.git("config", "user.name", "Ada")
    claude.git("config", "user.email", "ada@example.com")
    claude.allow("Bash(git commit:*)")
    claude.ask("Go on", claude.shell("git commit --allow-empty -m Locks"), claude.shell("ls"), say("Nothing to flag."))
    assert claude.git("log", "--format=%s").splitlines()[0] == "Locks"
    assert len(server.of()[-1].places(COMMIT)) == 1


@both_hosts
def test_flags_that_were_just_written_keep_the_nudge_silent(desk: Desk, server: ModelServer) -> None:
    desk.offer_chapters()
    flagged = desk.shell('holdfast flag --kind lesson "Locks need a version"')
    desk.ask("Go on", flagged, *desk.chapter("Locking"), desk.shell("ls"), say("Done."))
    assert server.of()[-1].places(CHAPTER) == []
    (silent,) = [one for one in desk.log("--kind", "nudge") if one["boundary"] == "chapter"]
    assert silent["decision"] == "silent"
    assert "flags were written" in silent["reason"]


@both_hosts
def test_a_subagent_that_finishes_nudges_its_parent_and_is_told_nothing_itself(desk: Desk, server: ModelServer) -> None:
    desk.holdfast("remember", "--kind", "rule", "Orders use optimistic locking")
    held = threading.Event()
    server.play(desk.shell("ls"), say("checkout.py:88 calls it."), role=SUBAGENT)
    steps = [desk.delegate("Find the callers"), desk.shell("ls", held=held), desk.shell("ls"), say("Nothing to flag.")]
    process = desk.begin("Who calls it?", *steps)
    try:
        wait_for(
            "the subagent's end",
            lambda: "subagent-stop" in [one["event"] for one in desk.log("--kind", "hook")],
            more=lambda: [process.poll(), desk.log()],
        )
    finally:
        held.set()
    desk.finish(process)
    subagent = server.of("subagent")
    assert len(subagent) == 2
    assert not any(one.knows("holdfast-memory") or one.knows("holdfast flag") for one in subagent)
    assert len(server.of()[-1].places(AGENT)) == 1
    assert desk.errors() == []

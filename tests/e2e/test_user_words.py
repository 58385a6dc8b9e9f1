"""What the user says, with a model that stays silent: kept in their words, told by the next start, made no rule."""

from __future__ import annotations

import re
import signal

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk, both_hosts, wait_for
from .steps import Step, call, say

pytestmark = pytest.mark.e2e

POLICY = "We don't squash commits here, our reviewers read them one by one!"
AGAIN = (
    "Please leave our commits alone, the reviewers read them one by one, so we don't squash commits!",
    "You must not squash commits, our reviewers read them one by one!",
)
HEADING = "The user said (newest first, in the user's own words):"


def close(desk: Desk) -> None:
    desk.holdfast("close")


@both_hosts
def test_a_policy_without_a_cue_word_is_in_the_next_start_in_the_users_words(desk: Desk, server: ModelServer) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    desk.ask(POLICY, say("Understood."))
    assert desk.waiting() == [], "no pattern fits it"
    close(desk)
    following = desk.ask("Hello", say("Hello."))
    (asked,) = server.of("main", following)
    assert asked.knows(HEADING)
    assert asked.knows(f"{POLICY} (said by the user on ")
    assert POLICY in desk.holdfast("prompts")
    assert desk.errors() == []


@both_hosts
def test_a_session_that_was_killed_leaves_the_users_words_to_the_very_next_start(
    desk: Desk, server: ModelServer
) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    work = desk.project / "work.sh"
    work.write_text("#!/bin/sh\n: > started\nexec tail -f /dev/null\n", encoding="utf-8")
    work.chmod(0o755)
    desk.allow("Bash(./work.sh)")
    process = desk.begin(POLICY, desk.shell("./work.sh"))
    wait_for("the tool call", (desk.project / "started").exists, more=lambda: [process.poll(), desk.log()])
    desk.end(process, signal.SIGKILL)
    following = desk.ask("Hello", say("Hello."))
    (asked,) = server.of("main", following)
    assert asked.knows(f"{POLICY} (said by the user on ")


@both_hosts
def test_remember_this_keeps_what_the_agent_had_said(desk: Desk, server: ModelServer) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    session = desk.ask("why is it slow?", say("The index is rebuilt on every call, so cache it."))
    desk.ask("remember this", say("The weather is fine."), resume=session)
    (flag,) = desk.waiting()
    assert flag["text"].startswith('"The index is rebuilt on every call, so cache it." (the agent')
    close(desk)
    following = desk.ask("Hello", say("Hello."))
    assert server.of("main", following)[0].knows("The index is rebuilt on every call, so cache it.")
    assert [path.name for path in desk.vault.glob("feedback/the-index-is-rebuilt*.md")]


@both_hosts
def test_an_agents_own_rule_is_a_proposal_in_the_next_start(desk: Desk, server: ModelServer) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    rule = "Every function gets a docstring"
    desk.ask("Go on", desk.shell(f"holdfast flag --kind rule '{rule}'"), say("Done."))
    close(desk)
    following = desk.ask("Hello", say("Hello."))
    (asked,) = server.of("main", following)
    assert asked.knows("(proposed by the agent, not confirmed by the user)")
    assert not asked.knows(f"- {rule}\n")
    (note,) = desk.vault.glob("rules/*.md")
    assert "status: proposed" in note.read_text(encoding="utf-8")


def asks_and_is_answered(desk: Desk, server: ModelServer, boundary: Step) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    answer = desk.shell("holdfast flag --for 1 --kind rule 'Commits are not squashed'")
    session = desk.ask(POLICY, boundary, answer, say("Done."))
    shown = [one for one in server.of("main", session) if one.knows("The user said in this session:")]
    assert shown, ["the boundary shows the user's own sentence", desk.log("--kind", "nudge"), desk.errors()]
    close(desk)
    (note,) = desk.vault.glob("rules/*.md")
    text = note.read_text(encoding="utf-8")
    assert "status: active" in text
    assert f'the user: "{POLICY}"' in text


def test_a_commit_asks_about_the_users_words_in_claude(claude: ClaudeDesk, server: ModelServer) -> None:
    claude.git("config", "user.name", "Ada")
    claude.git("config", "user.email", "ada@example.com")
    claude.allow("Bash(git commit:*)")
    asks_and_is_answered(claude, server, claude.shell("git commit --allow-empty -m Locks"))


def test_a_finished_step_asks_about_the_users_words_in_codex(codex: CodexDesk, server: ModelServer) -> None:
    codex.add_config(tables="[tools.update_plan]\nenabled = true")
    plan = [{"step": "Lock the orders", "status": "completed"}, {"step": "Test it", "status": "pending"}]
    asks_and_is_answered(codex, server, call("update_plan", plan=plan))


@both_hosts
def test_what_is_said_in_three_sessions_is_told_as_said_three_times(desk: Desk, server: ModelServer) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    for words in (POLICY, *AGAIN):
        desk.ask(words, say("Fine."))
        close(desk)
    following = desk.ask("Hello", say("Hello."))
    (asked,) = server.of("main", following)
    assert asked.knows("(said three times, last on ")
    (note,) = desk.vault.glob("feedback/*.md")
    assert re.search(r"^status: unconfirmed$", note.read_text(encoding="utf-8"), re.MULTILINE)

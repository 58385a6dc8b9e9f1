"""The start does not grow: after a thousand turns it says no more than a host carries, and it says the newest."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from .claude_desk import ClaudeDesk
from .model_server import ModelServer
from .steps import say

pytestmark = pytest.mark.e2e

SESSIONS, TURNS = 20, 50
CHARACTERS, LINES = 9000, 200


def moment(desk: ClaudeDesk, line: str, event: str, session: str, **more: str) -> str:
    """One hook event as Claude Code sends it, through the line that is registered."""
    payload = {"hook_event_name": event, "session_id": session, "cwd": str(desk.project), **more}
    env = {**desk.env, "HOLDFAST_CLOSE": "off"}
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        input=json.dumps(payload),
        env=env,
        cwd=desk.project,
        capture_output=True,
        text=True,
        check=True,
    )
    return (
        str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout.startswith("{") else ""
    )


def test_a_thousand_turns_and_the_brief_is_no_longer(claude: ClaudeDesk, server: ModelServer) -> None:
    settings = json.loads(claude.settings.read_text(encoding="utf-8"))
    line = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]

    def live(session: str) -> None:
        for turn in range(TURNS):
            moment(claude, line, "UserPromptSubmit", session, prompt=f"{session}: step {turn} of the orders")
            moment(claude, line, "Stop", session, last_assistant_message="Done.")

    briefs = []
    for number in range(0, SESSIONS, 2):
        pair = [f"session-{number + one:02}" for one in range(2)]
        briefs += [moment(claude, line, "SessionStart", session, source="startup") for session in pair]
        with ThreadPoolExecutor(2) as both:
            list(both.map(live, pair))
        for session in pair:
            env = {"CLAUDE_CODE_SESSION_ID": session}
            claude.holdfast("flag", "--kind", "lesson", f"What {session} taught about the orders", env=env)
            moment(claude, line, "SessionEnd", session, reason="other")
        claude.holdfast("close")
    turns = [one for one in claude.log("--kind", "hook") if one["event"] == "prompt"]
    assert len(turns) == SESSIONS * TURNS
    assert max(len(brief) for brief in briefs) <= CHARACTERS
    assert max(brief.count("\n") + 1 for brief in briefs) <= LINES
    claude.ask("What do we know?", say("This."))
    (told,) = [one.text for one in server.of()[0].told if "<holdfast-memory>" in one.text]
    brief = told.partition("<holdfast-memory>")[2].partition("</holdfast-memory>")[0]
    assert f"session-{SESSIONS - 1:02}" in brief, "the newest is there"
    assert len(brief) <= CHARACTERS
    assert brief.count("\n") < LINES
    assert claude.errors() == []

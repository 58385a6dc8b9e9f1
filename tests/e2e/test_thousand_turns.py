"""The start does not grow: in a vault that holds more than a brief can carry, it says no more at the thousandth turn
than at the five hundredth, and it says the newest.

Both hosts share the vault. The last two turns of each 250 are theirs, one each, and their model is told the brief; the
others come through the lines that are registered with them, from sessions that run at once. What they leave is closed
before each measure, so that it finds the vault in the same state, only with more in it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk
from .steps import say

pytestmark = pytest.mark.e2e

TURNS, BLOCK, AT_ONCE = 1000, 250, 4
CHARACTERS, LINES = 9000, 200
SECTIONS = 3  # of which at least more is there than fits: own words, rules, notes; flags where some wait
MARGIN = 1.05  # which things fill the last of the room differs from start to start
FENCE, FOOT = "<holdfast-memory>", "</holdfast-memory>"
LONG = "the orders are locked by their version and never by a row, for rows have deadlocked before; " * 3
FORM = """# Where the orders stand after turn {turn}

## Goals
{long}{long}
## Done
{long}{long}
## Key decisions
{long}{long}
## Next steps
{long}{long}
"""


@dataclass
class Sessions:
    """The sessions of one host, through the line that is registered with it."""

    desk: Desk
    settings: Path

    @cached_property
    def line(self) -> str:
        hooks = json.loads(self.settings.read_text(encoding="utf-8"))["hooks"]
        (line,) = {one["command"] for groups in hooks.values() for group in groups for one in group["hooks"]}
        return str(line)

    def moment(self, event: str, session: str, **more: str) -> str:
        """One event as the host sends it; returns what the model would be told."""
        payload = {"hook_event_name": event, "session_id": session, "cwd": str(self.desk.project), **more}
        out = feed(self.desk, ["/bin/sh", "-c", self.line], json.dumps(payload))
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out.startswith("{") else ""

    def start(self, session: str) -> str:
        return brief_in(self.moment("SessionStart", session, source="startup"))

    def live(self, session: str, turns: range) -> None:
        for turn in turns:
            self.moment("UserPromptSubmit", session, prompt=f"Turn {turn:04} of {session}: {LONG}")
            self.moment("Stop", session, last_assistant_message="Done.")


def feed(desk: Desk, words: list[str], text: str) -> str:
    """What a program answers to a text on its input."""
    done = subprocess.run(
        words, input=text, env=desk.env, cwd=desk.project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def brief_in(text: str) -> str:
    _, fence, rest = text.partition(FENCE)
    brief, foot, _ = rest.partition(FOOT)
    assert fence
    assert foot, f"it was cut: {rest[-200:]}"
    return f"{fence}{brief}{foot}"


def fill(desk: Desk) -> None:
    """More of everything than a brief can carry."""
    for kind in ("rule", "lesson"):
        desk.holdfast("flag", "--kind", kind, *(f"Every {kind} {nth:04}: {LONG}" for nth in range(40)))
    desk.holdfast("close")
    brain = desk.vault / "BRAIN.md"
    own = "".join(f"\n{nth:02}: {LONG}\n" for nth in range(40))
    brain.write_text(own + brain.read_text(encoding="utf-8"), encoding="utf-8")


def leave(desk: Desk, turn: int) -> None:
    """Close what is open, hand off at length, and flag more than a brief can carry of what is not filed."""
    desk.holdfast("close")
    feed(desk, [str(desk.venv / "bin" / "holdfast"), "handoff"], FORM.format(turn=f"{turn:04}", long=LONG))
    desk.holdfast("flag", "--kind", "decision", *(f"Choice {nth:02} of turn {turn:04}: {LONG}" for nth in range(12)))


def live_through(hosts: list[Sessions], turns: range) -> list[str]:
    """Turns that are shared by sessions of both hosts, which begin, run and end beside each other; what their starts
    were told."""
    shares = [turns[nth::AT_ONCE] for nth in range(AT_ONCE)]
    lives = [(hosts[nth % len(hosts)], f"session-{share.start:04}", share) for nth, share in enumerate(shares)]
    told = [host.start(session) for host, session, _ in lives]
    with ThreadPoolExecutor(2) as both:
        list(both.map(lambda life: life[0].live(*life[1:]), lives))
    for host, session, _ in lives:
        host.moment("SessionEnd", session, reason="other")
    return told


def ask(desk: Desk, server: ModelServer, turn: int) -> str:
    """One turn of the real host; the brief that its model was told."""
    flag = f'holdfast flag --kind lesson "What turn {turn:04} taught about the orders"'
    session = desk.ask(f"Turn {turn:04}: {LONG}", desk.shell(flag), say("Done."))
    (told,) = [one.text for one in server.of("main", session)[0].told if FENCE in one.text]
    return brief_in(told)


def test_a_thousand_turns_and_the_brief_is_no_longer(
    claude: ClaudeDesk, desk_of: Callable[..., Desk], server: ModelServer
) -> None:
    codex = desk_of("codex", beside=claude)
    assert isinstance(codex, CodexDesk)
    for desk in (claude, codex):
        desk.extra["HOLDFAST_CLOSE"] = "off"
    hosts = [Sessions(claude, claude.settings), Sessions(codex, codex.hooks)]
    fill(claude)
    leave(claude, 0)
    briefs: dict[str, dict[int, str]] = {"claude": {}, "codex": {}, "line": {}}  # by the turns that were before
    for before in range(0, TURNS, BLOCK):
        briefs["line"][before], *_ = live_through(hosts, range(before + 1, before + BLOCK - 1))
        after = before + BLOCK
        for desk, turn in ((codex, after - 1), (claude, after)):
            leave(claude, turn - 1)
            briefs[desk.program.name][after] = ask(desk, server, turn)
        leave(claude, after)
    briefs["line"][TURNS] = hosts[0].start("session-after")
    assert len([one for one in claude.log("--kind", "hook") if one["event"] == "prompt"]) == TURNS
    for told in briefs.values():
        assert len(told[TURNS]) <= MARGIN * len(told[TURNS // 2])
        for turn in (TURNS // 2, TURNS):
            assert told[turn].count(" more left out") >= SECTIONS, "it was full"
        assert max(len(brief) for brief in told.values()) <= CHARACTERS
        assert max(brief.count("\n") + 1 for brief in told.values()) <= LINES
    assert f"after turn {TURNS - 1:04}" in briefs["claude"][TURNS], "the newest handoff"
    assert f"of turn {TURNS - 1:04}" in briefs["claude"][TURNS], "the newest flags"
    assert claude.errors() == []

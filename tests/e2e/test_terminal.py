"""The hosts' own interfaces in a terminal: start, /compact, /clear, the end; and the trust that Codex asks for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .carried import RULE, WISH, assert_carried_over
from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .processes import end_all_of, in_background_of, of_home
from .runners import Desk, wait_for
from .steps import say
from .terminal import Terminal

pytestmark = pytest.mark.e2e

READY = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"  # Claude Code waits for a prompt
FACT = "The clear comes after the locks"
FLAG = f'holdfast flag --kind decision "{FACT}"'


def wait_for_event(desk: Desk, terminal: Terminal, event: str, number: int = 1) -> list[dict[str, Any]]:
    def found() -> list[dict[str, Any]]:
        seen = [one for one in desk.log("--kind", "hook") if one["event"] == event]
        return seen if len(seen) >= number else []

    return wait_for(f"{event} {number}", found, more=lambda: f"\n{terminal.screen()}\n{desk.log()[-4:]}")


def test_a_day_in_the_terminal_of_claude(claude: ClaudeDesk, server: ModelServer) -> None:
    claude.holdfast("remember", "--kind", "rule", RULE)
    with Terminal(claude, claude.terminal_words()) as terminal:
        terminal.wait(READY)
        (started,) = wait_for_event(claude, terminal, "session-start")
        assert started["source"] == "startup"
        server.play(claude.shell("cat orders.py"), claude.shell(FLAG), say("Locked."))
        terminal.type(WISH)
        wait_for_event(claude, terminal, "turn-stop")
        assert server.of()[0].knows(RULE)

        terminal.type("/compact")
        wait_for_event(claude, terminal, "after-compaction")
        terminal.wait("Compacted")
        server.play(say("Going on."))
        terminal.type("Go on")
        wait_for_event(claude, terminal, "turn-stop", 2)
        assert_carried_over(claude, server, started["episode"].split("/")[1])

        terminal.type("/clear")
        cleared = wait_for_event(claude, terminal, "session-start", 3)[-1]
        assert cleared["source"] == "clear"
        first, second = started["episode"].split("/")[1], cleared["episode"].split("/")[1]
        server.play(say("Anew."))
        terminal.type("What now?")
        wait_for_event(claude, terminal, "turn-stop", 3)
        assert server.of("main", second)[0].knows(FACT), "what was just flagged, whether it is filed yet or not"

        terminal.type("/exit")
        ended = wait_for_event(claude, terminal, "session-end", 2)
        assert [one["reason"] for one in ended] == ["clear", "prompt_input_exit"]
        wait_for("the end of the terminal", terminal.is_over)
    for session in (first, second):
        claude.wait_for_close(session)
    assert claude.errors() == []


def test_a_terminal_that_is_closed_ends_the_session_of_claude(claude: ClaudeDesk, server: ModelServer) -> None:
    with Terminal(claude, claude.terminal_words()) as terminal:
        terminal.wait(READY)
        (started,) = wait_for_event(claude, terminal, "session-start")
        server.play(claude.shell(FLAG), say("Locked."))
        terminal.type("Lock the orders")
        wait_for_event(claude, terminal, "turn-stop")
    session = started["episode"].split("/")[1]
    assert claude.wait_for_close(session)["filed"] == 1
    assert claude.events(session)[-1] == "session-end", "the host itself told of it: nothing had to be found out"
    (episode,) = [one for one in claude.log("--kind", "episode") if one["episode"] == started["episode"]]
    assert episode["how"] == "ended"
    assert claude.errors() == []


def trust_in(terminal: Terminal) -> None:
    """What a user does once: "Hooks need review", the second choice."""
    terminal.wait("Hooks need review")
    terminal.settle()
    terminal.keys("Down")
    terminal.settle()
    terminal.keys("Enter")


def test_codex_runs_our_hooks_once_the_user_has_trusted_them_in_the_terminal(desk_of: Any, server: ModelServer) -> None:
    codex = desk_of("codex", ready=False)
    assert isinstance(codex, CodexDesk)
    codex.trusts = False
    codex.set_up()
    session = codex.ask("Hello", say("Hello."))
    assert codex.log("--session", session) == [], "untrusted hooks are passed over"
    assert json.loads(codex.holdfast("doctor", "--json", may_fail=True))["ok"] is False
    with Terminal(codex, codex.terminal_words()) as terminal:
        trust_in(terminal)
        terminal.wait("Ask Codex")
        wait_for("the trust", lambda: "trusted_hash" in codex.config.read_text(encoding="utf-8"))
    after = codex.ask("Hello", say("Hello."))
    assert codex.events(after) == ["session-start", "prompt", "turn-stop", "session-end"]


def test_a_day_in_the_terminal_of_codex(codex: CodexDesk, server: ModelServer) -> None:
    codex.holdfast("remember", "--kind", "rule", RULE)
    with Terminal(codex, codex.terminal_words()) as terminal:
        terminal.wait("Ask Codex")
        server.play(codex.shell("cat orders.py"), codex.shell(FLAG), say("Locked."))
        terminal.type(WISH)
        wait_for_event(codex, terminal, "turn-stop")
        (started,) = wait_for_event(codex, terminal, "session-start")
        assert started["source"] == "startup"
        assert server.of()[0].knows(RULE)

        terminal.type("/compact")
        wait_for_event(codex, terminal, "after-compaction")
        terminal.wait("Context compacted")
        server.play(say("Going on."))
        terminal.type("Go on")
        wait_for_event(codex, terminal, "turn-stop", 2)
        assert_carried_over(codex, server, started["episode"].split("/")[1])

        terminal.type("/clear")
        terminal.wait("Ask Codex")
        terminal.settle()
        server.play(say("Anew."))
        terminal.type("What now?")
        cleared = wait_for_event(codex, terminal, "session-start", 3)[-1]
        wait_for_event(codex, terminal, "turn-stop", 3)
        assert cleared["source"] == "clear"
        first, second = started["episode"].split("/")[1], cleared["episode"].split("/")[1]
        assert first != second
        assert server.of("main", second)[0].knows(FACT), "what was just flagged, whether it is filed yet or not"

        terminal.type("/quit")
        wait_for("the end of the terminal", terminal.is_over)
    # Codex leaves a server running that is the parent of our hooks, and tells of an end only a minute after the last
    # terminal has gone. Here the user logs out before that: nobody tells, so the next start has to find it out.
    wait_for(
        "the close of the first session", lambda: not in_background_of(codex.home)
    )  # kills are crash tests' subject
    assert of_home(codex.home) != []
    end_all_of(codex.home)
    codex.ask("Hello", say("Hello."))
    for session in (first, second):
        codex.wait_for_close(session)
    assert codex.errors() == []

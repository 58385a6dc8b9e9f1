"""The host refuses the command, or its sandbox the write: the flag is taken from the tool's input all the same."""

from __future__ import annotations

import json

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk
from .steps import say

pytestmark = pytest.mark.e2e

FACT = "Orders use optimistic locking"
FLAG = f'holdfast flag --kind decision --evidence orders.py:1 "{FACT}"'


def assert_taken_once(desk: Desk, session: str) -> None:
    (flag,) = desk.waiting()
    assert (flag["text"], flag["kind"], flag["session"]) == (FACT, "decision", session)
    assert desk.errors() == []


def test_a_flag_that_claude_refuses_is_not_lost(claude: ClaudeDesk, server: ModelServer) -> None:
    claude.extra["HOLDFAST_CLOSE"] = "off"
    settings = json.loads(claude.settings.read_text(encoding="utf-8"))
    del settings["permissions"]
    claude.settings.write_text(json.dumps(settings), encoding="utf-8")
    session = claude.ask("Note it", claude.shell(FLAG), claude.shell("ls"), say("Noted."))
    assert server.of()[1].last_result == "This command requires approval"
    assert_taken_once(claude, session)


def test_a_flag_that_codex_lets_write_nothing_is_not_lost(codex: CodexDesk, server: ModelServer) -> None:
    codex.extra["HOLDFAST_CLOSE"] = "off"
    config = codex.config.read_text(encoding="utf-8")
    codex.config.write_text(config.replace("/.holdfast/.state", "/elsewhere"), encoding="utf-8")
    session = codex.ask("Note it", codex.shell(FLAG), say("Noted."))
    assert "flagged" in server.of()[1].last_result, "it says that the hook has it"
    assert_taken_once(codex, session)

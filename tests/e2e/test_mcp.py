"""The agents call our tools over the Model Context Protocol, with the server as `init` offers to register it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import wait_for
from .steps import Step, call, say

pytestmark = pytest.mark.e2e

FACT = "Orders use optimistic locking"
SERVER = ["-P", "-m", "holdfast.cli.mcp"]
TOOL = "mcp__holdfast__"


def offer(claude: ClaudeDesk) -> None:
    """As `claude mcp add holdfast -- …` writes it, in a file of its own, and a user who allowed its tools."""
    server = {"type": "stdio", "command": str(claude.venv / "bin" / "python3"), "args": SERVER}
    path = claude.home / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"holdfast": server}}), encoding="utf-8")
    claude.options = ("--mcp-config", str(path), "--strict-mcp-config")
    claude.allow("mcp__holdfast")
    claude.extra["HOLDFAST_CLOSE"] = "off"


def use(tool: str, **words: Any) -> list[Step]:
    """It has to load the tool first, as it does with all tools of MCP servers."""
    return [call("ToolSearch", query=f"select:{TOOL}{tool}"), call(f"{TOOL}{tool}", **words)]


def test_claude_flags_and_recalls_through_our_tools_in_its_own_session(claude: ClaudeDesk, server: ModelServer) -> None:
    offer(claude)
    claude.holdfast("remember", "--kind", "knowledge", "--name", "retries", "The queue retries an order three times")
    session = claude.ask(
        "Note what you learned",
        *use("recall", query="how often does the queue retry?"),
        *use("flag", text=FACT, kind="decision", evidence=["orders.py:1"]),
        say("Noted."),
    )
    (flag,) = claude.waiting()
    assert (flag["text"], flag["kind"], flag["session"]) == (FACT, "decision", session)
    assert flag["origin"] == "agent", "our own answers are no text from outside"
    assert "flagged" in server.of()[-1].last_result
    results = [one.text for one in server.of()[-1].told if one.place == "result"]
    (recalled,) = (text for text in results if "The queue retries an order three times" in text)
    assert "<holdfast-memory>" in recalled
    assert claude.errors() == []


def test_the_server_ends_with_claude(claude: ClaudeDesk) -> None:
    offer(claude)
    claude.ask("Hello", *use("flag", text=FACT), say("Hello."))

    def gone() -> bool:
        done = claude.run(["pgrep", "-f", f"{claude.venv}/bin/python3.*holdfast.cli.mcp"])
        return not done.out.split()

    wait_for("the server to go", gone)


def test_claude_reads_the_brief_as_a_resource(claude: ClaudeDesk, server: ModelServer) -> None:
    offer(claude)
    claude.holdfast("remember", "--kind", "rule", "Locks have versions")
    claude.ask(
        "What is remembered?",
        call("ToolSearch", query="select:ReadMcpResourceTool"),
        call("ReadMcpResourceTool", server="holdfast", uri="holdfast://brief"),
        say("Locks have versions."),
    )
    assert "Locks have versions" in server.of()[-1].last_result


def test_codex_flags_through_our_tools_in_its_own_session(codex: CodexDesk, server: ModelServer) -> None:
    """Codex gives a server few variables: the others are named in its table. It begins without one that is not there
    within a second, and on a busy machine none is: so here it has to wait."""
    codex.extra["HOLDFAST_CLOSE"] = "off"
    table = (
        f'\n[mcp_servers.holdfast]\ncommand = "{codex.venv / "bin" / "python3"}"\nargs = {json.dumps(SERVER)}\n'
        'env_vars = ["HOLDFAST_HOME", "HOLDFAST", "HOLDFAST_SESSION", "HOLDFAST_HOST", "HOLDFAST_CLOSE"]\n'
        "required = true\n"
    )
    with codex.config.open("a", encoding="utf-8") as config:
        config.write(table)
    first = call("mcp__holdfast/recall", query="orders")
    session = codex.ask("Note it", first, call("mcp__holdfast/flag", text=FACT, kind="decision"), say("Noted."))
    assert "flagged" in server.of()[-1].last_result
    (flag,) = codex.waiting()
    assert (flag["text"], flag["session"], flag["origin"]) == (FACT, session, "agent")
    assert codex.errors() == []

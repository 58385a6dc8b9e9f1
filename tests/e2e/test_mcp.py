"""The agents call our tools over the Model Context Protocol, with the server as `init` offers to register it."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk, wait_for
from .steps import Step, call, say

pytestmark = pytest.mark.e2e

FACT = "Orders use optimistic locking"
KNOWN = "The queue retries an order three times"
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


def remember(desk: Desk) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    desk.holdfast("remember", "--kind", "knowledge", "--name", "retries", KNOWN)


def test_after_init_claude_has_our_tools_and_after_uninstall_none(claude: ClaudeDesk, server: ModelServer) -> None:
    remember(claude)
    own = json.loads(claude.own.read_text(encoding="utf-8"))
    stable = str(claude.home / ".local" / "share" / "holdfast" / "holdfast")
    assert own["mcpServers"]["holdfast"] == {"type": "stdio", "command": stable, "args": ["mcp"], "env": {}}
    session = claude.ask(
        "Note what you learned",
        *use("recall", query="how often does the queue retry?"),
        *use("flag", text=FACT, kind="decision"),
        call("ToolSearch", query="select:ReadMcpResourceTool"),
        call("ReadMcpResourceTool", server="holdfast", uri="holdfast://brief"),
        *use("flag", text="Locks have versions"),
        say("Noted."),
    )
    results = [one.text for one in server.of()[-1].told if one.place == "result"]
    assert any(KNOWN in text and "<holdfast-memory>" in text for text in results)
    flags = {one["text"]: (one["session"], one["origin"]) for one in claude.waiting()}
    assert flags == {FACT: (session, "agent"), "Locks have versions": (session, "agent")}
    assert claude.errors() == []
    checks = json.loads(claude.holdfast("doctor", "--json"))["checks"]
    assert [one["detail"][:36] for one in checks if one["name"] == "mcp"] == ["the server of Claude Code answered i"]
    claude.holdfast("uninstall", "--yes")
    assert "holdfast" not in json.loads(claude.own.read_text(encoding="utf-8")).get("mcpServers", {})
    silent = claude.ask("Note it", *use("flag", text="Nobody takes this"), say("I cannot."))
    assert "flagged" not in server.of("main", silent)[-1].last_result
    assert {one["text"] for one in claude.waiting()} == set(flags)


def test_after_init_codex_has_our_tools_and_after_uninstall_none(codex: CodexDesk, server: ModelServer) -> None:
    """It begins without a server that is not there within a second, and on a busy machine none is: so for this run it
    is told to wait."""
    remember(codex)
    table = tomllib.loads(codex.config.read_text(encoding="utf-8"))["mcp_servers"]["holdfast"]
    assert (table["command"], table["args"]) == (str(codex.home / ".local/share/holdfast/holdfast"), ["mcp"])
    codex.options = ("-c", "mcp_servers.holdfast.required=true")
    first = call("mcp__holdfast/recall", query="how often does the queue retry?")
    session = codex.ask("Note it", first, call("mcp__holdfast/flag", text=FACT, kind="decision"), say("Noted."))
    results = [one.text for one in server.of()[-1].told if one.place == "result"]
    assert any(KNOWN in text and "<holdfast-memory>" in text for text in results)
    (flag,) = codex.waiting()
    assert (flag["text"], flag["session"], flag["origin"]) == (FACT, session, "agent")
    assert codex.errors() == []
    codex.holdfast("uninstall", "--yes")
    assert "mcp_servers" not in tomllib.loads(codex.config.read_text(encoding="utf-8"))
    codex.options = ()
    silent = codex.ask("Note it", call("mcp__holdfast/flag", text="Nobody takes this"), say("I cannot."))
    assert "flagged" not in server.of("main", silent)[-1].last_result
    assert [one["text"] for one in codex.waiting()] == [FACT]

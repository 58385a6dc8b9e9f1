"""The agent flags through its shell tool, in the host's default permission and sandbox modes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import MODEL, CodexDesk
from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import call_raw, say

pytestmark = pytest.mark.e2e

FACT = "Orders use optimistic locking"
FLAG = f'holdfast flag --kind decision --evidence orders.py:1 "{FACT}"'


@both_hosts
def test_a_flag_that_the_agent_makes_lands_in_the_queue_with_its_session(desk: Desk, server: ModelServer) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    session = desk.ask("Note what you learned", desk.shell(FLAG), say("Noted."))
    (flag,) = desk.waiting()
    assert (flag["text"], flag["kind"]) == (FACT, "decision")
    assert flag["session"] == session
    assert "flagged" in server.of()[-1].last_result, "the command itself ran, and said so"
    assert desk.errors() == []


@both_hosts
def test_where_the_command_is_not_on_path_the_agent_is_told_one_that_runs(
    desk_of: Callable[..., Desk], server: ModelServer, host: str
) -> None:
    desk = desk_of(host, ready=False)
    desk.extra.update(PATH=f"{desk.program.parent}:{os.defpath}", HOLDFAST_CLOSE="off")
    desk.make_project()
    desk.configure()
    desk.register()
    desk.holdfast("remember", "--kind", "rule", "Locks have versions")
    desk.ask("Hello", say("Hello."))
    told = "".join(one.text for one in server.of()[0].told)
    (command,) = set(re.findall(r"`(\S+) flag --kind", told))
    assert command.startswith(str(desk.home))
    desk.ask("Note it", desk.shell(FLAG.replace("holdfast", command, 1)), say("Noted."))
    assert "flagged" in server.of()[-1].last_result
    assert [one["text"] for one in desk.waiting()] == [FACT]


def test_a_model_of_codex_that_writes_programs_flags_from_within_them(codex: CodexDesk, server: ModelServer) -> None:
    """The newest models have one tool, which runs JavaScript that calls the others."""
    codex.extra["HOLDFAST_CLOSE"] = "off"
    codex.config.write_text(codex.config.read_text(encoding="utf-8").replace(MODEL, "gpt-6-sol"), encoding="utf-8")
    program = f"const done = await tools.exec_command({{cmd: {json.dumps(FLAG)}}}); text(done.output);"
    session = codex.ask("Note what you learned", call_raw("exec", program), say("Noted."))
    assert "flagged" in server.of()[-1].last_result
    (flag,) = codex.waiting()
    assert (flag["text"], flag["session"]) == (FACT, session)
    assert codex.errors() == []


def test_without_our_rule_claude_refuses_the_command(claude: ClaudeDesk, server: ModelServer) -> None:
    """What the rule that init adds is for; test_refused shows that the flag is kept all the same."""
    claude.holdfast("uninstall", "--yes")
    claude.ask("Note what you learned", claude.shell(FLAG), say("Noted."))
    assert "requires approval" in server.of()[-1].last_result


def test_with_our_root_codex_lets_a_command_write_to_the_queue_alone_and_without_it_not_there(
    codex: CodexDesk, server: ModelServer
) -> None:
    place, beside = codex.vault / ".state" / "queue" / "hello", codex.vault / ".state" / "armed"
    codex.ask("Write there", codex.shell(f"echo hello > {place}; echo hello > {beside}"), say("Written."))
    assert place.read_text(encoding="utf-8") == "hello\n"
    assert not beside.exists(), "what decides on rules is out of reach"
    config = codex.config.read_text(encoding="utf-8")
    codex.config.write_text(config.replace("/.holdfast/.state/queue", "/elsewhere"), encoding="utf-8")
    place.unlink()
    codex.ask("Write there", codex.shell(f"echo hello > {place}"), say("Written."))
    assert "Read-only file system" in server.of()[-1].last_result
    assert not place.exists()

"""Before a compaction the snapshot is on disk; after it the model has it back, with the brief and a nudge."""

from __future__ import annotations

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk
from .steps import say

pytestmark = pytest.mark.e2e

WISH = "Lock the orders with 3 retries, never with row locks"
RULE = "Deploys go through the staging ring"
AFTER = "The context was compacted"


def assert_carried_over(desk: Desk, server: ModelServer, session: str) -> None:
    """The order of things, what was on disk, and what came back."""
    (summary,) = server.of("summariser")
    # Claude Code may announce a compaction that it then puts off; the newest announcement is that of this one.
    before = [one for one in desk.log("--session", session, "--kind", "hook") if one["event"] == "before-compaction"][
        -1
    ]
    path = desk.vault / before["snapshot"]
    assert before["t"] <= path.stat().st_mtime < summary.time, "on disk before the host goes on"
    text = path.read_text(encoding="utf-8")
    assert WISH in text
    assert "cat orders.py" in text
    asked = [one for one in server.of("main", session) if one.number > summary.number]
    (told,) = [one.text for one in asked[0].told if "<holdfast-snapshot>" in one.text]
    assert WISH in told
    assert RULE in told, "the brief is back too"
    assert AFTER in told
    assert len(asked[-1].places(AFTER)) == 1
    (injected,) = [one for one in desk.log("--kind", "injection") if before["snapshot"] in one["carried"]]
    assert injected["characters"] <= 9000
    events = desk.events(session)
    assert events.index("before-compaction") < events.index("after-compaction")
    assert desk.errors() == []


def test_a_manual_compaction_in_claude(claude: ClaudeDesk, server: ModelServer) -> None:
    claude.holdfast("remember", "--kind", "rule", RULE)
    session = claude.ask(WISH, claude.shell("cat orders.py"), say("Locked."))
    claude.wait_for_close(session)
    claude.ask("/compact keep the plan", resume=session)
    claude.ask("And now?", say("Going on."), resume=session)
    (summary,) = server.of("summariser")
    assert summary.knows("Keep exactly as they were"), "the summariser is told what to keep"
    assert_carried_over(claude, server, session)


def test_an_automatic_compaction_in_claude(claude: ClaudeDesk, server: ModelServer) -> None:
    claude.holdfast("remember", "--kind", "rule", RULE)
    claude.extra["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "100000"
    full = [claude.shell("cat orders.py", tokens=195_000), claude.shell("ls", tokens=195_000)]
    session = claude.ask(WISH, *full, say("Locked."))
    assert server.of("summariser")[0].knows("Keep exactly as they were")
    assert_carried_over(claude, server, session)


def test_an_automatic_compaction_in_codex(codex: CodexDesk, server: ModelServer) -> None:
    codex.holdfast("remember", "--kind", "rule", RULE)
    codex.add_config(top="model_auto_compact_token_limit = 50000")
    session = codex.ask(WISH, codex.shell("cat orders.py", tokens=60_000), say("Locked."))
    assert_carried_over(codex, server, session)

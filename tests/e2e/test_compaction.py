"""Before a compaction the snapshot is on disk; after it the model has it back, with the brief and a nudge."""

from __future__ import annotations

import pytest

from .carried import RULE, WISH, assert_carried_over
from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .steps import say

pytestmark = pytest.mark.e2e


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

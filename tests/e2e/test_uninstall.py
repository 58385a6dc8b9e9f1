"""Uninstalled, nothing of us is left in the host's settings, and the host runs as before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e

# Formatted by hand, with a hook of somebody else's. (Claude Code reads no settings that have comments.)
OWN = '{ "cleanupPeriodDays": 99,\n\t"hooks": {"Stop": [{"hooks": [{"type":"command", "command":"true"}]}]}   }\n\n'
OURS = ("holdfast-hook", "holdfast flag", ".holdfast/.state")


def settings_of(desk: Desk) -> list[Path]:
    if isinstance(desk, ClaudeDesk):
        return [desk.settings]
    assert isinstance(desk, CodexDesk)
    return [desk.hooks, desk.config]


@both_hosts
def test_uninstall_leaves_no_trace(desk_of: Callable[..., Desk], server: ModelServer, host: str) -> None:
    desk = desk_of(host, ready=False)
    desk.put_on_path()
    desk.make_project()
    desk.configure()
    if isinstance(desk, ClaudeDesk):
        desk.settings.write_text(OWN, encoding="utf-8")
    before = {path: path.read_bytes() for path in settings_of(desk) if path.exists()}
    desk.register()
    assert any(path.read_bytes() != before.get(path) for path in settings_of(desk))
    session = desk.ask("Hello", desk.shell("holdfast flag 'Locks have versions'"), say("Hello."))
    desk.wait_for_close(session)
    desk.holdfast("uninstall", "--yes")
    for path in settings_of(desk):
        left = path.read_bytes() if path.exists() else None
        assert left == before.get(path), path
    assert not (desk.home / ".local" / "share" / "holdfast").exists()
    known = len(desk.log())
    silent = desk.ask("Hello", say("Hello."))
    asked = server.of("main", silent)[0]
    assert not any(asked.knows(words) for words in OURS)
    assert len(desk.log()) == known, "the vault stays, and nothing is added to it"
    assert [note.name for note in desk.vault.glob("knowledge/*.md")] == ["locks-have-versions.md"]

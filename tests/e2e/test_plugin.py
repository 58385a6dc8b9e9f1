"""The Claude Code plugin, installed from a clone of this repository: each hook once, and no rule needed to flag."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .claude_desk import ClaudeDesk
from .model_server import ModelServer
from .runners import Desk
from .steps import say

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "holdfast@holdfast"
RULE = "Orders use optimistic locking"
FACT = "Retries are three"
FLAG = f'holdfast flag --kind decision "{FACT}"'
MORE = "touch taken"  # what nobody allowed
EVENTS = ["session-start", "prompt", "before-tool", "after-tool", "turn-stop", "session-end"]


@pytest.fixture
def bare(desk_of: Callable[..., Desk]) -> ClaudeDesk:
    """Claude Code and the holdfast command, and nothing of us in its settings yet."""
    desk = desk_of("claude", ready=False)
    assert isinstance(desk, ClaudeDesk)
    desk.put_on_path()
    desk.make_project()
    desk.configure()
    return desk


def install_plugin(desk: ClaudeDesk) -> None:
    """As the plugin's README says, word for word."""
    clone = desk.home / "holdfast"
    desk.git("clone", "-q", str(ROOT), str(clone))
    for name in (".claude-plugin", "plugins"):  # as they are now, committed or not
        shutil.copytree(ROOT / name, clone / name, dirs_exist_ok=True)
    for words in (["marketplace", "add", "./"], ["install", PLUGIN]):
        done = desk.run([str(desk.program), "plugin", *words], cwd=clone)
        assert done.status == 0, done.out + done.err
    assert settings_of(desk)["enabledPlugins"] == {PLUGIN: True}


def settings_of(desk: ClaudeDesk) -> dict[str, object]:
    found: dict[str, object] = json.loads(desk.settings.read_text(encoding="utf-8"))
    return found


def assert_each_boundary_once(desk: ClaudeDesk, server: ModelServer) -> None:
    """One turn in which the agent flags: the ledger has each event once, and the model the brief."""
    desk.holdfast("remember", "--kind", "rule", RULE)
    session = desk.ask("Note what you learned", desk.shell(FLAG), say("Noted."))
    assert desk.events(session) == EVENTS
    asked = server.of("main", session)
    assert [len(one.places("<holdfast-memory>")) for one in asked] == [1, 1]
    assert [len(one.places(RULE)) for one in asked] == [1, 1]
    assert "flagged" in asked[-1].last_result, "the command itself ran"
    assert desk.wait_for_close(session)["filed"] == 1
    assert desk.errors() == []


def test_the_plugin_brings_each_boundary_once_and_init_adds_no_hooks_to_it(
    bare: ClaudeDesk, server: ModelServer
) -> None:
    install_plugin(bare)
    early = bare.ask("Hello", say("Hello."))
    assert len(server.of("main", early)) == 1, "without the launcher that init makes, it is in nobody's way"
    bare.register()
    assert "hooks" not in settings_of(bare)
    assert json.loads(bare.holdfast("doctor", "--json", may_fail=True))["ok"] is True
    assert bare.log("--session", early) == []
    assert_each_boundary_once(bare, server)


def test_where_settings_and_plugin_both_bring_our_hooks_each_boundary_is_there_once(
    bare: ClaudeDesk, server: ModelServer
) -> None:
    bare.register()
    install_plugin(bare)
    assert "SessionStart" in json.dumps(settings_of(bare)["hooks"])
    assert_each_boundary_once(bare, server)


def test_the_plugins_hook_lets_our_own_command_run_without_a_rule_and_nothing_beside_it(
    bare: ClaudeDesk, server: ModelServer
) -> None:
    bare.extra["HOLDFAST_CLOSE"] = "off"
    install_plugin(bare)
    bare.holdfast("init", "--yes", "--agent", bare.agent, "--no-permissions")
    assert "permissions" not in settings_of(bare)
    beside = [f"{FLAG} && {MORE}", f"{MORE}; {FLAG}", f"{FLAG} > taken", f'holdfast flag "$({MORE})"']
    session = bare.ask("Note it", bare.shell(FLAG), *map(bare.shell, beside), say("Noted."))
    first, *others = [one.last_result for one in server.of("main", session)[1:]]
    assert first.startswith("flagged")
    assert len(others) == len(beside)
    assert not any("flagged" in result for result in others), others
    assert not (bare.project / "taken").exists()
    assert {one["text"] for one in bare.waiting()} == {FACT}
    assert bare.errors() == []

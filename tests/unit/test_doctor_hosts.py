"""The doctor at the hosts: versions, lines as they really run, trust, permission, other memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from doctor_support import ask, everything, failing, fix, installed, look, one, program
from hook_support import SOURCE, Home, Terminal
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import ledger
from holdfast.health.hosts import parsed
from holdfast.health.registration import named_launcher
from holdfast.hosts import KNOWN, registration
from holdfast.hosts.claude_code.settings import covers
from holdfast.hosts.codex import settings as codex_settings
from holdfast.hosts.host import every, host, registrar

pytestmark = pytest.mark.slow  # it starts processes by the hundred

CLAUDE, CODEX = "claude-code", "codex"
EVENTS = tuple(registrar(CLAUDE).EVENTS)


@pytest.fixture
def healthy(fresh: Home) -> Home:
    return installed(fresh)


@pytest.fixture
def claude(healthy: Home) -> Home:
    """Claude Code with all our lines and permissions, in a folder that it trusts."""
    program(healthy, "claude", f"{host(CLAUDE).tested} (Claude Code)")
    register(healthy, CLAUDE)
    trusted = {"projects": {str(healthy.project): {"hasTrustDialogAccepted": True}}}
    (healthy.folder / ".claude.json").write_text(json.dumps(trusted), encoding="utf-8")
    return healthy


@pytest.fixture
def codex(healthy: Home) -> Home:
    """Codex with all our lines, trusted, and the vault among its writable roots."""
    program(healthy, "codex", f"codex-cli {host(CODEX).tested}")
    register(healthy, CODEX)
    trust(healthy)
    return healthy


def register(where: Home, name: str, scope: Any = "user") -> None:
    for edit in registrar(name).edits(where.env, scope, str(where.project)):
        assert edit.after is not None
        Path(edit.path).parent.mkdir(parents=True, exist_ok=True)
        Path(edit.path).write_bytes(edit.after)


def trust(where: Home) -> None:
    """As Codex writes it down when the user trusts what it shows."""
    path = where.folder / ".codex" / "hooks.json"
    lines = []
    for event, groups in json.loads(path.read_text(encoding="utf-8"))["hooks"].items():
        digest = codex_settings.digest(event, groups[0], groups[0]["hooks"][0])
        lines.append(f'[hooks.state."{path}:{codex_settings.label(event)}:0:0"]\ntrusted_hash = "{digest}"\n')
    with (path.parent / "config.toml").open("a", encoding="utf-8") as config:
        config.write("\n" + "\n".join(lines))


def settings_of(where: Home) -> Path:
    return where.folder / ".claude" / "settings.json"


def change(path: Path, **more: Any) -> None:
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**known, **more}), encoding="utf-8")


# --- all is well


def test_claude_code_as_init_leaves_it_is_well(claude: Home) -> None:
    report = look(claude)
    assert failing(report) == []
    assert one(report, "hook-line", CLAUDE).level == "ok"
    assert one(report, "trust", CLAUDE).level == "ok"
    assert "flag" in one(report, "permission", CLAUDE).detail


def test_codex_as_init_leaves_it_and_trusted_is_well(codex: Home) -> None:
    report = look(codex)
    assert failing(report) == []
    assert {one(report, name, CODEX).level for name in ("hook-line", "trust", "permission", "host-version")} == {"ok"}


def test_with_both_hosts_looking_changes_nothing(claude: Home) -> None:
    program(claude, "codex", f"codex-cli {host(CODEX).tested}")
    register(claude, CODEX)
    before = everything(claude.folder, claude.vault)
    look(claude)
    assert everything(claude.folder, claude.vault) == before


def test_a_program_that_writes_into_its_own_folder_at_any_start_does_not_write_into_the_users(codex: Home) -> None:
    path = program(codex, "codex", f"codex-cli {host(CODEX).tested}")
    path.write_text(path.read_text().replace("echo", "touch ${CODEX_HOME:-$HOME/.codex}/arg0; echo"), encoding="utf-8")
    before = everything(codex.folder, codex.vault)
    assert ask(codex, "host-version", CODEX).level == "ok"
    assert everything(codex.folder, codex.vault) == before


def test_one_agent_can_be_named_and_must_then_be_there(codex: Home, terminal: Terminal) -> None:
    done = terminal("doctor", "--agent", CODEX, "--json", env=codex.env)
    assert done.status == 0
    assert {check["agent"] for check in json.loads(done.out)["checks"]} == {"", CODEX}
    report = look(codex, CLAUDE)
    assert not one(report, "host-version", CLAUDE).ok


# --- versions


@pytest.mark.parametrize(
    ("says", "level"),
    [
        ("2.1.75 (Claude Code)", "needs-you"),
        ("2.1.76 (Claude Code)", "ok"),
        ("2.0.900 (Claude Code)", "needs-you"),
        ("2.1.326 (Claude Code)", "note"),
        ("3.0.0 (Claude Code)", "note"),
        ("hello", "note"),
    ],
)
def test_a_version_is_held_against_the_table(claude: Home, says: str, level: str) -> None:
    program(claude, "claude", says)
    assert ask(claude, "host-version", CLAUDE).level == level


def test_a_program_that_fails_is_a_note_with_its_words(claude: Home) -> None:
    program(claude, "claude", "2.1.325", status=3)
    assert "status 3" in ask(claude, "host-version", CLAUDE).detail


def test_every_host_that_can_be_registered_is_in_the_table() -> None:
    assert [able.name for able in every()] == list(KNOWN)
    assert all(parsed(able.minimum) <= parsed(able.tested) for able in every())


def test_a_host_of_which_only_the_folder_is_there_is_a_note(healthy: Home) -> None:
    (healthy.folder / ".claude").mkdir()
    assert ask(healthy, "host-version", CLAUDE).level == "note"


# --- lines


def test_a_host_without_our_lines_fails_and_beside_one_that_has_them_is_a_note(healthy: Home) -> None:
    program(healthy, "claude", f"{host(CLAUDE).tested}")
    assert failing(look(healthy)) == ["hook-line"]
    program(healthy, "codex", f"codex-cli {host(CODEX).tested}")
    register(healthy, CODEX)
    trust(healthy)
    report = look(healthy)
    assert failing(report) == []
    assert one(report, "hook-line", CLAUDE).level == "note"
    assert not one(look(healthy, CLAUDE), "hook-line", CLAUDE).ok


def test_an_event_without_our_line_is_named(claude: Home) -> None:
    known = json.loads(settings_of(claude).read_text())
    del known["hooks"]["PreCompact"], known["hooks"]["SessionEnd"]
    settings_of(claude).write_text(json.dumps(known))
    said = ask(claude, "hook-line", CLAUDE)
    assert not said.ok
    assert said.detail.endswith("PreCompact, SessionEnd")


def test_lines_whose_launcher_is_gone_fail_and_are_mended_by_writing_it(claude: Home) -> None:
    registration.launcher_path(claude.env).unlink()
    assert {"launcher", "hook-line"} <= set(failing(look(claude)))
    assert failing(fix(claude)) == []


def test_a_line_of_an_older_place_that_is_gone_fails_and_is_left_to_init(claude: Home) -> None:
    text = settings_of(claude).read_text()
    settings_of(claude).write_text(text.replace("/.local/share/holdfast/", "/old/share/holdfast/"))
    before = settings_of(claude).read_bytes()
    said = one(fix(claude), "hook-line", CLAUDE)
    assert not said.ok
    assert "/old/share/holdfast/holdfast-hook" in said.detail
    assert "holdfast init" in said.fix
    assert settings_of(claude).read_bytes() == before


def test_a_line_of_an_older_place_that_works_is_a_note(claude: Home) -> None:
    path = registration.launcher_path(claude.env)
    old = claude.folder / "old" / "holdfast" / "holdfast-hook"
    old.parent.mkdir(parents=True)
    old.write_text(path.read_text())
    old.chmod(0o700)
    settings_of(claude).write_text(settings_of(claude).read_text().replace(str(path), str(old)))
    assert ask(claude, "hook-line", CLAUDE).level == "note"


def test_a_line_that_runs_and_does_nothing_fails(claude: Home) -> None:
    known = json.loads(settings_of(claude).read_text())
    stop = known["hooks"]["Stop"][0]["hooks"][0]
    stop["command"] = f"true {registration.launcher_path(claude.env)}"
    settings_of(claude).write_text(json.dumps(known))
    said = ask(claude, "hook-line", CLAUDE)
    assert not said.ok
    assert "Stop" in said.detail


def test_two_different_lines_at_one_event_fail(claude: Home) -> None:
    local = claude.project / ".claude" / "settings.local.json"
    command = f"{registration.launcher_path(claude.env)} claude-code"
    change(local, hooks={"Stop": [{"hooks": [{"type": "command", "command": command}]}]})
    said = ask(claude, "hook-line", CLAUDE)
    assert not said.ok
    assert str(local) in said.detail


def test_the_same_line_twice_is_run_once_by_claude_code_and_twice_by_codex(claude: Home) -> None:
    line = registration.registered_line(CLAUDE, claude.env)
    change(
        claude.project / ".claude" / "settings.local.json",
        hooks={"Stop": [{"hooks": [{"type": "command", "command": line}]}]},
    )
    assert ask(claude, "hook-line", CLAUDE).level == "ok"
    program(claude, "codex", f"codex-cli {host(CODEX).tested}")
    register(claude, CODEX)
    line = registration.registered_line(CODEX, claude.env)
    change(
        claude.project / ".codex" / "hooks.json", hooks={"Stop": [{"hooks": [{"type": "command", "command": line}]}]}
    )
    assert "Stop runs our hook 2 times" in ask(claude, "hook-line", CODEX).detail


def test_settings_that_cannot_be_read_fail_with_their_place(claude: Home) -> None:
    settings_of(claude).write_text('{"hooks": \n', encoding="utf-8")
    said = ask(claude, "hook-line", CLAUDE)
    assert not said.ok
    assert f"{settings_of(claude)}, line 2" in said.detail


def test_a_home_with_a_quote_and_a_space_in_its_name_is_found_in_its_line(tmp_path: Path) -> None:
    env = {"HOME": f"{tmp_path}/my home", "PATH": "/usr/bin:/bin"}
    assert named_launcher(registration.registered_line(CLAUDE, env)) == str(registration.launcher_path(env))


# --- the plugin


def plugin(where: Home, script: str, without: str = "", root: Path | None = None) -> None:
    """Our plugin as Claude Code has it installed and enabled; its hooks run a script unless its folder is given."""
    plugins = where.folder / ".claude" / "plugins"
    made = root or plugins / "cache" / "holdfast"
    plugins.mkdir(parents=True)
    if root is None:
        command = f"sh -c '{script}' \"${{CLAUDE_PLUGIN_ROOT}}\""
        events = [event for event in EVENTS if event != without]
        known = {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}] for event in events}}
        (made / "hooks").mkdir(parents=True)
        (made / "hooks" / "hooks.json").write_text(json.dumps(known), encoding="utf-8")
    listed = {"version": 2, "plugins": {"holdfast@holdfast": [{"scope": "user", "installPath": str(made)}]}}
    (plugins / "installed_plugins.json").write_text(json.dumps(listed), encoding="utf-8")
    change(settings_of(where), enabledPlugins={"holdfast@holdfast": True})


def test_the_plugins_hooks_are_run_and_answer_for_permission(healthy: Home) -> None:
    program(healthy, "claude", f"{host(CLAUDE).tested}")
    plugin(healthy, f"{registration.launcher_path(healthy.env)} claude-code")
    report = look(healthy)
    assert failing(report) == []
    assert "plugin" in one(report, "hook-line", CLAUDE).detail
    assert one(report, "permission", CLAUDE).level == "ok"


def test_a_plugin_whose_hook_does_nothing_fails(healthy: Home) -> None:
    program(healthy, "claude", f"{host(CLAUDE).tested}")
    plugin(healthy, "exit 0")
    assert failing(look(healthy)) == ["hook-line"]


def test_a_plugin_that_lacks_an_event_fails(healthy: Home) -> None:
    program(healthy, "claude", f"{host(CLAUDE).tested}")
    plugin(healthy, f"{registration.launcher_path(healthy.env)} claude-code", without="Stop")
    assert ask(healthy, "hook-line", CLAUDE).detail.endswith("Stop")


def test_the_plugin_of_this_repository_works_as_claude_code_would_run_it(healthy: Home) -> None:
    program(healthy, "claude", f"{host(CLAUDE).tested}")
    plugin(healthy, "exit 0", root=SOURCE.parent / "plugins" / "holdfast")
    assert ask(healthy, "hook-line", CLAUDE).level == "ok"


def test_a_line_of_another_launcher_beside_the_plugin_runs_twice_and_fails(claude: Home) -> None:
    """The plugin stands back for the line of this launcher only."""
    old = claude.folder / "elsewhere" / "holdfast" / "holdfast-hook"
    old.parent.mkdir(parents=True)
    path = registration.launcher_path(claude.env)
    old.write_text(path.read_text())
    old.chmod(0o700)
    settings_of(claude).write_text(settings_of(claude).read_text().replace(str(path), str(old)))
    plugin(claude, "exit 0")
    said = ask(claude, "hook-line", CLAUDE)
    assert not said.ok
    assert "each runs twice" in said.detail
    assert "holdfast uninstall --agent claude-code" in said.fix


def test_plugin_and_settings_together_are_a_note(claude: Home) -> None:
    plugin(claude, "exit 0")
    assert "both" in ask(claude, "hook-line", CLAUDE).detail
    assert ask(claude, "hook-line", CLAUDE).level == "note"


# --- trust and permission


def test_hooks_that_codex_does_not_trust_fail_with_how_to_trust_them(codex: Home) -> None:
    config = codex.folder / ".codex" / "config.toml"
    config.write_text(config.read_text().partition("[hooks.state")[0])
    said = ask(codex, "trust", CODEX)
    assert not said.ok
    assert "any of our hooks" in said.detail
    assert "trust" in said.fix


def test_the_one_hook_that_codex_does_not_trust_is_named(codex: Home) -> None:
    config = codex.folder / ".codex" / "config.toml"
    config.write_text(config.read_text().replace(":pre_compact:0:0", ":elsewhere:0:0"))
    assert "our hook at PreCompact:" in ask(codex, "trust", CODEX).detail


@pytest.mark.parametrize("key", ["hooks", "codex_hooks"])
def test_a_codex_whose_hooks_are_switched_off_fails(codex: Home, key: str) -> None:
    config = codex.folder / ".codex" / "config.toml"
    config.write_text(config.read_text() + f"\n[features]\n{key} = false\n")
    assert "switches the hooks feature off" in ask(codex, "trust", CODEX).detail


def test_a_claude_code_whose_hooks_are_all_switched_off_fails(claude: Home) -> None:
    change(settings_of(claude), disableAllHooks=True)
    assert "disableAllHooks" in ask(claude, "trust", CLAUDE).detail
    assert not ask(claude, "trust", CLAUDE).ok


def test_a_folder_that_claude_code_has_not_been_told_to_trust_is_a_note(claude: Home) -> None:
    (claude.folder / ".claude.json").write_text('{"projects": {"/": {}}}', encoding="utf-8")
    assert ask(claude, "trust", CLAUDE).level == "note"
    above = {"projects": {str(claude.folder): {"hasTrustDialogAccepted": True}}}
    (claude.folder / ".claude.json").write_text(json.dumps(above), encoding="utf-8")
    assert ask(claude, "trust", CLAUDE).level == "ok"


@pytest.mark.parametrize("rule", ["Bash", "Bash(holdfast:*)", "Bash(holdfast flag:*)", "Bash(holdfast *)", "Bash(*)"])
def test_a_rule_that_denies_our_commands_fails_and_is_named(claude: Home, rule: str) -> None:
    known = json.loads(settings_of(claude).read_text())
    known["permissions"]["deny"] = ["Read(.env)", rule]
    settings_of(claude).write_text(json.dumps(known))
    said = ask(claude, "permission", CLAUDE)
    assert not said.ok
    assert rule in said.detail


@pytest.mark.parametrize("name", [CLAUDE, CODEX])
def test_without_our_permissions_there_is_a_note(healthy: Home, name: str) -> None:
    program(healthy, "claude" if name == CLAUDE else "codex", host(name).tested)
    for edit in registrar(name).edits(healthy.env, "user", str(healthy.project), permissions=False):
        assert edit.after is not None
        Path(edit.path).parent.mkdir(parents=True, exist_ok=True)
        Path(edit.path).write_bytes(edit.after)
    said = ask(healthy, "permission", name)
    assert said.level == "note"
    assert "holdfast init" in said.fix


@given(st.text(alphabet="abhold f:*()", max_size=20))
@settings(max_examples=200, deadline=None)
def test_any_rule_can_be_held_against_a_command(inner: str) -> None:
    assert covers(f"Bash({inner})", "holdfast flag") in (True, False)
    assert not covers(f"Read({inner})", "holdfast flag")


@pytest.mark.parametrize("rule", ["Bash(holdfastx:*)", "Bash(git:*)", "Bash(holdfast queue:*)", "Bash(flag:*)"])
def test_a_rule_about_something_else_covers_nothing_of_ours(rule: str) -> None:
    assert not covers(rule, "holdfast flag")


# --- who else is there


def test_another_memory_tool_in_hooks_or_plugins_is_a_note_with_its_name(claude: Home) -> None:
    assert ask(claude, "other-memory").level == "ok"
    change(settings_of(claude), enabledPlugins={"claude-mem@thedotmack": True, "hindsight@x": False})
    change(claude.folder / ".claude.json", mcpServers={"notes": {"command": "uvx", "args": ["basic-memory", "mcp"]}})
    said = ask(claude, "other-memory")
    assert said.level == "note"
    assert "claude-mem" in said.detail
    assert "basic-memory" in said.detail
    assert "hindsight" not in said.detail


def test_a_permission_rule_that_names_another_tool_is_no_hook(claude: Home) -> None:
    known = json.loads(settings_of(claude).read_text())
    known["permissions"]["allow"].append("Bash(claude-mem status:*)")
    settings_of(claude).write_text(json.dumps(known))
    assert ask(claude, "other-memory").level == "ok"


def test_claude_codes_own_memory_is_mentioned_where_there_is_one(claude: Home) -> None:
    assert [check for check in look(claude).checks if check.name == "auto-memory"] == []
    own = claude.folder / ".claude" / "projects" / "-home-ada-shop" / "memory" / "MEMORY.md"
    own.parent.mkdir(parents=True)
    own.write_text("- builds with make\n", encoding="utf-8")
    assert "side by side" in ask(claude, "auto-memory").detail


def test_when_a_host_was_last_heard_of_is_told(claude: Home) -> None:
    assert "start your agent once" in ask(claude, "last-hook", CLAUDE).fix
    ledger.append(claude.state, "hook", 1_800_000_000.0, event="prompt", host=CLAUDE)
    said = ask(claude, "last-hook", CLAUDE, now=1_800_000_000.0 + 7200)
    assert (said.level, said.detail) == ("ok", "2 hours ago")

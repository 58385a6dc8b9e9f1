"""The plugin is what the source says, and never hooks a session twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hook_support import Done, Home, run

from holdfast.cli import app
from holdfast.hosts import json_hooks, registration
from holdfast.hosts.claude_code import settings as claude_code
from holdfast.install import launcher

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "tools"))

import plugin  # noqa: E402

SCRIPT = REPOSITORY / plugin.FOLDER / "hooks" / "holdfast-hook.sh"


def commands() -> set[str]:
    return set(app.listed())


def hook(fresh: Home, event: str, env: dict[str, str] | None = None) -> Done:
    """The script as Claude Code runs it."""
    given = {**fresh.env, "CLAUDE_PROJECT_DIR": str(fresh.project), **(env or {})}
    payload = json.dumps(fresh.event(event)).encode()
    return run(["/bin/sh", str(SCRIPT), event], given, fresh.project, payload)


# --- what is committed is what is generated


def test_the_committed_files_are_the_generated_ones() -> None:
    """If this fails: python3 tools/plugin.py"""
    for name, text in plugin.files(commands()).items():
        assert (REPOSITORY / name).read_text(encoding="utf-8") == text, f"{name}: run python3 tools/plugin.py"


def test_nothing_else_lies_in_the_plugin() -> None:
    there = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / plugin.FOLDER).rglob("*") if path.is_file()}
    assert there == {name for name in plugin.files(commands()) if name.startswith(plugin.FOLDER)}


def test_what_is_there_is_not_written_again(tmp_path: Path) -> None:
    assert plugin.write(tmp_path, commands()) == list(plugin.files(commands()))
    assert plugin.write(tmp_path, commands()) == []
    (tmp_path / ".claude-plugin" / "marketplace.json").write_text("{}")
    assert plugin.write(tmp_path, commands()) == [".claude-plugin/marketplace.json"]


def test_it_registers_the_events_that_init_registers() -> None:
    hooks = json.loads(plugin.files(())[f"{plugin.FOLDER}/hooks/hooks.json"])["hooks"]
    assert list(hooks) == list(claude_code.EVENTS)
    for event, timeout in claude_code.EVENTS.items():
        (group,) = hooks[event]
        (handler,) = group["hooks"]
        assert handler.get("timeout", 0) == timeout
        assert handler["command"].endswith(f'/hooks/holdfast-hook.sh" {event}')


def test_the_marketplace_names_the_plugin_that_init_looks_for() -> None:
    files = plugin.files(())
    market = json.loads(files[".claude-plugin/marketplace.json"])
    (listed,) = market["plugins"]
    assert f"{listed['name']}@{market['name']}" == claude_code.PLUGIN
    assert (REPOSITORY / listed["source"] / ".claude-plugin" / "plugin.json").is_file()


# --- the skill


def test_the_skill_is_short_and_has_its_front_matter() -> None:
    lines = plugin.skill(set(plugin.PARTS)).splitlines()
    assert len(lines) < 60
    assert lines[0] == "---"
    assert lines[1] == "name: holdfast"
    assert lines[2].startswith("description: ")
    assert lines[3] == "---"


@pytest.mark.parametrize("name", sorted(plugin.PARTS))
def test_a_command_that_does_not_exist_is_not_taught(name: str) -> None:
    assert f"holdfast {name} " in plugin.skill({name})
    assert f"holdfast {name} " not in plugin.skill(set(plugin.PARTS) - {name})


@pytest.mark.slow
def test_every_example_of_the_skill_runs(fresh: Home) -> None:
    """As an agent would type it, word for word."""
    examples = [line.strip() for line in plugin.skill(commands()).splitlines() if line.startswith("    holdfast ")]
    assert len(examples) >= 2
    launcher.ensure(fresh.env, "")
    env = {**fresh.env, "PATH": f"{registration.command_path(fresh.env).parent}:{fresh.env['PATH']}"}
    for example in examples:
        done = run(["/bin/sh", "-c", example], env, fresh.project)
        assert done.status == 0, f"{example}: {done.err}"


# --- the hook script


def test_it_runs_the_launcher_and_says_that_it_is_the_plugin(fresh: Home) -> None:
    path = registration.launcher_path(fresh.env)
    path.parent.mkdir(parents=True)
    path.write_text('#!/bin/sh\necho "$1 $HOLDFAST_PLUGIN $(cat)"\nexit 2\n')
    path.chmod(0o700)
    done = hook(fresh, "Stop")
    assert done.status == 0, "whatever the launcher says"
    assert done.out.startswith('claude-code 1 {"hook_event_name": "Stop"')


def test_a_session_start_is_captured_once(fresh: Home) -> None:
    launcher.ensure(fresh.env, "")
    assert hook(fresh, "SessionStart").status == 0
    assert [record["event"] for record in fresh.ledger("hook")] == ["session-start"]


@pytest.mark.parametrize(
    "place", [".claude/settings.json", "shop/.claude/settings.json", "shop/.claude/settings.local.json"]
)
def test_where_settings_have_our_line_it_does_nothing(fresh: Home, place: str) -> None:
    launcher.ensure(fresh.env, "")
    path = fresh.folder / place
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"hooks": registration.registered_line("claude-code", fresh.env)}))
    done = hook(fresh, "SessionStart")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert fresh.ledger("hook") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        '{{"permissions": {{"deny": ["Bash({launcher}:*)"]}}}}',
        '{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{stale}"}}]}}]}}}}',
    ],
    ids=["a rule that names the launcher", "a line of a launcher that is gone"],
)
def test_what_only_names_a_launcher_does_not_silence_it(fresh: Home, text: str) -> None:
    launcher.ensure(fresh.env, "")
    stale = registration.registered_line("claude-code", {"HOME": "/gone"})
    path = fresh.folder / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(text.format(launcher=registration.launcher_path(fresh.env), stale=stale))
    hook(fresh, "SessionStart")
    assert len(fresh.ledger("hook")) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "a home", "it's", 'say "home"', "back\\slash", "zuhäuse", "a$HOME`x`*"])
@pytest.mark.parametrize("data", ["", "data/"])
def test_the_line_is_found_whatever_the_folders_are_called(tmp_path: Path, name: str, data: str) -> None:
    """As init writes it, and as Claude Code writes it when it writes the file anew."""
    odd = Home(tmp_path / name)
    if data:
        odd.more["XDG_DATA_HOME"] = f"{odd.folder}/{data}"
    launcher.ensure(odd.env, "")
    line = registration.registered_line("claude-code", odd.env)
    written = json_hooks.with_hooks("{}", claude_code.EVENTS, line, "settings.json")
    path = odd.folder / ".claude" / "settings.json"
    path.parent.mkdir()
    for text in (written, json.dumps(json.loads(written), indent=2, ensure_ascii=False)):
        path.write_text(text)
        hook(odd, "Stop")
        assert odd.ledger("hook") == []
    path.write_text("{}")
    hook(odd, "Stop")
    assert len(odd.ledger("hook")) == 1


def test_claudes_own_folder_may_lie_elsewhere(fresh: Home) -> None:
    launcher.ensure(fresh.env, "")
    (fresh.folder / "elsewhere").mkdir()
    (fresh.folder / "elsewhere" / "settings.json").write_text(registration.registered_line("claude-code", fresh.env))
    done = hook(fresh, "SessionStart", {"CLAUDE_CONFIG_DIR": f"{fresh.folder}/elsewhere"})
    assert (done.status, done.out) == (0, "")
    assert fresh.ledger("hook") == []


def test_without_a_launcher_the_start_says_how_to_get_it_and_the_rest_is_silent(fresh: Home) -> None:
    told = json.loads(hook(fresh, "SessionStart").out)
    assert list(told) == ["systemMessage"]
    assert "holdfast init" in told["systemMessage"]
    for event in claude_code.EVENTS:
        if event != "SessionStart":
            done = hook(fresh, event)
            assert (done.status, done.out, done.err) == (0, "", "")


def test_a_relative_data_folder_is_not_believed(fresh: Home) -> None:
    launcher.ensure(fresh.env, "")
    hook(fresh, "SessionStart", {"XDG_DATA_HOME": "data"})
    assert len(fresh.ledger("hook")) == 1


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash", "/bin/dash"])
def test_any_shell_reads_the_script(shell: str) -> None:
    if not Path(shell).exists():
        pytest.skip(f"there is no {shell} here")
    subprocess.run([shell, "-n", str(SCRIPT)], check=True)

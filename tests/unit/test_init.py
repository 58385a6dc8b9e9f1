"""`holdfast init` and `holdfast uninstall` as somebody types them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hook_support import BARE, Home, Terminal, at_a_terminal

from holdfast.capture import home as homes
from holdfast.hosts import HOSTS, KNOWN, registration
from holdfast.hosts.claude_code import settings as claude_code
from holdfast.hosts.host import registrar


@pytest.fixture
def claude(fresh: Home) -> Path:
    """Claude Code is used on this machine; its settings."""
    path = fresh.folder / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "x"\n}\n')
    return path


# --- init


def test_without_any_agent_vault_and_launcher_are_made_and_the_rest_is_said(fresh: Home, terminal: Terminal) -> None:
    done = terminal("init", env=BARE)
    assert (done.status, done.err) == (0, "")
    assert (fresh.vault / "format").is_file()
    assert os.access(registration.launcher_path(fresh.env), os.X_OK)
    assert "No agent was found on this machine (Claude Code, Codex)" in done.out
    assert done.out.splitlines()[-1] == "Made the vault, the launcher and the command. No settings were changed."
    assert "--agent NAME" in done.out


@pytest.mark.slow
def test_the_lines_that_are_shown_are_the_lines_that_are_added(fresh: Home, terminal: Terminal, claude: Path) -> None:
    before = claude.read_text().splitlines()
    done = terminal("init", env=BARE)
    assert (done.status, done.err) == (0, "")
    shown = [line.removeprefix("    + ") for line in done.out.splitlines() if line.startswith("    + ")]
    left = [*claude.read_text().splitlines(), *(fresh.folder / ".claude.json").read_text().splitlines()]
    for line in shown:
        left.remove(line)
    assert left == [line for line in before if line in left], "whatever else is there was there"
    assert sum("holdfast-hook" in line for line in shown) == len(claude_code.EVENTS)
    assert f"  {claude}: adds" in done.out


@pytest.mark.slow
def test_the_next_step_is_said(fresh: Home, terminal: Terminal, claude: Path) -> None:
    done = terminal("init", env=BARE)
    assert done.out.splitlines()[-3:] == [
        f"Made the vault, the launcher and the command. Wrote {claude}, {fresh.folder}/.claude.json.",
        "Start Claude Code; a session that is running now has the hooks from its next start.",
        "`holdfast doctor` checks every link.",
    ]


def test_codex_users_are_told_how_hooks_are_trusted(fresh: Home, terminal: Terminal) -> None:
    done = terminal("init", "--agent", "codex", env=BARE)
    assert "Codex runs a hook only after you trusted it" in done.out
    assert (fresh.folder / ".codex" / "hooks.json").is_file()


@pytest.mark.slow
def test_a_second_init_says_that_nothing_was_to_be_done(fresh: Home, terminal: Terminal, claude: Path) -> None:
    terminal("init", env=BARE)
    before = claude.read_bytes()
    done = terminal("init", env=BARE)
    assert "Everything was in place; no settings were changed." in done.out
    assert f"  {claude}: has what it needs, nothing is added" in done.out
    assert f"vault     {fresh.vault} (is there)" in done.out
    assert f"launcher  {registration.launcher_path(fresh.env)} (is up to date)" in done.out
    assert claude.read_bytes() == before


def test_a_dry_run_writes_nothing(fresh: Home, terminal: Terminal, claude: Path) -> None:
    before = claude.read_bytes()
    done = terminal("init", "--dry-run", env=BARE)
    assert done.status == 0
    assert f"vault     {fresh.vault} (would be made)" in done.out
    assert "will be" not in done.out
    assert "holdfast-hook claude-code" in done.out
    assert claude.read_bytes() == before
    assert fresh.files() == []
    assert not registration.launcher_path(fresh.env).exists()


def test_without_permissions_only_the_hooks_are_added(fresh: Home, terminal: Terminal, claude: Path) -> None:
    terminal("init", "--no-permissions", env=BARE)
    assert "permissions" not in json.loads(claude.read_text())
    assert "hooks" in json.loads(claude.read_text())


def test_an_agent_that_nobody_knows(fresh: Home, terminal: Terminal) -> None:
    done = terminal("init", "--agent", "emacs", env=BARE)
    assert done.status == 2
    assert "Known: claude-code, codex." in done.err
    assert fresh.files() == []


def test_broken_settings_are_one_sentence(fresh: Home, terminal: Terminal, claude: Path) -> None:
    claude.write_text('{"a": }')
    done = terminal("init", env=BARE)
    assert done.status == 10
    assert done.err.startswith(f"holdfast: {claude}, line 1, column 7: a value is expected")
    assert "nothing was changed anywhere" in done.err
    assert fresh.files() == []


@pytest.mark.slow
def test_json_has_stable_names(fresh: Home, terminal: Terminal, claude: Path) -> None:
    answer = json.loads(terminal("init", "--json", env=BARE).out)
    assert answer["vault"] == str(fresh.vault)
    assert answer["launcher"] == str(registration.launcher_path(fresh.env))
    lines = {host: registration.registered_line(host, fresh.env) for host in {*HOSTS, *KNOWN}}
    assert answer["register"] == lines
    assert answer["written"] is True
    assert answer["changes"] is True
    assert answer["command"] == str(registration.command_path(fresh.env))
    assert answer["link"] == ""
    (agent,) = answer["agents"]
    assert agent["name"] == "claude-code"
    files = [(one["path"], one["changes"]) for one in agent["files"]]
    assert files == [(str(claude), True), (f"{fresh.folder}/.claude.json", True)]
    again = json.loads(terminal("init", "--json", "--dry-run", env=BARE).out)
    assert (again["written"], again["changes"]) == (False, False)


@pytest.mark.slow
def test_a_project_alone(fresh: Home, terminal: Terminal, claude: Path) -> None:
    before = claude.read_bytes()
    subprocess.run(["git", "init", "-q", str(fresh.project)], check=True)
    done = terminal("init", "--project", env=BARE)
    assert done.status == 0
    assert claude.read_bytes() == before
    assert (fresh.project / ".claude" / "settings.local.json").is_file()
    assert "info/exclude" in done.out
    status = ["git", "-C", str(fresh.project), "status", "--porcelain"]
    assert subprocess.run(status, capture_output=True, check=True).stdout == b""


@pytest.mark.slow
def test_comments_in_a_projects_settings_are_told(fresh: Home, terminal: Terminal) -> None:
    path = fresh.project / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text("{ // mine\n}\n")
    done = terminal("init", "--project", "--agent", "claude-code", env=BARE)
    assert f"{path} has comments or trailing commas" in done.out


@pytest.mark.slow
def test_lines_that_leave_a_project_are_shown_and_told(fresh: Home, terminal: Terminal) -> None:
    terminal("init", "--project", "--agent", "codex", env=BARE)
    path = fresh.project / ".codex" / "hooks.json"
    answer = json.loads(terminal("init", "--agent", "codex", "--dry-run", "--json", env=BARE).out)
    assert [one["path"] for one in answer["removed"]] == [str(path)]
    done = terminal("init", "--agent", "codex", env=BARE)
    assert f"  {path}: our lines go" in done.out
    assert done.out.count("    - ") > 10
    assert f"Took our lines out of {path}." in done.out
    assert not path.exists()


@pytest.mark.slow
def test_a_folder_that_only_path_knows_is_made_for_the_link(fresh: Home, terminal: Terminal, claude: Path) -> None:
    link = fresh.folder / ".local" / "bin" / "holdfast"
    (fresh.folder / ".profile").write_text('PATH="$HOME/.local/bin:/usr/bin:/bin"\n')
    env = {**BARE, "PATH": f"{link.parent}:/usr/bin:/bin"}
    done = terminal("init", env=env)
    assert (done.status, done.err) == (0, "")
    assert f"(the link {link} will be made)" in done.out
    assert f"the command and the link {link}." in done.out
    assert "Bash(holdfast flag:*)" in claude.read_text()
    assert terminal("doctor", "--json", env=env).out.count(f"`holdfast` is {link}") == 1
    terminal("uninstall", env=env)
    assert not link.parent.exists()


def test_a_refused_disk_is_one_sentence(fresh: Home, terminal: Terminal, claude: Path) -> None:
    (fresh.folder / ".local").write_text("in the way")
    done = terminal("init", env=BARE)
    assert done.status == 1
    assert "cannot be written" in done.err
    assert b"holdfast" not in claude.read_bytes()


@pytest.mark.slow
def test_the_agent_can_run_what_nudges_name(fresh: Home, terminal: Terminal, claude: Path) -> None:
    """The stable command, by its path, in a shell that has nothing of ours."""
    terminal("init", env=BARE)
    words = registration.nudged(fresh.env)
    env = {**fresh.env, **BARE}
    done = subprocess.run(
        ["/bin/sh", "-c", f"{words} --version"], env=env, cwd=fresh.project, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("holdfast ")


# --- a terminal


@pytest.mark.slow
def test_at_a_terminal_it_asks_once(fresh: Home, claude: Path) -> None:
    status, said = at_a_terminal(fresh, b"\n\n", "init")  # the second to the timer, where there can be one
    assert status == 0
    assert said.count("Write this? [Y/n]") == 1
    asked, _, after = said.partition("Write this? [Y/n]")
    assert "(will be made)" in asked
    assert "(will be written)" in asked
    assert not any(word in asked for word in ("Made", "Wrote"))
    assert f"Made the vault, the launcher and the command. Wrote {claude}, {fresh.folder}/.claude.json." in after
    assert b"holdfast-hook" in claude.read_bytes()


@pytest.mark.slow
def test_a_no_writes_nothing_at_all(fresh: Home, claude: Path) -> None:
    before = claude.read_bytes()
    status, said = at_a_terminal(fresh, b"n\n", "init")
    assert status == 0
    assert "Nothing was written." in said
    assert claude.read_bytes() == before
    assert fresh.files() == []
    assert not registration.launcher_path(fresh.env).exists()


@pytest.mark.slow
def test_with_yes_it_does_not_ask(fresh: Home, claude: Path) -> None:
    _, said = at_a_terminal(fresh, b"", "init", "--yes")
    assert "[Y/n]" not in said
    assert b"holdfast-hook" in claude.read_bytes()
    _, said = at_a_terminal(fresh, b"", "uninstall", "--yes")
    assert "[Y/n]" not in said
    assert b"holdfast-hook" not in claude.read_bytes()


@pytest.mark.slow
def test_a_no_to_uninstall_keeps_everything(fresh: Home, claude: Path) -> None:
    at_a_terminal(fresh, b"", "init", "--yes")
    before = claude.read_bytes()
    _, said = at_a_terminal(fresh, b"n\n", "uninstall")
    assert "Nothing was changed." in said
    assert claude.read_bytes() == before


# --- uninstall


@pytest.mark.slow
def test_uninstall_restores_and_says_so(fresh: Home, terminal: Terminal, claude: Path) -> None:
    before = claude.read_bytes()
    terminal("init", env=BARE)
    done = terminal("uninstall", env=BARE)
    assert (done.status, done.err) == (0, "")
    assert f"Claude Code: {claude} (as it was before)" in done.out
    assert f"removed: {registration.launcher_path(fresh.env)}" in done.out
    assert f"Your vault stays: {fresh.vault}." in done.out
    assert claude.read_bytes() == before
    assert not registration.launcher_path(fresh.env).parent.exists()
    assert (fresh.vault / "format").is_file()


@pytest.mark.slow
def test_the_hook_is_silent_after_uninstall(fresh: Home, terminal: Terminal, claude: Path) -> None:
    """A session that is running still has the line."""
    terminal("init", env=BARE)
    terminal("uninstall", env=BARE)
    done = fresh.line(fresh.event("SessionStart"))
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.slow
def test_a_dry_run_of_uninstall_shows_the_lines_and_keeps_them(fresh: Home, terminal: Terminal, claude: Path) -> None:
    terminal("init", env=BARE)
    before = claude.read_bytes()
    done = terminal("uninstall", "--dry-run", env=BARE)
    assert sum("holdfast-hook claude-code" in line for line in done.out.splitlines()) == len(claude_code.EVENTS)
    assert claude.read_bytes() == before
    assert registration.launcher_path(fresh.env).exists()


@pytest.mark.slow
def test_uninstall_as_json(fresh: Home, terminal: Terminal, claude: Path) -> None:
    terminal("init", env=BARE)
    answer = json.loads(terminal("uninstall", "--json", env=BARE).out)
    assert answer["written"] is True
    assert {one["path"]: one["exact"] for one in answer["files"]} == {
        str(claude): True,
        f"{fresh.folder}/.claude.json": True,
    }
    assert str(registration.launcher_path(fresh.env)) in answer["programs"]
    assert answer["vault"] == homes.own_vault(fresh.env)


def test_where_nothing_is_uninstall_says_so(fresh: Home, terminal: Terminal) -> None:
    done = terminal("uninstall", env=BARE)
    assert done.status == 0
    assert "There is nothing of holdfast in the settings of any agent." in done.out
    assert fresh.files() == []


@pytest.mark.slow
def test_uninstall_does_not_bring_the_launcher_back(fresh: Home, terminal: Terminal, claude: Path) -> None:
    terminal("init", env=BARE)
    path = registration.launcher_path(fresh.env)
    path.write_text(path.read_text().replace("start.py", "gone.py"))
    terminal("uninstall", env=BARE)
    terminal("queue", env=BARE)
    assert not path.exists()


def test_every_registrar_is_offered_by_name(fresh: Home, terminal: Terminal) -> None:
    for name in KNOWN:
        assert terminal("init", "--agent", name, "--dry-run", env=BARE).out.count(registrar(name).TITLE) >= 1


@pytest.mark.slow
def test_a_file_with_comments_is_kept_and_the_user_is_told_that_the_host_does_not_read_it(
    fresh: Home, terminal: Terminal
) -> None:
    settings = fresh.folder / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  // my theme\n  "theme": "dark"\n}\n')
    told = terminal("init", "--yes", "--agent", "claude-code").out
    assert "has comments or trailing commas" in told
    assert "// my theme" in settings.read_text()
    assert "passes over the whole of such a file" in terminal("doctor", "--agent", "claude-code").out
    settings.write_text('{"theme": "dark"}\n')
    assert "trailing commas" not in terminal("init", "--yes", "--agent", "claude-code").out

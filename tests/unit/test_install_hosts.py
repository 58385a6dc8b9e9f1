"""Each registrar: is its host here, what would be written, what is there, what is trusted."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from hook_support import Home

from holdfast.capture import home as homes
from holdfast.hosts import HOSTS, KNOWN, json_hooks, registration
from holdfast.hosts.claude_code import settings as claude_code
from holdfast.hosts.codex import config_toml as toml
from holdfast.hosts.codex import settings as codex
from holdfast.hosts.host import host as host_of
from holdfast.hosts.host import registrar
from holdfast.hosts.registration import Registrar
from holdfast.install import launcher

# Trusted once by Codex 0.166 itself, for the line of a home at /home/ada.
TRUSTED = {
    ("PreToolUse", "", 0): "906061caa31af768498be1474635ac3edf3f971f5df8170a72c0e30b0dba8469",
    ("SessionStart", "startup", 7): "1cf2f45dcf0033485173c9584cf7bcfb5ce1fb23f09d3311c3e92adc2d6f88f7",
    ("SessionEnd", "", 3): "c709173939dcfb5b9e9c2d75d9bd0836105b4daeccef399cbd07d835babf574c",
    ("SubagentStop", "x", 0): "f5a07844dc95823622d74c3e6d3fe25eaa754e8bd334b882b6bd579364c14d15",
    ("Interrupt", "x", 0): "33a63cc58c4a7ab478f54200a852cc4c303e51f50bdd9e39fee2d8f752adb666",
}


@pytest.fixture(params=sorted(KNOWN))
def host(request: pytest.FixtureRequest) -> Registrar:
    return registrar(str(request.param))


@pytest.fixture
def env(fresh: Home) -> dict[str, str]:
    """A machine with nothing on it but a shell and git."""
    tools = fresh.folder / "tools"
    tools.mkdir()
    for name in ("git", "sh"):
        found = next(p for p in map(Path, ("/usr/bin", "/bin", "/usr/local/bin")) if (p / name).exists())
        (tools / name).symlink_to(found / name)
    return {**fresh.env, "PATH": str(tools), "SHELL": "/bin/sh"}


def program(fresh: Home, name: str, package: str = "", version: str = "") -> str:
    """A program on PATH as npm installs one; the folder of it."""
    place = fresh.folder / "node_modules" / (package or name)
    (place / "bin").mkdir(parents=True)
    (place / "bin" / name).write_text("#!/bin/sh\nexit 9\n")
    (place / "bin" / name).chmod(0o755)
    (place / "package.json").write_text(json.dumps({"name": package, "version": version}))
    bin_folder = fresh.folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    (bin_folder / name).symlink_to(place / "bin" / name)
    return str(bin_folder)


def apply(host: Registrar, env: dict[str, str], cwd: Path) -> None:
    for edit in host.edits(env, "user", str(cwd), launcher.decide(env).words):
        if edit.changes and edit.after is not None:
            Path(edit.path).parent.mkdir(parents=True, exist_ok=True)
            Path(edit.path).write_bytes(edit.after)


# --- is it here


def test_on_an_empty_machine_no_host_is_found(env: dict[str, str], host: Registrar) -> None:
    assert host.found(env) is None


def test_a_settings_folder_is_enough(fresh: Home, env: dict[str, str], host: Registrar) -> None:
    (fresh.folder / (".claude" if host.NAME == "claude-code" else ".codex")).mkdir()
    found = host.found(env)
    assert found
    assert (found.program, found.version) == ("", "")


@pytest.mark.parametrize(
    ("name", "word", "package"),
    [("claude-code", "claude", "@anthropic-ai/claude-code"), ("codex", "codex", "@openai/codex")],
)
def test_a_program_is_found_with_its_version_and_not_started(
    fresh: Home, env: dict[str, str], name: str, word: str, package: str
) -> None:
    folder = program(fresh, word, package, "2.1.3")
    found = registrar(name).found({**env, "PATH": f"{env['PATH']}:{folder}"})
    assert found
    assert (found.program, found.version) == (f"{folder}/{word}", "2.1.3")


def test_a_native_program_has_its_version_in_its_path(fresh: Home, env: dict[str, str]) -> None:
    real = fresh.folder / "versions" / "2.1.325"
    real.parent.mkdir()
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    (fresh.folder / "tools" / "claude").symlink_to(real)
    found = claude_code.found(env)
    assert found
    assert found.version == "2.1.325"


def test_the_hosts_own_variable_names_its_folder(fresh: Home, env: dict[str, str]) -> None:
    assert host_of("claude-code").folder({**env, "CLAUDE_CONFIG_DIR": "/c/"}) == "/c"
    assert host_of("codex").folder({**env, "CODEX_HOME": "/d"}) == "/d"
    assert host_of("claude-code").folder(env) == f"{fresh.folder}/.claude"


# --- what is written


def test_every_registrar_has_a_hook_adapter_and_registers_its_own_line(
    fresh: Home, env: dict[str, str], host: Registrar
) -> None:
    apply(host, env, fresh.project)
    line = registration.registered_line(host.NAME, env)
    found = host.registered(env, str(fresh.project))
    assert [(one.event, one.command) for one in found] == [(event, line) for event in host.EVENTS]
    assert host.NAME in HOSTS


def test_a_plan_changes_nothing_when_it_is_carried_out(fresh: Home, env: dict[str, str], host: Registrar) -> None:
    apply(host, env, fresh.project)
    assert [
        edit.path for edit in host.edits(env, "user", str(fresh.project), launcher.decide(env).words) if edit.changes
    ] == []


def test_permissions_can_be_left_out(fresh: Home, env: dict[str, str], host: Registrar) -> None:
    text = b"".join(edit.after or b"" for edit in host.edits(env, "user", str(fresh.project), permissions=False))
    assert b'"permissions"' not in text
    assert b"writable_roots" not in text
    assert b"holdfast-hook" in text


def test_claude_code_allows_no_more_than_our_commands(fresh: Home, env: dict[str, str]) -> None:
    (edit,) = claude_code.edits(env, "user", str(fresh.project), launcher.decide(env).words)
    allowed = json_hooks.items((edit.after or b"").decode(), claude_code.ALLOW)
    words = launcher.decide(env).words
    assert allowed == [f"Bash({words} {one}:*)" for one in claude_code.COMMANDS]
    assert claude_code.COMMANDS[:6] == ("flag", "snag", "remember", "handoff", "recall", "task checkpoint")
    assert not {"task run", "task abandon", "task"} & set(claude_code.COMMANDS)
    assert all(claude_code.RULE.fullmatch(rule) for rule in allowed)


@pytest.mark.parametrize(
    "rule",
    ["Bash(holdfast:*)", "Bash(holdfast close:*)", "Bash(ls:*)", "Bash(my/holdfast flag:*)", "Read(holdfast flag)"],
)
def test_a_rule_of_the_users_is_not_taken_for_ours(rule: str) -> None:
    assert not claude_code.RULE.fullmatch(rule)


def test_codex_may_write_what_a_flag_writes_and_nothing_else(fresh: Home, env: dict[str, str]) -> None:
    _, config = codex.edits(env, "user", str(fresh.project))
    assert toml.roots(config.after) == [f"{homes.state(str(fresh.vault))}/queue"]
    assert b"sandbox_mode" not in (config.after or b"")


def test_a_root_that_an_earlier_version_asked_for_becomes_the_narrow_one(fresh: Home, env: dict[str, str]) -> None:
    wide = homes.state(str(fresh.vault))
    config = fresh.folder / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text(f'[sandbox_workspace_write]\nwritable_roots = ["/mine", "{wide}"] # both\n')
    _, edit = codex.edits(env, "user", str(fresh.project))
    assert edit.after == config.read_bytes().replace(wide.encode(), f"{wide}/queue".encode())


def test_roots_of_any_vault_of_ours_go_and_the_users_stay(fresh: Home, env: dict[str, str]) -> None:
    before = b'[sandbox_workspace_write]\nwritable_roots = ["/mine", "/kept/.state"]\n'
    more = b'"/mine", "/kept/.state", "/one/.state/queue", "/two/.state", "/theirs"'
    found = codex.without("config.toml", before.replace(b'"/mine", "/kept/.state"', more), before, env)
    assert toml.roots(found) == ["/mine", "/kept/.state", "/theirs"]


def test_what_is_allowed_now_is_told(fresh: Home, env: dict[str, str], host: Registrar) -> None:
    assert host.allowed(env, str(fresh.project)) == ()
    apply(host, env, fresh.project)
    launcher.ensure(env, launcher.decide(env).words)
    assert host.allowed(env, str(fresh.project))


@pytest.mark.parametrize("text", ["{", "[]", "\0"])
def test_settings_that_cannot_be_read_have_none_of_our_lines(
    fresh: Home, env: dict[str, str], host: Registrar, text: str
) -> None:
    for path in host.places(env, "user", str(fresh.project)):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(text)
    assert host.registered(env, str(fresh.project)) == []
    assert host.allowed(env, str(fresh.project)) == ()
    host.untrusted(env, str(fresh.project))


def test_a_project_needs_no_lines_of_its_own_where_the_user_has_them(
    fresh: Home, env: dict[str, str], host: Registrar
) -> None:
    """Codex would run both."""
    apply(host, env, fresh.project)
    planned = b"".join(edit.after or b"" for edit in host.edits(env, "project", str(fresh.project)) if edit.changes)
    assert b"holdfast-hook" not in planned


# --- the plugin


def enable(fresh: Home, path: str, value: bool) -> None:
    place = fresh.folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"enabledPlugins": {claude_code.PLUGIN: value}}))


def test_where_the_plugin_is_enabled_only_permissions_are_added(fresh: Home, env: dict[str, str]) -> None:
    enable(fresh, ".claude/settings.json", True)
    (edit,) = claude_code.edits(env, "user", str(fresh.project))
    assert b"holdfast-hook" not in (edit.after or b"")
    assert b"permissions" in (edit.after or b"")
    assert "plugin is enabled" in claude_code.notes(env, str(fresh.project))[0]
    assert "claude plugin uninstall" in claude_code.left(env, str(fresh.project))[0]


def test_comments_in_a_projects_file_are_told_where_it_is_the_one_to_be_written(
    fresh: Home, env: dict[str, str], host: Registrar
) -> None:
    path = Path(host.places(env, "project", str(fresh.project))[0])
    path.parent.mkdir(parents=True)
    path.write_text('{"a": 1,}')
    assert host.notes(env, str(fresh.project)) == ()
    (told,) = host.notes(env, str(fresh.project), "project")
    assert told.startswith(f"{path} has comments or trailing commas")


def test_a_plugin_that_is_disabled_brings_no_hooks(fresh: Home, env: dict[str, str]) -> None:
    enable(fresh, ".claude/settings.json", True)
    enable(fresh, "shop/.claude/settings.local.json", False)
    assert not claude_code.has_plugin(env, str(fresh.project))
    assert claude_code.notes(env, str(fresh.project)) == ()


# --- what Codex trusts


@pytest.mark.parametrize(("event", "matcher", "timeout"), TRUSTED)
def test_the_digest_is_that_of_codex(event: str, matcher: str, timeout: int) -> None:
    line = registration.registered_line("codex", {"HOME": "/home/ada"})
    group = json_hooks.group(line, timeout)
    found = codex.digest(event, {**group, **({"matcher": matcher} if matcher else {})}, group["hooks"][0])
    assert found == f"sha256:{TRUSTED[event, matcher, timeout]}"


def trust(fresh: Home, env: dict[str, str], *, spoil: str = "") -> None:
    """What Codex writes when its user chooses to trust all."""
    hooks = f"{fresh.folder}/.codex/hooks.json"
    text = "\n[hooks.state]\n"
    for event, timeout in codex.EVENTS.items():
        group = json_hooks.group(registration.registered_line("codex", env), timeout)
        digest = "0" * 64 if event == spoil else codex.digest(event, group, group["hooks"][0])[7:]
        text += f'\n[hooks.state."{hooks}:{codex.label(event)}:0:0"]\ntrusted_hash = "sha256:{digest}"\n'
    with (fresh.folder / ".codex" / "config.toml").open("a") as file:
        file.write(text)


def test_lines_that_codex_has_not_been_told_to_trust(fresh: Home, env: dict[str, str]) -> None:
    assert codex.untrusted(env, str(fresh.project)) == []
    apply(registrar("codex"), env, fresh.project)
    assert codex.untrusted(env, str(fresh.project)) == list(codex.EVENTS)
    assert "Trust all" in codex.after(env, str(fresh.project))[0]
    trust(fresh, env)
    assert codex.untrusted(env, str(fresh.project)) == []
    assert codex.after(env, str(fresh.project)) == ()


def test_a_line_that_changed_since_is_not_trusted(fresh: Home, env: dict[str, str]) -> None:
    apply(registrar("codex"), env, fresh.project)
    trust(fresh, env, spoil="Stop")
    assert codex.untrusted(env, str(fresh.project)) == ["Stop"]


def test_a_line_that_is_switched_off_is_not_trusted(fresh: Home, env: dict[str, str]) -> None:
    apply(registrar("codex"), env, fresh.project)
    trust(fresh, env)
    config = fresh.folder / ".codex" / "config.toml"
    config.write_text(config.read_text().replace("trusted_hash", "enabled = false\ntrusted_hash", 1))
    assert codex.untrusted(env, str(fresh.project)) == ["SessionStart"]


def test_a_digest_of_another_kind_counts_as_trust(fresh: Home, env: dict[str, str]) -> None:
    apply(registrar("codex"), env, fresh.project)
    trust(fresh, env)
    config = fresh.folder / ".codex" / "config.toml"
    config.write_text(config.read_text().replace("sha256:", "blake3:"))
    assert codex.untrusted(env, str(fresh.project)) == []


def test_trust_in_our_lines_goes_with_them_and_no_other(fresh: Home, env: dict[str, str]) -> None:
    config = fresh.folder / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('model = "x"\n')
    before = config.read_bytes()
    apply(registrar("codex"), env, fresh.project)
    trust(fresh, env)
    assert codex.without(str(config), config.read_bytes(), before, env) == before
    other = f'\n[hooks.state."/elsewhere/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:{"1" * 64}"\n'
    config.write_text(config.read_text() + other)
    left = codex.without(str(config), config.read_bytes(), before, env).decode()
    assert left == f'model = "x"\n\n[hooks.state]\n{other}'


# --- what the agent's shell finds


def test_no_holdfast_on_path_and_no_place_for_a_link(fresh: Home, env: dict[str, str]) -> None:
    assert launcher.decide(env) == launcher.Named(str(registration.command_path(env)))


@pytest.fixture
def linked(fresh: Home, env: dict[str, str]) -> dict[str, str]:
    """~/.local/bin is on PATH, in a login shell too."""
    (fresh.folder / ".local" / "bin").mkdir(parents=True)
    (fresh.folder / ".profile").write_text('PATH="$HOME/.local/bin:$PATH"\n')
    return {**env, "PATH": f"{env['PATH']}:{fresh.folder}/.local/bin"}


def test_a_link_makes_the_plain_name_resolve(fresh: Home, linked: dict[str, str]) -> None:
    decided = launcher.decide(linked)
    assert decided == launcher.Named("holdfast", f"{fresh.folder}/.local/bin/holdfast")
    launcher.ensure(linked, "")
    launcher.make_link(decided.link, linked)
    assert launcher.decide(linked) == launcher.Named("holdfast")
    assert launcher.made_link(linked) == decided.link
    done = subprocess.run([decided.link, "--version"], env=linked, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("holdfast ")


def test_the_links_folder_is_made_where_only_path_knows_it(fresh: Home, linked: dict[str, str]) -> None:
    (fresh.folder / ".local" / "bin").rmdir()
    decided = launcher.decide(linked)
    assert decided == launcher.Named("holdfast", f"{fresh.folder}/.local/bin/holdfast")
    launcher.ensure(linked, "")
    assert launcher.make_link(decided.link, linked)
    assert launcher.decide(linked) == launcher.Named("holdfast")


def test_a_place_that_takes_no_folder_needs_the_path(fresh: Home, linked: dict[str, str]) -> None:
    (fresh.folder / ".local" / "bin").rmdir()
    (fresh.folder / ".local" / "bin").write_text("in the way")
    assert launcher.decide(linked).words == str(registration.command_path(linked))
    assert not launcher.make_link(f"{fresh.folder}/.local/bin/holdfast", linked)


def test_a_login_shell_finds_a_program_or_none(fresh: Home, linked: dict[str, str]) -> None:
    assert launcher.in_login_shell("holdfast", linked) == ""
    path = fresh.folder / ".local" / "bin" / "holdfast"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    assert launcher.in_login_shell("holdfast", linked) == str(path)


def test_a_login_shell_that_does_not_have_the_folder_needs_the_path(fresh: Home, linked: dict[str, str]) -> None:
    """Codex runs every command in one."""
    (fresh.folder / ".profile").write_text(f'PATH="{fresh.folder}/tools"\n')
    assert launcher.decide(linked).words == str(registration.command_path(linked))


def test_what_lies_in_the_links_place_is_not_touched(fresh: Home, linked: dict[str, str]) -> None:
    theirs = fresh.folder / ".local" / "bin" / "holdfast"
    theirs.write_text("another program")
    assert launcher.decide(linked).words == str(registration.command_path(linked))
    launcher.make_link(str(theirs), linked)
    assert theirs.read_text() == "another program"
    assert launcher.made_link(linked) == ""


def test_another_programs_holdfast_on_path_is_not_named(fresh: Home, linked: dict[str, str]) -> None:
    foreign = fresh.folder / "tools" / "holdfast"
    foreign.write_text("#!/bin/sh\n")
    foreign.chmod(0o755)
    assert not launcher.decide(linked).is_plain


def test_an_active_virtual_environment_does_not_count(fresh: Home, env: dict[str, str]) -> None:
    """The agent will be started without it."""
    venv = fresh.folder / "venv"
    (venv / "bin").mkdir(parents=True)
    launcher.ensure(env, "")
    (venv / "bin" / "holdfast").symlink_to(registration.command_path(env))
    path = f"{venv}/bin:{env['PATH']}"
    (fresh.folder / ".profile").write_text(f'PATH="{path}"\n')
    assert launcher.decide({**env, "PATH": path}).is_plain
    assert not launcher.decide({**env, "PATH": path, "VIRTUAL_ENV": str(venv)}).is_plain


def test_a_path_with_blanks_is_quoted(tmp_path: Path) -> None:
    odd = Home(tmp_path / "a home")
    words = launcher.decide({**odd.env, "PATH": "/nowhere", "SHELL": "/bin/sh"}).words
    assert words == f"'{odd.folder}/.local/share/holdfast/holdfast'"
    assert claude_code.RULE.fullmatch(f"Bash({words} flag:*)")


def test_a_login_shell_that_hangs_or_is_missing_tells_nothing(fresh: Home, env: dict[str, str]) -> None:
    assert launcher.login({**env, "SHELL": "/gone/shell"}) == env["PATH"]
    assert launcher.login({**env, "SHELL": "/bin/false"}) == env["PATH"]


# --- the stable command and the launcher that names it


def test_the_launcher_tells_the_hook_what_nudges_name(fresh: Home) -> None:
    launcher.ensure(fresh.env, "/a path/holdfast")
    assert registration.nudged(fresh.env) == "/a path/holdfast"
    text = registration.launcher_path(fresh.env).read_text().replace('"$python" -I -S "$script" "$@"', "env")
    done = subprocess.run(["/bin/sh", "-c", text], env=fresh.env, capture_output=True, text=True, check=True)
    assert "HOLDFAST_COMMAND=/a path/holdfast" in done.stdout.splitlines()


def test_a_renewed_launcher_names_the_same_command(fresh: Home) -> None:
    launcher.ensure(fresh.env, "/x/holdfast")
    path = registration.launcher_path(fresh.env)
    good = path.read_text()
    path.write_text(good.replace(str(launcher.script_path()), "/gone/start.py"))
    assert launcher.refresh_launcher(fresh.env)
    assert path.read_text() == good


def test_without_a_name_nudges_say_holdfast(fresh: Home) -> None:
    launcher.ensure(fresh.env, "")
    assert registration.nudged(fresh.env) == ""
    assert registration.named(fresh.env) == "holdfast"
    assert "HOLDFAST_COMMAND" not in registration.launcher_path(fresh.env).read_text()


def test_the_stable_command_is_renewed_by_the_launchers_rules(fresh: Home, tmp_path: Path) -> None:
    launcher.ensure(fresh.env, "")
    path = registration.command_path(fresh.env)
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    good = path.read_text()
    path.write_text(good.replace("target=", "target=/gone"))
    assert launcher.refresh_launcher(fresh.env)
    assert path.read_text() == good
    living = tmp_path / "holdfast"
    living.write_text("")
    path.write_text(f"target={living}\n")
    assert not launcher.refresh_launcher(fresh.env), "another installation that lives keeps its command"


def test_a_stable_command_that_leads_nowhere_says_so(fresh: Home) -> None:
    launcher.ensure(fresh.env, "")
    path = registration.command_path(fresh.env)
    path.write_text(path.read_text().replace("target=", "target=/gone"))
    done = subprocess.run([path, "flag", "x"], env=fresh.env, capture_output=True, text=True, check=False)
    assert done.returncode == 127
    assert "nothing was done" in done.stderr


def test_what_is_in_place_is_not_written_again(fresh: Home) -> None:
    paths = (registration.command_path(fresh.env), registration.launcher_path(fresh.env))
    assert launcher.ensure(fresh.env, "")
    before = [os.stat(path).st_ino for path in paths]
    assert not launcher.ensure(fresh.env, "")
    after = [os.stat(path).st_ino for path in paths]
    assert after == before

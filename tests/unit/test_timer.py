"""The timer of sleep: shown first, written with a yes, taken away to the byte, and seen by the doctor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import timer_support as timers
from doctor_support import place
from hook_support import BARE, Home, Terminal, at_a_terminal
from test_install_apply import AXE

from holdfast.capture import config, ledger, platform
from holdfast.errors import HoldfastError
from holdfast.health.finding import Finding
from holdfast.health.timer import check_timer
from holdfast.hosts import registration
from holdfast.install import crontab, systemd_timer, timer
from holdfast.sleep import turn
from holdfast.sleep.due import Due

MINE = "# mine\n5 4 * * * /usr/bin/true 100\\%\n"


def command(fresh: Home) -> str:
    return str(registration.command_path(fresh.env))


def tree(fresh: Home) -> dict[str, bytes | str]:
    """The user's settings: everything but the vault, our own data, and what the tests put there."""
    found: dict[str, bytes | str] = {}
    for path in sorted(fresh.folder.rglob("*")):
        name = str(path.relative_to(fresh.folder))
        if not name.startswith((".holdfast", ".local", "few", "timers", "spool", "asked", "down", "shop")):
            found[name] = path.read_bytes() if path.is_file() else "folder"
    return found


def looked_at(fresh: Home, env: dict[str, str], now: float = 0.0) -> list[Finding]:
    fresh.more.update(env)
    return list(check_timer(place(fresh, now=now)))


def only(found: list[Finding]) -> Finding:
    (one,) = found
    return one


# --- systemd


@pytest.mark.slow
def test_the_lines_that_are_shown_are_the_files_that_are_written(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    shown = terminal("init", "--timer", "--dry-run", env=env)
    assert shown.status == 0, shown.err
    assert "timer     a systemd user timer (would be registered" in shown.out
    assert tree(fresh) == {}
    done = terminal("init", "--timer", env=env)
    assert (done.status, done.err) == (0, "")
    lines = [line.removeprefix("    + ") for line in done.out.splitlines() if line.startswith("    + ")]
    written = [timers.unit(fresh, f"holdfast-sleep.{ending}").read_text() for ending in ("service", "timer")]
    assert lines == [line for text in written for line in text.splitlines()]
    assert f'ExecStart="{command(fresh)}" sleep --if-due' in lines
    assert f'Environment="HOLDFAST_HOME={fresh.vault}"' in lines
    assert done.out.splitlines()[-1] == "The timer is registered; `holdfast init --no-timer` takes it away."
    assert os.path.islink(systemd_timer.link_path(fresh.env)), "enabled"
    assert timers.unit(fresh, "holdfast-sleep.timer").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_uninstall_leaves_nothing_of_it(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    before = tree(fresh)
    terminal("init", "--timer", env=env)
    assert tree(fresh) != before
    done = terminal("uninstall", env=env)
    assert (done.status, done.err) == (0, "")
    assert f"timer: {timers.unit(fresh, 'holdfast-sleep.timer')} (removed)" in done.out
    assert tree(fresh) == before
    assert "--user --no-ask-password disable --now holdfast-sleep.timer" in (fresh.folder / "asked").read_text()
    assert timer.registered(fresh.env) == ""


@pytest.mark.slow
def test_uninstall_without_a_manager_leaves_nothing_either(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    before = tree(fresh)
    terminal("init", "--timer", env=env)
    timers.down(fresh).touch()
    assert terminal("uninstall", env=env).status == 0
    assert tree(fresh) == before


@pytest.mark.slow
def test_a_folder_that_was_the_users_stays(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    own = timers.unit(fresh, "mine.service")
    own.parent.mkdir(parents=True)
    own.write_text("[Service]\n")
    before = tree(fresh)
    terminal("init", "--timer", env=env)
    terminal("uninstall", env=env)
    assert tree(fresh) == before


@pytest.mark.slow
def test_a_second_init_changes_nothing_and_a_killed_one_is_finished(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    terminal("init", "--timer", env=env)
    after = tree(fresh)
    again = terminal("init", "--timer", env=env)
    assert "timer     a systemd user timer (is in place" in again.out
    assert tree(fresh) == after
    os.unlink(systemd_timer.link_path(fresh.env))
    timers.unit(fresh, "holdfast-sleep.timer").unlink()
    assert terminal("init", "--timer", env=env).status == 0
    assert tree(fresh) == after


@pytest.mark.slow
def test_a_unit_file_that_the_user_changed_stays_and_the_timer_ends(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    terminal("init", "--timer", env=env)
    path = timers.unit(fresh, "holdfast-sleep.timer")
    path.write_text(path.read_text().replace("hourly", "daily"))
    assert f"{path} is not as init wrote it" in only(looked_at(fresh, env)).detail
    refused = terminal("init", "--timer", env=env)
    assert (refused.status, "is left alone. Nothing was changed" in refused.err) == (2, True)
    done = terminal("uninstall", env=env)
    assert f"timer: {path} stays, because it is not as init wrote it" in done.out
    assert "daily" in path.read_text()
    assert not os.path.lexists(systemd_timer.link_path(fresh.env))


def test_a_unit_of_our_name_that_somebody_else_wrote_is_left_alone(fresh: Home) -> None:
    env = {**fresh.env, **timers.systemd(fresh)}
    path = timers.unit(fresh, "holdfast-sleep.service")
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\nExecStart=/bin/true\n")
    found = timer.make(env)
    assert (found.kind, found.edits) == ("", ())
    assert found.note == f"{path} is there and is not as init wrote it, so it is left alone"


@pytest.mark.parametrize("name", ['a"quote', "a'quote", "back\\slash", "line\nbreak"])
def test_a_folder_that_systemd_cannot_name_gets_no_timer(fresh: Home, name: str) -> None:
    env = {**fresh.env, **timers.systemd(fresh), "XDG_DATA_HOME": str(fresh.folder / name)}
    found = timer.make(env)
    assert (found.kind, found.edits) == ("", ())
    assert found.note.startswith("systemd takes no program of this name")


@pytest.mark.slow
def test_a_manager_that_refuses_is_one_sentence(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    text = (fresh.folder / "timers" / "systemctl").read_text()
    timers.program(fresh, "systemctl", text.replace("enable |", 'enable) echo "Access denied" >&2; exit 4 ;;\n'))
    done = terminal("init", "--timer", env=env)
    assert done.status == 1
    assert done.err.count("\n") == 1
    assert "systemd did not start it (Access denied)" in done.err
    assert terminal("init", "--no-timer", "--yes", env=env).status == 0
    assert [name for name in tree(fresh) if "systemd" in name] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "with space", "odd%h$HOME;#"])
def test_systemd_itself_understands_the_units(fresh: Home, name: str) -> None:
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        pytest.skip("there is no systemd-analyze here")
    program = fresh.folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = {**fresh.env, "XDG_RUNTIME_DIR": str(fresh.folder)}
    for path, text in systemd_timer.texts(env, str(program), {"HOLDFAST_HOME": str(program)}).items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(text)
    units = [str(timers.unit(fresh, f"holdfast-sleep.{ending}")) for ending in ("service", "timer")]
    done = subprocess.run([analyze, "--user", "verify", *units], env=env, capture_output=True, text=True, check=False)
    assert not [line for line in done.stderr.splitlines() if "holdfast-sleep" in line], done.stderr


@pytest.mark.slow
def test_an_init_or_uninstall_that_is_killed_anywhere_is_finished_by_the_next(fresh: Home) -> None:
    env = {**fresh.env, **timers.systemd(fresh)}
    before, fell = tree(fresh), [True]
    at = 0
    while fell[0]:
        with AXE.falls_before(at) as fell:
            timer.apply(timer.make(env), env)
        timer.apply(timer.make(env), env)
        assert os.path.islink(systemd_timer.link_path(env))
        with AXE.falls_before(at) as gone:
            timer.remove(timer.removal(env) or timer.TimerRemoval(""), env)
        fell = [fell[0] or gone[0]]
        timer.remove(timer.removal(env) or timer.TimerRemoval(""), env)
        assert tree(fresh) == before, f"killed before change {at}"
        at += 1
    assert at > 6


# --- cron


@pytest.mark.slow
@pytest.mark.parametrize("own", ["", MINE, MINE.rstrip("\n") + "\n# no line after this"])
def test_a_crontab_gets_two_lines_and_is_given_back_to_the_byte(fresh: Home, terminal: Terminal, own: str) -> None:
    env = timers.cron(fresh)
    if own:
        assert timers.ask(fresh, env, "-", given=f"{own}\n" if not own.endswith("\n") else own).returncode == 0
    before = timers.ask(fresh, env, "-l")
    done = terminal("init", "--timer", env=env)
    assert (done.status, done.err) == (0, "")
    assert "timer     a line in your crontab (will be registered" in done.out
    after = timers.ask(fresh, env, "-l").stdout
    lines = [line.removeprefix("    + ") for line in done.out.splitlines() if line.startswith("    + ")]
    assert after == before.stdout + "".join(f"{line}\n" for line in lines)
    assert len(lines) == 2
    assert f" {command(fresh)} sleep --if-due >/dev/null 2>&1" in lines[1]
    assert "timer     a line in your crontab (is in place" in terminal("init", "--timer", env=env).out
    assert timers.ask(fresh, env, "-l").stdout == after
    gone = terminal("uninstall", env=env)
    assert (gone.status, "timer: your crontab (" in gone.out) == (0, True)
    left = timers.ask(fresh, env, "-l")
    assert (left.stdout, left.stderr) == (before.stdout, before.stderr)


@pytest.mark.slow
def test_lines_that_the_user_added_since_stay(fresh: Home, terminal: Terminal) -> None:
    env = timers.cron(fresh)
    terminal("init", "--timer", env=env)
    now = timers.ask(fresh, env, "-l").stdout
    timers.ask(fresh, env, "-", given=f"{MINE}{now}{MINE}")
    terminal("uninstall", env=env)
    assert timers.ask(fresh, env, "-l").stdout == MINE + MINE


@pytest.mark.slow
def test_the_line_runs_the_command_with_what_it_needs(fresh: Home, terminal: Terminal) -> None:
    """As cron runs it: by sh, in a nearly empty environment."""
    env = timers.cron(fresh)
    terminal("init", "--timer", env=env)
    line = timers.ask(fresh, env, "-l").stdout.splitlines()[1].removeprefix(crontab.WHEN).replace("\\%", "%")
    stable = Path(command(fresh))
    stable.write_text(f'#!/bin/sh\necho "$HOLDFAST_HOME $*" > {fresh.folder}/ran\n')
    subprocess.run(["/bin/sh", "-c", line], env={"HOME": str(fresh.folder)}, check=True)
    assert (fresh.folder / "ran").read_text() == f"{fresh.vault} sleep --if-due\n"
    stable.unlink()
    done = subprocess.run(["/bin/sh", "-c", line], env={}, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"", b""), "nothing that cron would mail, also where the command is gone"


def test_another_homes_line_is_not_ours() -> None:
    mine, other = (crontab.lines(f"/home/{who}/holdfast", {}) for who in ("me", "you"))
    both = crontab.with_lines(crontab.with_lines(None, other), mine)
    assert crontab.ours(both, "/home/me/holdfast") == mine
    assert crontab.ours(crontab.with_lines(None, other), "/home/me/holdfast") == ()


def test_a_line_that_cron_would_find_too_long_goes_without_path() -> None:
    _, line = crontab.lines("/home/me/holdfast", {"HOLDFAST_HOME": "/v", "PATH": "/a/b/c:" * 200})
    assert "PATH" not in line
    assert "HOLDFAST_HOME=/v" in line


@pytest.mark.slow
@pytest.mark.parametrize("text", ["#!/bin/sh\necho 'you (me) are not allowed' >&2\nexit 1\n", "no program at all"])
def test_a_crontab_command_that_refuses_changes_nothing(fresh: Home, terminal: Terminal, text: str) -> None:
    timers.program(fresh, "crontab", text)
    done = terminal("init", "--timer", env=timers.with_programs(fresh))
    assert done.status == 2
    assert done.err.startswith("holdfast: No timer can be registered: neither a systemd user manager nor the crontab")
    assert fresh.files() == []


def test_a_crontab_that_was_changed_meanwhile_keeps_the_change(fresh: Home) -> None:
    timers.program(fresh, "crontab", "#!/bin/sh\necho 'somebody was here'\n")
    env = {**fresh.env, **timers.with_programs(fresh)}
    with pytest.raises(HoldfastError, match="its change was kept"):
        crontab.write(env, b"before\n", b"after\n")


@pytest.mark.slow
def test_a_crontab_that_cannot_be_asked_at_uninstall_is_said_and_found_again(fresh: Home, terminal: Terminal) -> None:
    env = timers.cron(fresh)
    terminal("init", "--timer", env=env)
    done = terminal("uninstall", env=timers.without_timers(fresh))
    assert done.status == 0
    assert "timer: your crontab (There is no crontab command in PATH" in done.out
    assert timer.registered(fresh.env) == timer.CRON
    terminal("uninstall", env=env)
    assert "no crontab for" in timers.ask(fresh, env, "-l").stderr
    assert timer.registered(fresh.env) == ""


# --- the choice


def test_without_a_word_about_it_there_is_no_timer(fresh: Home, terminal: Terminal) -> None:
    done = terminal("init", env=timers.systemd(fresh))
    assert "timer" not in done.out
    assert tree(fresh) == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--timer", "--no-timer"), "Say either --timer or --no-timer, not both"),
        (("--timer", "--project"), "A timer is the machine's, not a project's"),
    ],
)
def test_words_that_do_not_go_together_change_nothing(
    fresh: Home, terminal: Terminal, words: tuple[str, ...], said: str
) -> None:
    done = terminal("init", *words, env=BARE)
    assert (done.status, said in done.err) == (2, True)
    assert fresh.files() == []


def test_a_machine_that_has_neither_is_told_so(fresh: Home, terminal: Terminal) -> None:
    done = terminal("init", "--timer", env=timers.without_timers(fresh))
    assert done.status == 2
    assert (
        done.err == f"holdfast: No timer can be registered: {timer.NEITHER}. Nothing was changed; leave --timer out.\n"
    )
    assert fresh.files() == []


@pytest.mark.slow
def test_no_timer_takes_one_away_and_keeps_the_hooks(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    terminal("init", "--timer", "--agent", "codex", env=env)
    done = terminal("init", "--no-timer", "--agent", "codex", env=env)
    assert done.status == 0
    assert "The timer is gone" in done.out
    assert not timers.unit(fresh, "holdfast-sleep.timer").exists()
    assert (fresh.folder / ".codex" / "hooks.json").is_file()
    assert config.load(fresh.state)["sleep"] == {"timer": False}
    again = terminal("init", "--timer", "--agent", "codex", env=env)
    assert (again.status, again.err) == (0, "")
    assert "timer" not in config.load(fresh.state)["sleep"], "a later yes counts"


@pytest.mark.slow
def test_an_agents_removal_leaves_the_timer_while_another_agent_stays(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    terminal("init", "--timer", "--agent", "codex", "--agent", "claude-code", env=env)
    terminal("uninstall", "--agent", "codex", env=env)
    assert timers.unit(fresh, "holdfast-sleep.timer").exists()
    terminal("uninstall", "--agent", "claude-code", env=env)
    assert not timers.unit(fresh, "holdfast-sleep.timer").exists(), "the last one takes launcher and timer along"


@pytest.mark.slow
def test_json_has_the_timer(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    planned = json.loads(terminal("init", "--timer", "--dry-run", "--json", env=env).out)["timer"]
    assert (planned["kind"], planned["registered"]) == ("systemd", "")
    assert [one["changes"] for one in planned["files"]] == [True, True]
    done = json.loads(terminal("init", "--timer", "--json", env=env).out)["timer"]
    assert done["registered"] == "systemd"
    assert json.loads(terminal("init", "--json", env=env).out)["timer"]["registered"] == "systemd"
    gone = json.loads(terminal("uninstall", "--json", env=env).out)
    assert gone["timer"] == [one["path"] for one in done["files"]]


@pytest.mark.slow
def test_an_agent_registers_no_timer(fresh: Home) -> None:
    env = {**timers.systemd(fresh), "CLAUDE_CODE_SESSION_ID": "s1"}
    fresh.hook(fresh.event("SessionStart"))
    done = fresh.cli("init", "--timer", "--yes", env=env)
    assert done.status == 2
    assert "Setting the timer is the user's to do" in done.err
    assert tree(fresh) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "is_wanted"), [(b"y", True), (b"n", False), (b"", False)])
def test_at_a_terminal_init_asks_once_and_none_is_the_default(fresh: Home, answer: bytes, is_wanted: bool) -> None:
    env = timers.systemd(fresh)
    status, said = at_a_terminal(fresh, answer + b"\n", "init", env=env)
    assert status == 0, said
    shown, _, after = said.partition("Register it? [y/N]")
    assert "ExecStart=" in shown, "it is shown first"
    assert ("The timer is registered" in after, "No timer" in after) == (is_wanted, not is_wanted)
    assert timers.unit(fresh, "holdfast-sleep.timer").exists() is is_wanted
    _, again = at_a_terminal(fresh, b"", "init", env=env)
    assert "Register it?" not in again, "who has answered once is not asked again"


# --- the doctor


def test_a_machine_without_a_timer_is_well(fresh: Home) -> None:
    found = only(looked_at(fresh, timers.systemd(fresh)))
    assert (found.level, found.detail) == ("ok", "none: sleep is started after closes and by `serve`")


@pytest.mark.slow
def test_the_doctor_says_when_it_last_asked_and_slept(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    terminal("init", "--timer", env=env)
    now = float(int((Path(fresh.state) / "queue").stat().st_mtime))
    assert only(looked_at(fresh, env, now)).detail == (
        "a systemd user timer, each hour; not asked yet, no night in the last 30 days"
    )
    turn.note_look(fresh.state, now - 600, Due(False, "Nothing was written or read since the last sleep."))
    ledger.append(fresh.state, "sleep", now - 7200, consolidations=3)
    found = only(looked_at(fresh, env, now))
    assert (found.level, found.detail) == (
        "ok",
        "a systemd user timer, each hour; asked 10 minutes ago (Nothing was written or read since the last sleep), "
        "slept 2 hours ago",
    )


@pytest.mark.slow
def test_the_doctor_notes_a_timer_that_does_not_run(fresh: Home, terminal: Terminal) -> None:
    env = timers.systemd(fresh)
    terminal("init", "--timer", env=env)
    timers.down(fresh).touch()
    assert "no systemd user manager answers" in only(looked_at(fresh, env)).detail
    timers.down(fresh).unlink()
    os.unlink(systemd_timer.link_path(fresh.env))
    found = only(looked_at(fresh, env))
    assert (found.level, "is registered and does not run" in found.detail) == ("note", True)
    timers.unit(fresh, "holdfast-sleep.service").unlink()
    assert "holdfast-sleep.service is gone" in only(looked_at(fresh, env)).detail


@pytest.mark.slow
def test_the_doctor_notes_a_line_that_is_gone_or_changed(fresh: Home, terminal: Terminal) -> None:
    env = timers.cron(fresh)
    terminal("init", "--timer", env=env)
    assert only(looked_at(fresh, env)).level == "ok"
    text = timers.ask(fresh, env, "-l").stdout
    timers.ask(fresh, env, "-", given=text.replace("17 *", "18 *"))
    assert "its line in your crontab is not as init wrote it" in only(looked_at(fresh, env)).detail
    timers.ask(fresh, env, "-r")
    assert "its line is not in your crontab any more" in only(looked_at(fresh, env)).detail
    assert "which cannot be read" in only(looked_at(fresh, timers.without_timers(fresh))).detail


@pytest.mark.slow
@pytest.mark.parametrize(("hours_up", "level"), [(2, "ok"), (3.5, "note"), (100, "note")])
def test_the_doctor_notes_a_timer_that_asked_nothing_while_the_machine_was_up(
    fresh: Home, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, hours_up: float, level: str
) -> None:
    env = timers.systemd(fresh)
    terminal("init", "--timer", env=env)
    later = (Path(fresh.state) / "queue").stat().st_mtime + 90 * 86400
    turn.note_look(fresh.state, later - 4 * 3600, Due(False, "No."))
    monkeypatch.setattr(platform, "booted_at", lambda now: now - hours_up * 3600)
    found = only(looked_at(fresh, env, later))
    assert (found.level, "has not asked whether sleep is due since" in found.detail) == (level, level == "note")


def test_settings_of_sleep_that_are_not_understood_are_named(fresh: Home) -> None:
    os.makedirs(fresh.state)
    Path(config.path_of(fresh.state)).write_text('[sleep]\nleast = "many"\n')
    first, _ = looked_at(fresh, timers.systemd(fresh))
    assert (first.level, first.detail.startswith("note: least under [sleep]")) == ("note", True)

"""The doctor as a whole: it changes nothing, no broken check stops another, and launcher and command are really run."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from doctor_support import ask, everything, failing, fix, installed, look, one, place
from hook_support import Home, Terminal

from holdfast.errors import UsageError
from holdfast.health import doctor
from holdfast.health.finding import NOTE, Place
from holdfast.hosts import registration
from holdfast.install import launcher


@pytest.fixture
def healthy(fresh: Home) -> Home:
    return installed(fresh)


# --- the whole


@pytest.mark.slow
def test_a_fresh_installation_without_agents_is_well(healthy: Home) -> None:
    report = look(healthy)
    assert failing(report) == []
    assert {"launcher", "command", "vault", "vault-write", "git", "queue-age", "marks", "sessions"} <= {
        check.name for check in report.checks
    }


@pytest.mark.slow
def test_looking_changes_not_a_byte_and_not_a_time_in_home_and_vault(healthy: Home) -> None:
    healthy.more["HOLDFAST_CLOSE"] = "off"
    (healthy.vault / ".state" / "upkeep").touch()
    healthy.hook(healthy.event("SessionStart", source="startup"))
    healthy.flag("Orders use optimistic locking", session="s1")
    healthy.cli("remember", "Deploys run from main")
    assert (healthy.vault / ".git").is_dir()
    healthy.hook(healthy.event("SessionEnd", reason="other"))
    (healthy.vault / ".git" / "index.lock").touch()
    (healthy.vault / ".state" / "marks" / "odd").write_bytes(b"no mark")
    before = everything(healthy.folder, healthy.vault)
    report = look(healthy)
    assert everything(healthy.folder, healthy.vault) == before
    assert not report.ok


@pytest.mark.slow
def test_the_command_changes_nothing_either_and_leaves_a_stale_launcher_alone(
    healthy: Home, terminal: Terminal
) -> None:
    path = registration.launcher_path(healthy.env)
    path.write_text(path.read_text(encoding="utf-8") + "# older\n", encoding="utf-8")
    before = everything(healthy.folder, healthy.vault)
    assert terminal("doctor").status == 0
    assert everything(healthy.folder, healthy.vault) == before


@pytest.mark.slow
def test_nothing_of_a_probe_is_left_in_the_temporary_folder(
    healthy: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert look(healthy).ok
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_a_check_that_raises_has_failed_and_the_others_still_run(
    healthy: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raises(_: Place) -> list[object]:
        raise RuntimeError("the roof is on fire")

    broken = tuple((name, raises if name == "git" else check) for name, check in doctor.CHECKS)
    whole = {check.name for check in look(healthy).checks}
    monkeypatch.setattr(doctor, "CHECKS", broken)
    report = look(healthy)
    assert failing(report) == ["git"]
    assert "the roof is on fire" in one(report, "git").detail
    assert {check.name for check in report.checks} == whole


@pytest.mark.slow
def test_without_agents_it_takes_a_moment(healthy: Home) -> None:
    began = time.perf_counter()
    look(healthy)
    assert time.perf_counter() - began < 5.0  # of which most is for a busy machine


@pytest.mark.slow
def test_json_has_the_names_that_others_build_on(healthy: Home, terminal: Terminal) -> None:
    done = terminal("doctor", "--json")
    said = json.loads(done.out)
    assert (done.status, said["ok"], said["fixed"]) == (0, True, [])
    assert all({"name", "ok", "detail", "fix"} <= set(check) for check in said["checks"])


def test_a_failure_is_told_with_what_to_do_and_status_1(fresh: Home, terminal: Terminal) -> None:
    done = terminal("doctor")
    assert done.status == 1
    assert done.err == ""
    lines = done.out.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("MEND  vault "))
    assert "holdfast init" in lines[at + 1]
    assert "Traceback" not in done.out
    assert fresh.files() == []


def test_an_agent_that_we_do_not_know_is_a_usage_error(terminal: Terminal) -> None:
    done = terminal("doctor", "--agent", "frobnicator")
    assert done.status == UsageError.exit_status
    assert "claude-code" in done.err


@pytest.mark.slow
def test_fix_makes_what_is_missing_and_says_so(fresh: Home, terminal: Terminal) -> None:
    done = terminal("doctor", "--fix", env={"HOLDFAST_CLOSE": ""})
    assert f"made the vault {fresh.vault}" in done.out
    assert registration.launcher_path(fresh.env).exists()
    assert ask(fresh, "launcher").ok


@pytest.mark.slow
def test_a_note_is_well_and_begins_with_the_word(healthy: Home) -> None:
    healthy.more["HOLDFAST"] = "off"
    report = look(healthy)
    said = one(report, "capture")
    assert (said.ok, said.level, said.detail.startswith(NOTE)) == (True, "note", True)
    assert report.ok


def test_a_project_that_wants_no_capture_is_told(healthy: Home) -> None:
    (healthy.project / ".holdfast.toml").write_text("off = true\n", encoding="utf-8")
    assert ".holdfast.toml" in ask(healthy, "capture").detail


@pytest.mark.slow
def test_settings_of_the_machine_that_cannot_be_parsed_fail(healthy: Home) -> None:
    path = healthy.vault / ".state" / "config.toml"
    path.write_text("strict = true\n", encoding="utf-8")
    assert "strict" in ask(healthy, "config").detail
    assert failing(look(healthy)) == []
    path.write_text("strict = \n", encoding="utf-8")
    assert failing(look(healthy)) == ["config"]


# --- the launcher


@pytest.mark.slow
def test_a_launcher_that_is_gone_fails_and_is_written_again(healthy: Home) -> None:
    registration.launcher_path(healthy.env).unlink()
    assert "launcher" in failing(look(healthy))
    assert failing(fix(healthy)) == []


@pytest.mark.slow
def test_a_launcher_that_may_not_be_run_fails_and_is_mended(healthy: Home) -> None:
    registration.launcher_path(healthy.env).chmod(0o600)
    assert "may not be run" in ask(healthy, "launcher").detail
    assert one(fix(healthy), "launcher").ok


@pytest.mark.slow
@pytest.mark.parametrize("what", ["python", "script"])
def test_a_launcher_whose_target_is_gone_fails_and_is_mended(healthy: Home, what: str) -> None:
    path = registration.launcher_path(healthy.env)
    lines = [f"{what}=/gone/{what}" if line.startswith(f"{what}=") else line for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert f"/gone/{what}" in ask(healthy, "launcher").detail
    assert one(fix(healthy), "launcher").ok


@pytest.mark.slow
def test_a_hook_that_ends_well_and_writes_nothing_down_fails(healthy: Home) -> None:
    path = registration.launcher_path(healthy.env)
    path.write_text(path.read_text(encoding="utf-8").replace("-I -S", "-c pass"), encoding="utf-8")
    assert "did not do its work" in ask(healthy, "launcher").detail


def test_a_launcher_that_fails_is_told_with_its_own_words(healthy: Home) -> None:
    path = registration.launcher_path(healthy.env)
    text = path.read_text(encoding="utf-8").replace('[ -x "$python" ]', "echo no such thing >&2; false")
    path.write_text(text, encoding="utf-8")
    assert "no such thing" in ask(healthy, "launcher").detail


@pytest.mark.slow
def test_the_launcher_of_another_installation_that_works_is_a_note_and_stays(healthy: Home, tmp_path: Path) -> None:
    other = tmp_path / "other" / "holdfast"
    other.parent.mkdir()
    other.symlink_to(launcher.script_path().parents[1])
    path = registration.launcher_path(healthy.env)
    ours = str(launcher.script_path())
    path.write_text(path.read_text().replace(ours, f"{other}/hook/start.py"), encoding="utf-8")
    text = path.read_text()
    report = fix(healthy)
    assert "another installation" in one(report, "launcher").detail
    assert path.read_text() == text


@pytest.mark.slow
def test_capture_that_is_switched_off_does_not_make_the_launcher_look_broken(healthy: Home) -> None:
    healthy.more["HOLDFAST"] = "off"
    assert ask(healthy, "launcher").level == "ok"


# --- the command that nudges name


def test_a_command_that_is_not_in_path_fails(healthy: Home) -> None:
    healthy.more["PATH"] = "/usr/bin:/bin"
    said = ask(healthy, "command")
    assert not said.ok
    assert "PATH" in said.detail


def test_a_command_that_a_login_shell_does_not_find_fails(healthy: Home) -> None:
    (healthy.folder / ".profile").write_text('PATH="/usr/bin:/bin"\n')
    said = ask(healthy, "command")
    assert not said.ok
    assert "is not found in a login shell" in said.detail
    assert "holdfast init" in said.fix


@pytest.mark.slow
def test_a_path_needs_no_login_shell(healthy: Home) -> None:
    (healthy.folder / ".profile").write_text('PATH="/usr/bin:/bin"\n')
    launcher.write_launcher(healthy.env, str(registration.command_path(healthy.env)))
    assert ask(healthy, "command").level == "ok"


@pytest.mark.slow
def test_another_command_that_only_a_login_shell_finds_is_run_too(healthy: Home) -> None:
    folder = healthy.folder / "login"
    folder.mkdir()
    (folder / "holdfast").write_text("#!/bin/sh\necho not this one >&2\nexit 3\n", encoding="utf-8")
    (folder / "holdfast").chmod(0o755)
    (healthy.folder / ".profile").write_text(f'PATH="{folder}:/usr/bin:/bin"\n')
    said = ask(healthy, "command")
    assert not said.ok
    assert "not this one" in said.detail


@pytest.mark.slow
def test_the_command_that_the_launcher_names_is_looked_for(healthy: Home) -> None:
    healthy.more["PATH"] = "/usr/bin:/bin"
    command = str(registration.command_path(healthy.env))
    launcher.write_launcher(healthy.env, command)
    assert command in ask(healthy, "command").detail
    assert ask(healthy, "command").level == "ok"
    registration.command_path(healthy.env).unlink()
    assert not ask(healthy, "command").ok
    assert one(fix(healthy), "command").level == "mended"


@pytest.mark.slow
def test_a_launcher_that_is_written_anew_names_a_command_that_resolves(healthy: Home) -> None:
    healthy.more["PATH"] = "/usr/bin:/bin"
    registration.launcher_path(healthy.env).unlink()
    registration.command_path(healthy.env).unlink()
    assert failing(fix(healthy)) == []


def test_a_command_that_does_not_run_fails_with_its_own_words(healthy: Home) -> None:
    path = registration.command_path(healthy.env)
    path.write_text("#!/bin/sh\necho the shelf is empty >&2\nexit 127\n", encoding="utf-8")
    said = ask(healthy, "command")
    assert not said.ok
    assert "the shelf is empty" in said.detail


@pytest.mark.slow
def test_a_command_of_another_installation_that_works_is_a_note(healthy: Home) -> None:
    path = healthy.folder / "bin" / "holdfast"
    ours = registration.command_path(healthy.env)
    path.write_text(f'#!/bin/sh\n[ $1 = --version ] && echo holdfast 0.0.1 || exec {ours} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    said = ask(healthy, "command")
    assert said.level == "note"
    assert "holdfast 0.0.1" in said.detail


def test_a_command_that_runs_and_cannot_write_fails(healthy: Home) -> None:
    path = registration.command_path(healthy.env)
    path.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    assert not ask(healthy, "command").ok


@pytest.mark.slow
def test_mending_twice_mends_nothing_the_second_time(fresh: Home) -> None:
    at = place(installed(fresh))
    registration.launcher_path(fresh.env).unlink()
    assert len(doctor.examine_and_mend(at).fixed) == 1
    assert doctor.examine_and_mend(at).fixed == ()

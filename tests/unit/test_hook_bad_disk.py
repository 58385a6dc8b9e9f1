"""Whatever became of the vault: status 0, an answer where one can be given, the failure in the ledger or on stderr."""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hook_support import (
    PROMPT,
    PYTHON,
    START,
    Agents,
    Done,
    Home,
    context_of,
    fill_up,
    make_read_only,
    mounted,
    wait_until,
)

from holdfast.capture import home
from holdfast.hook import snapshot
from holdfast.hosts import registration
from holdfast.install import launcher

EVENTS = ("SessionStart", "PostToolUse", "SessionEnd")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Home]:
    """A home whose vault lies on a file system of 64 KB of its own."""
    made = Home(tmp_path / "home")
    with mounted(tmp_path / "disk", "64k") as disk:
        made.vault = disk / "vault"
        yield made


def assert_harmless(done: Done) -> None:
    assert done.status == 0, done.err
    is_text = done.out.startswith(snapshot.KEEP)  # for a summariser, which takes no JSON
    assert not done.out or is_text or isinstance(json.loads(done.out), dict)
    assert "Traceback" not in done.err
    assert done.seconds < PROMPT


def assert_told_on_stderr(done: Done) -> None:
    assert "the ledger cannot be written either" in done.err
    assert done.err.endswith("The session goes on.\n")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("name", EVENTS)
def test_a_missing_vault_on_a_read_only_disk_is_told_on_stderr(small_disk: Home, name: str) -> None:
    make_read_only(small_disk.vault.parent)
    done = small_disk.hook(small_disk.event(name))
    assert_harmless(done)
    assert_told_on_stderr(done)
    assert "Read-only file system" in done.err


@pytest.mark.parametrize("name", EVENTS)
def test_a_missing_vault_on_a_full_disk_is_told_on_stderr(small_disk: Home, name: str) -> None:
    fill_up(small_disk.vault.parent)
    done = small_disk.hook(small_disk.event(name))
    assert_harmless(done)
    assert_told_on_stderr(done)


def test_a_start_on_a_read_only_disk_still_says_what_waits(small_disk: Home) -> None:
    small_disk.flag("saved while there was room")
    make_read_only(small_disk.vault.parent)
    done = small_disk.hook(small_disk.event("SessionStart"))
    assert_harmless(done)
    assert_told_on_stderr(done)
    assert "saved while there was room" in done.context


def test_a_start_on_a_full_disk_still_says_what_waits(small_disk: Home) -> None:
    small_disk.flag("saved while there was room")
    fill_up(small_disk.vault.parent)
    done = small_disk.hook(small_disk.event("SessionStart"))
    assert_harmless(done)
    assert "saved while there was room" in done.context
    assert small_disk.errors() or "cannot be written" in done.err


@pytest.mark.slow
def test_a_session_goes_through_all_its_moments_on_a_full_disk(small_disk: Home) -> None:
    fill_up(small_disk.vault.parent)
    for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd"):
        assert_harmless(small_disk.hook(small_disk.event(name)))


def test_once_there_is_room_again_capture_goes_on(small_disk: Home) -> None:
    fill_up(small_disk.vault.parent)
    assert small_disk.fast("flag", "too early").status == 3
    (small_disk.vault.parent / "filler").unlink()
    assert small_disk.hook(small_disk.event("SessionStart")).err == ""
    assert small_disk.fast("flag", "in time").status == 0
    assert "in time" in small_disk.texts()


@pytest.mark.slow
def test_on_a_read_only_disk_a_living_sessions_flags_are_still_told_apart(small_disk: Home, agents: Agents) -> None:
    living, dead = agents(), agents()
    for session, agent in (("alive", living), ("dead", dead)):
        small_disk.hook(small_disk.event("SessionStart", session), env={"CLAUDE_PID": str(agent.pid)})
        small_disk.fast("flag", f"said by the {session} one", env={"CLAUDE_CODE_SESSION_ID": session})
    dead.kill()
    make_read_only(small_disk.vault.parent)
    told = small_disk.hook(small_disk.event("SessionStart", "third")).context
    lines = {line.partition(" (")[0]: line for line in told.splitlines() if "said by the" in line}
    assert "still runs" in lines["- [fact] said by the alive one"]
    assert "still runs" not in lines["- [fact] said by the dead one"]


def test_a_missing_vault_is_made(fresh: Home) -> None:
    done = fresh.hook(fresh.event("SessionStart"))
    assert_harmless(done)
    assert (done.context, done.err) == ("", "")
    assert (fresh.vault / "format").read_text() == f"{home.FORMAT}\n"


@pytest.mark.slow
def test_a_vault_whose_path_is_no_text_is_a_vault(fresh: Home, tmp_path: Path) -> None:
    """On Linux a path is bytes; these are no UTF-8."""
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    env = {**{os.fsencode(name): os.fsencode(text) for name, text in fresh.env.items()}, b"HOLDFAST_HOME": folder}
    done = subprocess.run(
        [PYTHON, "-I", "-S", START, "claude-code"],
        env=env,
        cwd=fresh.project,
        input=json.dumps(fresh.event("SessionStart")).encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert os.path.exists(folder + b"/format")


@pytest.mark.parametrize("limit", ["-f 0", "-v 30000", "-n 3"], ids=["no bytes", "no memory", "no files"])
def test_a_host_that_leaves_us_next_to_nothing_goes_on(fresh: Home, limit: str) -> None:
    """Limits that a host may have been given, and that we inherit."""
    launcher.write_launcher(fresh.env)
    line = f"ulimit {limit}; {registration.registered_line('claude-code', fresh.env)}"
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        env=fresh.env,
        cwd=fresh.project,
        input=json.dumps(fresh.event("SessionStart")).encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, context_of(done.stdout.decode())) == (0, "")


def test_a_missing_home_is_made(fresh: Home) -> None:
    done = fresh.hook(fresh.event("SessionStart"), env={"HOME": str(fresh.folder / "no" / "such"), "HOLDFAST_HOME": ""})
    assert_harmless(done)
    assert (fresh.folder / "no" / "such" / ".holdfast" / "format").is_file()


def test_without_a_home_variable_the_password_file_says_where_it_is(fresh: Home) -> None:
    bare = {name: text for name, text in fresh.env.items() if name != "HOME"}
    assert home.user_home(bare) == pwd.getpwuid(os.getuid()).pw_dir


@pytest.mark.parametrize("name", EVENTS)
def test_a_vault_of_a_newer_format_is_left_alone_and_told(fresh: Home, name: str) -> None:
    fresh.vault.mkdir()
    (fresh.vault / "format").write_text("999\n")
    done = fresh.hook(fresh.event(name))
    assert_harmless(done)
    assert ("upgrade holdfast" in done.context, done.err) == (name == "SessionStart", "")
    (record,) = fresh.ledger()
    assert (record["kind"], record["error"], record["format"]) == ("error", "newer-format", 999)
    assert [path for path in fresh.files() if not path.startswith(".state")] == ["format"]


def test_a_flag_typed_at_a_vault_of_a_newer_format_is_kept(fresh: Home) -> None:
    fresh.vault.mkdir()
    (fresh.vault / "format").write_text("999\n")
    done = fresh.fast("flag", "older hands, newer vault")
    assert done.status == 0
    assert "upgrade holdfast on this machine" in done.out
    assert fresh.texts() == ["older hands, newer vault"]


def test_a_flag_handed_to_a_vault_of_a_newer_format_is_kept(fresh: Home) -> None:
    fresh.vault.mkdir()
    (fresh.vault / "format").write_text("999\n")
    payload = {"event": "flag", "session": "s1", "cwd": str(fresh.project), "flags": [{"text": "handed over"}]}
    assert_harmless(fresh.hook(payload, "generic"))
    assert fresh.texts() == ["handed over"]


@pytest.mark.parametrize("text", ["", "one", "1.5", "-1", "²", "\x00"])
def test_a_format_file_that_says_nothing_we_know_is_taken_for_ours(fresh: Home, text: str) -> None:
    fresh.vault.mkdir()
    (fresh.vault / "format").write_text(text)
    assert_harmless(fresh.hook(fresh.event("SessionStart")))
    assert fresh.errors() == []


@pytest.mark.parametrize("name", EVENTS)
def test_a_state_folder_that_is_a_file_is_told_on_stderr(fresh: Home, name: str) -> None:
    fresh.vault.mkdir()
    (fresh.vault / "format").write_text("1\n")
    (fresh.vault / ".state").write_text("not a folder\n")
    done = fresh.hook(fresh.event(name))
    assert_harmless(done)
    assert_told_on_stderr(done)
    assert (fresh.vault / ".state").read_text() == "not a folder\n"


@pytest.mark.parametrize("name", EVENTS)
def test_a_vault_that_is_a_file_is_told_on_stderr(fresh: Home, name: str) -> None:
    fresh.vault.write_text("not a folder\n")
    done = fresh.hook(fresh.event(name))
    assert_harmless(done)
    assert_told_on_stderr(done)
    assert fresh.vault.read_text() == "not a folder\n"


@pytest.mark.parametrize("where", ["episodes", "ledger", "marks", "queue", "projects"])
@pytest.mark.parametrize("name", EVENTS)
def test_any_folder_of_the_state_may_be_a_file(fresh: Home, where: str, name: str) -> None:
    state = Path(fresh.state)
    state.mkdir(parents=True)
    (fresh.vault / "format").write_text("1\n")
    (state / where).write_text("not a folder\n")
    assert fresh.answer(fresh.event(name)) == ""
    assert (state / where).read_text() == "not a folder\n"


@pytest.mark.slow
def test_a_segment_locked_by_somebody_else_costs_the_flag_nothing(fresh: Home) -> None:
    fresh.fast("flag", "before the lock")
    (segment,) = (Path(fresh.state) / "queue" / "live").iterdir()
    payload = {
        "event": "flag",
        "session": "s1",
        "cwd": str(fresh.project),
        "flags": [{"text": "handed over meanwhile"}],
    }
    with segment.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert_harmless(fresh.hook(payload, "generic"))
        assert fresh.fast("flag", "typed meanwhile").status == 0
    assert fresh.texts() == ["before the lock", "handed over meanwhile", "typed meanwhile"]
    assert fresh.errors() == []


@pytest.mark.slow
def test_a_hook_waits_for_no_lock_at_all(fresh: Home) -> None:
    """Every file of the vault is locked by somebody else; a whole session goes by."""
    fresh.hook(fresh.event("SessionStart", "before"))
    fresh.fast("flag", "before the locks", env={"CLAUDE_CODE_SESSION_ID": "before"})
    fresh.hook(fresh.event("SessionEnd", "before"))
    wait_until("the upkeep of that end is done", lambda: fresh.ledger("upkeep"))
    assert fresh.file_everything() == 1
    assert fresh.fast("flag", "after the claim").status == 0
    with ExitStack() as held:
        for path in fresh.vault.rglob("*"):
            if path.is_file() and not path.is_symlink():
                fcntl.flock(held.enter_context(path.open("rb")), fcntl.LOCK_EX | fcntl.LOCK_NB)
        told = fresh.hook(fresh.event("SessionStart", "locked"))
        assert "after the claim" in told.context
        for name in ("UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"):
            done = fresh.hook(fresh.event(name, "locked"))
            assert_harmless(done)
            assert done.err == ""
    assert fresh.episode("locked").state == "ended"


def test_damaged_episode_records_do_not_keep_a_start_from_its_answer(fresh: Home) -> None:
    fresh.hook(fresh.event("SessionStart", "one"))
    fresh.flag("kept", "one")
    for path in Path(fresh.state, "episodes").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0\xff{" * 20)
    done = fresh.hook(fresh.event("SessionStart", "two"))
    assert_harmless(done)
    assert "kept" in done.context


@pytest.mark.slow
def test_damaged_marks_and_caches_do_not_keep_a_start_from_its_answer(fresh: Home) -> None:
    fresh.hook(fresh.event("SessionStart", "one"))
    fresh.flag("kept", "one")
    fresh.hook(fresh.event("SessionEnd", "one"))
    for where in ("marks", "projects"):
        for path in Path(fresh.state, where).iterdir():
            path.write_bytes(b"[1, 2")
    (fresh.vault / "projects.toml").write_bytes(b"\xff = [")
    done = fresh.hook(fresh.event("SessionStart", "two"))
    assert_harmless(done)
    assert "kept" in done.context

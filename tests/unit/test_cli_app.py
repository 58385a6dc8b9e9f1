"""The command line as a whole: every command helps, every error is one sentence with its status, no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hook_support import SOURCE, Home, Terminal, make_read_only, mounted

import holdfast
from holdfast import errors
from holdfast.cli import app, fast
from holdfast.field import embedders  # noqa: F401  one of the errors
from holdfast.hosts import (
    jsonc,  # noqa: F401  and another
    registration,
)
from holdfast.install import launcher

COMMANDS = app.listed()
IN_GROUPS = [*app.listed("project"), *app.listed("task")]
# The settings' and the embedder's own stand in their rooms.
KINDS: list[type[errors.HoldfastError]] = [errors.HoldfastError, *errors.HoldfastError.__subclasses__()]


# --- help


def test_help_lists_every_command(terminal: Terminal) -> None:
    done = terminal("--help")
    assert (done.status, done.err) == (0, "")
    listed = [line.split()[0] for line in done.out.partition("Commands:")[2].splitlines() if line.strip()]
    assert sorted(set(listed) & set(COMMANDS)) == sorted(COMMANDS)
    assert {name.partition(" ")[0] for name in fast.COMMANDS} <= set(COMMANDS)


@pytest.mark.parametrize("name", [*COMMANDS, "queue retry", *IN_GROUPS])
def test_every_command_answers_help_and_does_nothing(fresh: Home, terminal: Terminal, name: str) -> None:
    done = terminal(*name.split(), "--help")
    assert (done.status, done.err) == (0, "")
    assert f"Usage: holdfast {name}" in done.out
    assert fresh.files() == []


@pytest.mark.parametrize("name", sorted(fast.COMMANDS))
def test_the_fast_path_answers_help_as_the_whole_command_line_does(terminal: Terminal, name: str) -> None:
    assert terminal.fast(*name.split(), "--help").out == terminal(*name.split(), "--help").out


def test_without_a_command_the_help_is_shown(terminal: Terminal) -> None:
    done = terminal()
    assert "Usage: holdfast" in done.out + done.err
    assert done.status in (0, errors.UsageError.exit_status)


@pytest.mark.parametrize("words", [("frobnicate",), ("flagg", "x"), ("--frobnicate",), ("queue", "frobnicate")])
def test_what_is_no_command_or_option_is_status_2(fresh: Home, terminal: Terminal, words: tuple[str, ...]) -> None:
    done = terminal(*words)
    assert (done.status, done.out) == (errors.UsageError.exit_status, "")
    assert done.err
    assert "Traceback" not in done.err
    assert fresh.files() == []


def test_the_version_is_told(terminal: Terminal) -> None:
    done = terminal("--version")
    assert (done.status, done.out) == (0, f"holdfast {holdfast.__version__}\n")


# --- errors


def test_statuses_are_those_that_are_documented() -> None:
    assert {kind.code: kind.exit_status for kind in KINDS} == {
        "error": 1,
        "usage": 2,
        "not-saved": 3,
        "not-found": 4,
        "newer-format": 5,
        "unsupported": 6,
        "git": 7,
        "busy": 8,
        "unfit": 9,
        "settings": 10,
        "judge": 11,
        "conflict": 14,
        "vault-gone": 21,
        "embedder": 16,
        "unwritable": 18,
    }


def test_each_error_has_the_status_that_its_class_names(fresh: Home, terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.fast("flag", "").status == errors.UsageError.exit_status
    assert terminal("queue", "retry", "ZZZ").status == errors.NotFound.exit_status
    fresh.flag("makes the vault")
    (fresh.vault / "format").write_text("999")
    assert terminal("queue").status == errors.NewerFormat.exit_status
    in_the_way = tmp_path / "a file"
    in_the_way.touch()
    fresh.vault = in_the_way
    done = terminal.fast("pause")
    assert done.status == errors.HoldfastError.exit_status
    assert done.err == f"holdfast pause: {in_the_way} cannot be changed (Not a directory); everything is as it was.\n"
    assert terminal("init").status == errors.HoldfastError.exit_status


def test_an_error_without_a_sentence_of_its_own_says_its_docstring() -> None:
    for kind in KINDS:
        sentence = str(kind())
        assert sentence.endswith(".")
        assert "\n" not in sentence


def test_an_error_is_one_sentence_and_its_causes(fresh: Home, terminal: Terminal, tmp_path: Path) -> None:
    in_the_way = tmp_path / "a file"
    in_the_way.touch()
    done = terminal("init", env={"HOLDFAST_HOME": str(in_the_way)})
    assert (done.status, done.out) == (1, "")
    sentence, cause = done.err.splitlines()
    assert sentence.startswith("holdfast: ")
    assert cause.startswith("  because: ")


def test_with_debug_an_error_is_a_traceback(fresh: Home, tmp_path: Path) -> None:
    in_the_way = tmp_path / "a file"
    in_the_way.touch()
    done = fresh.cli("--debug", "init", env={"HOLDFAST_HOME": str(in_the_way)})
    assert done.status == 1
    assert "Traceback" in done.err
    assert "HoldfastError" in done.err


@pytest.mark.parametrize("words", [("queue", "retry"), ("log",)], ids=" ".join)
def test_a_disk_in_the_way_is_a_sentence_and_no_traceback(
    fresh: Home, terminal: Terminal, words: tuple[str, ...]
) -> None:
    """A vault whose queue or ledger is not what it should be."""
    state = Path(fresh.state)
    state.mkdir(parents=True)
    (fresh.vault / "format").write_text("1\n")
    (state / "queue" / "live" / "01.log").mkdir(parents=True)
    (state / "queue" / "lock").mkdir()
    (state / "ledger" / "2026-01-01.log").mkdir(parents=True)
    done = terminal(*words)
    assert done.err.startswith("holdfast: ") or done.status == 0


def test_on_a_read_only_disk_the_queue_is_shown_all_the_same(fresh: Home, terminal: Terminal, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "256k") as disk:
        fresh.vault = disk / "vault"
        fresh.flag("still here")
        (segment,) = (Path(fresh.state) / "queue" / "live").glob("*.log")
        with segment.open("ab") as out:
            out.write(b"\ngarbage")
        make_read_only(disk)
        assert "still here" in terminal("queue").out


def test_a_platform_without_posix_is_refused_in_one_sentence(fresh: Home) -> None:
    code = "import sys, runpy; sys.modules['posix'] = None; runpy.run_module('holdfast', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**fresh.env, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == errors.Unsupported.exit_status
    assert "inside WSL" in done.stderr


# --- pause, resume, hook


def test_pause_and_resume_take_no_words(terminal: Terminal) -> None:
    for name in ("pause", "resume"):
        done = terminal.fast(name, "now")
        assert done.status == errors.UsageError.exit_status
        assert done.err == f'holdfast {name}: "now" was not understood; nothing was changed.\n'


def test_pause_is_the_same_through_the_whole_command_line(fresh: Home, terminal: Terminal) -> None:
    assert terminal("pause").out == "Paused: nothing is captured until `holdfast resume`.\n"
    assert terminal("resume").out == "Capture goes on.\n"


@pytest.mark.slow
def test_hook_by_hand_is_the_registered_line(fresh: Home) -> None:
    launcher.write_launcher(fresh.env)
    fresh.flag("something to say")
    registered = fresh.line(fresh.event("SessionStart", "one"))
    assert "something to say" in registered.context
    done = subprocess.run(
        [sys.executable, "-P", "-m", "holdfast", "hook", "claude-code"],
        env={**fresh.env, "PYTHONPATH": str(SOURCE)},
        cwd=fresh.project,
        input=json.dumps(fresh.event("SessionStart", "two")),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, registered.out, "")


def test_hook_by_hand_is_status_0_whatever_it_is_given(fresh: Home) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "holdfast", "hook", "nonsense"],
        env={**fresh.env, "PYTHONPATH": str(SOURCE)},
        cwd=fresh.project,
        input=b"{",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


# --- the launcher is kept up by any command


def test_any_command_renews_a_launcher_that_leads_nowhere(fresh: Home, terminal: Terminal) -> None:
    terminal("init")
    path = registration.launcher_path(fresh.env)
    good = path.read_text()
    path.write_text(good.replace(str(launcher.script_path()), "/gone/holdfast/hook/start.py"))
    terminal("queue")
    assert path.read_text() == good


@pytest.mark.parametrize("found", [b"python='/open\nscript=x\n", b"\xff\xfe"], ids=["an open quote", "no text"])
def test_a_broken_launcher_breaks_no_command_and_init_mends_it(fresh: Home, terminal: Terminal, found: bytes) -> None:
    path = launcher.write_launcher(fresh.env)
    path.write_bytes(found)
    assert terminal("init").status == 0
    assert path.read_text() == launcher.launcher_text(registration.nudged(fresh.env))


def test_a_home_that_cannot_be_written_breaks_no_command(fresh: Home, terminal: Terminal, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "256k") as disk:
        env = {"XDG_DATA_HOME": str(disk)}
        path = launcher.write_launcher({**fresh.env, **env})
        path.write_text(path.read_text().replace("start.py", "gone.py"))
        make_read_only(disk)
        assert terminal("queue", env=env).status == 0

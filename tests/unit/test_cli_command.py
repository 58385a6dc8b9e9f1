"""`holdfast` on PATH: a few lines of sh that find their interpreter and package, through links and odd paths."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hook_support import SOURCE, Done, Home, run

SCRIPT = SOURCE / "holdfast" / "install" / "holdfast.sh"


def install(prefix: Path, *, package: bool = True) -> Path:
    """What a wheel puts into an environment: the script, an interpreter beside it, the package."""
    (prefix / "bin").mkdir(parents=True)
    command = prefix / "bin" / "holdfast"
    shutil.copy(SCRIPT, command)
    command.chmod(0o755)
    python = prefix / "bin" / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    if package:
        site = prefix / "lib" / "python3.11" / "site-packages"
        site.mkdir(parents=True)
        (site / "holdfast").symlink_to(SOURCE / "holdfast")
    return command


def call(fresh: Home, command: Path | str, *words: str, path: str = "", slow: bool = False) -> Done:
    env = {**fresh.env, "PATH": path or fresh.env["PATH"], **({"PYTHONPATH": str(SOURCE)} if slow else {})}
    return run([str(command), *words], env, fresh.project)


def test_it_is_plain_sh(fresh: Home) -> None:
    assert SCRIPT.read_text().startswith("#!/bin/sh\n")
    subprocess.run(["/bin/sh", "-n", str(SCRIPT)], check=True)


@pytest.mark.parametrize("name", ["plain", "with spaces in it", "quo'te\"s", "dol$lar `tick` *", "-dash", "日本"])
def test_it_runs_from_any_folder(fresh: Home, name: str) -> None:
    command = install(fresh.folder / name)
    done = call(fresh, command, "flag", f"from {name}")
    assert (done.status, done.err) == (0, "")
    assert fresh.texts() == [f"from {name}"]


@pytest.mark.parametrize("absolute", [True, False], ids=["absolute", "relative"])
def test_it_runs_through_the_link_that_pipx_and_uv_put_on_path(fresh: Home, absolute: bool) -> None:
    command = install(fresh.folder / "tools with spaces" / "holdfast")
    links = fresh.folder / "my bin"
    links.mkdir()
    target = command if absolute else Path(os.path.relpath(command, links))
    (links / "holdfast").symlink_to(target)
    done = call(fresh, "holdfast", "flag", "through a link", path=f"{links}:{os.defpath}")
    assert (done.status, done.err) == (0, "")
    assert fresh.texts() == ["through a link"]


def test_it_runs_through_a_chain_of_links(fresh: Home) -> None:
    command = install(fresh.folder / "tool")
    far = fresh.folder / "a" / "b"
    far.mkdir(parents=True)
    (far / "second").symlink_to(os.path.relpath(command, far))
    (fresh.folder / "first").symlink_to("a/b/second")
    done = call(fresh, fresh.folder / "first", "flag", "through a chain")
    assert (done.status, done.err) == (0, "")


def test_every_word_arrives_as_it_was_given(fresh: Home) -> None:
    command = install(fresh.folder / "tool")
    words = ["two  spaces", "a'quote", 'a "double" one', "$HOME `id` *", "back\\slash", "日本"]
    assert call(fresh, command, "flag", "--", *words).status == 0
    assert fresh.texts() == words


def test_the_cheap_commands_start_no_site(fresh: Home) -> None:
    """The interpreter is one that says how it was called."""
    command = install(fresh.folder / "tool")
    python = fresh.folder / "tool" / "bin" / "python3"
    python.write_text('#!/bin/sh\necho "$@"\n')
    for name in ("flag", "hook", "pause", "resume"):
        said = call(fresh, command, name, "word").out
        assert said.startswith("-I -S ")
        assert said.endswith(f"/holdfast/hook/start.py --command {name} word\n")
    for name in ("queue", "log", "init", "--help", ""):
        assert call(fresh, command, *([name] if name else [])).out == f"-P -m holdfast {name}".rstrip() + "\n"


def test_without_the_package_beside_it_the_cheap_commands_take_the_long_way(fresh: Home) -> None:
    """As in an editable installation."""
    command = install(fresh.folder / "tool", package=False)
    done = call(fresh, command, "flag", "--kind", "rule", "the long way", slow=True)
    assert (done.status, done.err) == (0, "")
    assert [(flag.text, flag.kind) for flag in fresh.waiting()] == [("the long way", "rule")]


def test_statuses_arrive(fresh: Home) -> None:
    command = install(fresh.folder / "tool")
    assert call(fresh, command, "flag", "").status == 2
    python = fresh.folder / "tool" / "bin" / "python3"
    python.write_text("#!/bin/sh\nexit 41\n")
    assert call(fresh, command, "queue").status == 41


def test_without_an_interpreter_beside_it_the_one_on_path_serves(fresh: Home) -> None:
    command = install(fresh.folder / "tool")
    other = fresh.folder / "elsewhere"
    other.mkdir()
    (fresh.folder / "tool" / "bin" / "python3").rename(other / "python3")
    done = call(fresh, command, "flag", "with another python", path=f"{other}:{os.defpath}")
    assert (done.status, done.err) == (0, "")


def test_without_any_interpreter_it_says_so(fresh: Home) -> None:
    command = install(fresh.folder / "tool")
    (fresh.folder / "tool" / "bin" / "python3").unlink()
    done = call(fresh, command, "flag", "nobody to take it", path=str(fresh.folder / "nowhere"))
    assert (done.status, done.out) == (127, "")
    assert done.err.startswith("holdfast: there is no python3 beside ")
    assert "nothing was done" in done.err


@pytest.mark.slow
def test_the_other_commands_run_and_a_folder_of_our_name_where_they_are_called_is_not_imported(fresh: Home) -> None:
    command = install(fresh.folder / "tool")
    trap = fresh.project / "holdfast"
    trap.mkdir()
    (trap / "__init__.py").write_text("raise SystemExit('taken from the working directory')\n")
    (trap / "__main__.py").write_text("raise SystemExit('taken from the working directory')\n")
    assert call(fresh, command, "flag", "not taken").status == 0
    done = call(fresh, command, "queue", slow=True)
    assert (done.status, done.err) == (0, "")
    assert "not taken" in done.out

"""kill -9 at every effect of a commit: the next writer finishes it, without losing a byte, and comes to the same tree.

Effects are what our process does to the disk, and each git process, before it and behind it. A second test kills git
itself in the middle of its work, or us from within git, so that its locks and half-made objects stay behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.capture.gate import BY_UPKEEP
from holdfast.errors import GitFailed
from holdfast.vault import journal
from holdfast.vault.git import Repository
from holdfast.vault.transaction import writing

from .support import SIZE, count
from .support_effects import Effects, in_a_child, put_in_place

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.crash

NOW = 1_800_000_000.0
EDITED, GONE, NEW, HAND = "knowledge/edited.md", "rules/gone.md", "feedback/new.md", "knowledge/by-hand.md"
THEIRS = b"---\r\nname: mine # to the byte\r\n---\r\nNot yet committed."


def note(name: str, body: str) -> str:
    return f"---\nname: {name}\ndescription: {body}\n---\n{body}\n"


def change(vault: str) -> None:
    """One file edited, one removed, one made, the map with them; before it a person's edit, as theirs."""
    texts = {EDITED: note("edited", "after"), GONE: None, NEW: note("new", "fresh")}
    with writing(vault, NOW) as writer:
        writer.commit("the change", texts, cause="test", by=BY_UPKEEP)


@pytest.fixture
def template(memory_path: Path) -> Path:
    """A vault with a history and an edit that a person has not committed."""
    vault = memory_path / "template"
    with writing(str(vault), NOW) as writer:
        writer.commit(
            "first", {EDITED: note("edited", "before"), GONE: note("gone", "soon")}, cause="test", by=BY_UPKEEP
        )
    (vault / HAND).write_bytes(THEIRS)
    return vault


def copied(template: Path, name: str) -> Path:
    vault = template.parent / name
    shutil.copytree(template, vault, symlinks=True)
    return vault


def seen(vault: Path) -> tuple[dict[str, bytes], list[str], str]:
    """Every file, the history, and what git thinks is not committed."""
    repository = Repository(str(vault))
    files = {
        str(path.relative_to(vault)): path.read_bytes()
        for path in sorted(vault.rglob("*"))
        if path.is_file() and not {".git", ".state"} & set(path.relative_to(vault).parts)
    }
    history = repository.text("log", "--format=%an %s").splitlines()
    return files, history, repository.text("status", "--porcelain")


def assert_mended(vault: Path, wanted: object) -> None:
    """The next writer finds no trace of the kill; the same change again comes to the same tree."""
    with writing(str(vault), NOW):
        assert (vault / HAND).read_bytes() == THEIRS
        assert not list((vault / ".git").rglob("*.lock"))
        assert not (vault / ".state/writing/journal").exists()
        files, history, status = seen(vault)
        assert status == ""
        is_done = NEW in files
        assert ("Holdfast the change" in history) == is_done
        assert (files[EDITED] == note("edited", "after").encode()) == is_done
        assert (GONE in files) != is_done
    if not is_done:
        change(str(vault))
    assert seen(vault) == wanted
    assert os.listdir(vault / ".state/writing") == []
    checked = subprocess.run(
        ["git", "-C", str(vault), "fsck", "--strict", "--no-dangling"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout.strip()) == (0, "")


class Everything(Effects):
    """The effects of `posix`, and those that go through `os`, `subprocess` and the exchange of two files."""

    def put(self, patch: pytest.MonkeyPatch) -> None:
        put_in_place(self, patch)
        for name in ("rename", "link", "unlink", "rmdir", "chmod", "fchmod"):
            patch.setattr(os, name, self._watched(name, getattr(os, name)))
        patch.setattr(journal, "_exchange", self._watched("exchange", journal._exchange))
        patch.setattr(subprocess, "run", self._watched("git", subprocess.run, behind=True))

    def _watched(self, name: str, real: Callable[..., Any], *, behind: bool = False) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            done = self._effect(name, lambda: real(*given, **more))
            if behind:
                self._effect(f"after {name}", lambda: None)
            return done

        return call


def test_a_commit_killed_before_any_effect_is_finished_by_the_next_writer(
    template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        undisturbed = copied(template, "undisturbed")
        effects = Everything()
        effects.put(patch)
        change(str(undisturbed))
    wanted = seen(undisturbed)
    assert effects.done > 60
    kills = 0
    for at in range(1, effects.done + 1, SIZE.cut_rounds):
        vault = copied(template, f"at{at}")

        def work(vault: Path = vault, at: int = at) -> None:
            with monkeypatch.context() as patch:
                Everything(at).put(patch)
                change(str(vault))

        kills += in_a_child(work) == signal.SIGKILL
        assert_mended(vault, wanted)
        shutil.rmtree(vault)
    assert kills >= (effects.done // SIZE.cut_rounds) * 0.9
    count("vault kills", effects=effects.done, killed=kills)


WRAPPER = """#!/bin/sh
calls=$(($(cat {folder}/calls) + 1))
echo $calls > {folder}/calls
if [ $calls = {at} ]; then
    case {how} in
        before) kill -9 $PPID; exit 1 ;;
        after) {git} "$@"; kill -9 $PPID; exit 1 ;;
        *) exec timeout -s KILL {how} {git} "$@" ;;
    esac
fi
exec {git} "$@"
"""


def wrapped(folder: Path, at: int, how: str) -> str:
    """A PATH on which git kills us, or is killed, at one of its calls."""
    place = folder / "bin"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "calls").write_text("0")
    (place / "git").write_text(WRAPPER.format(folder=place, at=at, how=how, git=shutil.which("git")))
    (place / "git").chmod(0o755)
    return f"{place}:{os.environ['PATH']}"


@pytest.mark.parametrize("how", ["before", "after", "0.001", "0.002", "0.004"])
def test_git_that_is_killed_or_kills_us_leaves_nothing_that_stops_the_next_writer(
    template: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    undisturbed = copied(template, "undisturbed")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", wrapped(template.parent, 0, how))
        change(str(undisturbed))
        calls = int((template.parent / "bin/calls").read_text())
    wanted = seen(undisturbed)
    assert calls >= 6
    killed = 0
    for at in range(1, calls + 1):
        vault = copied(template, f"at{at}")

        def work(vault: Path = vault, at: int = at) -> None:
            os.environ["PATH"] = wrapped(template.parent, at, how)
            try:
                change(str(vault))
            except GitFailed:
                os.kill(os.getpid(), signal.SIGKILL)  # git died, and so does the command

        killed += in_a_child(work) == signal.SIGKILL
        assert_mended(vault, wanted)
        shutil.rmtree(vault)
    assert killed or not how.isalpha()
    count("vault kills", git_calls=calls, killed_at_git=killed)


@pytest.mark.parametrize("part", ["HEAD", "objects", "refs", "config"])
def test_a_vault_killed_in_its_first_commit_begins_all_the_same(memory_path: Path, part: str) -> None:
    vault = memory_path / "vault"
    for at in range(1, 200, SIZE.cut_rounds * 3):
        with pytest.MonkeyPatch.context() as patch:

            def work(patch: pytest.MonkeyPatch = patch, at: int = at) -> None:
                Everything(at).put(patch)
                change(str(vault))

            is_killed = in_a_child(work) == signal.SIGKILL
        if not is_killed:
            break
        if not (vault / ".git/refs/heads/main").exists():
            shutil.rmtree(vault / ".git" / part, ignore_errors=True)
    change(str(vault))
    files, history, status = seen(vault)
    assert status == ""
    assert NEW in files
    assert history[-1] == "Holdfast The vault begins"
    assert "Holdfast the change" in history

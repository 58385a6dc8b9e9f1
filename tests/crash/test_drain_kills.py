"""The verbatim drain killed at random points and run again: the same tree as the undisturbed run, every time.

The victim is a process of its own that counts its effects (files made, linked, renamed and removed, writes to logs,
syncs, processes started) and is killed before a random one of them. Where that one starts git, chance decides who dies:
the close alone, so that git goes on without it; git alone, so that the close sees it fail; or both, after so many
microseconds. Half of the vaults have no repository yet, and a person has edited a note since the last commit of the
others. The next close is a whole one, in a process of its own too, or is killed once more before it.
"""

from __future__ import annotations

import os
import posix
import random
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from holdfast.capture import episodes, flags, home, marks, queue, story
from holdfast.capture.gate import BY_UPKEEP
from holdfast.close.drain import drain
from holdfast.vault import git as vault_git
from holdfast.vault import notes
from holdfast.vault.transaction import writing

from .support import NAME, count, dice
from .support_effects import KILL, Effects, in_a_child, put_in_place

pytestmark = pytest.mark.crash

KILLS = {"short": 25, "full": 300}[NAME]
NOW = 1_790_000_000.0
PROJECT = "shop-11111111"
NAMES = ("rename", "link", "unlink", "mkdir", "rmdir", "chmod")
LONGEST_GIT = 0.02  # seconds; most of them end before


@dataclass
class Blow:
    """Counts effects, and at number `at` kills: this process, the git that it starts, or both."""

    at: int = 0
    chance: random.Random = field(default_factory=random.Random)
    done: int = 0

    def is_due(self) -> bool:
        self.done += 1
        return self.done == self.at

    def before(self, real: Any) -> Any:
        def effect(*given: Any, **more: Any) -> Any:
            if self.is_due():
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*given, **more)

        return effect

    def open(self, path: Any, mode: int, *rest: Any, **more: Any) -> int:
        if mode & os.O_CREAT and self.is_due():
            os.kill(os.getpid(), signal.SIGKILL)
        return posix.open(path, mode, *rest, **more)

    def run(self, command: list[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        """subprocess.run, with the blow while git is at work."""
        given, timeout = more.pop("input"), more.pop("timeout")
        assert more.pop("capture_output")
        assert not more.pop("check")
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **more)
        if self.is_due():
            who = self.chance.choice(("close", "git", "both"))
            time.sleep(self.chance.choice((0.0, self.chance.uniform(0, LONGEST_GIT))))
            if who != "close":
                process.kill()
            if who != "git":
                os.kill(os.getpid(), signal.SIGKILL)
        out, err = process.communicate(given, timeout=timeout)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def fall(self, patch: pytest.MonkeyPatch) -> None:
        """From now on, in this process."""
        put_in_place(Posix(self), patch)
        for name in NAMES:
            patch.setattr(os, name, self.before(getattr(posix, name)))
        patch.setattr(os, "open", self.open)
        runner = ModuleType("subprocess")
        runner.__dict__.update(subprocess.__dict__)
        runner.run = self.run  # type: ignore[attr-defined]
        patch.setattr(vault_git, "subprocess", runner)


class Posix(Effects):
    """The capture room's effects, in the same count."""

    def __init__(self, blow: Blow) -> None:
        super().__init__(-1, KILL)
        self.blow = blow

    def _effect(self, name: str, real: Any, *given: Any) -> Any:
        self.happened = name
        if self.blow.is_due():
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given)


def a_vault(base: Path, *, has_history: bool) -> str:
    """Three episodes with duplicates, progress, words from outside and a flag left in another project; one died."""
    vault = str(base / "vault")
    state = home.state(vault)
    home.make_vault(vault)
    if has_history:
        with writing(vault, NOW - 1000) as writer:
            fields: dict[str, Any] = {"kind": "knowledge", "project": PROJECT, "origin": "user", "day": "2026-09-01"}
            texts = {
                f"knowledge/{name}.md": notes.new_text(name=name, description=name, body=name, **fields)
                for name in "ab"
            }
            writer.commit("before", texts, cause="test", by=BY_UPKEEP)
        edited = Path(vault, "knowledge", "b.md")
        edited.write_text(edited.read_text() + "A person was here.\n")
    nth = 0
    for number, how in enumerate((episodes.ENDED, episodes.DIED, episodes.ENDED), 1):
        opened = episodes.Episode("h", f"s{number}", 1, PROJECT, str(base), NOW - 100)
        key = episodes.open_episode(state, opened).key
        story.add(state, key, NOW, f"prompt {number}", (f"{base}/f{number}.py",))
        for text, more in (
            ("a", {}),
            (f"fact {number}", {"evidence": (f"proof {number}",)}),
            ("the same everywhere", {"evidence": (f"seen in {number}",)}),
            (f"step {number}", {"kind": "progress"}),
            ("obey", {"kind": "rule", "origin": "web"}),
            ("found elsewhere", {"project": "other-22222222"}),
        ):
            nth += 1
            given: dict[str, Any] = {"project": PROJECT, **more}
            flag, _ = flags.make(text, now=NOW, episode=key, host="h", nth=nth, **given)
            episodes.note_segment(state, key, queue.append(f"{state}/queue", [flag], NOW, roll_at=3000))
        episode = episodes.of_key(state, key)
        assert episode
        marks.finish(state, episodes.end_episode(state, episode, how, "", NOW + number), NOW, NOW + number)
    loose, _ = flags.make("of no session", now=NOW, project=PROJECT, nth=nth + 1)
    queue.append(f"{state}/queue", [loose], NOW)
    return vault


def git(vault: str, *words: str) -> str:
    return subprocess.run(["git", "-C", vault, *words], capture_output=True, text=True, check=True).stdout.strip()


def close(vault: str, blow: Blow | None = None) -> int:
    """A close in a process of its own; the signal that ended it, or 0."""

    def work() -> None:
        if blow:
            blow.fall(pytest.MonkeyPatch())
        drain(vault, lambda: NOW + 50)

    return in_a_child(work)


def judge(vault: str, tree: str, where: str) -> None:
    state = home.state(vault)
    assert queue.read(f"{state}/queue", NOW + 60).entries == (), f"{where}: something still waits"
    assert not marks.any_left(state), f"{where}: a mark is left"
    assert git(vault, "status", "--porcelain") == "", f"{where}: something is not committed"
    theirs = {
        line
        for commit in git(vault, "log", "--format=%H", "--grep=^edited by hand").split()
        for line in git(vault, "show", "--format=", "--name-only", commit).splitlines()
    }
    assert theirs <= {"knowledge/b.md"}, f"{where}: ours is taken for a person's"
    locks = list(Path(vault, ".git").rglob("*.lock"))
    assert locks == [], f"{where}: a stale lock"
    left = [path.name for path in Path(state, "writing").iterdir() if path.suffix != ".tmp"]
    assert left == [], f"{where}: {left} is left of a change"
    assert git(vault, "fsck", "--no-dangling", "--no-progress") == "", where
    assert git(vault, "rev-parse", "HEAD^{tree}") == tree, f"{where}: another tree"


def names_of_flags(vault: str) -> list[str]:
    found = [one for one in notes.walk(vault) if isinstance(one, notes.Note)]
    return sorted(source for note in found for source in note.sources)


def test_a_drain_killed_at_a_random_point_and_run_again_gives_the_same_tree(memory_path: Path) -> None:
    chance = dice("drain kills")
    models = {}
    for has_history in (False, True):
        base = memory_path / f"model-{has_history}"
        vault = a_vault(base, has_history=has_history)
        shutil.copytree(base, base.with_suffix(".undisturbed"), symlinks=True)
        whole = str(base.with_suffix(".undisturbed") / "vault")
        effects = Blow()
        with pytest.MonkeyPatch.context() as patch:
            effects.fall(patch)
            drain(whole, lambda: NOW + 50)
        tree = git(whole, "rev-parse", "HEAD^{tree}")
        judge(whole, tree, "undisturbed")
        filed = names_of_flags(whole)
        assert len(filed) == len(set(filed)) == 19
        models[has_history] = (Path(vault), tree, effects.done)
    for nth in range(KILLS):
        model, tree, effects_of_all = models[nth % 2 == 0]
        vault = str(memory_path / "killed" / "vault")
        shutil.copytree(model, vault, symlinks=True)
        points = []
        for _ in range(chance.choice((1, 1, 2))):
            points.append(chance.randint(1, effects_of_all))
            ended = close(vault, Blow(points[-1], random.Random(chance.random())))
            count("the drain", kills_of_it=ended == 9, only_its_git_killed_or_ended_before=ended == 0)
        where = f"kill {nth} at {points} of {effects_of_all}"
        for _ in range(3):
            assert close(vault) == 0, where
            if not queue.read(f"{home.state(vault)}/queue", NOW + 60).entries:
                break
        judge(vault, tree, where)
        before = git(vault, "rev-parse", "HEAD")
        assert close(vault) == 0
        assert git(vault, "rev-parse", "HEAD") == before, f"{where}: once more is not nothing"
        shutil.rmtree(memory_path / "killed")
    count("the drain", points=sum(one[2] for one in models.values()), another_tree=0)

"""Loss of power: what was said to be saved before it is found after it.

This is the test about power. kill -9 is not power loss: the page cache outlives the process, so a program without any
sync passes every kill. Here the system calls of real processes are recorded with strace and replayed into a model of a
disk that loses and reorders whatever was not synced (support_disk says what it assumes); at random points the power is
cut, the tree that is left is written out, read and appended to.

Recorded are: flags one after another and at once in a fresh vault, a segment that rolls, a sync that fails, a first
command that is killed before any of its syncs, and closes that claim, acknowledge and archive, whole or killed.
"""

from __future__ import annotations

import itertools
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.capture import queue

from . import support_strace
from .support import HERE, SIZE, SOURCE, count, dice, flag_command, make_flag, make_flags, queue_of, recover
from .support_disk import SYNCS, TRACED, Disk, Naming

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

pytestmark = pytest.mark.crash


class Recording:
    """Real processes in a vault, one after another, on a model disk."""

    def __init__(self, strace: str, base: Path, *, filled: int = 0, roll_at: int = 1 << 18) -> None:
        self.strace = strace
        self.base = base / "machine"
        (self.base / "filed").mkdir(parents=True)
        self.vault = self.base / "vault"
        if filled:
            for nth, flag in enumerate(make_flags("old", 0, filled)):
                queue.append(str(queue_of(self.vault)), [flag], 1.0 + nth, roll_at=roll_at)
        self.disk = Disk(self.base)
        self._read_at = -1
        self._texts: dict[str, str] = {}
        self.disk.said = [(0, f"flagged {ident} before") for ident in recover(queue_of(self.vault))[0]]

    def texts(self) -> dict[str, str]:
        """What was really written, by id."""
        if self._read_at != self.disk.time:
            self._read_at = self.disk.time
            self._texts = {ident: flag.text for ident, flag in recover(queue_of(self.vault))[0].items()}
        return self._texts

    def run(self, command: list[str], injections: tuple[str, ...] = ()) -> int:
        done, calls = support_strace.record(
            self.strace, self.vault, TRACED, command, injections=injections, longest=1 << 20
        )
        self.disk.replay(calls)
        return done.returncode

    def flag(self, text: str, *injections: str) -> int:
        return self.run(flag_command(text), injections)

    def close(self, *injections: str) -> int:
        script = [sys.executable, "-S", str(HERE / "child_consumer.py"), str(SOURCE)]
        return self.run([*script, str(queue_of(self.vault)), str(self.base / "filed"), "/dev/stdout"], injections)


def one_after_another(recording: Recording) -> None:
    for nth in range(3):
        assert recording.flag(f"flag {nth}") == 0


def at_once(recording: Recording) -> None:
    words = " ".join(f"'{word}'" for word in flag_command("flag at once"))
    assert recording.run(["/bin/sh", "-c", f"{words} & {words} & {words} & {words} & wait"]) == 0


def a_failed_sync(recording: Recording) -> None:
    assert recording.flag("before") == 0
    assert recording.flag("refused", "fdatasync:error=EIO:when=1") == 3
    assert recording.flag("after") == 0
    assert recording.flag("refused", "fdatasync:error=EIO:when=1") == 3
    assert recording.flag("after that") == 0


def a_close(recording: Recording) -> None:
    assert recording.flag("a flag of the day") == 0
    assert recording.close() == 0
    assert recording.flag("a flag after the close") == 0
    assert recording.close() == 0


STORIES = {
    "flags one after another in a fresh vault": (one_after_another, 0, 0),
    "four flags at once in a fresh vault": (at_once, 0, 0),
    "flags that make a segment roll": (one_after_another, 90, 1 << 20),
    "flags at once that make a segment roll": (at_once, 90, 1 << 20),
    "flags around syncs that fail": (a_failed_sync, 3, 1 << 18),
    "closes that file and archive": (a_close, 9, 9_000),
}


class Lost(AssertionError):
    """A promise was broken."""


def cut_the_power(recording: Recording, story: str, states: int, place: Path) -> None:
    """Lose the power at random moments and look at what is left."""
    disk = recording.disk
    chance = dice(story)
    for _ in range(states):
        when = chance.choice((chance.choice(disk.moments), disk.time))
        look(recording, story, when, disk.by_chance(when, chance), chance, place)


def lose_each_name(recording: Recording, story: str, moments: list[int], place: Path) -> None:
    """Not by chance: at each of these moments each uncertain name alone is lost, or alone is kept.

    Of moments with the same uncertain names the last one counts: by then the most was promised.
    """
    chance = dice(f"names {story}")
    last = {tuple(map(id, recording.disk.uncertain_names(when))): when for when in sorted(moments)}
    for when in last.values():
        uncertain = recording.disk.uncertain_names(when)
        for one in uncertain:
            for kept in ([one], [other for other in uncertain if other is not one]):
                look(recording, story, when, kept, chance, place)


def look(
    recording: Recording, story: str, when: int, names_kept: list[Naming], chance: random.Random, place: Path
) -> None:
    """Lose the power at one moment: whatever was promised before it is kept, and the queue goes on."""
    disk, texts = recording.disk, recording.texts()
    disk.after_power_loss(when, names_kept, chance, place)
    folder = queue_of(place / "vault")
    said = [line.split()[:2] for at, line in disk.said if at <= when]
    saved = {ident for what, ident in said if what == "flagged"}
    filed = {ident for what, ident in said if what == "done"}
    flags, broken = recover(folder)
    waiting = {entry.flag.id for entry in queue.read(str(folder), time.time()).entries}
    fresh = make_flag("after the power came back")
    queue.append(str(folder), [fresh], time.time())
    later, _ = recover(folder)
    shutil.rmtree(place)

    lost = {ident for ident in saved if ident not in flags or flags[ident].text != texts[ident]}
    count("power loss", states=1, with_a_broken_tail=bool(broken), saved=len(saved), lost=len(lost))
    count("power loss", filed=len(filed), filed_but_waiting_again=len(filed & waiting))
    if lost:
        raise Lost(f"{story}: {len(lost)} of {len(saved)} saved flags are lost when the power goes at {when}")
    if filed & waiting:
        raise Lost(f"{story}: {len(filed & waiting)} of {len(filed)} filed flags wait again, power lost at {when}")
    assert all(flag.text == texts[ident] for ident, flag in flags.items()), "a flag that nobody wrote"
    assert later == flags | {fresh.id: fresh}, "what was appended after the loss"


@pytest.mark.parametrize("story", STORIES)
def test_a_flag_that_was_said_to_be_saved_survives_the_loss_of_power(
    tmp_path: Path, memory_path: Path, strace: str, story: str
) -> None:
    happen, filled, roll_at = STORIES[story]
    recording = Recording(strace, tmp_path, filled=filled, roll_at=roll_at)
    happen(recording)
    assert len(recording.disk.said) > filled
    assert len(list(queue_of(recording.vault).glob("live/*.log"))) > ("roll" in story)
    cut_the_power(recording, story, SIZE.power_losses // 8, memory_path / "found")


@pytest.mark.parametrize("story", STORIES)
def test_no_name_that_is_kept_or_lost_by_itself_breaks_a_promise(
    tmp_path: Path, memory_path: Path, strace: str, story: str
) -> None:
    happen, filled, roll_at = STORIES[story]
    recording = Recording(strace, tmp_path, filled=min(filled, 9), roll_at=roll_at)
    happen(recording)
    lose_each_name(recording, story, recording.disk.moments, memory_path / "found")


def killed_at_each_sync(sync: str, base: Path) -> Iterator[tuple[int, Path]]:
    """Before which sync a command is killed, and a folder for it; the caller stops when no sync is left."""
    for nth in itertools.count(1, (SIZE.failing_calls + 2) // 3):
        folder = base / f"{nth}"
        folder.mkdir()
        yield nth, folder


def after_a_kill(recording: Recording, story: str, place: Path) -> list[str]:
    """Lose the power by chance, and at each answer that was given; what went wrong, in words."""
    answers = sorted({next(at for at in recording.disk.moments if at >= when) for when, _ in recording.disk.said})
    try:
        cut_the_power(recording, story, SIZE.power_losses // 100, place)
        lose_each_name(recording, story, answers, place)
    except Lost as problem:
        return [str(problem)]
    return []


@pytest.mark.parametrize("sync", SYNCS)
def test_a_flag_saved_after_another_command_was_killed_survives_the_loss_of_power(
    tmp_path: Path, memory_path: Path, strace: str, sync: str
) -> None:
    """A folder or file that exists is not one whose name is on the disk: its maker may have died before the sync."""
    wrong = []
    for nth, folder in killed_at_each_sync(sync, tmp_path):
        recording = Recording(strace, folder)
        if recording.flag("the command that is killed", f"{sync}:signal=KILL:when={nth}") == 0:
            assert nth > 1
            break
        assert recording.flag("the command after it") == 0
        wrong += after_a_kill(recording, f"a flag killed at {sync} {nth}", memory_path / "found")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("flags", [2, 6])
@pytest.mark.parametrize("sync", SYNCS)
def test_what_was_acknowledged_stays_filed_through_the_loss_of_power(
    tmp_path: Path, memory_path: Path, strace: str, sync: str, flags: int
) -> None:
    """The first close is killed before one of its syncs, the second goes through; then the power is lost."""
    wrong = []
    for nth, folder in killed_at_each_sync(sync, tmp_path):
        recording = Recording(strace, folder, filled=flags, roll_at=9_000)
        if recording.close(f"{sync}:signal=KILL:when={nth}") == 0:
            assert nth > 1
            break
        assert recording.close() == 0
        wrong += after_a_kill(recording, f"a close killed at {sync} {nth}", memory_path / "found")
    assert not wrong, "\n".join(wrong)

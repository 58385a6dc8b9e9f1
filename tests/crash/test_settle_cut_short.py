"""The consuming side cut between any two of its effects: killed, failed, or with half a write.

Then it is run again: no flag is lost, what was acknowledged is not filed again, and the filed tree is the one that an
undisturbed run gives. A consumer files by id, so filing the same flag again changes nothing.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from holdfast.capture import log, platform, queue, settle
from holdfast.errors import HoldfastError
from holdfast.model import Flag

from .support import HERE, SIZE, SOURCE, count, dice, ended_with_us, make_flags, recover
from .support_effects import KILL, SHORT, Effects, in_a_child, put_in_place

pytestmark = pytest.mark.crash

LEASE = 60.0
BEGAN = 1_000_000.0


class Close:
    """A consumer: a queue, the folder that it files to, and a journal of what it did."""

    def __init__(self, base: Path, now: float) -> None:
        self.queue = base / "queue"
        self.filed = base / "filed"
        self.journal = base / "journal"
        self.settlement = settle.Settlement(str(self.queue), clock=lambda: now, tries=2)

    def file(self, flag: Flag) -> None:
        self.note("file", flag.id)
        platform.write_atomic(f"{self.filed}/{flag.id}", flag.text.encode(), durable=True)

    def note(self, what: str, ident: str) -> None:
        with self.journal.open("a") as journal:
            journal.write(f"{what} {ident}\n")

    def noted(self) -> list[list[str]]:
        return [line.split() for line in self.journal.read_text().splitlines()] if self.journal.exists() else []

    def acknowledge(self, claim: settle.Claim, flags: tuple[Flag, ...]) -> None:
        for flag in flags:
            self.file(flag)
        for ident in self.settlement.acknowledge(claim, [flag.id for flag in flags]):
            self.note("done", ident)

    def claim(self, limit: int) -> settle.Claim:
        claim = self.settlement.claim(limit, LEASE)
        assert claim
        return claim

    def round(self) -> None:
        """Everything that a consumer can do: file some, give some back, fail until one is dead, retry, archive."""
        first = self.claim(3)
        self.acknowledge(first, first.flags[:2])
        self.settlement.release(first, [first.flags[2].id], error="it failed")
        again = self.claim(2)
        self.settlement.release(again, [flag.id for flag in again.flags])
        rest = self.claim(10)
        self.settlement.release(rest, [flag.id for flag in rest.flags], error="it failed again")
        assert len(self.settlement.retry()) == 1
        last = self.claim(10)
        self.acknowledge(last, last.flags)
        self.settlement.archive()

    def finish(self) -> None:
        """What the next close does, whatever it finds."""
        while True:
            self.settlement.retry()
            claim = self.settlement.claim(4, LEASE)
            if claim is None:
                break
            self.acknowledge(claim, claim.flags)
        self.settlement.archive()

    def tree(self) -> dict[str, str]:
        names = [path for path in self.filed.iterdir() if path.suffix != ".tmp"]
        return {path.name: path.read_text() for path in names}


def a_queue(base: Path) -> dict[str, str]:
    """Seven flags in four segments, and a straggler of a killed writer in one of them."""
    (base / "filed").mkdir(parents=True)
    flags = make_flags("cut", 0, 7)
    for nth, flag in enumerate(flags):
        queue.append(str(base / "queue"), [flag], BEGAN + nth, roll_at=5000)
    segment = sorted(base.glob("queue/live/*.log"))[0]
    segment.write_bytes(segment.read_bytes() + log.frame(b'"a flag that nobody was told of"')[:30])
    return {flag.id: flag.text for flag in flags}


def judge(base: Path, flags: dict[str, str], done: set[str], before: list[list[str]], where: str) -> None:
    close = Close(base, BEGAN)
    assert close.tree() == flags, f"{where}: another tree"
    assert queue.read(str(close.queue), time.time()).entries == (), f"{where}: something still waits"
    recovered, broken = recover(close.queue)
    assert {ident: flag.text for ident, flag in recovered.items()} == flags, f"{where}: lost from the segments"
    assert {found.what for found in broken} <= {log.TORN}, where
    again = {ident for what, ident in close.noted()[len(before) :] if what == "file"}
    assert not again & done, f"{where}: acknowledged, and filed again"


def undisturbed(base: Path) -> int:
    """How many effects a whole round has."""
    flags = a_queue(base)
    effects = Effects()
    with pytest.MonkeyPatch.context() as patch:
        put_in_place(effects, patch)
        Close(base, BEGAN + 100).round()
    judge(base, flags, set(), Close(base, BEGAN).noted(), "undisturbed")
    assert len(list(base.glob("queue/archive/*.log"))) >= 2
    assert len(list(base.glob("queue/broken/*.torn"))) == 1
    return effects.done


def test_a_close_killed_between_any_two_effects_is_finished_by_the_next(memory_path: Path) -> None:
    """Its claims are free at once, before their lease ends, because their owner is seen to be dead."""
    effects = undisturbed(memory_path / "undisturbed")
    for at in range(1, effects + 1, SIZE.cut_rounds):
        base = memory_path / "killed"
        flags = a_queue(base)

        def work(base: Path = base, at: int = at) -> None:
            put_in_place(Effects(at, KILL), pytest.MonkeyPatch())
            Close(base, BEGAN + 100).round()

        assert in_a_child(work) == 9
        before = Close(base, BEGAN).noted()
        Close(base, BEGAN + 101).finish()
        judge(base, flags, {ident for what, ident in before if what == "done"}, before, f"killed at effect {at}")
        shutil.rmtree(base)
        count("settling", kills_between_effects=1)


@pytest.mark.parametrize("how", [errno.EIO, errno.ENOSPC, SHORT])
def test_a_close_whose_effect_fails_is_finished_by_the_next(memory_path: Path, how: str | int) -> None:
    """It lives on, so its claims hold until their lease ends; then the next close takes over."""
    effects = undisturbed(memory_path / "undisturbed")
    for at in range(1, effects + 1, SIZE.cut_rounds):
        base = memory_path / "failed"
        flags = a_queue(base)
        faulty = Effects(at, how)
        with pytest.MonkeyPatch.context() as patch:
            put_in_place(faulty, patch)
            try:
                Close(base, BEGAN + 100).round()
            except (HoldfastError, OSError):
                pass  # a close reports it and ends
        assert faulty.happened
        before = Close(base, BEGAN).noted()
        Close(base, BEGAN + 101 + LEASE).finish()
        done = {ident for what, ident in before if what == "done"}
        judge(base, flags, done, before, f"{how} at effect {at}, {faulty.happened}")
        shutil.rmtree(base)
        count("settling", failed_effects=1)


def start(script: str, *given: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-S", str(HERE / script), str(SOURCE), *map(str, given)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("kills", [0, max(4, SIZE.command_kills // 4)])
def test_flags_are_filed_once_while_writers_write_and_closes_die(memory_path: Path, kills: int) -> None:
    """Writers, closes and the archive at once, with segments so small that they are retired while others look."""
    folder, filed, journal = memory_path / "queue", memory_path / "filed", memory_path / "journal"
    filed.mkdir()
    chance = dice(f"closes {kills}")
    each = 40 + 10 * kills
    started: list[subprocess.Popen[bytes]] = []
    with ended_with_us(started):
        started += [start("child_writer.py", folder, f"w{nth}", 2, 6000, each) for nth in range(3)]
        started += [start("child_consumer.py", folder, filed, journal) for _ in range(3)]
        writers, closes = started[:3], started[3:]
        for _ in range(kills):
            victim = chance.randrange(3)
            try:
                closes[victim].wait(timeout=chance.uniform(0.02, 0.12))
                pytest.fail("a close ended by itself")
            except subprocess.TimeoutExpired:
                closes[victim].kill()
                closes[victim].wait()
                closes[victim] = start("child_consumer.py", folder, filed, journal)
                started.append(closes[victim])
        assert [writer.wait(timeout=120) for writer in writers] == [0] * 3
        for close in closes:
            assert close.stdin
            close.stdin.close()  # it finishes what waits, and ends
        assert [close.wait(timeout=120) for close in closes] == [0] * 3

    flags, broken = recover(folder)
    assert len(flags) == 3 * each
    assert broken == []
    assert {path.name: path.read_text() for path in filed.iterdir() if path.suffix != ".tmp"} == {
        ident: flag.text for ident, flag in flags.items()
    }
    assert queue.read(str(folder), time.time()).entries == ()
    steps = Counter(journal.read_text().splitlines())
    assert all(steps[f"done {ident}"] <= 1 for ident in flags), "acknowledged twice"
    repeated = sum(steps[f"file {ident}"] - 1 for ident in flags)
    assert repeated <= kills * 5, "only what a dead close held may be filed again"
    archived = len(list(folder.glob("archive/*.log")))
    assert archived > 3
    count("settling", closes_killed=kills, flags_filed=len(flags), filed_again_after_a_kill=repeated)
    count("settling", segments_archived=archived)


def test_a_torn_record_of_a_dead_close_costs_no_later_one(memory_path: Path) -> None:
    """The fragment may be of any length; what is appended after it counts."""
    folder = str(memory_path / "queue")
    for cut in range(1, 120, SIZE.cut_rounds):
        (flag,) = make_flags("torn", cut, 1, now=BEGAN)
        queue.append(folder, [flag], BEGAN)
        owner = settle.Settlement(folder, clock=lambda: BEGAN + 1)
        claim = owner.claim(1, LEASE)
        assert claim
        path = queue.settled_path(claim.segments[0])
        with open(path, "ab") as settled:
            settled.write(log.frame(b'{"what":"acknowledge","ids":["%s"]}' % flag.id.encode() * 3)[:cut])
        assert owner.acknowledge(claim, [flag.id]) == (flag.id,)
        view = queue.read(folder, BEGAN + 2)
        assert view.entries == ()
        assert [found.what for _, found in view.broken] == [log.TORN]
        for name in (path, claim.segments[0]):
            os.unlink(name)

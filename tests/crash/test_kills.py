"""kill -9 in the middle of appends: every flag that was acknowledged before the kill is in the queue after it.

The victims are processes that append in a tight loop, in batches and with long texts, because a write of many pages is
what SIGKILL can cut; the kill comes at a random moment. In every other group a bystander that is not killed appends to
the same segment all the while. Half of the groups are on the disk, half in memory, where nearly all the time goes into
the write itself and more tails are torn. This is not power loss: see test_power_loss.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import pytest

from holdfast.capture import log, segments

from .support import (
    HERE,
    SIZE,
    SOURCE,
    count,
    dice,
    ended_with_us,
    environment,
    flag_command,
    is_intact,
    queue_of,
    recover,
    run,
    saved_ids,
)

pytestmark = pytest.mark.crash

GROUP = 20


@dataclass
class Writer:
    """A writer process and what it has acknowledged so far."""

    process: subprocess.Popen[bytes]
    heard: list[bytes] = field(default_factory=list)

    @property
    def pipe(self) -> IO[bytes]:
        assert self.process.stdout
        return self.process.stdout

    def listen(self, seconds: float) -> bool:
        """Take what it says until the time is over; False if it ended by itself."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self.pipe], [], [], left)[0] and not self._take():
                return False
        return True

    def listen_once(self) -> None:
        assert select.select([self.pipe], [], [], 60)[0], "the writer acknowledged nothing in a minute"
        assert self._take(), "the writer ended before it acknowledged anything"

    def _take(self) -> bool:
        said = os.read(self.pipe.fileno(), 1 << 16)
        self.heard.append(said)
        return bool(said)

    def kill(self) -> set[str]:
        """Kill it; the ids that it acknowledged, of which the last may still be in the pipe."""
        self.process.kill()
        self.process.wait()
        self.heard.append(self.pipe.read())
        self.pipe.close()
        assert self.process.returncode == -9, self.process.returncode
        *lines, rest = b"".join(self.heard).decode().split("\n")
        assert rest == "", "an answer is one small write to a pipe: it cannot be cut"
        return set(lines)


def start_writer(folder: Path, name: str, most: int, roll_at: int, started: list[subprocess.Popen[bytes]]) -> Writer:
    command = [sys.executable, "-S", str(HERE / "child_writer.py"), str(SOURCE), str(folder), name, str(most)]
    started.append(subprocess.Popen([*command, str(roll_at), "0"], stdout=subprocess.PIPE))
    return Writer(started[-1])


def kill_a_group(folder: Path, first: int, kills: int, *, shared: bool, roll_at: int) -> set[str]:
    """Kill one writer after another, beside one that lives on until the last of them if `shared`; what they saved."""
    chance = dice(f"kills {first}")
    acknowledged: set[str] = set()
    started: list[subprocess.Popen[bytes]] = []
    with ended_with_us(started):
        bystander = start_writer(folder, f"by{first}", 3, roll_at, started) if shared else None
        for nth in range(kills):
            victim = start_writer(folder, f"w{first + nth}", chance.choice((1, 8, 64, 64)), roll_at, started)
            victim.listen_once()
            if bystander:
                assert bystander.listen(0.001), "the bystander failed"
            assert victim.listen(chance.uniform(0, 0.02)), "the writer failed"
            acknowledged |= victim.kill()
        return acknowledged | bystander.kill() if bystander else acknowledged


def test_a_flag_acknowledged_before_the_kill_is_recovered(tmp_path: Path, memory_path: Path) -> None:
    done = 0
    while done < SIZE.kills:
        group = done // GROUP
        folder = (tmp_path if group % 2 else memory_path) / f"group{done}"
        shared = group % 4 < 2
        kills = min(GROUP, SIZE.kills - done)
        roll_at = segments.ROLL_AT if (group + group // 4) % 2 else 1 << 26  # many small segments, or one for all
        acknowledged = kill_a_group(folder, done, kills, shared=shared, roll_at=roll_at)
        done += kills
        flags, broken = recover(folder)
        assert acknowledged <= flags.keys(), f"lost: {sorted(acknowledged - flags.keys())[:5]}"
        assert all(is_intact(flag) for flag in flags.values())
        assert {found.what for found in broken} <= {log.TORN}
        count(
            "kill -9",
            kills=kills + shared,
            beside_a_live_writer=kills * shared,
            torn_tails=len(broken),
            acknowledged=len(acknowledged),
            lost=len(acknowledged - flags.keys()),
            saved_but_not_yet_acknowledged=len(flags.keys() - acknowledged),
        )
        for path in sorted(folder.rglob("*"), reverse=True):
            path.unlink() if path.is_file() or path.is_symlink() else path.rmdir()


def test_a_flag_command_killed_at_any_moment_has_saved_what_it_said(tmp_path: Path) -> None:
    chance = dice("command kills")
    vault = tmp_path / "vault"
    acknowledged: dict[str, str] = {}
    usual = 60.0
    for nth in range(3):
        began = time.monotonic()
        (ident,) = saved_ids(run(flag_command(f"not killed {nth}"), vault).stdout)
        usual = min(usual, time.monotonic() - began)
        acknowledged[ident] = f"not killed {nth}"
    for nth in range(SIZE.command_kills):
        text = f"command {nth} " + "x" * chance.randrange(3900)
        command = subprocess.Popen(
            flag_command(text), cwd=tmp_path, env=environment(vault), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert command.stdout
        select.select([command.stdout], [], [], chance.uniform(0.5, 1.5) * usual)  # to its answer, or not even that
        command.kill()
        said, wrong = command.communicate()
        assert not wrong
        for ident in saved_ids(said.decode()):
            acknowledged[ident] = text
    flags, broken = recover(queue_of(vault))
    assert {ident: flags[ident].text for ident in acknowledged} == acknowledged
    assert {found.what for found in broken} <= {log.TORN}
    lost = len(acknowledged.keys() - flags.keys())
    count("kill -9", acknowledged=len(acknowledged), lost=lost, of_the_command=SIZE.command_kills)
    count("kill -9", after_its_answer=len(acknowledged) - 3)
    after = run(flag_command("the last, not killed"), vault)
    assert saved_ids(after.stdout)[0] in recover(queue_of(vault))[0]

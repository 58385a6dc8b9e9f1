"""The field under kill -9, and with several processes at once.

What was acknowledged is there afterwards, once. The store is derived: wherever its writer was killed, the next one
opens it and catches up, and what it then says is what a store made anew from notes, thoughts and traffic says, to the
last digit of every weight.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from holdfast.field import handle, intake, traffic
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Scope

from . import child_field
from .child_field import PROJECT, WORDS, Directions
from .support import HERE, NAME, SOURCE, count, dice, ended_with_us
from .support_effects import Effects, in_a_child, put_in_place

pytestmark = pytest.mark.crash

KILLS = {"short": 16, "full": 200}[NAME]
REBUILDS = {"short": 8, "full": 60}[NAME]
EACH = {"short": 60, "full": 400}[NAME]


def started(vault: Path, name: str, work: str, how_many: int, first: int = 0) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(HERE / "child_field.py"), str(vault), name, work, str(how_many), str(first)]
    env = {"PYTHONPATH": str(SOURCE), "PATH": os.defpath, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE)


def told(process: subprocess.Popen[bytes]) -> list[list[str]]:
    assert process.stdout
    lines = process.stdout.read().decode().split("\n")
    assert lines.pop() == "", "an acknowledgement is one small write: it cannot be cut"
    return [line.split(" ", 2) if line.startswith("thought") else line.split(" ") for line in lines]


def all_said(vault: Path) -> dict[str, Any]:
    """Everything a store says once it has caught up."""
    with handle.opened(str(vault), Directions(), lambda: 2e9) as field:
        intake.sync(field)
        store = field.store
        assert isinstance(store, SqliteStore)
        ids = sorted(row[0] for row in store.db.execute("SELECT id FROM thought"))
        vector = Directions().embed(["orders lock"])[0]
        assert store.unembedded(Directions.name, 5) == []
        assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        store.db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        return {
            "thoughts": store.thoughts(ids),
            "traffic": store.traffic(ids),
            "asked": store.asked(0, 1_000_000),
            "nearest": store.nearest(vector, Scope(PROJECT), 50),
            "found": [store.lexical([word], Scope(PROJECT), 50) for word in WORDS],
            "travelled": store.travelled(),
        }


def wrong_with(vault: Path, said: list[list[str]]) -> list[str]:
    """What was acknowledged and is not there, or there twice, or not the same once the store is made anew."""
    kept = all_said(vault)
    found: list[str] = []
    texts = Counter(one.text for one in kept["thoughts"].values())
    found += [f"twice: {text}" for text, times in texts.items() if times > 1]
    for line in said:
        if line[0] == "thought":
            known = kept["thoughts"].get(line[1])
            found += [] if known and known.text == line[2] else [f"lost: {line[2]}"]
    reads = Counter(ident for line in said if line[0] == "read" for ident in line[1:] if ident)
    for ident, times in reads.items():
        accesses = kept["traffic"][ident].access_count if ident in kept["traffic"] else 0
        found += [f"{ident} was read {times} times, {accesses} are known"] if accesses < times else []
    for path in (vault / ".state").glob("field.db*"):
        path.unlink()
    again = all_said(vault)
    found += [f"made anew it says other {name}" for name in kept if kept[name] != again[name]]
    return found


def killed_after(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Let it begin, wait so long, and kill it."""
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    pid_fd = os.pidfd_open(process.pid)
    select.select([pid_fd], [], [], seconds)
    os.close(pid_fd)
    process.kill()
    process.wait()


def test_thinking_and_reading_killed_at_any_moment_lose_nothing_acknowledged(memory_path: Path) -> None:
    vault = memory_path / "vault"
    chance = dice("field kills")
    said: list[list[str]] = []
    for nth in range(KILLS):
        process = started(vault, f"agent{nth}", "both", 100_000)
        with ended_with_us([process]):
            killed_after(process, chance.uniform(0.0, 0.15))
            said += told(process)
    assert any(line[0] == "thought" for line in said)
    assert any(line[0] == "read" for line in said)
    assert wrong_with(vault, said) == []
    thoughts = sum(line[0] == "thought" for line in said)
    count("field", kills=KILLS, thoughts=thoughts, reads=sum(line[0] == "read" for line in said), lost=0)


def test_a_rebuild_killed_at_any_moment_leaves_a_field_that_says_the_same(memory_path: Path) -> None:
    vault = memory_path / "vault"
    process = started(vault, "ada", "both", 200)
    with ended_with_us([process]):
        said = told(process)
        assert process.wait() == 0
    before = all_said(vault)
    chance = dice("rebuild kills")
    for _ in range(REBUILDS):
        process = started(vault, "bob", "rebuild", 100_000)
        with ended_with_us([process]):
            killed_after(process, chance.uniform(0.0, 0.4))
        assert all_said(vault) == before
    assert wrong_with(vault, said) == []
    count("field", rebuilds_killed=REBUILDS)


@pytest.mark.parametrize("work", ["think", "read"])
def test_killed_before_any_of_its_effects_it_loses_and_doubles_nothing(memory_path: Path, work: str) -> None:
    vault = memory_path / "vault"
    process = started(vault, "ada", "both", 6)
    with ended_with_us([process]):
        first = told(process)
        assert process.wait() == 0
    shutil.copytree(vault, memory_path / "kept", symlinks=True)
    heard = memory_path / "heard"
    at, wrong = 0, []
    while True:
        at += 1
        heard.write_text("")

        def do(at: int = at) -> None:
            os.dup2(os.open(heard, os.O_WRONLY), 1)
            put_in_place(Effects(at), pytest.MonkeyPatch())
            child_field.main(str(vault), "bob", work, "1", "7")

        is_killed = in_a_child(do) == signal.SIGKILL
        said = [
            line.split(" ", 2) if line.startswith("thought") else line.split(" ")
            for line in heard.read_text().splitlines()
        ]
        wrong += [f"killed before effect {at}: {what}" for what in wrong_with(vault, [*first, *said])]
        count("field", killed_before_each_effect=is_killed)
        shutil.rmtree(vault)
        shutil.copytree(memory_path / "kept", vault, symlinks=True)
        if not is_killed:
            break
    assert at > {"think": 4, "read": 2}[work]
    assert not wrong, "\n".join(wrong)


def test_two_writers_and_four_readers_at_once_meet_no_error_and_lose_nothing(memory_path: Path) -> None:
    vault = memory_path / "vault"
    works = [("ada", "think"), ("bob", "think"), *((f"reader{nth}", "read") for nth in range(4))]
    processes = [started(vault, name, work, EACH) for name, work in works]
    with ended_with_us(processes):
        said = [line for process in processes for line in told(process)]
        assert [process.wait() for process in processes] == [0] * len(processes)
    assert sum(line[0] == "thought" for line in said) == 2 * EACH
    assert wrong_with(vault, said) == []
    reads = Counter(ident for line in said if line[0] == "read" for ident in line[1:] if ident)
    kept = all_said(vault)["traffic"]
    assert {ident: known.access_count for ident, known in kept.items()} == reads, (
        "none is missed and none counted twice"
    )
    assert traffic.traffic_size(str(vault)) > 0
    count("field", writers=2, readers=4, thoughts=2 * EACH, reads=4 * EACH, errors=0)

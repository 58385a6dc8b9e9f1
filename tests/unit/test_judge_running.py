"""Judges that are programs do not outlive whoever asked them, however that ends, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hook_support import SOURCE
from judge_server import a_question, runs, wait_until

from holdfast.errors import JudgeFailed
from holdfast.hosts import programs
from holdfast.judge.models import Agent

SLEEPS = """#!/bin/sh
sleep 600 &
echo $$ $! >> {pids}
wait
"""
LEAVES = """#!/bin/sh
sleep 600 > /dev/null 2>&1 &
echo $! >> {pids}
echo '{{"type": "result", "result": "ok", "usage": {{"input_tokens": 5, "output_tokens": 3}}}}'
"""
FLOODS = """#!/bin/sh
echo $$ >> {pids}
exec yes 'word after word after word'
"""
# Two threads that ask, as a close has them, and a main thread that waits for them.
ASKS = """
import sys, threading
sys.path.insert(0, {tests!r})
from judge_server import a_question
from holdfast.hosts import programs
from holdfast.judge.models import Agent

judge = Agent("claude-code", "haiku", {env!r})
threads = [threading.Thread(target=judge.say, args=(a_question(), 300), daemon=True) for _ in range(2)]
for one in threads:
    one.start()
try:
    for one in threads:
        one.join()
except KeyboardInterrupt:
    sys.exit(130)
"""


class Shelf:
    """A claude of our own, and the pids of all that runs because of it."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.pids = folder / "pids"
        self.scratch = scratch
        self.program = folder / "bin" / "claude"
        self.program.parent.mkdir()
        self.env = {"HOME": str(folder), "PATH": f"{self.program.parent}:/usr/bin:/bin"}

    def put(self, text: str) -> Agent:
        self.program.write_text(text.format(pids=self.pids))
        self.program.chmod(0o755)
        return Agent("claude-code", "haiku", self.env)

    def started(self, count: int) -> list[int]:
        wait_until(lambda: self.pids.exists() and len(self.pids.read_text().split()) >= count)
        return [int(pid) for pid in self.pids.read_text().split()]

    def left(self) -> list[str]:
        return [name for name in os.listdir(self.scratch) if name.startswith(programs.PREFIX)]


def watchers(pid: int) -> int:
    """How many small shells stand by the judges of a process."""
    found = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
            found += b"read -r _" in Path(f"/proc/{child}/cmdline").read_bytes()
    return found


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    made = Shelf(tmp_path, scratch)
    yield made
    for pid in made.pids.read_text().split() if made.pids.exists() else ():
        if runs(int(pid)):
            os.kill(int(pid), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_who_asked_ends_the_judges_and_removes_their_folders(shelf: Shelf, how: signal.Signals) -> None:
    shelf.put(SLEEPS)
    text = ASKS.format(tests=str(Path(__file__).parent), env=shelf.env)
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(shelf.scratch)}
    asking = subprocess.Popen([sys.executable, "-c", text], env=env, stderr=subprocess.DEVNULL)
    pids = shelf.started(4)
    assert all(runs(pid) for pid in pids)
    assert len(shelf.left()) == 2
    wait_until(lambda: watchers(asking.pid) == 2)
    asking.send_signal(how)
    assert asking.wait(20) == (130 if how == signal.SIGINT else -how)
    wait_until(lambda: not any(runs(pid) for pid in pids))
    wait_until(lambda: not shelf.left())


def test_ending_all_tells_those_who_wait_that_nothing_more_need_be_asked(shelf: Shelf) -> None:
    judge = shelf.put(SLEEPS)
    failed: list[JudgeFailed] = []

    def ask() -> None:
        try:
            judge.say(a_question(), 300)
        except JudgeFailed as error:
            failed.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    pids = shelf.started(2)
    programs.end_all()
    assert shelf.left() == []
    wait_until(lambda: not any(runs(pid) for pid in pids))
    thread.join(20)
    (error,) = failed
    assert "was interrupted" in str(error)
    assert (error.again, error.spent, error.final) == (False, True, True)
    programs.end_all()
    assert judge.name == "claude-code", "and a later call may be made"
    assert shelf.put(LEAVES).say(a_question(), 20).text == "ok"


def test_a_handler_of_a_signal_may_end_all_in_the_thread_that_asks(shelf: Shelf) -> None:
    judge = shelf.put(SLEEPS)
    before = signal.signal(signal.SIGUSR1, lambda *_: programs.end_all())

    def tell() -> None:
        shelf.started(2)
        os.kill(os.getpid(), signal.SIGUSR1)

    try:
        threading.Thread(target=tell, daemon=True).start()
        began = time.monotonic()
        with pytest.raises(JudgeFailed, match="was interrupted"):
            judge.say(a_question(), 300)
        assert time.monotonic() - began < 20
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert shelf.left() == []


def test_what_a_program_leaves_running_is_killed_when_it_has_answered(shelf: Shelf) -> None:
    assert shelf.put(LEAVES).say(a_question(), 20).text == "ok"
    (pid,) = shelf.started(1)
    wait_until(lambda: not runs(pid), 5)


@pytest.mark.slow
def test_a_program_that_writes_without_end_is_stopped_long_before_its_time(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "LARGEST", 1 << 16)
    with pytest.raises(JudgeFailed, match="without end") as failed:
        shelf.put(FLOODS).say(a_question(), 300)
    assert (failed.value.again, failed.value.spent, failed.value.final) == (False, True, False)
    (pid,) = shelf.started(1)
    assert not runs(pid)


def test_nobody_watches_a_call_that_is_over(shelf: Shelf) -> None:
    judge = shelf.put(LEAVES)
    judge.say(a_question(), 20)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        judge.say(a_question(), 20)
    assert len(os.listdir("/proc/self/fd")) == before
    children = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children").read_text().split()
    commands = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children if Path(f"/proc/{pid}").exists()]
    assert not any(b"holdfast-judge" in command for command in commands)


@pytest.mark.slow
def test_a_folder_is_only_removed_by_the_watcher_where_it_is_ours(shelf: Shelf, tmp_path: Path) -> None:
    """A program that stands elsewhere takes nothing with it when we are killed."""
    shelf.put(SLEEPS)
    (tmp_path / "mine" / "work").mkdir(parents=True)
    text = (
        "from holdfast.hosts import programs\n"
        f"programs.run('it', [{str(shelf.program)!r}], {shelf.env!r}, {str(tmp_path / 'mine' / 'work')!r}, '', 300)"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(shelf.scratch)}
    asking = subprocess.Popen([sys.executable, "-c", text], env=env)
    pids = shelf.started(2)
    wait_until(lambda: watchers(asking.pid) == 1)
    asking.kill()
    asking.wait()
    wait_until(lambda: not any(runs(pid) for pid in pids))
    assert (tmp_path / "mine" / "work").is_dir()


def test_old_folders_of_ours_are_swept_and_nothing_else_is(shelf: Shelf) -> None:
    now = time.time()
    for name, age in (("judge-old", 3.0), ("judge-new", 0.5), ("other-old", 9.0)):
        folder = shelf.scratch / f"holdfast-{name}"
        (folder / "empty").mkdir(parents=True)
        os.utime(folder, (now - age * 3600, now - age * 3600))
    elsewhere = shelf.scratch / "elsewhere"
    elsewhere.mkdir()
    (shelf.scratch / "holdfast-judge-link").symlink_to(elsewhere)
    (shelf.scratch / "holdfast-judge-file").write_text("x")
    with programs.scratch() as used:
        os.utime(used, (0, 0))
        programs.sweep(now)
        left = sorted(os.listdir(shelf.scratch))
        assert os.path.basename(used) in left
    assert set(left) - {os.path.basename(used)} == {
        "elsewhere",
        "holdfast-judge-file",
        "holdfast-judge-link",
        "holdfast-judge-new",
        "holdfast-other-old",
    }


def test_a_fork_does_not_end_the_judges_of_the_one_it_came_from(shelf: Shelf) -> None:
    judge = shelf.put(SLEEPS)

    def ask() -> None:
        with pytest.raises(JudgeFailed):
            judge.say(a_question(), 300)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    pids = shelf.started(2)
    child = os.fork()
    if not child:
        programs.end_all()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert all(runs(pid) for pid in pids)
    programs.end_all()
    thread.join(20)
    wait_until(lambda: not any(runs(pid) for pid in pids))

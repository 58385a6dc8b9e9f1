"""One run of a task at a time, and its host as a process: started, told of our signals, and waited for.

    .state/tasks/run/<id>     locked while a runner lives; in it the runner, its host, and since when

Promise: no second host of a task is started while the first one lives. The lock goes with the runner; a host that
outlives its runner is known by the file, which it writes itself between fork and exec, while it still holds the
runner's lock. A file that nobody locks and that names no living host is a run that died. While a host lives its runner
waits for it, whatever signal it gets itself, short of the one that nobody can catch. Signals that were ignored when we
were started (nohup, a shell's background) stay ignored, for us and for the host.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, locks, platform
from holdfast.errors import Busy
from holdfast.model import VERSION, Process, value
from holdfast.tasks import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Self

LARGEST = 1 << 14


class Held:
    """The lock of one task, while we have it. `left`: since when a run went that died before us; 0 if none did."""

    def __init__(self, fd: int, since: float, left: float) -> None:
        self.fd = fd
        self.since = since
        self.left = left
        self.runner = platform.process(os.getpid())

    def note(self, host: Process | None = None) -> None:
        """Write down who runs. Raises OSError."""
        runner, known = (one.as_record() if one else None for one in (self.runner, host))
        data = codec.encode({"v": VERSION, "since": self.since, "runner": runner, "host": known})
        os.pwrite(self.fd, data, 0)
        os.ftruncate(self.fd, len(data))
        platform.sync(self.fd)

    def note_host(self) -> None:
        """In the host's own process, before it becomes the host."""
        self.note(platform.process(os.getpid()))


@contextmanager
def held(vault: str, task: str, now: float) -> Iterator[Held]:
    """Raises Busy where the task is being run."""
    folder = f"{record.own(vault)}/run"
    platform.make_folders(folder)
    path = f"{folder}/{task}"
    try:
        fd = locks.taken(path, 0.0)
    except Busy:
        raise _busy(task, _told(path)) from None
    try:
        before = _told(path)
        since = float(before.get("since", 0.0))
        host = Process.from_record(before.get("host"))
        if host and platform.alive(host, since, now):
            raise _busy(task, before)
        lock = Held(fd, now, since)
        lock.note()
        yield lock
        os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def _told(path: str) -> dict[str, Any]:
    """The record in a lock; nothing where it is none of ours, since its writer was stopped by more than a kill."""
    try:
        found = codec.decode(platform.read_file(path, LARGEST))
        return found if isinstance(found, dict) and isinstance(found.get("since"), (int, float)) else {}
    except (OSError, ValueError):
        return {}


def _busy(task: str, told: dict[str, Any]) -> Busy:
    since = float(told.get("since", 0.0))
    when = f" since {time.strftime('%Y-%m-%dT%H:%MZ', time.gmtime(since))}" if since else ""
    who = Process.from_record(told.get("host")) or Process.from_record(told.get("runner"))
    by = f" by process {who.pid}" if who else ""
    return Busy(f"Task {task} is being run{when}{by}; nothing was started. One session of a task at a time.")


HANDED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
CANNOT = 127  # as a shell says it: the program could not be started


@value
class Ended:
    """The status as a shell has it (128 and the signal's number for a killed one), and the same in words."""

    status: int
    how: str


class Signals:
    """The signals that ask us to end, while a run goes on. `got` is the first of them, 0 while there was none."""

    def __init__(self) -> None:
        self.got = 0
        self._host: subprocess.Popen[bytes] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in HANDED_ON:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._hand_on)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def watch(self, host: subprocess.Popen[bytes]) -> None:
        """From now on the host is told. What came while it was being started it is told now."""
        self._host = host
        if self.got:
            host.send_signal(self.got)

    def _hand_on(self, number: int, _frame: object) -> None:
        self.got = self.got or number
        if self._host and not _terminal_has_told(number):
            self._host.send_signal(number)


def run(
    command: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    asked: bytes | None,
    first: Callable[[], None],
    signals: Signals,
) -> Ended:
    """Start a host and wait for it. `asked` is its stdin where it does not share ours; `first` runs in its process
    before it becomes the host."""
    with tempfile.TemporaryFile() as given:
        if asked is not None:
            given.write(asked)
            given.seek(0)
        try:
            host = subprocess.Popen(
                list(command),
                env=dict(env),
                cwd=cwd,
                stdin=None if asked is None else given,
                preexec_fn=first,  # noqa: PLW1509  a runner has one thread
            )
        except (OSError, subprocess.SubprocessError) as error:
            return Ended(CANNOT, f"could not be started ({getattr(error, 'strerror', None) or error})")
        signals.watch(host)
        status = host.wait()
    if status < 0:
        return Ended(128 - status, f"was killed by {name(-status)}")
    return Ended(status, f"ended with status {status}")


def name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _terminal_has_told(number: int) -> bool:
    """A Ctrl-C goes to everybody in the foreground, the host included; told twice, hosts end without tidying up."""
    if number != signal.SIGINT:
        return False
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False

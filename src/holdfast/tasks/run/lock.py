"""One run of a task at a time, whoever starts it and however it ends.

    .state/tasks/run/<id>     locked while a runner lives; in it the runner, its host, and since when

Promise: no second host of a task is started while the first one lives. The lock goes with the runner; a host that
outlives its runner is known by what stands in the file, which it writes itself between fork and exec, while it still
holds the runner's lock. So there is no moment at which a host runs and nothing says so. What stands there when nobody
holds the lock and no host lives is a run that died.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, platform
from holdfast.errors import Busy
from holdfast.model import VERSION, Process
from holdfast.tasks import record

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        told = {"v": VERSION, "since": self.since}
        told["runner"] = self.runner.as_record() if self.runner else None  # type: ignore[assignment]
        told["host"] = host.as_record() if host else None  # type: ignore[assignment]
        data = codec.encode(told)
        os.pwrite(self.fd, data, 0)
        os.ftruncate(self.fd, len(data))
        os.fdatasync(self.fd) if hasattr(os, "fdatasync") else os.fsync(self.fd)

    def note_host(self) -> None:
        """In the host's own process, before it becomes the host."""
        self.note(platform.process(os.getpid()))


@contextmanager
def held(vault: str, task: str, now: float) -> Iterator[Held]:
    """Raises Busy where the task is being run."""
    folder = f"{record.own(vault)}/run"
    platform.make_folders(folder)
    fd = os.open(f"{folder}/{task}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(task, _read(fd)) from None
        before = _read(fd)
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


def _read(fd: int) -> dict[str, Any]:
    """What stands there; nothing where it is none of ours, since who wrote it was stopped by more than a kill."""
    try:
        found = codec.decode(os.pread(fd, LARGEST, 0))
        return found if isinstance(found, dict) and isinstance(found.get("since"), (int, float)) else {}
    except ValueError:
        return {}


def _busy(task: str, told: dict[str, Any]) -> Busy:
    since = float(told.get("since", 0.0))
    when = f" since {time.strftime('%Y-%m-%dT%H:%MZ', time.gmtime(since))}" if since else ""
    who = Process.from_record(told.get("host")) or Process.from_record(told.get("runner"))
    by = f" by process {who.pid}" if who else ""
    return Busy(f"Task {task} is being run{when}{by}; nothing was started. One session of a task at a time.")

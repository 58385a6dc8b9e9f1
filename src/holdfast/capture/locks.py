"""Locks on files, by path or by descriptor. The kernel releases a lock when its owner dies, so none is ever stale.

Standard library only, and without contextlib: a hook that has milliseconds takes locks too.
"""

from __future__ import annotations

import fcntl
import posix
import time

from holdfast.errors import Busy

STEP, LONGEST_STEP = 0.002, 0.01  # seconds between two tries, growing


def lock(fd: int, *, shared: bool = False, wait: bool = True) -> bool:
    """Lock an open file until it is closed. False where somebody else holds it and we do not wait. Raises OSError."""
    try:
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def opened(path: str) -> int:
    """The file that carries a lock, made if need be."""
    return posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600)


class held:  # noqa: N801  it is called as a function: `with locks.held(path):`
    """Hold the lock on a path, or on a descriptor that it then closes. Raises Busy where it is held and we do not wait,
    and OSError."""

    def __init__(self, file: str | int, *, shared: bool = False, wait: bool = True) -> None:
        self.file, self.shared, self.wait = file, shared, wait

    def __enter__(self) -> int:
        self.fd = opened(self.file) if isinstance(self.file, str) else self.file
        try:
            if lock(self.fd, shared=self.shared, wait=self.wait):
                return self.fd
            raise Busy
        except BaseException:
            posix.close(self.fd)
            raise

    def __exit__(self, *_: object) -> None:
        posix.close(self.fd)


def taken(path: str, patience: float, sentence: str | None = None) -> int:
    """Wait so many seconds for a lock; returns the open file, and closing it releases the lock. Raises Busy with the
    sentence, or with its own."""
    fd = opened(path)
    until, pause = time.monotonic() + patience, STEP
    while not lock(fd, wait=False):
        if time.monotonic() >= until:
            posix.close(fd)
            raise Busy(sentence)
        time.sleep(pause)
        pause = min(pause * 1.5, LONGEST_STEP)
    return fd


def is_held(path: str) -> bool:
    """Whether somebody holds the lock at this moment."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not lock(fd, shared=True, wait=False)
    finally:
        posix.close(fd)

"""Waiting for a lock on a file, for so long: the kernel lets go of it when its owner dies, so it is never stale."""

from __future__ import annotations

import fcntl
import posix
import time

from holdfast.errors import Busy

STEP, LONGEST_STEP = 0.002, 0.01  # seconds between two tries, growing


def taken(path: str, patience: float, sentence: str | None = None) -> int:
    """The lock, as a file that is open; closing it gives it back. Raises Busy with the sentence, or with its own."""
    fd = posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    until, pause = time.monotonic() + patience, STEP
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                posix.close(fd)
                raise Busy(sentence) from None
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_STEP)
        else:
            return fd


def is_held(path: str) -> bool:
    """Whether somebody holds it at this moment."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        posix.close(fd)
    return False

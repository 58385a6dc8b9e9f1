"""One writer at a time: SQLite's own waiting starves writers, a lock on a file beside it does not."""

from __future__ import annotations

import fcntl
import posix
import time

from holdfast.errors import Busy

STEP = 0.002  # seconds between two tries, growing


def taken(path: str, patience: float) -> int:
    """The lock, as a file that is open; closing it gives it back. Raises Busy."""
    fd = posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    until, pause = time.monotonic() + patience, STEP
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                posix.close(fd)
                raise Busy(
                    "Another holdfast process is writing to the field; what was said is kept and is taken in later. "
                    "Nothing needs to be done."
                ) from None
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        else:
            return fd

"""Which close thinks about an episode that has no flags, so that no judge is asked twice about one story.

Flags are held by their claim; a story has none. The lock is the kernel's and goes with its process, so nobody waits for
a close that was killed. It is about money only: telling a story twice comes to the same files.
"""

from __future__ import annotations

import fcntl
import os
import zlib

NAME = "closing"


class Holding:
    """What this close holds, until it is left. One byte of one file for each name, so that nothing is left behind."""

    def __init__(self, state: str, *, asks: bool) -> None:
        self._path = f"{state}/{NAME}"
        self._asks = asks
        self._fd = -1

    def __enter__(self) -> Holding:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def take(self, name: str) -> bool:
        """False where another close has it. One that asks nobody, and a disk that takes no lock, need not know."""
        if not self._asks:
            return True
        try:
            if self._fd < 0:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.lockf(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, zlib.crc32(name.encode("utf-8", "replace")))
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

"""The effects of a process on the disk, one by one: before any of them it can be killed, made to fail or cut short.

`Effects` stands in for the module `posix` in every module of holdfast, so the code under test is the code as it is.
"""

from __future__ import annotations

import os
import posix
import signal
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

KILL, SHORT = "kill", "short"


class Effects(ModuleType):
    """Counts effects; before number `at` it does what `how` says: kill, short (half a write), or an errno to raise."""

    def __init__(self, at: int = 0, how: str | int = KILL) -> None:
        super().__init__("posix")
        self.done = 0
        self.at = at
        self.how = how
        self.happened = ""

    def __getattr__(self, name: str) -> Any:
        real = getattr(posix, name)
        if name == "open":
            return self._open
        if name in ("write", "fsync", "fdatasync", "rename", "symlink", "unlink", "mkdir"):
            return lambda *given: self._effect(name, real, *given)
        return real

    def _open(self, path: str, flags: int, mode: int = 0o777) -> int:
        """Only an opening that may make a file is an effect."""
        if not flags & posix.O_CREAT:
            return posix.open(path, flags, mode)
        return int(self._effect("open", posix.open, path, flags, mode))

    def _effect(self, name: str, real: Callable[..., Any], *given: Any) -> Any:
        self.done += 1
        if self.done != self.at:
            return real(*given)
        self.happened = name
        if self.how == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == SHORT:
            if name != "write":
                return real(*given)
            fd, data = given
            return real(fd, data[: len(data) // 2])
        assert isinstance(self.how, int)
        raise OSError(self.how, os.strerror(self.how))


def put_in_place(effects: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("holdfast") and isinstance(getattr(module, "posix", None), ModuleType):
            monkeypatch.setattr(module, "posix", effects)


def forked(work: Callable[[], None]) -> int:
    """Do something in a process of its own; its pid."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return child


def in_a_child(work: Callable[[], None]) -> int:
    """Do something in a forked process; the signal that ended it, or 0. A failure in it fails here."""
    _, ended = os.waitpid(forked(work), 0)
    assert os.WIFSIGNALED(ended) or os.WEXITSTATUS(ended) == 0, "the child failed"
    return os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else 0

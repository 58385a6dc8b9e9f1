"""Which process is the host: the one whose death means that the session died.

A host starts a hook through shells and wrappers that are gone a moment later; taking one of those for the host would
make every live session look dead. So wrappers are passed over, and where nothing certain is left the answer is None:
then only a long silence counts as death.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.model import Process

SHELLS = frozenset(("sh", "dash", "bash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh"))
WRAPPERS = frozenset(
    ("timeout", "env", "nice", "nohup", "setsid", "stdbuf", "xargs", "sudo", "doas", "ionice", "strace", "time")
)
GENERATIONS = 8


def host_process(told: int) -> Process | None:
    """The process the host named, if it lives, else the nearest ancestor that is no wrapper."""
    if told > 1:
        named = platform.process(told)
        if named:
            return named
    pid = posix.getppid()
    for _ in range(GENERATIONS):
        if pid <= 1:
            return None
        if not is_wrapper(platform.command_of(pid)):
            return platform.process(pid)
        pid = platform.parent_of(pid)
    return None


def is_wrapper(command: list[str]) -> bool:
    """Whether a process only carries another one: a shell with a command line, a helper, or our own launcher."""
    if command and command[0].rpartition("/")[2] == "busybox":
        command = command[1:]
    if not command:
        return True
    name = command[0].rpartition("/")[2].lstrip("-")
    if name in WRAPPERS:
        return True
    if name in SHELLS:
        return _carries(command[1:])
    words = command[1:5]
    is_ours = any(word.endswith("/holdfast/hook/start.py") for word in words) or "-m holdfast" in " ".join(words)
    return name.startswith("python") and is_ours


def _carries(words: list[str]) -> bool:
    """Whether a shell was given a command line (-c, also behind other options) or runs one of our own scripts."""
    takes_value = False
    for word in words:
        if takes_value:
            takes_value = False
        elif not word.startswith(("-", "+")):
            return "holdfast" in word.rpartition("/")[2]
        elif not word.startswith("--") and "c" in word:
            return True
        else:
            takes_value = word in ("--rcfile", "--init-file") or (word[-1:] in "oO" and not word.startswith("--"))
    return False

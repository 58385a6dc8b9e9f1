"""The host as a process: started with our terminal, told of the signals that we get, and waited for.

Promise: while a host lives its runner waits for it, whatever signal it gets itself, short of the one that nobody can
catch; so what became of the host is known. Signals that were ignored when we were started (nohup, a shell's background)
stay ignored, for us and for the host.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

HANDED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
CANNOT = 127  # as a shell says it: the program could not be started


@dataclass(frozen=True)
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
        return _ended(host.wait())


def _ended(status: int) -> Ended:
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

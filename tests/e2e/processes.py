"""The processes of one home: what a host leaves running behind it is found by its environment and ended by its id."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

PATIENCE = 5.0


def of_home(folder: Path) -> list[int]:
    """Processes whose HOME is the folder or lies in it."""
    wanted = tuple(f"HOME={folder}{more}".encode() for more in ("/", "\0"))
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                environ = b"\0" + (entry / "environ").read_bytes() + b"\0"
            except OSError:
                continue
            if any(b"\0" + one in environ for one in wanted):
                found.append(int(entry.name))
    return found


def in_background_of(folder: Path) -> list[int]:
    """Those among them that hooks of ours have started."""
    found = []
    for pid in of_home(folder):
        try:
            environ = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if b"HOLDFAST_CHILD=1" in environ.split(b"\0"):
            found.append(pid)
    return found


def end_all_of(folder: Path) -> None:
    """Ask them to end, then end them."""
    deadline = time.monotonic() + PATIENCE
    while left := of_home(folder):
        how = signal.SIGTERM if time.monotonic() < deadline - PATIENCE / 2 else signal.SIGKILL
        for pid in left:
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                pass
        if time.monotonic() > deadline:
            return
        time.sleep(0.05)

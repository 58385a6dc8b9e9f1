"""The programs that are judging right now, so that none outlives us.

Promise: whatever ends this process, its judges end with it, and the scratch folders go. Each program is the leader of
a session of its own, which a Ctrl-C at the terminal does not reach; so whoever is interrupted calls `end_all` (at the
end of the interpreter it is called anyway). And beside each stands a small shell that reads from a pipe of which we
alone hold the other end: when we are killed, the kernel closes it, and the shell kills the group. Signals at the death
of a parent would do too, but only on one system, only for the leader, and not without running code between fork and
exec, which threads forbid.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PREFIX = "holdfast-judge-"
OLD = 2 * 3600.0  # seconds: no call may take more than one hour
PATIENCE = 2.0  # seconds in which a thread whose program was killed puts its own things in order
WATCH = 'read -r _; kill -s KILL -- "-$1"; test -z "$2" || rm -rf -- "$2"'


@dataclass
class Group:
    """One program, all that it started, and who waits for it. `is_ended`: by `end_all`, not by itself."""

    process: subprocess.Popen[bytes]
    watcher: subprocess.Popen[bytes] | None
    pipe: int
    thread: int
    is_ended: bool = False


class _Known:
    """What runs in this process. The lock may be taken twice: a signal's handler comes while its thread holds it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.groups: dict[int, Group] = {}
        self.folders: dict[str, int] = {}  # and whose thread they are
        self.is_swept = False
        self.ends = 0  # how often all were ended


_known = _Known()


def start(
    command: Sequence[str], env: Mapping[str, str], cwd: str, asked: IO[bytes], out: IO[bytes], err: IO[bytes]
) -> Group:
    """Raises OSError."""
    folder = os.path.dirname(cwd)
    with _known.lock:
        theirs, ours = os.pipe()
        before = _known.ends
        try:
            process = subprocess.Popen(
                list(command), env=dict(env), cwd=cwd, stdin=asked, stdout=out, stderr=err, start_new_session=True
            )
        except OSError:
            os.close(ours)
            raise
        else:
            made = _known.groups[process.pid] = Group(process, None, ours, threading.get_ident())
            made.watcher = _watcher(process.pid, folder if folder in _known.folders else "", theirs)
            if _known.ends != before:  # a signal's handler came between, and could not know of this one
                made.is_ended = True
                _kill(made)
        finally:
            os.close(theirs)
    return made


def end(group: Group) -> None:
    """Nothing of it runs afterwards, also not what a program that ended by itself has left behind."""
    _kill(group)
    group.process.wait()
    with _known.lock:
        _known.groups.pop(group.process.pid, None)
    if group.watcher:
        group.watcher.kill()  # before its pipe closes, which would be its sign
        group.watcher.wait()
    os.close(group.pipe)


def end_all() -> None:
    """Kill every judge of this process and remove their folders; their threads get a moment to do so themselves,
    since a login may have to be brought back. Safe in any thread, in a signal's handler, and more than once."""
    with _known.lock:
        _known.ends += 1
        for group in _known.groups.values():
            group.is_ended = True
            _kill(group)
    own, until = threading.get_ident(), time.monotonic() + PATIENCE
    while time.monotonic() < until and any(whose != own for whose in _owners()):
        time.sleep(0.01)
    with _known.lock:
        left = [folder for folder, whose in _known.folders.items() if whose != own]
    for folder in left:
        remove_folder(folder)


def _forget() -> None:
    """In a fork: the judges are the other one's, and so is the end of the pipe that tells of its death."""
    for group in _known.groups.values():
        os.close(group.pipe)
    _known.lock, _known.groups, _known.folders = threading.RLock(), {}, {}


atexit.register(end_all)
os.register_at_fork(after_in_child=_forget)


def make_folder() -> str:
    """An empty one; what others of ours were killed over is swept on the way, once in the life of a process."""
    if not _known.is_swept:
        _known.is_swept = True
        sweep(time.time())
    folder = tempfile.mkdtemp(prefix=PREFIX)
    with _known.lock:
        _known.folders[folder] = threading.get_ident()
    return folder


def remove_folder(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with _known.lock:
        _known.folders.pop(folder, None)


def sweep(now: float) -> None:
    """Remove the folders of judges that nobody waits for any more; of other users, and what is no folder, stay."""
    place = tempfile.gettempdir()
    with suppress(OSError):
        for name in os.listdir(place):
            path = f"{place}/{name}"
            if name.startswith(PREFIX) and path not in _known.folders and _is_left(path, now):
                shutil.rmtree(path, ignore_errors=True)


def _is_left(path: str, now: float) -> bool:
    try:
        seen = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and now - seen.st_mtime > OLD


def _watcher(group: int, folder: str, theirs: int) -> subprocess.Popen[bytes] | None:
    """Somebody who outlives us; None where there is no shell. They stand in the root, where they hold no folder that
    somebody wants to remove."""
    quiet = subprocess.DEVNULL
    command = ["/bin/sh", "-c", WATCH, "holdfast-judge", str(group), folder]
    env = {"PATH": os.defpath}
    with suppress(OSError):
        return subprocess.Popen(
            command, env=env, cwd="/", stdin=theirs, stdout=quiet, stderr=quiet, start_new_session=True
        )
    return None


def _kill(group: Group) -> None:
    """The number stays taken while anybody is in the group; afterwards there is nobody to kill."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group.process.pid, signal.SIGKILL)


def _owners() -> list[int]:
    with _known.lock:
        return [*(group.thread for group in _known.groups.values()), *_known.folders.values()]

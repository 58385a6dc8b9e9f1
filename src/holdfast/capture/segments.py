"""A folder of log segments that several processes append to at once.

    FOLDER/live/<id>.log     segments, names in order of time
    FOLDER/current           a link to the segment that appends go to

Promise: when `append` returns, the records survive a crash of this process and of the machine.

- A writer holds a shared lock on its segment and then makes sure that the name still leads to it; whoever moves a
  segment away holds the exclusive lock. So nobody appends to a segment that has left.
- A new segment's folder is synced before `current` leads to it, so no record is acknowledged in a file whose name
  could vanish.
- Whatever is wrong with the current segment (gone, full, locked by somebody, unreadable), a new one is made:
  nothing is refused because something else is broken. No writer ever waits for a lock.
- After a write that failed `current` is taken away, so that the next try goes to a new segment.
"""

from __future__ import annotations

import fcntl
import posix

from holdfast.capture import log, platform
from holdfast.capture.ids import new_id
from holdfast.errors import NotSaved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ROLL_AT = 256 * 1024
OPEN = posix.O_WRONLY | posix.O_APPEND | posix.O_CLOEXEC


def append(
    folder: str, payloads: Sequence[bytes], now: float, roll_at: int = ROLL_AT, current: str = "", way: str = ""
) -> str:
    """Append records durably, in one write; returns the name of the segment that has them. `current` is the link to the
    segment that takes them, where it is kept apart from a folder that other machines get to see, and `way` the path
    from there to that folder."""
    current = current or f"{folder}/current"
    try:
        fd, name = _open_current(folder, roll_at, current)
        if fd < 0:
            fd, name = _open_new(folder, now, current, way)
    except OSError as error:
        raise NotSaved(
            f"NOT saved: no segment can be opened below {folder} ({error.strerror or error}). "
            "What was saved before is untouched; free the disk or the folder, then run the same command again."
        ) from error
    try:
        log.write(fd, payloads, durable=True)
    except NotSaved:
        platform.remove(current)
        raise
    finally:
        posix.close(fd)
    return name


def _open_current(folder: str, roll_at: int, current: str) -> tuple[int, str]:
    """The current segment, locked against being moved; -1 where there is none fit to be appended to."""
    try:
        name = posix.readlink(current).rpartition("/")[2]
        path = f"{folder}/live/{name}"
        fd = platform.opened(path, OPEN)
    except OSError:
        return -1, ""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        here = posix.fstat(fd)
        if here.st_size < roll_at and here.st_ino == posix.stat(path).st_ino:
            return fd, name
    except OSError:
        pass  # locked or moved away: a new segment serves as well
    posix.close(fd)
    return -1, ""


def _open_new(folder: str, now: float, current: str, way: str) -> tuple[int, str]:
    live = f"{folder}/live"
    platform.make_folders(live)
    name = f"{new_id(now)}.log"
    fd = posix.open(f"{live}/{name}", OPEN | posix.O_CREAT | posix.O_EXCL, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        platform.sync_names(live)
    except OSError:
        posix.close(fd)
        raise
    _publish(current, f"{way}/live/{name}" if way else f"live/{name}")
    return fd, name


def _publish(current: str, leads_to: str) -> None:
    """Lead later writers here. If it fails they make segments of their own, which costs a file and no record."""
    fresh = f"{current.rpartition('/')[0]}/{leads_to.rpartition('/')[2]}.link"
    try:
        posix.symlink(leads_to, fresh)
        posix.rename(fresh, current)
    except OSError:
        platform.remove(fresh)


def live(folder: str) -> list[str]:
    """Paths of the segments, oldest first."""
    names = sorted(name for name in platform.names(f"{folder}/live") if name.endswith(".log"))
    return [f"{folder}/live/{name}" for name in names]


def is_current(folder: str, path: str) -> bool:
    try:
        return posix.readlink(f"{folder}/current").rpartition("/")[2] == path.rpartition("/")[2]
    except OSError:
        return False


def retire(folder: str, path: str, size: int, companions: Sequence[str] = ()) -> bool:
    """Move a segment that holds `size` bytes, all dealt with, to the archive. False if somebody appended since.

    The segment goes first, durably, and its companions after it: an orphaned companion is harmless, while a segment
    without the record that it was acknowledged would come back to life.
    """
    archive = f"{folder}/archive"
    fd = platform.opened(path)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if posix.fstat(fd).st_size != size or is_current(folder, path):
            return False
        platform.make_folders(archive)
        for one in (path, *companions):
            try:
                posix.rename(one, f"{archive}/{one.rpartition('/')[2]}")
            except FileNotFoundError:
                continue  # nothing ever became of what is in it
            platform.sync_names(archive)
            platform.sync_folder(f"{folder}/live")
    except OSError:
        return False
    finally:
        posix.close(fd)
    return True

"""One sleep of a vault at a time, and when somebody last looked whether one is due.

    .state/sleep/lock     locked while a night goes on; in it the process, and since when
    .state/sleep/looked   the newest look at whether sleep is due, and its answer

Promise: a second sleep is told of the first and changes nothing; a killed one leaves a lock that nobody holds. A night
asks between any two of its steps whether a session started or spoke since it began, by names and times of a few files:
then it stops at once, and what it has not done is still unprocessed.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.capture import codec, locks, platform
from holdfast.errors import Busy
from holdfast.model import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.sleep.due import Due

    Heard = Mapping[str, int]  # the open sessions' files, each with its time

LARGEST = 1 << 12


def path_of(state: str, name: str) -> str:
    return f"{state}/sleep/{name}"


@contextmanager
def taken(state: str, now: float) -> Iterator[Heard]:
    """Hold the vault's one turn to sleep; yields the sessions as they were heard until now, for `is_interrupted`.
    Raises Busy where another sleeps, and OSError."""
    platform.make_folders(path_of(state, "")[:-1])
    path = path_of(state, "lock")
    try:
        fd = locks.taken(path, 0.0)
    except Busy:
        raise Busy(_sentence(codec.read(path, LARGEST))) from None
    try:
        os.ftruncate(fd, 0)
        os.pwrite(fd, codec.encode({"v": VERSION, "pid": os.getpid(), "since": now}), 0)
        yield heard(state)
        os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def _sentence(other: Mapping[str, object]) -> str:
    since = _time(other, "since")
    at = f" since {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime(since))}" if since else ""
    who = f", in process {other['pid']}" if "pid" in other else ""
    return f"This vault sleeps already{who}{at}; nothing was changed. `holdfast sleep --last` will tell of it."


def _time(record: Mapping[str, object], name: str) -> float:
    """A time in a record; 0 where there is none."""
    found = record.get(name)
    return float(found) if isinstance(found, (int, float)) else 0.0


def is_taken(state: str) -> bool:
    """Whether a night goes on now."""
    return locks.is_held(path_of(state, "lock"))


def heard(state: str) -> Heard:
    """The files of open sessions with their times, which every moment of a session renews."""
    found = {}
    for name in platform.names(f"{state}/episodes/live"):
        try:
            if not name.endswith(".tmp"):
                found[name] = os.stat(f"{state}/episodes/live/{name}").st_mtime_ns
        except OSError:
            continue  # it ended at this moment
    return found


def is_interrupted(state: str, before: Heard) -> bool:
    """Whether a session started or spoke since `before`. One that ended is no reason to stop. Times are compared, not
    measured: a clock that was set back hides nobody."""
    return any(before.get(name) != seen for name, seen in heard(state).items())


def note_look(state: str, now: float, found: Due) -> None:
    """Note that somebody looked; a disk that takes nothing costs only that."""
    record = {"v": VERSION, "t": now, "due": found.is_due, "why": found.why}
    try:
        codec.write(path_of(state, "looked"), record, durable=False)
    except OSError:
        return


def looked(state: str) -> tuple[float, str]:
    """When somebody last looked, and the answer then; (0, "") where nobody did."""
    record = codec.read(path_of(state, "looked"), LARGEST)
    return _time(record, "t"), str(record.get("why", ""))

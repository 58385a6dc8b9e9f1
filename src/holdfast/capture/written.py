"""Files that an agent wrote while everything in its context was known: its own words, whether git tracks them or not.

Kept per repository as one line per write: a digest of the path, the file's time and size, and the session. In the same
session the path is enough. Another session believes it only while the file is exactly as it was left: what somebody
else put in its place is somebody else's.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.capture.ids import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LARGEST = 1 << 17  # bytes; then the older half goes
MOST = 64  # files of one call
APPEND = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_CLOEXEC


def add(state: str, place: str, session: str, paths: Iterable[str]) -> None:
    """`place` is the repository, or the folder that stands for one. Two at once both get their lines in."""
    lines = [f"{digest(path)} {_stamp(path)} {digest(session)}\n" for path in list(dict.fromkeys(paths))[:MOST]]
    if not lines:
        return
    file = _path(state, place)
    try:
        fd = posix.open(file, APPEND, 0o600)
    except FileNotFoundError:
        platform.make_folders(file.rpartition("/")[0])
        fd = posix.open(file, APPEND, 0o600)
    try:
        posix.write(fd, "".join(lines).encode("ascii"))
        is_full = posix.fstat(fd).st_size > LARGEST
    finally:
        posix.close(fd)
    if is_full:
        kept = platform.read_file(file)[-LARGEST // 2 :].partition(b"\n")[2]
        platform.write_atomic(file, kept, durable=False)


class Written:
    """What is known of a repository, read once and only when it is asked for."""

    def __init__(self, state: str, place: str, session: str) -> None:
        self._file = _path(state, place)
        self._session = digest(session)
        self._lines: dict[str, list[tuple[str, str]]] | None = None

    def has(self, path: str) -> bool:
        stamp = ""
        for stood, session in self._known().get(digest(path), ()):
            if session == self._session:
                return True
            stamp = stamp or _stamp(path)
            if stood == stamp and stamp != "-":
                return True
        return False

    def _known(self) -> dict[str, list[tuple[str, str]]]:
        if self._lines is None:
            self._lines = {}
            try:
                text = platform.read_regular(self._file, LARGEST * 2).decode("ascii", "replace")
            except (OSError, ValueError):
                text = ""
            for line in text.splitlines():
                path, _, rest = line.partition(" ")
                stood, _, session = rest.partition(" ")
                self._lines.setdefault(path, []).append((stood, session))
        return self._lines


def _stamp(path: str) -> str:
    """A file as it stands; "-" for a folder, and where there is none."""
    try:
        seen = posix.lstat(path)
    except (OSError, ValueError):
        return "-"
    is_file = seen.st_mode & platform.FILE_TYPE == platform.A_FILE
    return f"{seen.st_mtime_ns}.{seen.st_ino}.{seen.st_size}" if is_file else "-"


def _path(state: str, place: str) -> str:
    return f"{state}/written/{digest(place, 24)}"

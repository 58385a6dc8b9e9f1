"""Files of the vault that an agent changed with its own tools, and not through us.

A file is an agent's if it changed within a call (capture/calls) and does not say what our own writer put there. Files
that come with a folder keep their own times: the time of a folder that the last writer did not see counts for them.
Without any call under way an edit is the user's; one that the user makes at the very moment of a call is taken for
the agent's, which costs a review.

Nothing is read until something asks, and a vault without calls since its last writer answers without a look at it.

Also kept, for each repository: the files that an agent wrote while everything in its context was known. They are its
own words, whether git tracks them or not.
"""

from __future__ import annotations

import posix

from holdfast.capture import calls, platform
from holdfast.capture.ids import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.capture.calls import CallSpan, LastWriter

BRAIN = "BRAIN.md"
RECORDS = ("prompts", "lineage")  # what was said and handed over: a close writes it, and nobody else
LARGEST = 1 << 22


def concerns(path: str) -> bool:
    """True if a start would believe a file: a note, the user's own part of the brain, what was said and handed over."""
    return path == BRAIN or (path.endswith(".md") and path.partition("/")[0] in (*calls.FOLDERS, *RECORDS))


class Edits:
    """The files of a vault that agents have changed since its last writer."""

    def __init__(self, vault: str) -> None:
        self.vault = vault
        self.state = f"{vault}/.state"
        self._spans: list[CallSpan] | None = None
        self._written: frozenset[str] | None = None
        self._missing: list[tuple[str, str]] = []
        self._last: LastWriter | None = None

    @property
    def spans(self) -> list[CallSpan]:
        if self._spans is None:
            self._spans = calls.spans(self.state)
            pairs = [line.partition("\t") for line in calls.lines(self.state, "missing")]
            self._missing = [(path, episode) for episode, _, path in pairs]
        return self._spans

    def are_possible(self) -> bool:
        return bool(self.spans or self._missing)

    def by(self, path: str) -> tuple[str, ...]:
        """The episodes within whose calls a file changed, came or went; () where it was the user, or ourselves."""
        if not self.are_possible() or not concerns(path):
            return ()
        times, seen = self._times(path)
        found = self._within(times)
        if seen is None:
            found += [episode for one, episode in self._missing if one == path]
        if not found or self.is_ours(path, seen):
            return ()
        return tuple(dict.fromkeys(found))

    def _times(self, path: str) -> tuple[list[int], posix.stat_result | None]:
        """The times that tell who changed a file, and the file itself, None where there is none or a link leads to it.
        Of one that is gone, the time of the folder that it was in."""
        self._last = self._last or calls.settled(self.state)
        known = self._last.folders
        names = path.split("/")
        folder = posix.lstat(self.vault)
        times: list[int] = []
        for depth in range(1, len(names) + 1):
            place = "/".join(names[:depth])
            try:
                seen = posix.lstat(f"{self.vault}/{place}")
            except OSError:
                return [*times, folder.st_ctime_ns], None
            if depth == len(names) or seen.st_mode & platform.FILE_TYPE != platform.A_FOLDER:
                return [*times, seen.st_ctime_ns], seen if depth == len(names) else None
            if known.get(place) != seen.st_ino:
                times.append(seen.st_ctime_ns)
            folder = seen
        return times, None

    def _within(self, times: Iterable[int]) -> list[str]:
        first = min((one.begin for one in self.spans), default=0)
        return [one.episode for when in times if when >= first for one in self.spans if one.begin <= when <= one.end]

    def is_ours(self, path: str, seen: posix.stat_result | None) -> bool:
        if self._written is None:
            self._written = frozenset(calls.lines(self.state, "written"))
        try:
            raw = platform.read_regular(f"{self.vault}/{path}", LARGEST) if self._written and seen else None
        except OSError:
            return False
        text = None if raw is None else raw.decode("utf-8", "surrogateescape")
        return bool(self._written) and calls.of_text(path, text) in self._written


def note_missing(vault: str, episode: str, changed: list[str]) -> int:
    """Note which files are gone from the folders that a call has changed, before a later change hides it; the count."""
    edits = Edits(vault)
    there = {name: set(platform.names(f"{vault}/{name}")) for name in changed}
    count = 0
    for path in calls.lines(edits.state, "names"):
        top, _, name = path.partition("/")
        if top in there and "/" not in name and name not in there[top] and not edits.is_ours(path, None):
            calls.append(edits.state, "missing", f"{episode}\t{path}")
            count += 1
    return count


LARGEST_RECORD = 1 << 17  # bytes; then the older half goes
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
        is_full = posix.fstat(fd).st_size > LARGEST_RECORD
    finally:
        posix.close(fd)
    if is_full:
        kept = platform.read_file(file)[-LARGEST_RECORD // 2 :].partition(b"\n")[2]
        platform.write_atomic(file, kept, durable=False)


class OwnFiles:
    """The files of a repository that agents are known to have written, read once and only when asked for."""

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
                text = platform.read_regular(self._file, LARGEST_RECORD * 2).decode("ascii", "replace")
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

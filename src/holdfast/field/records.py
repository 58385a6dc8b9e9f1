"""The field's truth on disk: thoughts that are nobody's notes, and what was read.

    thoughts/<machine>/live/<segment>.log   framed records, synced before the answer; in git, one folder per machine
    .state/traffic/log                      one record per retrieval, use or repetition; this machine's own

Promise: when `append` returns, the thoughts survive a crash of this process and of the machine. A segment is written by
its own machine alone, so a sync has nothing to merge. Traffic is appended in one write and not synced: a kill loses
none of it, the power may take the last seconds, and with them a few hundredths of weight. Its order in the one file is
the order in which it counts, for whoever takes it in now and for a rebuild.
"""

from __future__ import annotations

import posix
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from holdfast.capture import codec, home, log, platform, segments
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact, redact_record
from holdfast.capture.scrubbing import PURGED
from holdfast.errors import HoldfastError
from holdfast.field import thought as thoughts
from holdfast.field import traffic
from holdfast.vault.notes import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from holdfast.field.thought import Thought
    from holdfast.field.traffic import Event

T = TypeVar("T")

FOLDER = "thoughts"
LAST = 256  # bytes by which a segment is known again
NEWEST = 4  # segments of a machine that may still grow: one that was opened before its successor was made is among them


@dataclass(frozen=True)
class Read(Generic[T]):
    """What a log gave from a place on: what could be read, what could not, and where the next look begins."""

    found: tuple[T, ...]
    broken: tuple[log.Found, ...]
    end: int


def machine() -> str:
    return slug(platform.machine(), 40)


def own(vault: str) -> str:
    """What is this machine's own knowledge of thoughts: which segment takes the next."""
    return f"{home.state(vault)}/thoughts"


def append(vault: str, made: Sequence[Thought], now: float) -> None:
    """Raises NotSaved: then none of them counts as saved."""
    payloads = [codec.encode(redact_record(one.as_record())[0]) for one in made]
    platform.make_folders(own(vault))
    folder, way = f"{vault}/{FOLDER}/{machine()}", f"../../{FOLDER}/{machine()}"
    segments.append(folder, payloads, now, current=f"{own(vault)}/current", way=way)


def logs(vault: str) -> list[tuple[str, int]]:
    """Every segment below the vault with its size."""
    found: list[tuple[str, int]] = []
    for one in sorted(platform.names(f"{vault}/{FOLDER}")):
        top = f"{FOLDER}/{one}/live"
        names = sorted(name for name in platform.names(f"{vault}/{top}") if name.endswith(".log"))
        found += [(f"{top}/{name}", _size(f"{vault}/{top}/{name}")) for name in names]
    return found


def stamp(vault: str) -> str:
    """What changes when a segment comes, goes or grows, without a look at each: the folders, the newest of each, and
    the one that takes the next thought: a clock that was set back gives it an older name."""
    said = [str(_size(f"{own(vault)}/current"))]
    for one in sorted(platform.names(f"{vault}/{FOLDER}")):
        top = f"{vault}/{FOLDER}/{one}/live"
        newest = sorted(platform.names(top))[-NEWEST:]
        said += [one, folder_stamp(top), *(str(_size(f"{top}/{name}")) for name in newest)]
    return " ".join(said)


def folder_stamp(path: str) -> str:
    try:
        seen = posix.lstat(path)
    except OSError:
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_ino}"


def _size(path: str) -> int:
    try:
        return posix.stat(path).st_size
    except OSError:
        return 0


def mark(vault: str, path: str, end: int) -> str:
    """How far a segment was read, and what stood last there. Raises OSError."""
    fd = platform.opened(f"{vault}/{path}")
    try:
        last = posix.pread(fd, min(end, LAST), max(0, end - LAST))
    finally:
        posix.close(fd)
    return f"{end} {digest(last.decode('latin-1'), 16)}"


def goes_on_at(vault: str, path: str, size: int, said: str) -> int:
    """From where on a segment of this size is new, by the mark of what was read of it. One that does not go on where it
    was left was rewritten, by a purge or an undo, here or elsewhere, and is new from its beginning. Raises OSError."""
    done = int(said.partition(" ")[0] or 0)
    return done if size == done or (size > done and mark(vault, path, done) == said) else 0


def read(vault: str, path: str, start: int = 0) -> Read[Thought]:
    """A segment of thoughts from a place on. Raises OSError."""
    return _read(f"{vault}/{path}", start, thoughts.from_record)


def _read(path: str, start: int, made: Callable[[Mapping[str, Any]], T]) -> Read[T]:
    return Read(*log.read_on(path, start, lambda record: None if _is_purged(record) else made(record)))


def _is_purged(record: Mapping[str, Any]) -> bool:
    """Whether a purge left the record's place and nothing of what it said (capture/purging)."""
    return not record or record.get("kind") == "purged" or record.get("text") == PURGED


def traffic_path(vault: str) -> str:
    return f"{home.state(vault)}/traffic/log"


def travel(vault: str, event: Event) -> bool:
    """Note an access. Whether it could be: a disk that takes nothing costs a little weight, and no answer."""
    try:
        said = replace(event, query=redact(event.query)[0])  # the rest are ids and names of our own
        log.append(traffic_path(vault), [codec.encode(said.as_record())], durable=False)
    except (HoldfastError, OSError):
        return False
    return True


def traffic_size(vault: str) -> int:
    return _size(traffic_path(vault))


def travels(vault: str, start: int) -> Read[Event]:
    """The traffic from a place on; nothing where there is none."""
    try:
        return _read(traffic_path(vault), start, traffic.from_record)
    except FileNotFoundError:
        return Read((), (), start)

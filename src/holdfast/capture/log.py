"""Framed append-only records: the one format beneath queue, ledger, episodes, task memory and thoughts.

    "\\n" "HF1 " length(8 hex) " " checksum(8 hex) " " payload         one write each

Promise: a record is found whole or not at all. It starts with its own line break and mark, so the fragment that a
killed writer left behind never swallows the record after it. The payload is one line of JSON, in which the mark
cannot occur; so a reader that has lost its way finds it again at the next mark. The checksum covers length and
payload, and a header counts only if it is spelled as we spell it, so a flipped bit is never read as data.

What is not whole is named, not skipped: `torn` is the beginning of a record whose writer died (nobody was told it
was saved), `damage` is anything else. Nothing here truncates or rewrites a file.
"""

from __future__ import annotations

import posix
import zlib

from holdfast.capture import platform
from holdfast.errors import NotSaved
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    T = TypeVar("T")

MARK = b"\nHF1 "
HEADER = len(MARK) + 18
RECORD, TORN, DAMAGE = "record", "torn", "damage"
BLOCK = 1 << 22
LARGEST = 1 << 28  # bytes of a log; none of ours comes near it


@value
class Found:
    """What stands between two offsets of a log: a record, or bytes that are none."""

    what: str
    start: int
    end: int
    payload: bytes


def frame(payload: bytes) -> bytes:
    """A record ready to be written. A payload with a line break could hide a mark, so it is refused."""
    if b"\n" in payload:
        raise ValueError("a payload is one line")
    return _header(payload) + payload


def _header(payload: bytes) -> bytes:
    size = b"%08x" % len(payload)
    return b"%s%s %08x " % (MARK, size, zlib.crc32(payload, zlib.crc32(size)))


def scan(data: bytes, base: int = 0) -> Iterator[Found]:
    """Everything in `data`, in order and without gaps; offsets count from `base`."""
    at = 0
    while at < len(data):
        end = _record_end(data, at)
        what = RECORD
        if not end:
            following = data.find(MARK, at + 1)
            end = following if following >= 0 else len(data)
            what = TORN if _is_beginning(data[at:end]) else DAMAGE
        yield Found(what, base + at, base + end, data[at + HEADER : end] if what == RECORD else data[at:end])
        at = end


def _record_end(data: bytes, at: int) -> int:
    """Where the whole, good record at `at` ends; 0 if there is none."""
    header = data[at : at + HEADER]
    try:
        size = int(header[len(MARK) : len(MARK) + 8], 16)
    except ValueError:
        return 0
    end = at + HEADER + size
    if end > len(data) or header != _header(data[at + HEADER : end]):
        return 0
    return end


def _is_beginning(fragment: bytes) -> bool:
    """Whether killed writers can have left this: starts of frames, one after another, or space never filled."""
    if not fragment.strip(b"\0"):
        return True
    # A line break is no part of a payload, so each one begins a frame of its own.
    first, *others = fragment[1:].split(b"\n")
    return _is_one_beginning(fragment[:1] + first) and all(_is_one_beginning(b"\n" + part) for part in others)


def _is_one_beginning(fragment: bytes) -> bool:
    if not _is_header_start(fragment[:HEADER]):
        return False
    payload = fragment[HEADER:]
    if len(fragment) < HEADER:
        return True
    size = int(fragment[len(MARK) : len(MARK) + 8], 16)
    # A whole record whose length field alone was hit would look like a beginning: its checksum betrays it.
    return len(payload) < size and fragment[HEADER - 9 : HEADER] != _header(payload)[-9:]


def _is_header_start(part: bytes) -> bool:
    model = MARK + b"00000000 00000000 "
    return all(byte == model[i] if model[i] != 0x30 else byte in b"0123456789abcdef" for i, byte in enumerate(part))


def scan_file(path: str, start: int = 0) -> Iterator[Found]:
    """A log block by block. Raises OSError for what is no log of ours by its kind or its size."""
    fd = platform.opened(path)
    try:
        left = posix.fstat(fd).st_size - start
        most = min(LARGEST, left + platform.GROWTH + BLOCK)
        if left > most:
            raise _too_large(path)
        posix.lseek(fd, start, 0)
        data, base = b"", start
        while True:
            block = platform.read_all(fd, BLOCK)
            data += block
            most -= len(block)
            if most < 0:
                raise _too_large(path)
            if len(block) < BLOCK:
                yield from scan(data, base)
                return
            last = data.rfind(MARK)
            if last > 0:
                yield from scan(data[:last], base)
                data, base = data[last:], base + last
    finally:
        posix.close(fd)


def _too_large(path: str) -> OSError:
    return OSError(27, f"it has over {LARGEST >> 20} MB, or no end", path)  # EFBIG


def scan_tail(path: str, size: int) -> Iterator[Found]:
    """What lies in the last `size` bytes, from the first mark on; the record that the cut goes through is left out."""
    start = max(0, posix.stat(path).st_size - size)
    if start:
        start = _next_mark(path, start)
    return scan_file(path, start)


def _next_mark(path: str, start: int) -> int:
    """The first mark at or after a place; the file's end if there is none."""
    fd = platform.opened(path)
    try:
        posix.lseek(fd, start, 0)
        data = b""
        while block := platform.read_all(fd, BLOCK):
            data = data[-len(MARK) :] + block
            at = data.find(MARK)
            if at >= 0:
                return posix.lseek(fd, 0, 1) - len(data) + at
        return posix.lseek(fd, 0, 1)
    finally:
        posix.close(fd)


def records(found: Iterable[Found]) -> Iterator[bytes]:
    """Only the payloads."""
    return (one.payload for one in found if one.what == RECORD)


def read_on(
    path: str, start: int, made: Callable[[dict[str, Any]], T | None], until: int = -1
) -> tuple[tuple[T, ...], tuple[Found, ...], int]:
    """What a log has from a place on, or `until` another: its records as values, what is no record, and where the next
    look begins. The beginning of a record at the very end is left for that: its writer may be at work. `made` answers
    None for what is to be passed over. Raises OSError."""
    from holdfast.capture import codec

    found: list[T] = []
    broken: list[Found] = []
    end = start
    for one in scan_file(path, start):
        if 0 <= until < one.end:
            break
        if one.what == RECORD:
            try:
                value_of = made(codec.decode(one.payload))
                found += [] if value_of is None else [value_of]
            except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError):
                broken.append(one)
        else:
            broken.append(one)
        if one.what != TORN:
            end = one.end
    if broken and broken[-1].end > end:
        broken.pop()
    return tuple(found), tuple(broken), end


def write(fd: int, payloads: Iterable[bytes], *, durable: bool) -> None:
    """Append records in one write. If this returns and `durable` was asked, they are on the medium.

    Raises NotSaved after a short write or a failed sync. Then nobody may count on these bytes, whatever a later sync
    says; the queue goes on in a new segment.
    """
    data = b"".join(frame(payload) for payload in payloads)
    try:
        wrote = posix.write(fd, data)
    except OSError as error:
        raise NotSaved(_sentence(error)) from error
    if wrote != len(data):
        raise NotSaved(_sentence(OSError(28, "No space left on device")))
    if durable:
        try:
            platform.sync(fd)
        except OSError as error:
            raise NotSaved(_sentence(error)) from error


def append(path: str, payloads: Iterable[bytes], *, durable: bool) -> None:
    """Append to a file that only grows and is never moved, made at its first record."""
    flags = posix.O_WRONLY | posix.O_APPEND
    folder = path.rpartition("/")[0]
    try:
        try:
            fd = platform.opened(path, flags)
        except FileNotFoundError:
            platform.make_folders(folder)
            fd = platform.opened(path, flags | posix.O_CREAT)
    except OSError as error:
        raise NotSaved(_sentence(error)) from error
    try:
        write(fd, payloads, durable=durable)
        if durable:
            platform.sync_names(folder)
    except OSError as error:
        raise NotSaved(_sentence(error)) from error
    finally:
        posix.close(fd)


def _sentence(error: OSError) -> str:
    return (
        f"NOT saved: the disk refused it ({error.strerror or error}). "
        "What was saved before is untouched; run the same command again."
    )


def set_aside(folder: str, name: str, found: Found) -> str:
    """Keep a copy of bytes that are no record, named after their place; returns its path. Doing it again is free."""
    path = f"{folder}/{name}.{found.start}-{found.end}.{found.what}"
    try:
        posix.stat(path)
    except FileNotFoundError:
        platform.make_folders(folder)
        platform.write_atomic(path, found.payload, durable=True)
    return path

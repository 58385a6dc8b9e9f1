"""Taking a text out of everything that was captured: the one exception to "nothing is destroyed", by the user's word.

- The queue is rewritten segment by segment under the settler's lock and the segment's own exclusive one. A writer that
  had the old file open finds that the name leads elsewhere and takes a new segment, so no flag is lost.
- Ledger and episodes are appended to without any lock, so their files are never replaced: a record is overwritten in
  place by one of the same length.
"""

from __future__ import annotations

import fcntl
import os
import re
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, log, platform, queue, segments, settle
from holdfast.capture.scrubbing import Scrubber, bytes_of, record_in

if TYPE_CHECKING:
    from collections.abc import Iterable

DROPPED = ("ledger", "snapshots", "traffic")  # where a record that quotes the text goes as a whole
NOT_OURS = re.compile(r"(^|/)(\.[^/]*\.sw.|([^/]*\.)?lock)$")  # an editor's own file while it is open, and locks


def count(state: str) -> None:
    """One more purge. Whoever holds texts in memory sees by `counted` that they may no longer be written."""
    fd = platform.opened(f"{state}/purges", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(fd, b".")
    finally:
        os.close(fd)


def counted(state: str) -> int:
    try:
        return os.stat(f"{state}/purges").st_size
    except OSError:
        return 0


def clean_queue(folder: str, scrubber: Scrubber, now: float) -> int | None:
    """Take the flags out of the queue; how many records went. None, and nothing done, while a close is filing one."""
    if not os.path.isdir(folder):
        return 0
    with settle.Lock(folder):
        for path in segments.live(folder):
            part = queue.look(path, now)
            entries = part.entries.values() if part else ()
            if any(one.state == queue.CLAIMED and scrubber.concerns(one.flag.as_record()) for one in entries):
                return None
        gone = 0
        for place in ("live", "archive"):
            for name in sorted(platform.names(f"{folder}/{place}")):
                gone += _clean_segment(f"{folder}/{place}/{name}", scrubber)
        gone += _clean_file(f"{folder}/drafts", scrubber, drop=False)
        for name in platform.names(f"{folder}/broken"):
            raw = platform.read_file(f"{folder}/broken/{name}")
            if scrubber.holds(raw) or any(ident.encode() in raw for ident in scrubber.flags):
                os.unlink(f"{folder}/broken/{name}")
                gone += 1
        return gone


def _clean_segment(path: str, scrubber: Scrubber) -> int:
    """One segment, or what became of its flags. Its lock is waited for: a writer holds its own for one write."""
    fd = platform.opened(path, os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        kept: list[bytes] = []
        gone = 0
        for one in log.scan(platform.read_all(fd)):
            after = _without(one, scrubber)
            gone += after != bytes_of(one)
            kept.append(after)
        if gone:
            data = b"".join(kept)
            if data:
                platform.write_atomic(path, data, durable=True)
            else:
                os.unlink(path)
        return gone
    finally:
        os.close(fd)


def _without(one: log.Found, scrubber: Scrubber) -> bytes:
    record = record_in(one.payload) if one.what == log.RECORD else None
    if record is None:
        named = any(ident.encode() in one.payload for ident in scrubber.flags)
        return b"" if named or scrubber.holds(one.payload.lstrip(b"\n")) else bytes_of(one)
    if scrubber.concerns(record):
        return b""
    ids = record.get("ids")
    if isinstance(ids, list) and scrubber.flags.intersection(map(str, ids)):
        rest = [ident for ident in ids if ident not in scrubber.flags]
        return log.frame(codec.encode({**record, "ids": rest})) if rest else b""
    return log.frame(one.payload)


def clean_log(path: str, scrubber: Scrubber) -> None:
    """Take the texts and records out of a log that others append to. It is read and replaced under its lock: a record
    that came between the two would be acknowledged and gone. Whoever appends next takes a new segment."""
    fd = platform.opened(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        raw = platform.read_all(fd)
        after = scrubber.scrubbed(raw)
        if after != raw and os.fstat(fd).st_ino == os.stat(path).st_ino:
            platform.write_atomic(path, after, durable=True)
    finally:
        os.close(fd)


def clean_state(state: str, scrubber: Scrubber, but: Iterable[str]) -> int:
    """Take the texts out of every other file below `state`; how many records or files were changed."""
    left_out = {f"{state}/{name}" for name in (*but, "queue")}
    changed = 0
    for top, folders, names in os.walk(state):
        folders[:] = [name for name in folders if f"{top}/{name}" not in left_out]
        for name in names:
            path = f"{top}/{name}"
            if path not in left_out and not NOT_OURS.search(path) and not os.path.islink(path):
                changed += _clean_file(path, scrubber, drop=path[len(state) + 1 :].startswith(DROPPED))
    return changed


def _clean_file(path: str, scrubber: Scrubber, *, drop: bool) -> int:
    try:
        raw = platform.read_file(path)
    except FileNotFoundError:
        return 0
    if raw.startswith(log.MARK):
        return _blank(path, raw, scrubber, drop=drop)
    after = scrubber.scrubbed(raw)
    if after == raw:
        return 0
    platform.write_atomic(path, after, durable=True)
    return 1


def _blank(path: str, raw: bytes, scrubber: Scrubber, *, drop: bool) -> int:
    """Overwrite records where they stand, by others of the same length."""
    fd = platform.opened(path, os.O_WRONLY)
    changed = 0
    try:
        for one in log.scan(raw):
            record = record_in(one.payload) if one.what == log.RECORD else None
            if record is None:
                hit = one.what != log.RECORD and scrubber.holds(one.payload.lstrip(b"\n"))
                after = b"\n" * len(one.payload) if hit else b""
            elif not scrubber.concerns(record):
                continue
            else:
                about = drop or scrubber.is_of(record)
                after = _of_length(len(one.payload), record, None if about else scrubber.cleaned(record))
            if after:
                os.pwrite(fd, after, one.start)
                changed += 1
        if changed:
            platform.sync(fd)
    finally:
        os.close(fd)
    return changed


def _of_length(size: int, record: dict[str, Any], cleaned: dict[str, Any] | None) -> bytes:
    """A frame with a payload of this size: what is left of a record, or that one was purged."""
    blank: dict[str, Any] = {"v": 1, "t": record.get("t", 0.0), "kind": "purged"}
    fitting = (codec.encode(one) for one in (cleaned, blank, {}) if one is not None)
    return log.frame(next(one for one in fitting if len(one) <= size).ljust(size))

"""A purge takes a text out of everything that was captured: the one exception to "nothing is destroyed", by the user.

- The queue is rewritten segment by segment under the settler's lock and the segment's own exclusive one. A writer that
  had the old file open finds that the name leads elsewhere and takes a new segment, so no flag is lost.
- Ledger and episodes are appended to without any lock, so their files are never replaced: a record is overwritten in
  place by one of the same length.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, locks, log, platform, queue, segments, settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PURGED = "[purged]"
SHORTEST = 20  # characters of a line that make it specific; what is shorter must stand by itself
ELLIPSIS = "…"
WORD = re.compile(r"\S+")


class Scrubber:
    """Finds some texts and the records of some flags, and takes them out. The records of some thoughts go as a whole
    from every log: a thought may be too short to be found by its words."""

    def __init__(self, texts: Iterable[str], flags: Iterable[str] = (), thoughts: Iterable[str] = ()) -> None:
        self.flags = frozenset(flags)
        self.thoughts = frozenset(thoughts)
        lines = {" ".join(text.split()) for text in texts} - {""}
        escaped = {codec.encode(line).decode("utf-8")[1:-1] for line in lines}
        self.texts = sorted(lines | escaped, key=lambda text: (-len(text), text))
        self.words = {max(text[:SHORTEST].split(), key=len) for text in self.texts}
        self.keys = {word.encode("utf-8", "surrogateescape") for word in (*self.words, *self.thoughts)}

    def holds(self, raw: bytes) -> bool:
        """True if any of the texts is in it, in whatever form these bytes have."""
        if not any(key in raw for key in self.keys):
            return False
        if raw.startswith(log.MARK):
            return any(self._is_in(one) for one in log.scan(raw))
        return bool(self._spans(_text(raw))) or self._is_in_record(record_in(raw))

    def scrubbed(self, raw: bytes) -> bytes:
        """The same without the texts; a log stays a log."""
        if not any(key in raw for key in self.keys):
            return raw
        if raw.startswith(log.MARK):
            return b"".join(self._reframed(one) for one in log.scan(raw))
        after = self.clean(_text(raw)).encode("utf-8", "surrogateescape")
        record = record_in(after)
        if self._is_in_record(record):
            return codec.encode(self.cleaned(record)) + (b"\n" if raw.endswith(b"\n") else b"")
        return after

    def clean(self, text: str) -> str:
        for start, end in reversed(self._spans(text)):
            text = text[:start] + PURGED + text[end:]
        return text

    def cleaned(self, value: Any) -> Any:
        """A record's value, its texts cleaned."""
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, list):
            return [self.cleaned(one) for one in value]
        if isinstance(value, dict):
            return {name: self.cleaned(one) for name, one in value.items()}
        return value

    def concerns(self, record: dict[str, Any]) -> bool:
        """True if a record is one of the flags' or thoughts', or quotes a text."""
        return self.is_of(record) or self._is_in_record(record)

    def is_of(self, record: dict[str, Any]) -> bool:
        return record.get("id") in self.flags | self.thoughts

    def _is_in_record(self, record: dict[str, Any] | None) -> bool:
        return any(self._spans(text) for text in _strings(record))

    def _is_in(self, one: log.Found) -> bool:
        record = record_of(one)
        if record is None:
            return bool(self._spans(_text(one.payload)))
        return record.get("id") in self.thoughts or self._is_in_record(record)

    def _reframed(self, one: log.Found) -> bytes:
        if not self._is_in(one):
            return bytes_of(one)
        record = record_of(one)
        if record is None or record.get("id") in self.thoughts:
            return b""
        return log.frame(codec.encode(self.cleaned(record)))

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """The places of the texts, in order; those that touch are one."""
        if not any(key in text for key in self.words):
            return []
        tokens = list(WORD.finditer(text))
        flat = " ".join(token[0] for token in tokens)
        spans = []
        for wanted in self.texts:
            head = wanted[:SHORTEST]
            at = flat.find(head)
            while at >= 0:
                end = _end_of(flat, at, wanted)
                if end:
                    spans.append((at, end))
                at = flat.find(head, end or at + 1)
        return _placed(_merged(spans), tokens) if spans else []


def _end_of(flat: str, at: int, wanted: str) -> int:
    """The end of the text that begins at a place; 0 where it is another one."""
    if flat.startswith(wanted, at):
        end = at + len(wanted)
        if len(wanted) >= SHORTEST and not wanted.endswith(".md"):
            return end
        return 0 if _goes_on(flat[at - 1 : at]) or _goes_on(flat[end : end + 1]) else end
    size = next((nth for nth, letter in enumerate(wanted) if flat[at + nth : at + nth + 1] != letter), len(wanted))
    return at + size + 1 if size >= SHORTEST and flat[at + size : at + size + 1] == ELLIPSIS else 0


def _goes_on(letter: str) -> bool:
    return letter.isalnum() or letter in ("-", "_")


def _placed(spans: list[tuple[int, int]], tokens: list[re.Match[str]]) -> list[tuple[int, int]]:
    """Places in the text itself, for places in its words with single spaces between them."""
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token[0]) + 1)

    def place(at: int) -> int:
        nth = bisect_right(starts, at) - 1
        return tokens[nth].start() + at - starts[nth]

    return [(place(start), place(end - 1) + 1) for start, end in spans]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order that do not overlap; two with nothing but a space between them are one."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        first, last = out.pop() if out and start <= out[-1][1] + 1 else (start, end)
        out.append((first, max(end, last)))
    return out


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def record_in(raw: bytes) -> dict[str, Any] | None:
    """A record, where it is one and says the same when it is written again."""
    try:
        found = codec.decode(raw) if raw.startswith(b"{") else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def record_of(one: log.Found) -> dict[str, Any] | None:
    return record_in(one.payload) if one.what == log.RECORD else None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        parts = (part for pair in value.items() for part in pair) if isinstance(value, dict) else value
        for part in parts:
            yield from _strings(part)


def bytes_of(one: log.Found) -> bytes:
    return log.frame(one.payload) if one.what == log.RECORD else one.payload


DROPPED = ("ledger", "snapshots", "traffic")  # here a record that quotes the text goes as a whole
NOT_OURS = re.compile(r"(^|/)(\.[^/]*\.sw.|([^/]*\.)?lock)$")  # an editor's own file while it is open, and locks


def count(state: str) -> None:
    """Count one more purge: a process that holds texts in memory sees by `counted` that it may no longer write them."""
    with open(platform.opened(f"{state}/purges", os.O_WRONLY | os.O_CREAT | os.O_APPEND), "wb") as file:
        file.write(b".")


def counted(state: str) -> int:
    return len(platform.text(f"{state}/purges"))


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
    with locks.held(platform.opened(path, os.O_RDWR)) as fd:
        before = list(log.scan(platform.read_all(fd)))
        kept = [_without(one, scrubber) for one in before]
        gone = sum(after != bytes_of(one) for one, after in zip(before, kept, strict=True))
        if gone and any(kept):
            platform.write_atomic(path, b"".join(kept), durable=True)
        elif gone:
            os.unlink(path)
        return gone


def _without(one: log.Found, scrubber: Scrubber) -> bytes:
    record = record_of(one)
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
    with locks.held(platform.opened(path, os.O_RDONLY | os.O_NOFOLLOW)) as fd:
        raw = platform.read_all(fd)
        after = scrubber.scrubbed(raw)
        if after != raw and os.fstat(fd).st_ino == os.stat(path).st_ino:
            platform.write_atomic(path, after, durable=True)


def clean_state(state: str, scrubber: Scrubber, but: Iterable[str]) -> int:
    """Take the texts out of every other file below `state`; how many records or files were changed."""
    left_out = {f"{state}/{name}" for name in (*but, "queue")}
    changed = 0
    for top, folders, names in os.walk(state):
        folders[:] = [name for name in folders if f"{top}/{name}" not in left_out]
        for name in names:
            path = f"{top}/{name}"
            is_file = os.path.isfile(path) and not os.path.islink(path)  # a server's socket holds nothing
            if is_file and path not in left_out and not NOT_OURS.search(path):
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
    changed = 0
    with open(platform.opened(path, os.O_WRONLY), "wb", buffering=0) as file:
        for one in log.scan(raw):
            record = record_of(one)
            after = b""
            if record is not None and scrubber.concerns(record):
                about = drop or scrubber.is_of(record)
                after = _of_length(len(one.payload), record, None if about else scrubber.cleaned(record))
            elif one.what != log.RECORD and scrubber.holds(one.payload.lstrip(b"\n")):
                after = b"\n" * len(one.payload)
            if after:
                os.pwrite(file.fileno(), after, one.start)
                changed += 1
        if changed:
            platform.sync(file.fileno())
    return changed


def _of_length(size: int, record: dict[str, Any], cleaned: dict[str, Any] | None) -> bytes:
    """A frame with a payload of this size: what is left of a record, or that one was purged."""
    blank: dict[str, Any] = {"v": 1, "t": record.get("t", 0.0), "kind": "purged"}
    fitting = (codec.encode(one) for one in (cleaned, blank, {}) if one is not None)
    return log.frame(next(one for one in fitting if len(one) <= size).ljust(size))

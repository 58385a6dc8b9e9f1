"""Finding a text in whatever bytes were written, and taking it out.

A text is found however its white space is broken over lines, and also where somebody cut it short with "…". Logs stay
logs: a record is framed anew, never left with a checksum that no longer fits.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, log

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
        """Whether any of the texts is in it, in whatever form these bytes have."""
        if not any(key in raw for key in self.keys):
            return False
        if raw.startswith(log.MARK):
            return any(self._is_in(one) for one in log.scan(raw))
        record = record_in(raw)
        return bool(self._spans(_text(raw))) or (record is not None and self._is_in_record(record))

    def scrubbed(self, raw: bytes) -> bytes:
        """The same without the texts; a log stays a log."""
        if not any(key in raw for key in self.keys):
            return raw
        if raw.startswith(log.MARK):
            return b"".join(self._reframed(one) for one in log.scan(raw))
        after = self.clean(_text(raw)).encode("utf-8", "surrogateescape")
        record = record_in(after)
        if record is not None and self._is_in_record(record):
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
        """Whether a record is one of the flags' or thoughts', or quotes a text."""
        return self.is_of(record) or self._is_in_record(record)

    def is_of(self, record: dict[str, Any]) -> bool:
        return record.get("id") in self.flags or self._is_thought(record)

    def _is_thought(self, record: dict[str, Any]) -> bool:
        return record.get("id") in self.thoughts

    def _is_in_record(self, record: dict[str, Any]) -> bool:
        return any(self._spans(text) for text in _strings(record))

    def _is_in(self, one: log.Found) -> bool:
        record = record_in(one.payload) if one.what == log.RECORD else None
        if record is None:
            return bool(self._spans(_text(one.payload)))
        return self._is_thought(record) or self._is_in_record(record)

    def _reframed(self, one: log.Found) -> bytes:
        if not self._is_in(one):
            return bytes_of(one)
        record = record_in(one.payload) if one.what == log.RECORD else None
        if record is None or self._is_thought(record):
            return b""
        return log.frame(codec.encode(self.cleaned(record)))

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where the texts stand, in order; what touches is one."""
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
    """Where the text that begins at a place ends; 0 where it is another one."""
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
        if out and start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def record_in(raw: bytes) -> dict[str, Any] | None:
    """A record, where it is one and says the same when it is written again."""
    if not raw.startswith(b"{"):
        return None
    try:
        found = codec.decode(raw)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def bytes_of(one: log.Found) -> bytes:
    return log.frame(one.payload) if one.what == log.RECORD else one.payload

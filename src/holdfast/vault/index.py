"""What is known of every note without opening it again: derived, rebuilt from the files whenever they changed.

A note is read anew when its file's size, times or inode differ from what the index saw. One that changed so shortly
before the index was written that a second change could share its time is not believed either. Bodies are not kept,
only their digest (exact duplicates), the links in them (`check`) and the tool calls that they name (vault/named_calls).
A file that an agent changed with its own tools is known as it was before, until that is settled (vault/settling). A
checksum tells an index that is not ours.
"""

from __future__ import annotations

import os
import re
import time
import zlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, platform
from holdfast.capture.agent_edits import Edits
from holdfast.capture.ids import digest
from holdfast.vault import journal, named_calls, notes, vouched
from holdfast.vault.notes import Broken, Note

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VERSION = 3
LISTS = ("sources", "supersedes", "anchors")
KEPT = (
    *("name", "description", "kind", "status", "created", "edited", "reviewed", "origin", "project", "policy", "when"),
    *LISTS,
)
EVIDENCE = "Evidence:"  # the heading of the proof below a note's words
RACY = 100_000_000  # ns within which a file's time cannot be believed
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+?\.md)(?:#[^)\s]*)?\)")


@dataclass(frozen=True)
class Known:
    """A note whose body was not loaded, the digest of that body, its links with their lines, and the calls that it
    names, as `forbidden` and `named` with their `lines`; none where it names none or says itself what it waits for."""

    note: Note
    digest: str
    links: tuple[tuple[str, int], ...] = ()
    named: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Index:
    """All notes of a vault, by path, and what is none."""

    known: dict[str, Known]
    broken: tuple[Broken, ...]
    held: tuple[str, ...] = ()  # files that an agent changed, known here as they were before

    @property
    def notes(self) -> list[Note]:
        return [one.note for one in self.known.values()]

    def active(self) -> list[Note]:
        return [note for note in self.notes if note.is_active]

    def unreadable(self) -> list[Note]:
        """What is no note, as one to be named by its path: it can be shown, forgotten and purged all the same."""
        said = [(one.path, {"description": f"not read as a note: {one.reason}"}) for one in self.broken]
        return [notes.from_fields(path, fields, "") for path, fields in said]

    def with_texts(self, texts: Mapping[str, str | None]) -> Index:
        """The index as it will be once these files are written."""
        known = {path: one for path, one in self.known.items() if path not in texts}
        broken = [one for one in self.broken if one.path not in texts]
        for path, text in texts.items():
            if text is None or not is_note_path(path):
                continue
            found = notes.from_text(path, text)
            if isinstance(found, Broken):
                broken.append(found)
            else:
                known[path] = known_of(found)
        return Index(dict(sorted(known.items())), tuple(broken))


def is_note_path(path: str) -> bool:
    return path.endswith(".md") and path.partition("/")[0] in (*notes.FOLDERS.values(), notes.QUARANTINE)


def body_digest(body: str) -> str:
    """What tells exact duplicates: the words without the proof below them."""
    return digest(body.partition(f"\n\n{EVIDENCE}\n")[0].strip(), 16)


def load(vault: str, progress: Callable[[int], None] = lambda _: None, *, keep: bool = True) -> Index:
    """The index, brought up to date; `progress` hears of every note that had to be read."""
    path = f"{home.state(vault)}/notes.index"
    before = _read(path)
    edits = Edits(vault)
    known: dict[str, Known] = {}
    broken: list[Broken] = []
    held: list[str] = []
    rows: dict[str, Any] = {}
    began = time.time_ns()
    is_fresh = True
    listed = list(notes.paths(vault))
    for one in (*listed, *_taken_away(vault, edits, before, listed)):
        stamp = _stamp(f"{vault}/{one}", began)
        row = before.get(one)
        if row is None or not stamp or row[0] != stamp:
            is_fresh = False
            is_held = bool(edits.by(one))
            found = _as_it_was(vault, one, held) if is_held else notes.read(vault, one)
            if found is None:
                continue
            row = ["" if is_held else stamp, *_row(found)]
            progress(1)
        known_as = _recall(one, row)
        rows[one] = row
        if isinstance(known_as, Broken):
            broken.append(known_as)
        else:
            known[one] = known_as
    if keep and (not is_fresh or len(rows) != len(before)):
        _save(path, rows)
    return Index(dict(sorted(known.items())) if held else known, tuple(broken), tuple(held))


def _taken_away(vault: str, edits: Edits, before: Mapping[str, Any], listed: list[str]) -> list[str]:
    """Notes that an agent removed."""
    if not edits.are_possible():
        return []
    gone = {*before, *vouched.names(vault)} - set(listed)
    return [path for path in sorted(gone) if is_note_path(path) and edits.by(path)]


def _as_it_was(vault: str, path: str, held: list[str]) -> Note | Broken | None:
    """A note that an agent changed, as the last commit has it that was vouched for."""
    text = vouched.committed(vault, path)
    try:
        raw = journal.content(vault, path)
    except OSError:
        raw = None
    if text != (None if raw is None else raw.decode("utf-8", "surrogateescape")):
        held.append(path)
    return None if text is None else notes.from_text(path, text)


def _recall(path: str, row: list[Any]) -> Known | Broken:
    """What a row of the index says. It is ours, as its checksum says, so it is not looked at twice."""
    _, values, said, links, fields, named = row
    if values is None:
        return Broken(path, *said)
    found: dict[str, Any] = dict(zip(KEPT, values, strict=True))
    found.update({name: tuple(found[name]) for name in LISTS})
    note = Note(path=path, body="", fields=fields, **found)
    return Known(note, said, tuple((link, line) for link, line in links), named)


def _read(path: str) -> dict[str, Any]:
    """The rows of the index; {} where it is missing, of another version, or not what we wrote."""
    try:
        head, _, raw = platform.read_file(path).partition(b"\n")
        if head != _head(raw):
            return {}
        return dict(codec.decode(raw))
    except (OSError, ValueError, TypeError):
        return {}


def _save(path: str, rows: dict[str, Any]) -> None:
    raw = codec.encode(rows)
    try:
        platform.write_atomic(path, _head(raw) + b"\n" + raw, durable=False)
    except OSError:
        return  # it is only a help


def _head(raw: bytes) -> bytes:
    return b"holdfast index %d %08x" % (VERSION, zlib.crc32(raw))


def _stamp(path: str, now: int) -> str:
    try:
        seen = os.lstat(path)
    except OSError:
        return ""
    newest = max(seen.st_mtime_ns, seen.st_ctime_ns)
    return "" if newest > now - RACY else f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_size}.{seen.st_ino}"


def _row(found: Note | Broken) -> list[Any]:
    if isinstance(found, Broken):
        return [None, [found.line, found.reason], [], {}, {}]
    one = known_of(found)
    links = [list(link) for link in one.links]
    return [[getattr(found, name) for name in KEPT], one.digest, links, found.fields, one.named]


def known_of(note: Note) -> Known:
    """What is known of a note that was read whole."""
    links = tuple((found[1], note.body.count("\n", 0, found.start()) + 1) for found in LINK.finditer(note.body))
    named = {} if note.when is not None else named_calls.as_record(note, note.body)
    return Known(replace(note, body=""), body_digest(note.body), links, named)

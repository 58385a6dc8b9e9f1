"""What is known of every note without opening it again: derived, rebuilt from the files whenever they changed.

A note is read anew when its file's size, times or inode differ from what the index saw. One that changed so shortly
before the index was written that a second change could share its time is not believed either. Bodies are not kept,
only their digest (exact duplicates) and the links in them (`check`).
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, platform
from holdfast.capture.ids import digest
from holdfast.vault import notes
from holdfast.vault.notes import Broken, Note

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VERSION = 1
EVIDENCE = "Evidence:"  # the heading of the proof below a note's words
RACY = 100_000_000  # ns within which a file's time cannot be believed
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+?\.md)(?:#[^)\s]*)?\)")


@dataclass(frozen=True)
class Known:
    """A note whose body was not loaded, the digest of that body, and its links with their lines."""

    note: Note
    digest: str
    links: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Index:
    """All notes of a vault, by path, and what is none."""

    known: dict[str, Known]
    broken: tuple[Broken, ...]

    @property
    def notes(self) -> list[Note]:
        return [one.note for one in self.known.values()]

    def active(self) -> list[Note]:
        return [note for note in self.notes if note.is_active]

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
                known[path] = _know(found)
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
    known: dict[str, Known] = {}
    broken: list[Broken] = []
    rows: dict[str, Any] = {}
    began = time.time_ns()
    is_fresh = True
    for one in notes.paths(vault):
        stamp = _stamp(f"{vault}/{one}", began)
        row = before.get(one)
        found = _recall(one, stamp, row) if stamp else None
        if found is None:
            is_fresh = False
            row = [stamp, *_row(vault, one)]
            found = _recall(one, stamp, row) or Broken(one, 1, "it cannot be read")
            progress(1)
        rows[one] = row
        if isinstance(found, Broken):
            broken.append(found)
        else:
            known[one] = found
    if keep and (not is_fresh or len(rows) != len(before)):
        try:
            platform.write_atomic(path, codec.encode({"v": VERSION, "notes": rows}), durable=False)
        except OSError:
            pass  # it is only a help
    return Index(known, tuple(broken))


def _recall(path: str, stamp: str, row: Any) -> Known | Broken | None:
    """What a row of the index says of a file with this stamp; None where it says nothing that can be believed."""
    try:
        seen, fields, said, links = row
        if seen != stamp:
            return None
        if fields is None:
            return Broken(path, int(said[0]), str(said[1]))
        listed = tuple((str(link), int(line)) for link, line in links)
        return Known(notes.from_fields(path, dict(fields), ""), str(said), listed)
    except (TypeError, ValueError, KeyError, IndexError):
        return None  # not of our making


def _read(path: str) -> dict[str, Any]:
    try:
        record = codec.decode(platform.read_file(path))
        return dict(record["notes"]) if record["v"] == VERSION else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _stamp(path: str, now: int) -> str:
    try:
        seen = os.lstat(path)
    except OSError:
        return ""
    newest = max(seen.st_mtime_ns, seen.st_ctime_ns)
    return "" if newest > now - RACY else f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_size}.{seen.st_ino}"


def _row(vault: str, path: str) -> list[Any]:
    found = notes.read(vault, path)
    if isinstance(found, Broken):
        return [None, [found.line, found.reason], []]
    one = _know(found)
    fields = {**one.note.fields, "description": one.note.description}
    return [fields, one.digest, [list(link) for link in one.links]]


def _know(note: Note) -> Known:
    links = tuple((found[1], note.body.count("\n", 0, found.start()) + 1) for found in LINK.finditer(note.body))
    return Known(replace(note, body=""), body_digest(note.body), links)

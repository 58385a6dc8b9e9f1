"""The index of all notes, known without opening them again: derived, rebuilt from the files whenever they changed.

A note is read anew when its file's size, times or inode differ from what the index saw. One that changed so shortly
before the index was written that a second change could share its time is not believed either. Bodies are not kept, only
their digest (exact duplicates), the links in them (`check`), the tool calls that they name (vault/named_calls) and the
lines that hooks read of them (vault/armed_file). A file that an agent changed with its own tools is known as it was
before, until that is settled (vault/agent_edits).

`load` looks at every file, for whoever reads. A writer, which knows from git what has changed, has the same answers
from the stored rows alone (vault/stored_index).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from holdfast.capture import calls, codec, home, platform, same_project
from holdfast.capture.agent_files import Edits
from holdfast.capture.ids import digest
from holdfast.model import replace, value
from holdfast.text import folding
from holdfast.vault import index_store, note_facets, notes
from holdfast.vault.note_facets import Facets
from holdfast.vault.notes import Broken, Note

LISTS = ("sources", "supersedes", "anchors")
KEPT = (
    *("name", "description", "kind", "status", "created", "edited", "reviewed", "origin", "project", "policy", "when"),
    *LISTS,
)
RACY = platform.RACY
EVIDENCE = "Evidence:"  # the heading of the proof below a note's words
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+?\.md)(?:#[^)\s]*)?\)")


@value
class Known:
    """A note whose body was not loaded, the digest of that body, its links with their lines, and the calls that it
    names, as `forbidden` and `named` with their `lines`; none where it names none or says itself what it waits for."""

    note: Note
    digest: str
    links: tuple[tuple[str, int], ...] = ()
    named: Mapping[str, Any] = {}
    armed: tuple[str, ...] = ()  # its lines in the armed file


@value
class Index:
    """All notes of a vault, by path, and what is none. The questions below are those of whoever needs only a few."""

    known: Mapping[str, Known]
    broken: tuple[Broken, ...]
    held: tuple[str, ...] = ()  # files that an agent changed, known here as they were before
    merged: Mapping[str, str] = {}  # ids of merged projects, each with the one that counts

    @property
    def notes(self) -> list[Note]:
        return [one.note for one in self.known.values()]

    def active(self) -> list[Note]:
        return [note for note in self.notes if note.is_active]

    def unreadable(self) -> list[Note]:
        """Files that are no notes, each as one: it can be shown, forgotten and purged by its path."""
        said = [(one.path, {"description": f"not read as a note: {one.reason}"}) for one in self.broken]
        return [notes.from_fields(path, fields, "") for path, fields in said]

    def with_texts(self, texts: Mapping[str, str | None]) -> Index:
        """The index as it will be once these files are written."""
        known = {path: one for path, one in self.known.items() if path not in texts}
        broken = [one for one in self.broken if one.path not in texts]
        for path, found in planned(texts).items():
            if isinstance(found, Broken):
                broken.append(found)
            elif found:
                known[path] = under_merges(found, self.merged)
        return Index(dict(sorted(known.items())), tuple(broken), merged=self.merged)

    @cached_property
    def _facets(self) -> dict[str, Facets]:
        return {path: note_facets.of(one) for path, one in self.known.items()}

    def is_taken(self, path: str) -> bool:
        """True if a note, or what should be one, has this path, however it is spelled."""
        return any(one.casefold() == path.casefold() for one in (*self.known, *(one.path for one in self.broken)))

    def saying(self, words: str) -> list[Known]:
        """The notes whose body has this digest, by path."""
        return [one for _, one in sorted(self.known.items()) if one.digest == words]

    def made_of(self, source: str) -> list[str]:
        """The paths of the notes that have this source."""
        return [path for path, one in sorted(self.known.items()) if source in one.note.sources]

    def called(self, name: str) -> list[Note]:
        """The notes that may be called so, by path."""
        wanted = name.casefold()
        return [self.known[path].note for path, one in sorted(self._facets.items()) if wanted in one.called]

    def under(self, folder: str) -> list[Known]:
        """The notes in a folder, by path."""
        return [one for path, one in sorted(self.known.items()) if path.startswith(f"{folder}/")]

    def listing(self) -> bytes:
        """The paths of all of them, a line each."""
        paths = sorted(os.fsencode(path) for path in (*self.known, *(one.path for one in self.broken)))
        return b"".join(path + b"\n" for path in paths)

    def armed_lines(self, most: int) -> list[str]:
        """The first lines of the armed file."""
        return [line for path in sorted(self.known) for line in self.known[path].armed][:most]

    def on_map(self, group: int, most: int) -> tuple[list[Note], int]:
        """The first notes of a group of the map, and how many it has."""
        found = [(facets.name, path) for path, facets in self._facets.items() if facets.group == group]
        return [self.known[path].note for _, path in sorted(found)[:most]], len(found)

    def on_shelf(self, shelf: str, projects: Collection[str], most: int) -> list[Note]:
        """The first notes that a brief of these projects chooses from."""
        mine = ((path, one) for path, one in self._facets.items() if one.shelf == shelf and one.project in projects)
        found = [(one.key, one.name, path) for path, one in mine]
        found.sort(key=lambda one: one[1:])
        found.sort(key=lambda one: one[0], reverse=shelf != note_facets.ALWAYS)
        return [self.known[path].note for *_, path in found[:most]]

    def count(self, shelf: str, projects: Collection[str], *, active: bool = False) -> int:
        """The number of notes on a shelf; `active`: only those in force."""
        mine = (one for one in self._facets.values() if one.shelf == shelf and one.project in projects)
        return sum(one.is_active or not active for one in mine)

    def waiting(self, projects: Collection[str]) -> int:
        """The number of notes that wait for a person's word."""
        return sum(one.waits and one.project in projects for one in self._facets.values())

    def projects(self) -> set[str]:
        """The projects that have notes which a brief could show."""
        return {one.project for one in self._facets.values() if one.shelf in (note_facets.ALWAYS, note_facets.OTHER)}

    def like(self, words: frozenset[str]) -> list[Note]:
        """The notes, among those that the user may say again, that say nearly the same as these words, by path."""
        found = (path for path, one in self._facets.items() if one.words and folding.are(words, one.words))
        return [self.known[path].note for path in sorted(found)]


def planned(texts: Mapping[str, str | None]) -> dict[str, Known | Broken | None]:
    """The notes among texts to be written; None where one is to go."""
    found: dict[str, Known | Broken | None] = {}
    for path, text in texts.items():
        if text is None:
            found[path] = None
        elif is_note_path(path):
            made = notes.from_text(path, text)
            found[path] = made if isinstance(made, Broken) else known_of(made)
    return found


def under_merges(known: Known, merged: Mapping[str, str]) -> Known:
    """A note of a merged project is one of the project that it was merged into; its file keeps the id that it has."""
    into = merged.get(known.note.project)
    return replace(known, note=replace(known.note, project=into)) if into else known


def is_note_path(path: str) -> bool:
    return path.endswith(".md") and path.partition("/")[0] in (*notes.FOLDERS.values(), notes.QUARANTINE)


def body_digest(body: str) -> str:
    """The digest that tells exact duplicates: of the words without the proof below them."""
    return digest(body.partition(f"\n\n{EVIDENCE}\n")[0].strip(), 16)


def load(vault: str, progress: Callable[[int], None] = lambda _: None, *, keep: bool = True) -> Index:
    """The index, brought up to date; `progress` hears of every note that had to be read."""
    store = index_store.opened(vault, make=keep)
    try:
        return looked_through(vault, store, progress, keep=keep)
    finally:
        if store:
            store.close()


def looked_through(
    vault: str,
    store: index_store.Store | None,
    progress: Callable[[int], None] = lambda _: None,
    meta: Mapping[str, str] | None = None,
    *,
    keep: bool = True,
) -> Index:
    """All notes, each row compared with its file. New rows are stored, with `meta`, for writers to believe unseen."""
    before: dict[str, list[Any]] = {}
    with suppress(index_store.Error, ValueError, TypeError):
        before = store.rows() if store else {}
    edits = Edits(vault)
    known: dict[str, Known] = {}
    broken: list[Broken] = []
    held: list[str] = []
    fresh: dict[str, tuple[str, Known | Broken]] = {}
    began = time.time_ns()
    listed = list(notes.paths(vault))
    # Notes that an agent may have removed, of those that the last writer left.
    gone = {*before, *calls.lines(home.state(vault), "names")}.difference(listed) if edits.are_possible() else set()
    for one in (*listed, *(path for path in sorted(gone) if is_note_path(path) and edits.by(path))):
        stamp = stamp_of(f"{vault}/{one}", began)
        row = before.get(one)
        if row is not None and stamp and row[0] == stamp:
            found = recalled(one, row)
        else:
            is_held = bool(edits.by(one))
            read = as_it_was(vault, one, held) if is_held else notes.read(vault, one)
            if read is None:
                continue
            found = read if isinstance(read, Broken) else known_of(read)
            fresh[one] = ("" if is_held else stamp, found)
            progress(1)
        if isinstance(found, Broken):
            broken.append(found)
        else:
            known[one] = found
    gone = before.keys() - known.keys() - {one.path for one in broken}
    if keep and store and (fresh or gone or meta is not None):
        rows = as_rows(fresh)
        if meta is None:  # only a writer knows which commit rows are of; one that says the same as before still is
            was = {path: codec.encode(before[path][1:]) for path in rows if path in before}
            is_same = not gone and all(was.get(path) == codec.encode(row) for path, (_, row, *_) in rows.items())
            meta = {} if is_same else {"commit": ""}
        with suppress(index_store.Error, UnicodeError):  # it is only a help
            store.save(rows, gone, meta)
    merged = same_project.names(vault)
    if merged:
        known = {path: under_merges(one, merged) for path, one in known.items()}
    return Index(dict(sorted(known.items())) if held else known, tuple(broken), tuple(held), merged)


def as_rows(
    fresh: Mapping[str, tuple[str, Known | Broken]], known: Mapping[str, Facets] | None = None
) -> dict[str, tuple[str, list[Any], Facets, bool]]:
    """Notes as the store keeps them, each with its stamp; `known` are facets that somebody has made already."""
    made = {}
    for path, (stamp, one) in fresh.items():
        facets = (known or {}).get(path)
        if facets is None:
            facets = note_facets.of(one) if isinstance(one, Known) else Facets(path.casefold())
        made[path] = (stamp, _row(one), facets, isinstance(one, Known))
    return made


def as_it_was(vault: str, path: str, held: list[str]) -> Note | Broken | None:
    """A note that an agent changed, as the last commit has it that was vouched for."""
    from holdfast.vault import authority, journal

    text = authority.committed(vault, path)
    if text != journal.read(vault, path):
        held.append(path)
    return None if text is None else notes.from_text(path, text)


def recalled(path: str, row: list[Any]) -> Known | Broken:
    """The note in a row of the index. It is ours, as its checksum says, so it is not looked at twice."""
    _, values, said, links, fields, named, armed = row
    if values is None:
        return Broken(path, *said)
    found: dict[str, Any] = dict(zip(KEPT, values, strict=True))
    found.update({name: tuple(found[name]) for name in LISTS})
    note = Note(path=path, body="", fields=fields, **found)
    return Known(note, said, tuple((link, line) for link, line in links), named, tuple(armed))


def stamp_of(path: str, now: int) -> str:
    try:
        seen = os.lstat(path)
    except OSError:
        return ""
    newest = max(seen.st_mtime_ns, seen.st_ctime_ns)
    return "" if newest > now - RACY else f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_size}.{seen.st_ino}"


def _row(one: Known | Broken) -> list[Any]:
    if isinstance(one, Broken):
        return [None, [one.line, one.reason], [], {}, {}, []]
    links = [list(link) for link in one.links]
    note = one.note
    return [[getattr(note, name) for name in KEPT], one.digest, links, note.fields, one.named, list(one.armed)]


def known_of(note: Note) -> Known:
    """A note that was read whole, as the index knows it."""
    links = tuple((found[1], note.body.count("\n", 0, found.start()) + 1) for found in LINK.finditer(note.body))
    from holdfast.vault import armed_file, named_calls  # hundreds of patterns, for a note that is new or changed

    named = {} if note.when is not None else named_calls.as_record(note, note.body)
    armed = tuple(armed_file.lines_of(note, named))
    return Known(replace(note, body=""), body_digest(note.body), links, named, armed)

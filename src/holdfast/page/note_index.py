"""The notes as a server keeps them for the page: read once, and from then on only what changed on disk.

Promise: what is committed is in every answer from then on; what an editor saved and nobody committed is there within
AT_MOST seconds of an answer, in a vault of more than FEW notes after some more. A commit names its files; for all
else a look compares each file's size, times and inode with what was read, as the index does (vault/index), and asks the
index itself about files that an agent changed and nobody settled.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.capture import gitfiles, same_project
from holdfast.capture.agent_files import Edits
from holdfast.errors import GitFailed, HoldfastError
from holdfast.model import replace
from holdfast.vault import index, notes
from holdfast.vault.git import Repository
from holdfast.vault.notes import Broken

if TYPE_CHECKING:
    from holdfast.vault.index import Index, Known

AT_MOST = 2.0  # seconds between two looks at every file
FEW = 1000  # notes that are looked at while somebody waits
MANY = 200  # changed files, from which on the index is asked
Stamp = tuple[int, int, int, int]


class NoteIndex:
    """The notes of one vault."""

    def __init__(self, vault: str) -> None:
        self._vault = vault
        self._lock = threading.Lock()
        self._known: Index | None = None
        self._stamps: dict[str, Stamp] = {}
        self._head = ""
        self._looked = -1e9
        self._cost = 0.0  # seconds of the last look, of which a twentieth of the time is enough
        self._looking = threading.Lock()

    def now(self, project: str | None = None) -> Index:
        """All notes; with a project its own and the global ones."""
        with self._lock:
            known = self._current()
        if project is None:
            return known
        mine = {path: one for path, one in known.known.items() if one.note.applies_to(project)}
        return replace(known, known=mine)

    def _current(self) -> Index:
        is_late = time.monotonic() - self._looked > max(AT_MOST, 20 * self._cost)
        if self._known is None or (is_late and len(self._stamps) <= FEW):
            return self._look()
        head = _head(self._vault)
        if head != self._head:
            changed = self._committed(head)
            if changed is None:
                return self._look()
            stamps = {path: stamp for path in changed if (stamp := _stamp(self._vault, path))}
            self._known = _renewed(self._vault, self._known, set(stamps), changed - stamps.keys())
            self._stamps = {path: one for path, one in self._stamps.items() if path not in changed} | stamps
            self._head = head
        if is_late and not self._looking.locked():
            threading.Thread(target=self._look_later, name="holdfast-notes", daemon=True).start()
        return self._known

    def _committed(self, head: str) -> set[str] | None:
        """The notes that differ between the head that was seen and this one; None where that cannot be told."""
        if not head or not self._head:
            return None
        try:
            listed = Repository(self._vault).differing(self._head, head)
        except GitFailed:
            return None
        return None if len(listed) > MANY else {path for path in listed if index.is_note_path(path)}

    def _look_later(self) -> None:
        """While nobody waits: another answer may be given meanwhile."""
        began = time.monotonic()
        with self._looking, suppress(HoldfastError, OSError):
            head, stamps = _head(self._vault), _stamps(self._vault)
            with self._lock:
                self._take(head, stamps)
        self._cost = time.monotonic() - began

    def _look(self) -> Index:
        return self._take(_head(self._vault), _stamps(self._vault))

    def _take(self, head: str, stamps: dict[str, Stamp]) -> Index:
        merged = same_project.names(self._vault)
        changed = {path for path, stamp in stamps.items() if self._stamps.get(path) != stamp}
        gone = self._stamps.keys() - stamps.keys()
        known = self._known
        if known is None or merged != known.merged or len(changed) > MANY or Edits(self._vault).are_possible():
            known = index.load(self._vault)
        elif changed or gone:
            known = _renewed(self._vault, known, changed, gone)
        self._known, self._stamps, self._head, self._looked = known, stamps, head, time.monotonic()
        return known


def _renewed(vault: str, known: Index, changed: set[str], gone: set[str]) -> Index:
    kept: dict[str, Known] = {path: one for path, one in known.known.items() if path not in gone}
    broken = [one for one in known.broken if one.path not in changed and one.path not in gone]
    for path in changed:
        found = notes.read(vault, path)
        if isinstance(found, Broken):
            kept.pop(path, None)
            broken.append(found)
        else:
            kept[path] = index.under_merges(index.known_of(found), known.merged)
    return index.Index(dict(sorted(kept.items())), tuple(broken), merged=known.merged)


def _stamps(vault: str) -> dict[str, Stamp]:
    found = {}
    for path in notes.paths(vault):
        if stamp := _stamp(vault, path):
            found[path] = stamp
    return found


def _stamp(vault: str, path: str) -> Stamp | None:
    try:
        seen = os.lstat(f"{vault}/{path}")
    except OSError:
        return None
    return (seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino)


def _head(vault: str) -> str:
    return gitfiles.head_commit(vault)

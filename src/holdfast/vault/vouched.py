"""The text of a file that counts: the file's own, unless an agent changed it and nobody has settled that yet. Then it
is that of the last commit which a writer vouched for.

Commits that somebody makes with git in the vault do not count as vouched for until a writer has looked at them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from holdfast.capture import calls, home, platform
from holdfast.capture.agent_edits import RECORDS, Edits
from holdfast.vault import journal, notes
from holdfast.vault.git import Repository

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.vault.index import Index
    from holdfast.vault.notes import Broken, Note

FOLDER = re.compile(rb"^(.+)/[^/\n]*$", re.MULTILINE)


def text(vault: str, path: str, edits: Edits | None = None) -> str | None:
    """What counts of a file; None where that is nothing."""
    if (edits or Edits(vault)).by(path):
        return committed(vault, path)
    try:
        raw = journal.content(vault, path)
    except OSError:
        return None
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def note(vault: str, path: str) -> Note | Broken | None:
    """The note that counts; None where an agent put it there."""
    if not Edits(vault).by(path):
        return notes.read(vault, path)
    said = committed(vault, path)
    return None if said is None else notes.from_text(path, said)


def committed(vault: str, path: str) -> str | None:
    repository = Repository(vault)
    raw = repository.content(head_of(repository), path) if repository.exists() else None
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def head_of(repository: Repository) -> str:
    """The commit that the last writer vouched for; the head where there is none, as after a purge of the history."""
    known = calls.settled(home.state(repository.vault)).head
    if known and repository.attempt("cat-file", "-e", f"{known}^{{commit}}").returncode == 0:
        return known
    return "HEAD"


def names(vault: str) -> list[str]:
    """The notes that the last writer left."""
    return calls.lines(home.state(vault), "names")


def vouch(vault: str, head: str, index: Index | None = None, *, anew: bool = False) -> None:
    """All that a commit has is known as ours, an agent's or the user's. `anew`: so are the folders as they stand; else
    only those that nobody had seen. `index` are the notes, where somebody has looked at them. A disk that refuses to
    keep it costs the next writer a longer look."""
    state = home.state(vault)
    known = calls.settled(state)
    try:
        listed = index.listing() if index else None
        raw = _names(state) if listed is not None or not known.folders else None
        seen = set() if known.folders else _folders_in(raw or b"")
        if listed is not None and listed != raw:
            platform.write_atomic(f"{state}/calls/names", listed, durable=False)
            seen = _folders_in(listed)
        folders = dict(_folders(vault, {*seen, *known.folders}))
        if not anew:
            folders |= known.folders
        if (head, folders) != (known.head, known.folders):
            calls.settle(state, head, sorted(folders.items()))
    except OSError:
        return


def _names(state: str) -> bytes:
    try:
        return platform.read_file(f"{state}/calls/names", calls.LARGEST)
    except OSError:
        return b""


def _folders_in(names: bytes) -> set[str]:
    return {one.decode("utf-8", "surrogateescape") for one in set(FOLDER.findall(names))}


def _folders(vault: str, seen: Iterable[str]) -> list[tuple[str, int]]:
    """Each folder of notes, prompts and handoffs, with its inode; `seen` are those known to be there."""
    found = {*calls.FOLDERS, *RECORDS}
    found.update(f"{top}/{name}" for top in RECORDS for name in platform.names(f"{vault}/{top}"))
    for one in seen:
        folder = one
        while folder and folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    listed = []
    for folder in sorted(found):
        try:
            listed.append((folder, os.lstat(f"{vault}/{folder}").st_ino))
        except OSError:
            continue
    return listed

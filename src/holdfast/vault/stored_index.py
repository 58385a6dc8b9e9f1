"""The index as a writer opens it: rows of the store (vault/index_rows), so that a change costs the same of many notes.

Rows are believed without a look at their files where all of this holds: a writer stored them at a commit that is still
there, the machine has not booted since, and git says which files differ from that commit now. Those files are read
anew, and those that were read the last time, because a person may have saved them at that moment. In every other case
each row is compared with its file, as for everybody else (vault/index). Only who holds the vault's lock may open it so.
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

from holdfast.capture import codec, platform
from holdfast.capture.agent_files import Edits
from holdfast.errors import GitFailed, HoldfastError
from holdfast.vault import git, index, index_store, notes
from holdfast.vault.git import Repository
from holdfast.vault.index import Index, Known
from holdfast.vault.index_rows import UNUSABLE, StoredIndex
from holdfast.vault.notes import Broken, Note

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.vault.index_store import Store

    Looked = tuple[dict[str, tuple[str, Known | Broken]], list[str], list[str]]

TOPS = (*notes.FOLDERS.values(), notes.QUARANTINE)
SUBMODULE = "160000 "


def opened(repository: Repository, head: str, dirty: Iterable[str]) -> Index:
    """The index at the head of a vault whose lock is held; `dirty` are the files that differ from it, as git said
    before anything was read, those that git is told to ignore among them."""
    vault = repository.vault
    store = index_store.opened(vault)
    if store is None:
        return index.load(vault, keep=False)
    dirty = set(dirty)
    try:
        differing = _differing(repository, store, head, dirty)
        if differing:
            since, (fresh, gone, held) = differing
            odd = sorted(one for one in {*dirty, *since, *held} if one.partition("/")[0] in TOPS)
            store.save(index.as_rows(fresh), gone, _meta(head, odd))
            return StoredIndex(vault, store, held=tuple(held))
    except UNUSABLE:
        store.close()
        platform.remove(index_store.place(vault))
        return index.load(vault)
    # Also repositories within the notes' folders: git does not say what changes in them.
    listed = git.names(repository.run("ls-tree", "-r", "-z", head, "--", *TOPS)) if head else []
    modules = {line.partition("\t")[2] for line in listed if line.startswith(SUBMODULE)}
    odd = sorted(modules.union(one for one in dirty if one.partition("/")[0] in TOPS))
    whole = index.looked_through(vault, store, meta=_meta(head, [*odd]))
    return StoredIndex(vault, store, held=whole.held)


def as_left(vault: str) -> Index:
    """The index as the last writer left it; looked through where there is none, or where notes came or went."""
    store = index_store.opened(vault, make=False)
    try:
        if store and store.meta().get("commit") and store.meta().get("boot") == _boot():
            there = sum(1 for _ in notes.paths(vault))
            if there == store.db.execute("SELECT count(*) FROM note").fetchone()[0] and not Edits(vault).are_possible():
                return StoredIndex(vault, store)
    except UNUSABLE:
        pass
    if store:
        store.close()
    return index.load(vault)


def current(vault: str) -> Index:
    """The index for whoever only reads, and needs little of it: git says which files differ from what is stored, and
    nothing is stored. Looked through where that does not tell."""
    store = index_store.opened(vault, make=False)
    if store is None:
        return index.load(vault)
    repository = Repository(vault)
    try:
        head, dirty = repository.head(), {path for _, path in repository.changed()}
        differing = _differing(repository, store, head, dirty)
        if differing:
            _, (fresh, gone, held) = differing
            over: dict[str, Known | Broken | None] = {path: one for path, (_, one) in fresh.items()}
            return StoredIndex(vault, store, over | dict.fromkeys(gone), tuple(held))
    except (*UNUSABLE, HoldfastError):
        pass
    store.close()
    return index.load(vault)


def _differing(repository: Repository, store: Store, head: str, dirty: set[str]) -> tuple[list[str], Looked] | None:
    """The files that changed between the commit of the rows and the head, and the notes that may differ from their
    rows, as they are now; None where only a look at everything tells."""
    meta = store.meta()
    if not head or not meta.get("commit") or meta.get("boot") != _boot():
        return None
    try:
        since = [one for one in repository.differing(meta["commit"], head) if one.partition("/")[0] in TOPS]
    except GitFailed:
        return None  # that commit is no longer there
    wanted = _candidates(repository.vault, store, {*dirty, *since, *codec.decode(meta.get("odd") or "[]")})
    return None if wanted is None else (since, _read(repository.vault, wanted))


def _boot() -> str:
    return platform.boot_id() or "unknown"


def _meta(head: str, odd: list[str]) -> dict[str, str]:
    return {"commit": head, "boot": _boot(), "odd": codec.encode(odd).decode("utf-8")}


def _candidates(vault: str, store: Store, paths: Iterable[str]) -> set[str] | None:
    """The notes among these paths, and those below them; None where only a look at everything tells."""
    found: set[str] = set()
    for path in (one.rstrip("/") for one in paths):
        if path.partition("/")[0] not in TOPS:
            continue
        if "/" not in path:
            return None
        try:
            mode = os.lstat(f"{vault}/{path}").st_mode
        except OSError:
            if not _is_plain_folder(vault, os.path.dirname(path)):
                return None
            found.update((path, *store.below(path)))
            continue
        found.add(path)
        if stat.S_ISDIR(mode):
            found.update((*notes.files(vault, path), *store.below(path)))
    return found


def _is_plain_folder(vault: str, folder: str) -> bool:
    """True if each folder on the way is one that can be listed, or is gone."""
    while folder:
        try:
            mode = os.lstat(f"{vault}/{folder}").st_mode
            if not stat.S_ISDIR(mode) or not os.access(f"{vault}/{folder}", os.R_OK | os.X_OK):
                return False
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                return False
        folder = os.path.dirname(folder)
    return True


def _read(vault: str, wanted: Iterable[str]) -> Looked:
    """These notes as they are now, each with its stamp; those that are gone; and those that an agent changed."""
    edits, began = Edits(vault), time.time_ns()
    fresh: dict[str, tuple[str, Known | Broken]] = {}
    gone: list[str] = []
    held: list[str] = []
    for path in sorted(wanted):
        stamp = index.stamp_of(f"{vault}/{path}", began)
        is_held = index.is_note_path(path) and bool(edits.by(path))
        found = index.as_it_was(vault, path, held) if is_held else _listed(vault, path)
        if found is None:
            gone.append(path)
        else:
            one = found if isinstance(found, Broken) else index.known_of(found)
            fresh[path] = ("" if is_held else stamp, one)
    return fresh, gone, held


def _listed(vault: str, path: str) -> Note | Broken | None:
    """A file that should be a note; None where it is none of those that are listed (vault/notes.paths)."""
    full = f"{vault}/{path}"
    if not os.path.lexists(full) or any(part.startswith(".") for part in path.split("/")):
        return None
    is_folder = os.path.isdir(full)
    if is_folder and not os.path.islink(full):
        return None if os.access(full, os.R_OK) else notes.read(vault, path)
    return notes.read(vault, path) if path.endswith(".md") or is_folder else None

"""A repository that shows only what is whole of a damaged one, made elsewhere and gone afterwards.

Git stops at the first object that it cannot read, and does not start at all without HEAD or settings. The view has a
HEAD and settings of its own; links lead to every object and pack that was read to its end; and it has whatever can be
taken out of packs that are damaged, or made from the vault's files. Whoever asks it is told the truth, and nothing in
the vault is changed by it.

A file that stands in the way is moved to a name of its own and never thrown away.

Git's single objects as files: whether one holds what its name says, and writing one again.

Git's objects as the vault's files still have them: each file, and the folders of all files and of the index.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.vault.purge_history import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.vault.git import Repository


def moved(path: str, place: str) -> str:
    """Move what lies at a path to `place`, or beside it where that is taken; returns where it is, "" where nothing
    was. Raises OSError."""
    if not os.path.lexists(path):
        return ""
    platform.make_folders(os.path.dirname(place))
    while os.path.lexists(place):
        place += ".again"
    try:
        os.rename(path, place)
    except FileNotFoundError:
        return ""
    except OSError:
        shutil.copy2(path, place)  # another file system
        os.unlink(path)
    return place


HASHES = {40: hashlib.sha1, 64: hashlib.sha256}
LARGEST = 1 << 30


def digits(folder: str) -> int:
    """How long ids are in the repository at `folder`: 40, unless somebody made it with longer ones."""
    try:
        config = platform.read_file(f"{folder}/config")
    except OSError:
        config = b""
    return 64 if b"objectformat" in config.lower() else 40


def blob_id(data: bytes, length: int) -> str:
    """The id that git gives to a file with these bytes."""
    return HASHES[length](b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def path_of(folder: str, ident: str) -> str:
    return f"{folder}/objects/{ident[:2]}/{ident[2:]}"


def holds(path: str, ident: str) -> bool:
    """Whether the file of an object holds it; also where there is none, packed or pruned meanwhile."""
    try:
        raw = zlib.decompress(platform.read_file(path, largest=LARGEST))
    except FileNotFoundError:
        return True
    except (OSError, zlib.error):
        return False
    return HASHES[len(ident)](raw, usedforsecurity=False).hexdigest() == ident


def broken_objects(folder: str) -> list[str]:
    """The files of single objects that do not hold what their name says."""
    found = []
    for part in sorted(platform.names(f"{folder}/objects")):
        if len(part) != 2:
            continue
        for name in sorted(platform.names(f"{folder}/objects/{part}")):
            ident = part + name
            if len(ident) in HASHES and not holds(path_of(folder, ident), ident):
                found.append(path_of(folder, ident))
    return found


def write_blob(folder: str, data: bytes, aside: str) -> str:
    """Write a file's bytes as an object of their own, whatever lay there; that goes `aside`. Returns the id."""
    ident = blob_id(data, digits(folder))
    path = path_of(folder, ident)
    moved(path, f"{aside}/objects/{ident[:2]}/{ident[2:]}")
    platform.make_folders(os.path.dirname(path))
    platform.write_atomic(path, zlib.compress(b"blob %d\0" % len(data) + data), durable=True)
    os.chmod(path, 0o444)
    return ident


OTHERS = ("-z", "--others", "--exclude-standard", "--", ":/", ":(top,exclude).state")


def make(repository: Repository, index: str, *, write: bool = True) -> set[str]:
    """Write the vault's files as objects of this repository (`write`), and the trees of all of them and of those that
    the `index` has; the ids of the files. Raises GitFailed."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="holdfast-index-") as scratch:
        own, found = ({"GIT_INDEX_FILE": f"{scratch}/{name}"} for name in ("own", "found"))
        listed = repository.run("ls-files", *OTHERS, env=found).split(b"\0")
        paths = [name for name in listed if name and b"\n" not in name and _is_file(_within(repository, name))]
        given = b"".join(name + b"\n" for name in paths)
        how = ("-w",) if write else ()
        said = repository.run("hash-object", *how, "--no-filters", "--stdin-paths", given=given).decode("ascii")
        idents = said.split()
        entries = zip(paths, idents, strict=True)
        lines = [b"%o %s\t%s\0" % (_mode(_within(repository, name)), ident.encode(), name) for name, ident in entries]
        staged = b""
        if os.path.isfile(index):
            staged = repository.attempt("ls-files", "--stage", "-z", env={"GIT_INDEX_FILE": index}).stdout
        for env, text in ((found, b"".join(lines)), (own, staged)):
            repository.attempt("update-index", "-z", "--index-info", given=text, env=env)
            repository.attempt("write-tree", "--missing-ok", env=env)
        return set(idents)


def _within(repository: Repository, name: bytes) -> bytes:
    return os.path.join(os.fsencode(repository.vault), name)


def _is_file(path: bytes) -> bool:
    return os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) <= platform.LARGEST


def _mode(path: bytes) -> int:
    return 0o100755 if os.stat(path).st_mode & 0o100 else 0o100644


LARGEST_PACK = 1 << 32
HASTY = ("-c", "core.fsync=none")  # nothing of it outlives us


@dataclass(frozen=True)
class View:
    """`repository` shows what is whole. `there` are the ids of what the damaged one still has, `made` those that the
    files can make; `broken` are files of single objects, and `packs` names of packs, that cannot be read."""

    repository: Repository
    there: frozenset[str]
    made: frozenset[str]
    trees: tuple[tuple[str, int], ...]
    commits: tuple[tuple[str, int], ...]
    broken: tuple[str, ...]
    packs: tuple[str, ...]


@contextmanager
def opened(repository: Repository) -> Iterator[View]:
    """The view of a vault's repository. Raises GitFailed."""
    real = repository.own_folder()
    import tempfile

    with tempfile.TemporaryDirectory(prefix="holdfast-view-") as scratch:
        view, making = (Beside(repository.vault, repository.held, f"{scratch}/{name}") for name in ("git", "making"))
        form = ("--object-format=sha256",) if digits(real) == 64 else ()
        for one in (view, making):
            one.run("init", "--quiet", "--template=", *form)
        whole = f"{scratch}/whole"
        _also(view, (whole, *_alternates(real)))
        broken = broken_objects(real)
        _link(real, whole, broken)
        packs = _link_packs(view, real, whole)
        there = _listed(view)
        # Apart, since git renews the time of an object that it finds where it would write one.
        blobs = make(making, f"{real}/index", write=False)
        _also(view, (whole, f"{making.folder}/objects", *_alternates(real)))
        after = _listed(view)
        yield View(
            repository=view,
            there=frozenset(there),
            made=frozenset({*after, *blobs} - there.keys()),
            trees=tuple((one, size) for one, (kind, size) in after.items() if kind == "tree"),
            commits=tuple((one, size) for one, (kind, size) in after.items() if kind == "commit"),
            broken=tuple(broken),
            packs=tuple(packs),
        )


def _also(view: Repository, places: tuple[str, ...]) -> None:
    platform.make_folders(f"{view.folder}/objects/info")
    with open(f"{view.folder}/objects/info/alternates", "w", encoding="utf-8", errors="surrogateescape") as out:
        out.writelines(f"{path}\n" for path in places)


def _alternates(real: str) -> list[str]:
    """Other places that the repository takes objects from, where somebody set it up so."""
    try:
        raw = platform.read_file(f"{real}/objects/info/alternates").decode("utf-8", "surrogateescape")
    except OSError:
        return []
    return [os.path.join(f"{real}/objects", line) for line in raw.split("\n") if line and not line.startswith("#")]


def _link(real: str, whole: str, broken: list[str]) -> None:
    """Every single object that is whole, by the folder where the whole folder is."""
    platform.make_folders(f"{whole}/pack")
    parts = {path.split("/")[-2] for path in broken}
    for part in platform.names(f"{real}/objects"):
        if len(part) != 2:
            continue
        if part not in parts:
            os.symlink(f"{real}/objects/{part}", f"{whole}/{part}")
            continue
        os.mkdir(f"{whole}/{part}")
        for name in platform.names(f"{real}/objects/{part}"):
            path = f"{real}/objects/{part}/{name}"
            if path not in broken:
                os.symlink(path, f"{whole}/{part}/{name}")


def _link_packs(view: Repository, real: str, whole: str) -> list[str]:
    """Every pack that is whole; of the others, what can be taken out of them. Returns their names."""
    bad = []
    folder = f"{real}/objects/pack"
    found = platform.names(folder)
    for name in sorted(found):
        stem = name.removesuffix(".pack")
        if name == stem:
            continue
        has_index = f"{stem}.idx" in found
        if has_index and view.attempt("verify-pack", f"{folder}/{name}").returncode == 0:
            for ending in (".pack", ".idx"):
                os.symlink(f"{folder}/{stem}{ending}", f"{whole}/pack/{stem}{ending}")
            continue
        bad.append(stem)
        raw = _bytes(f"{folder}/{name}")
        if raw:
            view.attempt(*HASTY, "unpack-objects", "-r", "-q", given=raw)
    bad += [name.removesuffix(".idx") for name in found if name.endswith(".idx") and f"{name[:-4]}.pack" not in found]
    return bad


def _bytes(path: str) -> bytes:
    try:
        return platform.read_file(path, largest=LARGEST_PACK)
    except OSError:
        return b""


def _listed(view: Repository) -> dict[str, tuple[str, int]]:
    """Every object that the view has, with its kind and size."""
    raw = view.run("cat-file", "--batch-all-objects", "--unordered", "--batch-check").decode("ascii", "replace")
    rows = [line.split() for line in raw.splitlines()]
    return {row[0]: (row[1], int(row[2])) for row in rows if len(row) == 3 and row[2].isdecimal()}

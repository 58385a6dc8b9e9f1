"""A repository that shows only what is whole of a damaged one, made elsewhere and gone afterwards.

Git stops at the first object that it cannot read, and does not start at all without HEAD or settings. The view has a
HEAD and settings of its own; links lead to every object and pack that was read to its end; and it has whatever can be
taken out of packs that are damaged, or made from the vault's files. It tells the truth, and nothing in the vault is
changed by it.

`make` writes git's objects as the vault's files still have them: each file, and the folders of all files and of the
index.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.vault import git_loose
from holdfast.vault.purge_history import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.vault.git import Repository

OTHERS = ("-z", "--others", "--exclude-standard", "--", ":/", ":(top,exclude).state")
LARGEST_PACK = 1 << 32
HASTY = ("-c", "core.fsync=none")  # nothing of it outlives us


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
        lines = []
        for name, ident in zip(paths, idents, strict=True):
            mode = 0o100755 if os.stat(_within(repository, name)).st_mode & 0o100 else 0o100644
            lines.append(b"%o %s\t%s\0" % (mode, ident.encode(), name))
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
        form = ("--object-format=sha256",) if git_loose.digits(real) == 64 else ()
        for one in (view, making):
            one.run("init", "--quiet", "--template=", *form)
        whole = f"{scratch}/whole"
        _also(view, (whole, *_alternates(real)))
        broken = git_loose.broken_objects(real)
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
    raw = git_loose.readable(f"{real}/objects/info/alternates").decode("utf-8", "surrogateescape")
    return [os.path.join(f"{real}/objects", line) for line in raw.split("\n") if line and not line.startswith("#")]


def _link(real: str, whole: str, broken: list[str]) -> None:
    """Every single object that is whole."""
    platform.make_folders(f"{whole}/pack")
    for part in platform.names(f"{real}/objects"):
        if len(part) == 2:
            os.mkdir(f"{whole}/{part}")
            paths = {f"{real}/objects/{part}/{name}" for name in platform.names(f"{real}/objects/{part}")}
            for path in paths.difference(broken):
                os.symlink(path, f"{whole}/{part}/{os.path.basename(path)}")


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
        raw = git_loose.readable(f"{folder}/{name}", largest=LARGEST_PACK)
        if raw:
            view.attempt(*HASTY, "unpack-objects", "-r", "-q", given=raw)
    bad += [name.removesuffix(".idx") for name in found if name.endswith(".idx") and f"{name[:-4]}.pack" not in found]
    return bad


def _listed(view: Repository) -> dict[str, tuple[str, int]]:
    """Every object that the view has, with its kind and size."""
    raw = view.run("cat-file", "--batch-all-objects", "--unordered", "--batch-check").decode("ascii", "replace")
    rows = [line.split() for line in raw.splitlines()]
    return {row[0]: (row[1], int(row[2])) for row in rows if len(row) == 3 and row[2].isdecimal()}

"""Git's objects as the vault's files still have them: each file, and the folders of all files and of the index.

What is damaged or gone in the repository can be made again where a file is still what it was when it was committed.
Folders are written from indexes that know of no folder, since git trusts what an index knows to be there.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from holdfast.capture import platform

if TYPE_CHECKING:
    from holdfast.vault.git import Repository

OTHERS = ("-z", "--others", "--exclude-standard", "--", ":/", ":(top,exclude).state")


def make(repository: Repository, index: str, *, write: bool = True) -> set[str]:
    """Write the vault's files as objects of this repository (`write`), and the trees of all of them and of those that
    the `index` has; the ids of the files. Raises GitFailed."""
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

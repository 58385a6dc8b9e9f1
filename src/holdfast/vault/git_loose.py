"""Git's loose objects as files: read, compared and written again without starting git.

A commit of ours stays loose until somebody packs it, so a close learns from these files what its commit changed and
that the folders of the last one are whole. An object that is packed or spoilt raises LookupError: then git is asked.

Before a text is displaced, git can read it: the history is then its only holder, and on a spoilt object the promise
that it brings the old text back would be a lie that nobody notices in time. So the object is read to its last byte
first, and written again from the file where it cannot be read; of a text that a person replaced we can only tell.
"""

from __future__ import annotations

import os
import time
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.capture import home, ledger, notices, platform
from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.vault.git import Repository

HASHES = {40: "sha1", 64: "sha256"}  # by the length of ids
LARGEST = 1 << 30
FOLDER = "40000"  # the mode of a folder in a tree
LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


def readable(path: str, limit: int = -1, largest: int = platform.LARGEST) -> bytes:
    """A file, or its first `limit` bytes; b"" where there is none that can be read."""
    try:
        return platform.read_file(path, limit, largest)
    except OSError:
        return b""


def read(folder: str, ident: str) -> tuple[bytes, bytes]:
    """The kind and the content of a loose object. Raises LookupError where no file holds what the id says."""
    try:
        raw = zlib.decompress(platform.read_file(path_of(folder, ident), largest=LARGEST))
    except (OSError, zlib.error):
        raise LookupError(ident) from None
    if not _is(raw, ident):
        raise LookupError(ident)
    header, _, content = raw.partition(b"\0")
    return header.partition(b" ")[0], content


def entries(raw: bytes, length: int) -> Iterator[tuple[str, str, str]]:
    """Mode, name and id of everything in a tree; `length` is that of an id in bytes."""
    at = 0
    while at < len(raw):
        space, end = raw.index(b" ", at), raw.index(b"\0", at)
        name = raw[space + 1 : end].decode("utf-8", "surrogateescape")
        yield raw[at:space].decode("ascii", "replace"), name, raw[end + 1 : end + 1 + length].hex()
        at = end + 1 + length


def tree(folder: str, ident: str) -> dict[str, tuple[str, str]]:
    """Mode and id by name, of a tree or of that of a commit; nothing for ""."""
    if not ident:
        return {}
    kind, raw = read(folder, ident)
    if kind == b"commit":
        kind, raw = read(folder, raw[len("tree ") : len("tree ") + len(ident)].decode("ascii", "replace"))
    try:
        return {name: (mode, one) for mode, name, one in entries(raw, len(ident) // 2)}
    except ValueError:
        raise LookupError(ident) from None


def differing(folder: str, before: str, after: str) -> set[str]:
    """The files that differ between two commits or trees; "" is one without files. Raises LookupError."""
    found = set()
    waiting = [(before, after, "")] if before != after else []
    while waiting:
        *both, under = waiting.pop()
        was, now = (tree(folder, ident) for ident in both)
        for name in was.keys() | now.keys():
            sides = was.get(name, ("", "")), now.get(name, ("", ""))
            if sides[0] == sides[1]:
                continue
            old, new = (ident if mode == FOLDER else "" for mode, ident in sides)
            waiting += [(old, new, f"{under}{name}/")] if old or new else []
            if any(mode not in ("", FOLDER) for mode, _ in sides):
                found.add(f"{under}{name}")
    return found


def moved(path: str, place: str) -> str:
    """Move a file to `place`, or beside it where that is taken; returns where it is, "" for none. Raises OSError."""
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
        from shutil import copy2

        copy2(path, place)  # another file system
        os.unlink(path)
    return place


def digits(folder: str) -> int:
    """The length of ids in the repository at `folder`: 40, unless somebody made it with longer ones."""
    return 64 if b"objectformat" in readable(f"{folder}/config").lower() else 40


def blob_id(data: bytes, length: int) -> str:
    """The id that git gives to a file with these bytes."""
    return hashed(b"blob %d\0" % len(data) + data, length).hex()


def path_of(folder: str, ident: str) -> str:
    return f"{folder}/objects/{ident[:2]}/{ident[2:]}"


def holds(folder: str, ident: str) -> bool:
    """True if the file of an object holds it; also where there is none, packed or pruned meanwhile."""
    try:
        raw = zlib.decompress(platform.read_file(path_of(folder, ident), largest=LARGEST))
    except FileNotFoundError:
        return True
    except (OSError, zlib.error):
        return False
    return _is(raw, ident)


def _is(raw: bytes, ident: str) -> bool:
    return hashed(raw, len(ident)).hex() == ident


def hashed(raw: bytes, length: int) -> bytes:
    """The digest by which git knows some bytes, in a repository with ids of this length."""
    if length == 40:
        try:
            # hashlib loads OpenSSL first, which takes longer than a look at the repository
            from _sha1 import sha1  # type: ignore[import-not-found,unused-ignore]

            return bytes(sha1(raw, usedforsecurity=False).digest())
        except ImportError:
            pass
    import hashlib

    return hashlib.new(HASHES[length], raw, usedforsecurity=False).digest()


def broken_objects(folder: str) -> list[str]:
    """The files of single objects that do not hold what their name says."""
    parts = [part for part in sorted(platform.names(f"{folder}/objects")) if len(part) == 2]
    idents = [part + name for part in parts for name in sorted(platform.names(f"{folder}/objects/{part}"))]
    return [path_of(folder, ident) for ident in idents if len(ident) in HASHES and not holds(folder, ident)]


def write_blob(folder: str, data: bytes, aside: str) -> str:
    """Write a file's bytes as an object of their own, whatever lay there; that goes `aside`. Returns the id."""
    ident = blob_id(data, digits(folder))
    path = path_of(folder, ident)
    moved(path, f"{aside}/objects/{ident[:2]}/{ident[2:]}")
    platform.make_folders(os.path.dirname(path))
    platform.write_atomic(path, zlib.compress(b"blob %d\0" % len(data) + data), durable=True)
    os.chmod(path, 0o444)
    return ident


def make_sure(repository: Repository, texts: Mapping[str, bytes]) -> list[str]:
    """Make sure that git can read these texts before they are replaced; returns the files that were healed."""
    folder = repository.own_folder()
    length = digits(folder)
    idents = {path: blob_id(data, length) for path, data in texts.items()}
    broken = [path for path, ident in idents.items() if not holds(folder, ident)]
    loose = {path for path, ident in idents.items() if platform.is_there(path_of(folder, ident))}
    apart = [path for path in idents if path not in broken and path not in loose]
    if apart:
        given = repository.objects([idents[path] for path in apart])
        unread = [path for path in apart if given.get(idents[path]) != texts[path]]
        had = committed(repository, unread)
        broken += [path for path in unread if had.get(path) == idents[path]]
    if broken:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        for path in broken:
            write_blob(folder, texts[path], f"{home.state(repository.vault)}/aside/git-{stamp}")
        with suppress(HoldfastError):
            what = f"git's object of {broken[0]}"
            ledger.append(home.state(repository.vault), "vault", time.time(), cause="mended", what=what)
    return broken


def tell_lost(repository: Repository, head: str, paths: Sequence[str], now: float) -> None:
    """Of files that a person has changed or removed: where the committed version cannot be read, nothing has it any
    more, and starts say so until `holdfast doctor` was heard."""
    folder = repository.own_folder()
    for path, ident in (committed(repository, paths, head) if head and paths else {}).items():
        if not holds(folder, ident):
            what = f"{path} as it was committed last cannot be read, and its file was changed since"
            notices.stand(home.state(repository.vault), notices.VERSIONS, what, now, path)


def committed(repository: Repository, paths: Sequence[str], commit: str = "HEAD") -> dict[str, str]:
    """The ids that these files have in a commit."""
    if not paths:
        return {}
    raw = repository.attempt("ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths, env=LITERAL).stdout
    rows = [line.partition("\t") for line in raw.decode("utf-8", "surrogateescape").split("\0") if line]
    return {path: told.rpartition(" ")[2] for told, _, path in rows}

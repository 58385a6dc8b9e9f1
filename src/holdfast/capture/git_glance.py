"""Whether git tracks a file, read from .git/index without starting git: versions 2, 3 and 4, SHA-1 and SHA-256.

A look costs a search through the file's bytes. In version 4 names are packed and have to be walked. A file that is
too large, torn or of an unknown version tracks nothing, as far as we can say: the caller counts that as unknown.

A glance at the vault's .git by a few stats and small reads, without git: what a start can see of damage by itself.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform

LARGEST = 1 << 25  # bytes, about 300,000 files
MOST_PACKED = 60_000  # entries of version 4 that are walked
HEADER = 12
BEFORE_ID = 40  # bytes of an entry before its object's id
IDS = (20, 32)
EXTENDED, LENGTH = 0x4000, 0x0FFF


class Index:
    """One index, read once."""

    def __init__(self, path: str) -> None:
        try:
            data = platform.read_regular(path, LARGEST)
        except (OSError, ValueError):
            data = b""
        version = int.from_bytes(data[4:8], "big") if data[:4] == b"DIRC" else 0
        self._data = data if version in (2, 3, 4) else b""
        self._found = b"", HEADER  # the name that was found last, and where
        self._names = _packed(self._data) if version == 4 else None

    def has(self, name: str) -> bool:
        """Whether a path, as seen from the top of the work tree, is tracked."""
        wanted = name.encode("utf-8", "surrogateescape")
        if not wanted or b"\0" in wanted:
            return False
        if self._names is not None:
            return wanted in self._names
        # Entries are in order: asked in order too, all names together cost one way through the file.
        before, begin = self._found
        at = self._data.find(wanted + b"\0", begin if before <= wanted else HEADER)
        while at >= 0:
            if self._is_entry(at, len(wanted)):
                self._found = wanted, at
                return True
            at = self._data.find(wanted + b"\0", at + 1)
        return False

    def has_below(self, folder: str) -> bool:
        """Whether anything in a folder is tracked."""
        wanted = folder.encode("utf-8", "surrogateescape") + b"/"
        if self._names is not None:
            return any(name.startswith(wanted) for name in self._names)
        at = self._data.find(wanted, HEADER)
        while at >= 0:
            end = self._data.find(b"\0", at)
            if end > at and self._is_entry(at, end - at):
                return True
            at = self._data.find(wanted, at + 1)
        return False

    def _is_entry(self, at: int, length: int) -> bool:
        """Whether an entry's name begins here: its flags say how long it is, and entries begin every eighth byte."""
        for extra in (0, 2):
            flags = int.from_bytes(self._data[at - extra - 2 : at - extra], "big")
            if flags & LENGTH != min(length, LENGTH) or bool(flags & EXTENDED) != bool(extra):
                continue
            for size in IDS:
                begin = at - extra - 2 - size - BEFORE_ID
                if begin >= HEADER and (begin - HEADER) % 8 == 0:
                    return True
        return False


def _packed(data: bytes) -> frozenset[bytes]:
    """The names of a version 4 index: each says how much of the one before it goes on. Without them all, none."""
    count = int.from_bytes(data[8:12], "big")
    if count > MOST_PACKED:
        return frozenset()
    for size in IDS:
        names = _walk(data, count, size)
        if names is not None:
            return frozenset(names)
    return frozenset()


def _walk(data: bytes, count: int, size: int) -> list[bytes] | None:
    names: list[bytes] = []
    at, before = HEADER, b""
    for _ in range(count):
        at += BEFORE_ID + size
        flags = int.from_bytes(data[at : at + 2], "big")
        at += 4 if flags & EXTENDED else 2
        dropped = data[at] & 0x7F if at < len(data) else 0
        while at < len(data) and data[at] & 0x80:
            at += 1
            dropped = ((dropped + 1) << 7) | (data[at] & 0x7F if at < len(data) else 0)
        at += 1
        end = data.find(b"\0", at)
        if end < 0 or dropped > len(before):
            return None
        before = before[: len(before) - dropped] + data[at:end]
        if flags & LENGTH != min(len(before), LENGTH):
            return None
        names.append(before)
        at = end + 1
    return names


SMALL = 4096
EMPTY = "is empty"


def damage(vault: str) -> str:
    """What is wrong, as a clause such as ".git/index is empty"; "" where a glance finds nothing."""
    known = _text(f"{vault}/.state/head")
    if not known or not _is_id(known):
        return ""
    folder = f"{vault}/.git"
    try:
        mode = posix.stat(folder).st_mode
    except FileNotFoundError:
        return f"{folder} is gone"
    except OSError:
        return ""
    if (mode & 0o170000) != 0o040000 or platform.is_there(f"{folder}/commondir"):
        return ""  # not of our making
    if platform.is_there(f"{folder}/reftable"):
        return ""
    return _files(folder) or _branch(folder, known)


def _files(folder: str) -> str:
    for name in ("objects", "refs"):
        if not platform.is_there(f"{folder}/{name}"):
            return f".git/{name} is gone"
    for name, begins in (("config", b""), ("HEAD", b""), ("index", b"DIRC")):
        try:
            raw = platform.read_file(f"{folder}/{name}", 8)
        except FileNotFoundError:
            return f".git/{name} is gone"
        except OSError:
            return ""  # a command says what is wrong with it
        if not raw:
            return f".git/{name} {EMPTY}"
        if not raw.strip(b"\0"):
            return f".git/{name} is zeros"
        if begins and not raw.startswith(begins):
            return f".git/{name} is overwritten"
    return ""


def _branch(folder: str, known: str) -> str:
    said = _text(f"{folder}/HEAD")
    name = said.removeprefix("ref: ").strip()
    if name == said:
        return "" if _is_id(said) else ".git/HEAD cannot be read"
    if not name.startswith("refs/") or ".." in name:
        return ".git/HEAD cannot be read"
    if not platform.is_there(f"{folder}/{name}"):
        return "" if platform.is_there(f"{folder}/packed-refs") else f".git/{name} is gone"
    tip = _text(f"{folder}/{name}")
    if not _is_id(tip):
        return f".git/{name} {'cannot be read' if tip else EMPTY}"
    return _object(folder, tip) or (_object(folder, known) if known != tip else "")


def _object(folder: str, ident: str) -> str:
    """The last commit, where it lies in a file of its own: git compresses, so the first byte tells."""
    try:
        raw = platform.read_file(f"{folder}/objects/{ident[:2]}/{ident[2:]}", 2)
    except OSError:
        return ""  # packed, or another's
    return "" if raw[:1] == b"x" else f"the commit {ident[:10]} {'cannot be read' if raw else EMPTY}"


def _text(path: str) -> str:
    try:
        return platform.read_file(path, SMALL).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")

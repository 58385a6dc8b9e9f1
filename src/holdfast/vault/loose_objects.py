"""Git's single objects as files: whether one holds what its name says, and writing one again.

Git looks at an object's bytes only when somebody asks for them, and takes a file that is there for an object that is
there: over one that power loss has emptied it writes nothing. So the files are read here, without git, and an object
whose bytes are known is put in the place of a broken one.
"""

from __future__ import annotations

import hashlib
import os
import zlib

from holdfast.capture import platform
from holdfast.vault.aside import moved

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


def broken(folder: str) -> list[str]:
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

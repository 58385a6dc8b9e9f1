"""Folders that were renamed or moved, told by what the file system knows them by.

    folders/<digest>     the project of a folder without a repository's own key, by the folder itself

A folder is known by its device, its number there and the moment at which it was made: a number alone is given again
once its folder is gone, and two projects must never become one by guessing. Where the file system does not say when a
folder was made, a renamed one is a new project, as before. Looked at only where a folder is seen for the first time.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, platform
from holdfast.capture.ids import digest

HERE, MADE = -100, 0x800  # AT_FDCWD, STATX_BTIME of Linux
SIZE, MASK_AT, SECONDS_AT, FRACTION_AT = 256, 0, 80, 88  # of struct statx


def identity(folder: str) -> str:
    """What a folder is, wherever it lies; "" where that cannot be told."""
    try:
        seen = posix.stat(folder)
        made = _made(folder)
    except (OSError, ValueError):
        return ""
    return f"{seen.st_dev}.{seen.st_ino}.{made}" if made else ""


def _made(folder: str) -> str:
    """When a folder was made."""
    if platform.MAC:
        return str(getattr(posix.stat(folder), "st_birthtime", ""))
    import ctypes

    found = ctypes.create_string_buffer(SIZE)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if library.statx(HERE, folder.encode("utf-8", "surrogateescape"), 0, MADE, found) != 0:
            return ""
    except AttributeError:
        return ""  # a library without it
    raw = found.raw
    if not int.from_bytes(raw[MASK_AT : MASK_AT + 4], "little") & MADE:
        return ""
    seconds = int.from_bytes(raw[SECONDS_AT : SECONDS_AT + 8], "little")
    return f"{seconds}.{int.from_bytes(raw[FRACTION_AT : FRACTION_AT + 4], 'little')}"


def remember(state: str, folder: str, project: str, slug: str) -> None:
    """A folder is this project's, wherever it will lie."""
    known = identity(folder)
    if not known:
        return
    path = f"{state}/folders/{digest(known, 24)}"
    record = {"v": 1, "root": folder, "project": project, "slug": slug}
    try:
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, codec.encode(record), durable=False)
    except OSError:
        return


def before(state: str, folder: str) -> tuple[str, str]:
    """The project and its short name of a folder that lay elsewhere and no longer does; two "" for none."""
    if not platform.names(f"{state}/folders"):
        return "", ""
    known = identity(folder)
    try:
        record = codec.decode(platform.read_file(f"{state}/folders/{digest(known, 24)}", 1 << 14))
        root, project, slug = str(record["root"]), str(record["project"]), str(record["slug"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", ""
    return (project, slug) if known and root != folder and not platform.is_there(root) else ("", "")

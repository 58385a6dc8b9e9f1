"""Projects that the user merged: which ids are one project.

    [[merged]]                     in projects.toml, one table for each
    project = "api-1a2b3c4d"
    into = "shop-5e6f7a8b"

Promise: nothing that was remembered is rewritten. Notes, handoffs, tasks, thoughts and flags keep the id that they
were written under, and whoever asks for a project's memory asks for all of its ids; without the table each project
has its own again. Two machines may have said different things: a project that is merged into two, or into itself by
way of others, is not merged at all, and the next start says so.

A folder that was renamed or moved is known by its inode and the time at which it was made.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, platform
from holdfast.capture.ids import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TABLE = "merged"


def names(vault: str) -> dict[str, str]:
    """Each merged id, and the id that its project goes by; none where the registry cannot be read."""
    return read(vault)[0]


def read(vault: str) -> tuple[dict[str, str], dict[str, str]]:
    """The same, and a sentence for each id whose merge contradicts another."""
    try:
        raw = platform.read_file(f"{vault}/projects.toml")
        if b"merged" not in raw:  # the usual case costs one read
            return {}, {}
        import tomllib

        return of_table(tomllib.loads(raw.decode("utf-8", "replace")))
    except (OSError, ValueError, RecursionError):
        return {}, {}


def ids(vault: str, project: str) -> tuple[str, ...]:
    """All ids of a project, the one that it goes by first."""
    return family(names(vault), project)


def family(known: Mapping[str, str], project: str) -> tuple[str, ...]:
    """The same, of names that are at hand."""
    first = known.get(project, project)
    return (first, *sorted(one for one, into in known.items() if into == first))


def of_table(table: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """The merges of projects.toml: as `names`, and a sentence for each id whose merge contradicts another."""
    said: dict[str, set[str]] = {}
    given = table.get(TABLE)
    for one in given if isinstance(given, list) else []:
        if isinstance(one, dict) and isinstance(one.get("project"), str) and isinstance(one.get("into"), str):
            said.setdefault(one["project"], set()).add(one["into"])
    clashes = {
        one: f"projects.toml merges {one} into {' and into '.join(sorted(into))}; it is not merged" + WAY_OUT
        for one, into in said.items()
        if len(into) > 1
    }
    single = {one: min(into) for one, into in said.items() if len(into) == 1}
    for one in _in_circles(single):
        clashes[one] = f"projects.toml merges {one} into {single[one]} and back; neither is merged" + WAY_OUT
    sound = {one: into for one, into in single.items() if one not in clashes}
    return {one: _end(sound, one) for one in sound}, clashes


WAY_OUT = " (`holdfast project split ID` takes one of them back)"


def _in_circles(single: Mapping[str, str]) -> set[str]:
    """The ids that lead back to themselves."""
    found: set[str] = set()
    done: set[str] = set()
    for start in single:
        trail: dict[str, None] = {}
        at = start
        while at in single and at not in done and at not in trail:
            trail[at] = None
            at = single[at]
        if at in trail:
            found.update(list(trail)[list(trail).index(at) :])
        done.update(trail)
    return found


def _end(sound: Mapping[str, str], start: str) -> str:
    """The end of a chain. There is no circle in it."""
    while start in sound:
        start = sound[start]
    return start


HERE, MADE = -100, 0x800  # AT_FDCWD, STATX_BTIME of Linux
SIZE, MASK_AT, SECONDS_AT, FRACTION_AT = 256, 0, 80, 88  # of struct statx


def identity(folder: str) -> str:
    """The identity of a folder, wherever it lies; "" where that cannot be told."""
    try:
        seen = posix.stat(folder)
        made = _made(folder)
    except (OSError, ValueError):
        return ""
    return f"{seen.st_dev}.{seen.st_ino}.{made}" if made else ""


def _made(folder: str) -> str:
    """The time at which a folder was made."""
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
    sizes = ((MASK_AT, 4), (SECONDS_AT, 8), (FRACTION_AT, 4))
    mask, seconds, fraction = (int.from_bytes(found.raw[at : at + size], "little") for at, size in sizes)
    return f"{seconds}.{fraction}" if mask & MADE else ""


def remember(state: str, folder: str, project: str, slug: str) -> None:
    """Note that a folder is this project's, wherever it will lie."""
    known = identity(folder)
    record = {"v": 1, "root": folder, "project": project, "slug": slug}
    try:
        if known:
            codec.write(f"{state}/folders/{digest(known, 24)}", record, durable=False)
    except OSError:
        return


def before(state: str, folder: str) -> tuple[str, str]:
    """The project and its short name of a folder that lay elsewhere and no longer does; two "" for none."""
    if not platform.names(f"{state}/folders"):
        return "", ""
    known = identity(folder)
    record = codec.read(f"{state}/folders/{digest(known, 24)}", 1 << 14) if known else {}
    root, project, slug = (str(record.get(name, "")) for name in ("root", "project", "slug"))
    return (project, slug) if root and root != folder and not platform.is_there(root) else ("", "")

"""A glance at the vault's .git by a few stats and small reads, without git: what a start can see of damage by itself.

Promise: it costs a fraction of a millisecond and never cries wolf. It looks only where a commit is known of
(.state/head), at what every command of git needs: HEAD, the branch, the index, the settings, and the last commit where
that lies in a file of its own. Whatever it does not see, a close looks for (close/looking), and `holdfast doctor` names
the way out.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform

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

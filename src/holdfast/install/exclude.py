"""Keeps a project's local settings out of its git: a line in .git/info/exclude, where git does not ignore them already.

That file is the repository's own on this machine and is never committed, so the project's people see nothing of us.
All work trees of a repository share it, and people keep lines of their own there: only lines on record are ours.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import gitfiles, other_repository
from holdfast.errors import HoldfastError
from holdfast.install import writing
from holdfast.install.hosts import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.install.records import Record

HOST = "git"  # in records
OLDER = ("/.claude/settings.local.json", "/.codex/hooks.json")  # of records that do not name their lines


def root(cwd: str) -> str:
    """The work tree's folder, or the folder itself outside of any."""
    found = gitfiles.checkout(os.path.realpath(cwd))
    return found.root if found else cwd


def place(top: str) -> str:
    """The exclude file of a work tree; "" outside of any."""
    found = gitfiles.checkout(top)
    return f"{found.common}/info/exclude" if found else ""


def edit(top: str, paths: Iterable[str]) -> Edit | None:
    """What keeps these files out of `git status`; None where nothing is needed. Raises if git tracks one."""
    path_of_it = place(top)
    if not path_of_it:
        return None
    lines = []
    excludes = other_repository.users_excludes()
    for path in paths:
        relative = os.path.relpath(path, top)
        tracked = other_repository.ask(top, "ls-files", "--", relative)
        if tracked is None:
            _refuse_odd(top)
            return None  # without git there is nothing to keep out
        if tracked.stdout.strip():
            raise HoldfastError(
                f"{path} is tracked by git and would show up as changed; nothing was changed. "
                "Run init without --project, for all your projects."
            )
        if not _ignored(top, relative, excludes):
            lines.append(line_of(path, top))
    if not lines:
        return None
    before = writing.read(path_of_it)
    text = (before or b"").decode("utf-8", "surrogateescape")
    start = text if text.endswith("\n") or not text else f"{text}\n"
    after = (start + "".join(f"{line}\n" for line in lines)).encode("utf-8", "surrogateescape")
    return Edit(path_of_it, before, after, tuple(lines))


def line_of(path: str, top: str) -> str:
    return f"/{os.path.relpath(path, top)}"


def ours(record: Record) -> tuple[str, ...]:
    """The lines that we put there; one that was the user's own is none of them."""
    known = (record.before or b"").decode("utf-8", "surrogateescape").splitlines()
    return record.lines or tuple(line for line in OLDER if line not in known)


def without(data: bytes, lines: Iterable[str]) -> bytes:
    """The exclude file without these lines, each taken out once."""
    gone = [line.encode("utf-8", "surrogateescape") for line in lines]
    kept = []
    for line in data.splitlines(keepends=True):
        if line.rstrip(b"\r\n") in gone:
            gone.remove(line.rstrip(b"\r\n"))
        else:
            kept.append(line)
    return b"".join(kept)


def _ignored(top: str, relative: str, excludes: str) -> bool:
    done = other_repository.ask(top, "check-ignore", "-q", "--", relative, excludes=excludes)
    return done is not None and done.returncode == 0


def _refuse_odd(top: str) -> None:
    """Raise HoldfastError where git is not asked because something in the repository is no file."""
    found = gitfiles.checkout(top)
    why = other_repository.trouble(found) if found else ""
    if why:
        raise HoldfastError(f"{why}, so git cannot be asked what it tracks; nothing was changed. Move it away.")

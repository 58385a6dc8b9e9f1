"""Other programs' files, read and replaced whole, through links, with the mode they have.

A settings file that is a link (people keep theirs in a repository of dot files) stays one: what it leads to is
replaced. A file that changed since the plan was made is not replaced: somebody else was at work, and theirs counts.

Keeps a project's local settings out of its git: a line in .git/info/exclude, where git does not ignore them
already.

An edit of a file that its host may write at the same moment: tried again on what is there by then.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture import git_process, gitfiles, platform
from holdfast.errors import HoldfastError
from holdfast.hosts import jsonc, registration
from holdfast.hosts.registration import Edit, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.install.records import Record


FRESH = ".holdfast-new"


def put_in_place(path: str, before: bytes | None, after: bytes | None) -> None:
    """One step from the old bytes to the new, synced. None is a file that is not there."""
    target = os.path.realpath(path)
    if read(target) != before:
        raise changed(path)
    if after is None:
        Path(target).unlink(missing_ok=True)
        sweep(target)
        platform.sync_folder(os.path.dirname(target))
        return
    mode = Path(target).stat().st_mode & 0o7777 if before is not None else 0o600
    fresh = f"{target}.{os.getpid()}{FRESH}"
    try:
        sweep(target)
        platform.write_atomic(fresh, after, durable=False)
        os.chmod(fresh, mode)
        with open(fresh, "rb") as file:
            os.fsync(file.fileno())
        if read(target) != before:  # the sync took its time
            platform.remove(fresh)
            raise changed(path)
        os.replace(fresh, target)
    except OSError as error:
        platform.remove(fresh)
        raise HoldfastError(f"{path} cannot be written ({error.strerror}); it is as it was. Run it again.") from error
    platform.sync_folder(os.path.dirname(target))


def changed(path: str) -> HoldfastError:
    """Somebody else was at work on the file."""
    return HoldfastError(
        f"{path} was changed by another program at this moment; its change was kept. Run the same command again."
    )


def sweep(path: str) -> None:
    """Remove what a try that was killed left beside the file."""
    folder, name = os.path.split(os.path.realpath(path))
    for other in platform.names(folder):
        if other.startswith(f"{name}.") and FRESH in other:
            platform.remove(f"{folder}/{other}")


def missing_folders(path: str) -> list[str]:
    """The folders that have to be made before a file can be written, outermost first."""
    found: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found


def make_folders(folders: list[str]) -> None:
    for folder in folders:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise HoldfastError(f"{folder} cannot be made ({error.strerror}); nothing was written there.") from error
        platform.sync_folder(os.path.dirname(folder))


def remove_folders(folders: set[str]) -> None:
    """Those of them that are empty, innermost first."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            continue  # somebody uses it by now, or it is gone


HOST = "git"  # in records
OLDER = ("/.claude/settings.local.json", "/.codex/hooks.json")  # of records that do not name their lines


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
    excludes = git_process.users_excludes()
    for path in paths:
        relative = os.path.relpath(path, top)
        tracked = git_process.ask(top, "ls-files", "--", relative)
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
    before = read(path_of_it)
    text = (before or b"").decode("utf-8", "surrogateescape")
    start = text if text.endswith("\n") or not text else f"{text}\n"
    after = (start + "".join(f"{line}\n" for line in lines)).encode("utf-8", "surrogateescape")
    return Edit(path_of_it, before, after, lines=tuple(lines))


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
    done = git_process.ask(top, "check-ignore", "-q", "--", relative, excludes=excludes)
    return done is not None and done.returncode == 0


def _refuse_odd(top: str) -> None:
    """Raise HoldfastError where git is not asked because something in the repository is no file."""
    found = gitfiles.checkout(top)
    why = git_process.trouble(found) if found else ""
    if why:
        raise HoldfastError(f"{why}, so git cannot be asked what it tracks; nothing was changed. Move it away.")


TRIES = 10


def write(edit: Edit, prepare: Callable[[Edit], None] | None = None) -> None:
    """Do it; `prepare` is called with the edit as it is about to be done. Raises HoldfastError."""
    for left in range(TRIES - 1, -1, -1):
        if prepare:
            prepare(edit)
        if not edit.changes:
            return
        try:
            put_in_place(edit.path, edit.before, edit.after)
        except HoldfastError:
            now = registration.read(edit.path)
            if edit.anew is None or not left or now == edit.before:
                raise
            edit = _on_what_is_there(edit, edit.anew, now)
        else:
            return


def _on_what_is_there(edit: Edit, anew: Callable[[bytes | None], bytes | None], now: bytes | None) -> Edit:
    try:
        return replace(edit, before=now, after=anew(now))
    except jsonc.Broken as error:
        raise changed(edit.path) from error

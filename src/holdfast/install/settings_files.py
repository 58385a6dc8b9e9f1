"""Other programs' files: replaced whole, through links, with the mode they have; and the record of what was there.

A settings file that is a link (people keep theirs in a repository of dot files) stays one: what it leads to is
replaced. A file that changed since the plan was made is not replaced: somebody else was at work, and theirs counts,
unless its host writes it all the time: then the edit is tried again on what is there by then.

One small JSON record per file, in `installed` beside the launcher, lets uninstall give back what was there: the bytes
from before, the digest of what we made of them, the folders we made for it. It is on disk before the settings change,
and goes after they are restored: a kill between the two leaves a record too many, which the next init or uninstall
takes care of, never one too few.

A project's local settings are kept out of its git by a line in .git/info/exclude, where git does not ignore them yet.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture import git_process, gitfiles, home, platform
from holdfast.errors import HoldfastError
from holdfast.hosts import jsonc
from holdfast.hosts.registration import Edit, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

VERSION = 1  # of a record
FRESH = ".holdfast-new"
TRIES = 10
GIT = "git"  # in records, in place of a host
OLDER = ("/.claude/settings.local.json", "/.codex/hooks.json")  # of records that do not name their lines


@dataclass(frozen=True)
class Record:
    """One file of another program. `host` is whose it is, "git", or "command" for our link; `root` is the project's
    folder, "" for the user's; `lines` are those that we put into a file of git's."""

    host: str
    path: str
    root: str
    before: bytes | None
    after: str
    folders: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def is_shared(self) -> bool:
        """The user's own file that a project's lines need."""
        return bool(self.root) and not self.path.startswith(f"{self.root.rstrip('/')}/") and self.host != GIT

    @property
    def own_lines(self) -> tuple[str, ...]:
        """The lines that we put into an exclude file; one that was the user's own is none of them."""
        known = (self.before or b"").decode("utf-8", "surrogateescape").splitlines()
        return self.lines or tuple(line for line in OLDER if line not in known)


def digest(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


def records_folder(env: Mapping[str, str]) -> Path:
    return Path(home.data_folder(env)) / "installed"


def records(env: Mapping[str, str]) -> list[Record]:
    """All records; one that cannot be read counts as none, and what it described is found by its lines."""
    folder = records_folder(env)
    found = (_read(folder / name) for name in sorted(platform.names(str(folder))) if name.endswith(".json"))
    return [one for one in found if one]


def record_of(env: Mapping[str, str], path: str) -> Record | None:
    return _read(file_of(env, path))


def keep_record(env: Mapping[str, str], record: Record) -> None:
    before = None if record.before is None else base64.b64encode(record.before).decode("ascii")
    data = json.dumps({"v": VERSION, **vars(record), "before": before}, indent=1).encode()
    platform.make_folders(str(records_folder(env)))
    platform.write_atomic(str(file_of(env, record.path)), data, durable=True)


def drop_record(env: Mapping[str, str], path: str) -> None:
    platform.remove(str(file_of(env, path)))


def file_of(env: Mapping[str, str], path: str) -> Path:
    """The file that holds the record of a path."""
    return records_folder(env) / f"{digest(path.encode('utf-8', 'surrogateescape'))[:16]}.json"


def _read(path: Path) -> Record | None:
    try:
        stored = json.loads(platform.read_file(str(path)))
        before = None if stored["before"] is None else base64.b64decode(stored["before"])
        host, file, root, after = (str(stored[name]) for name in ("host", "path", "root", "after"))
        folders, lines = (tuple(map(str, some)) for some in (stored["folders"], stored.get("lines", ())))
        return Record(host, file, root, before, after, folders, lines)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(edit: Edit, prepare: Callable[[Edit], None] | None = None) -> None:
    """Do it; `prepare` is called with the edit as it is about to be done. Raises HoldfastError."""
    for left in range(TRIES - 1, -1, -1):
        if prepare:
            prepare(edit)
        if not edit.changes:
            return
        try:
            put_in_place(edit.path, edit.before, edit.after)
            return
        except HoldfastError:
            now = read(edit.path)
            if edit.anew is None or not left or now == edit.before:
                raise
        try:
            edit = replace(edit, before=now, after=edit.anew(now))
        except jsonc.Broken as error:
            raise _changed(edit.path) from error


def put_in_place(path: str, before: bytes | None, after: bytes | None) -> None:
    """One step from the old bytes to the new, synced. None is a file that is not there."""
    target = os.path.realpath(path)
    if read(target) != before:
        raise _changed(path)
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
            raise _changed(path)
        os.replace(fresh, target)
    except OSError as error:
        platform.remove(fresh)
        raise HoldfastError(f"{path} cannot be written ({error.strerror}); it is as it was. Run it again.") from error
    platform.sync_folder(os.path.dirname(target))


def _changed(path: str) -> HoldfastError:
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


def remove_folders(folders: Iterable[str]) -> None:
    """Remove the empty ones of some folders, innermost first."""
    for folder in sorted(set(folders), key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            continue  # somebody uses it by now, or it is gone


def exclude_file(top: str) -> str:
    """The exclude file of a work tree; "" outside of any."""
    found = gitfiles.checkout(top)
    return f"{found.common}/info/exclude" if found else ""


def exclusion(top: str, paths: Iterable[str]) -> Edit | None:
    """The edit that keeps these files out of `git status`; None where none is needed. Raises if git tracks one."""
    file = exclude_file(top)
    if not file:
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
        ignored = git_process.ask(top, "check-ignore", "-q", "--", relative, excludes=excludes)
        if ignored is None or ignored.returncode:
            lines.append(line_of(path, top))
    if not lines:
        return None
    before = read(file)
    text = (before or b"").decode("utf-8", "surrogateescape")
    start = text if text.endswith("\n") or not text else f"{text}\n"
    after = (start + "".join(f"{line}\n" for line in lines)).encode("utf-8", "surrogateescape")
    return Edit(file, before, after, lines=tuple(lines))


def line_of(path: str, top: str) -> str:
    return f"/{os.path.relpath(path, top)}"


def without_lines(data: bytes, lines: Iterable[str]) -> bytes:
    """The exclude file without these lines, each taken out once."""
    gone = [line.encode("utf-8", "surrogateescape") for line in lines]
    kept = []
    for line in data.splitlines(keepends=True):
        if line.rstrip(b"\r\n") in gone:
            gone.remove(line.rstrip(b"\r\n"))
        else:
            kept.append(line)
    return b"".join(kept)


def _refuse_odd(top: str) -> None:
    """Raise HoldfastError where git is not asked because something in the repository is no file."""
    found = gitfiles.checkout(top)
    why = git_process.trouble(found) if found else ""
    if why:
        raise HoldfastError(f"{why}, so git cannot be asked what it tracks; nothing was changed. Move it away.")

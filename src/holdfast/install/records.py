"""What was written into other programs' files, so that uninstall can give back what was there.

One small JSON file per settings file, in `installed` beside the launcher: the bytes from before, the digest of what we
made of them, the folders we made for it. It is on disk before the settings change, and goes after they are restored: a
kill between the two leaves a record too many, which the next init or uninstall takes care of, never one too few.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.hosts import registration

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = 1


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
        return bool(self.root) and not self.path.startswith(f"{self.root.rstrip('/')}/") and self.host != "git"


def digest(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


def folder(env: Mapping[str, str]) -> Path:
    return registration.launcher_path(env).parent / "installed"


def everything(env: Mapping[str, str]) -> list[Record]:
    """All records; one that cannot be read counts as none, and what it described is found by its lines."""
    found = []
    for name in sorted(platform.names(str(folder(env)))):
        record = _read(folder(env) / name) if name.endswith(".json") else None
        if record:
            found.append(record)
    return found


def of(env: Mapping[str, str], path: str) -> Record | None:
    return _read(_file(env, path))


def write(env: Mapping[str, str], record: Record) -> None:
    before = None if record.before is None else base64.b64encode(record.before).decode("ascii")
    stored = {
        "v": VERSION,
        "host": record.host,
        "path": record.path,
        "root": record.root,
        "before": before,
        "after": record.after,
        "folders": list(record.folders),
        "lines": list(record.lines),
    }
    platform.make_folders(str(folder(env)))
    platform.write_atomic(str(_file(env, record.path)), json.dumps(stored, indent=1).encode(), durable=True)


def drop(env: Mapping[str, str], path: str) -> None:
    platform.remove(str(_file(env, path)))


def _file(env: Mapping[str, str], path: str) -> Path:
    return folder(env) / f"{hashlib.sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}.json"


def _read(path: Path) -> Record | None:
    try:
        stored = json.loads(platform.read_file(str(path)))
        before = stored["before"]
        return Record(
            host=str(stored["host"]),
            path=str(stored["path"]),
            root=str(stored["root"]),
            before=None if before is None else base64.b64decode(before),
            after=str(stored["after"]),
            folders=tuple(map(str, stored["folders"])),
            lines=tuple(map(str, stored.get("lines", ()))),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None

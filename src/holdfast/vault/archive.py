"""The whole vault as one file, and back: history, notes and the logs of .state, with a manifest of every file.

Promise: an archive is a vault as it was at one moment (taken under the vault's lock and the queue's), and what is
restored from it (vault/restoring) is the same byte for byte. Left out are locks, what belongs to this machine's
processes, and links that lead out of the vault; those are named.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import holdfast
from holdfast.capture import codec, home, platform, settle
from holdfast.errors import NotFound, UsageError
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 1
MANIFEST = "holdfast-manifest.json"
# Of this machine or of this moment; above all, that a repository is trusted is said on each machine anew.
MACHINERY = ("purging", "purge.git", "purge.git.old", "episodes/by-process", "trusted", "paused")


@dataclass(frozen=True)
class Exported:
    """An archive: where, how many files, how many bytes, and the links that lead out of the vault and are not in it."""

    path: str
    files: int
    size: int
    left_out: tuple[str, ...]


def is_archive(path: str) -> bool:
    try:
        return platform.read_file(path, 2) == b"\x1f\x8b"
    except OSError:
        return False


def export(vault: str, path: str, now: float, *, force: bool = False) -> Exported:
    """Write the archive, whole or not at all, readable by its owner only. Raises NotFound, UsageError, Busy."""
    if not home.format_of(vault):
        raise NotFound(f"There is no vault at {vault}; nothing was written.")
    _refuse_target(vault, path, force=force)
    fresh = f"{path}.{os.getpid()}.tmp"
    try:
        with open(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
            with writing(vault, now), settle.Lock(f"{home.state(vault)}/queue"):
                files, left_out = _pack(vault, out)
            out.flush()
            platform.sync(out.fileno())
        size = os.stat(fresh).st_size
        if force:
            os.replace(fresh, path)
        else:
            os.link(fresh, path)  # which fails where somebody was quicker
    except FileExistsError as error:
        raise UsageError(f"{error.filename2 or error.filename} is there already; nothing was overwritten.") from error
    finally:
        platform.remove(fresh)
    platform.sync_folder(os.path.dirname(path))
    return Exported(path, files, size, left_out)


def _refuse_target(vault: str, path: str, *, force: bool) -> None:
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise NotFound(f"There is no folder {folder}; nothing was written.")
    if f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(vault)}/"):
        raise UsageError(f"{path} lies in the vault itself; nothing was written. Name a file elsewhere.")
    if os.path.lexists(path) and not force:
        raise UsageError(f"{path} is there already; nothing was overwritten. Name another file, or add --force.")
    repository = f"{vault}/.git"
    if os.path.isfile(repository) or os.path.exists(f"{repository}/objects/info/alternates"):
        raise UsageError(f"The repository of {vault} lies partly elsewhere; nothing was written. Make it whole first.")


def _pack(vault: str, out: IO[bytes]) -> tuple[int, tuple[str, ...]]:
    manifest: dict[str, Any] = {"v": FORMAT, "holdfast": holdfast.__version__, "format": home.format_of(vault)}
    manifest.update(files={}, links={}, folders={})
    left_out: list[str] = []
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in _all_below(vault):
            full = f"{vault}/{path}"
            seen = os.lstat(full)
            mode = stat.S_IMODE(seen.st_mode)
            if stat.S_ISLNK(seen.st_mode):
                if _leads_out(vault, full):
                    left_out.append(path)
                    continue
                manifest["links"][path] = os.readlink(full)
                archive.add(full, path, recursive=False)
            elif stat.S_ISDIR(seen.st_mode):
                manifest["folders"][path] = mode
                archive.add(full, path, recursive=False)
            elif not path.startswith((".git/", ".state/")) and seen.st_size > platform.LARGEST:
                left_out.append(path)  # the history has none of it either
            elif stat.S_ISREG(seen.st_mode):
                manifest["files"][path] = {"mode": mode, **_add_file(archive, full, path)}
        raw = codec.encode(manifest)
        entry = tarfile.TarInfo(MANIFEST)
        entry.size, entry.mode = len(raw), 0o600
        archive.addfile(entry, io.BytesIO(raw))
    return len(manifest["files"]), tuple(left_out)


def _all_below(vault: str) -> Iterator[str]:
    """Everything in the vault, folders before what is in them, but locks, stragglers and what is this machine's."""
    skipped = {f".state/{name}" for name in MACHINERY}
    for top, folders, names in os.walk(vault):
        under = top[len(vault) + 1 :]
        folders.sort()
        for name in list(folders):
            path = f"{under}/{name}" if under else name
            if path in skipped:
                folders.remove(name)
            else:
                yield path
        for name in sorted(names):
            path = f"{under}/{name}" if under else name
            is_lock = path.startswith((".state/", ".git/")) and (name == "lock" or name.endswith((".lock", ".tmp")))
            if not is_lock and path not in skipped and path != MANIFEST:
                yield path


def _leads_out(vault: str, full: str) -> bool:
    target = os.readlink(full)
    if target.startswith("/"):
        return True
    return not f"{os.path.realpath(full)}/".startswith(f"{os.path.realpath(vault)}/")


class _Hashed:
    """Reads exactly so many bytes of a file that may be growing, and knows their digest."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.file = file
        self.left = size
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        part = self.file.read(self.left if size < 0 else min(size, self.left))
        self.left -= len(part)
        self.digest.update(part)
        return part


def _add_file(archive: tarfile.TarFile, full: str, path: str) -> dict[str, Any]:
    with open(platform.opened(full, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        entry = archive.gettarinfo(arcname=path, fileobj=file)
        entry.type = tarfile.REGTYPE  # two names of one file are two files here
        entry.size = os.fstat(file.fileno()).st_size
        reader = _Hashed(file, entry.size)
        archive.addfile(entry, reader)
    return {"size": entry.size, "sha256": reader.digest.hexdigest()}

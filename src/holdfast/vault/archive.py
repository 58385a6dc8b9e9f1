"""The whole vault as one file, and back: history, notes and the logs of .state, with a manifest of every file.

Promise: an archive is a vault as it was at one moment (taken under the vault's lock and the queue's), and what is
restored from it is the same byte for byte, or nothing is changed. Left out are locks, what belongs to this machine's
processes, and links that lead out of the vault; those are named.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

import holdfast
from holdfast.capture import codec, git_process, home, log, platform, segments, settle
from holdfast.capture.ids import new_id
from holdfast.errors import HoldfastError, NewerFormat, NotFound, Unsupported, UsageError
from holdfast.vault import note_facets, notes
from holdfast.vault.purge_history import exchange, sync_all
from holdfast.vault.transaction import writing

FORMAT = 1
MANIFEST = "holdfast-manifest.json"
# Of this machine or of this moment; above all, that a repository is trusted is said on each machine anew.
MACHINERY = ("purging", "purge.git", "purge.git.old", "episodes/by-process", "trusted", "paused")
PARTS = ("files", "links", "folders")
LARGEST_MANIFEST = 256 << 20
MOST_FILES = 1_000_000
MOST_BYTES = 8 << 30
MEMORY = ("lineage", "prompts", "tasks", "thoughts", "sleep", "outputs")
SAFE_SECTIONS = ("core", "remote", "branch", "user", "init", "gc", "pull", "push", "fetch", "merge", "i18n", "color")
RUNS_PROGRAMS = (
    *("fsmonitor", "sshcommand", "editor", "pager", "askpass", "hookspath", "gitproxy", "attributesfile"),
    *("excludesfile", "worktree", "alternaterefscommand", "uploadpack", "receivepack", "vcs", "driver", "proxy"),
)


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
                target = os.readlink(full)
                is_inside = f"{os.path.realpath(full)}/".startswith(f"{os.path.realpath(vault)}/")
                if target.startswith("/") or not is_inside:
                    left_out.append(path)
                    continue
                manifest["links"][path] = target
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
        folders[:] = sorted(name for name in folders if os.path.join(under, name) not in skipped)
        yield from (os.path.join(under, name) for name in folders)
        for name in sorted(names):
            path = os.path.join(under, name)
            is_lock = path.startswith((".state/", ".git/")) and (name == "lock" or name.endswith((".lock", ".tmp")))
            if not is_lock and path not in skipped and path != MANIFEST:
                yield path


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


@dataclass(frozen=True)
class Restored:
    """A vault out of an archive; `aside` is where an empty one that stood there before is kept."""

    vault: str
    files: int
    aside: str


def restore(vault: str, path: str, now: float) -> Restored:
    """Put an archive in the place of an empty or missing vault. Raises UsageError, NewerFormat, and nothing changed."""
    if not hasattr(tarfile, "data_filter"):
        raise Unsupported("This Python cannot unpack an archive safely; nothing was changed. Use 3.11.4 or newer.")
    place = os.path.realpath(vault)
    _refuse_memory(place, vault)
    parent = os.path.dirname(place)
    platform.make_folders(parent)
    _sweep(place)
    fresh = f"{place}.restoring-{os.getpid()}"
    try:
        os.mkdir(fresh, 0o700)
        manifest = _unpack(path, fresh)
        _verify(fresh, manifest)
        _refuse_programs(fresh)
        sync_all(fresh)
        aside = _put_in_place(fresh, place, now)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return Restored(vault, len(manifest["files"]), aside)


def _refuse_memory(place: str, vault: str) -> None:
    """Only what holds no memory may be replaced."""
    what = ""
    if next(notes.paths(place), ""):
        what = "notes"
    elif any(names for name in MEMORY for _, _, names in os.walk(f"{place}/{name}")):
        what = "handoffs or tasks"
    elif any(next(log.scan_file(one), None) for one in segments.live(f"{home.state(place)}/queue")):
        what = "flags that wait"
    elif os.path.isfile(f"{place}/{note_facets.PATH}"):
        text = platform.read_file(f"{place}/{note_facets.PATH}").decode("utf-8", "replace")
        what = "words of yours in BRAIN.md" if text != note_facets.refreshed(None, ()) else ""
    if what:
        raise UsageError(
            f"{vault} has {what}, and an archive is never merged; nothing was changed. "
            "Set HOLDFAST_HOME to a fresh folder and import it there."
        )


def _sweep(place: str) -> None:
    """Remove the leavings of a killed restore beside the vault."""
    folder, _, name = place.rpartition("/")
    for one in platform.names(folder or "/"):
        pid = one.removeprefix(f"{name}.restoring-")
        if pid != one and pid.isdecimal() and not platform.start_of(int(pid)):
            shutil.rmtree(f"{folder}/{one}", ignore_errors=True)


def _unpack(path: str, fresh: str) -> dict[str, Any]:
    total = count = 0
    manifest: dict[str, Any] | None = None
    try:
        with tarfile.open(path, mode="r|gz") as archive:
            for entry in archive:
                total, count = total + entry.size, count + 1
                if total > MOST_BYTES or count > MOST_FILES:
                    raise _bad(path, f"it holds more than {MOST_FILES:,} files or {MOST_BYTES:,} bytes")
                if entry.name == MANIFEST and entry.isreg() and entry.size <= LARGEST_MANIFEST:
                    file = archive.extractfile(entry)
                    manifest = codec.decode(file.read()) if file else None
                elif not (entry.isreg() or entry.isdir() or entry.issym()):
                    raise _bad(path, f"{entry.name} is neither a file, a folder nor a link")
                elif os.path.lexists(f"{fresh}/{entry.name}"):
                    raise _bad(path, f"{entry.name} is in it twice")
                else:
                    archive.extract(entry, fresh, filter="data")
    except (tarfile.TarError, EOFError, ValueError, OSError) as error:
        if isinstance(error, FileNotFoundError) and error.filename == path:
            raise NotFound(f"There is no file {path}; nothing was changed.") from error
        raise _bad(path, str(error)) from error
    if not isinstance(manifest, dict) or not all(isinstance(manifest.get(one), dict) for one in PARTS):
        raise _bad(path, "its manifest is missing")
    if manifest.get("v") != FORMAT or int(manifest.get("format", 0)) > home.FORMAT:
        raise NewerFormat(f"{path} was written by a newer holdfast; nothing was changed. Upgrade holdfast here.")
    return manifest


def _bad(path: str, reason: str) -> HoldfastError:
    return UsageError(f"{path} cannot be restored ({reason}); nothing was changed. It may be damaged, or no export.")


def _verify(fresh: str, manifest: dict[str, Any]) -> None:
    """Every file is what the manifest says, and there is no other. Modes become what they were."""
    found: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    everything = (f"{top}/{name}" for top, folders, names in os.walk(fresh) for name in (*folders, *names))
    for full in everything:
        path = full[len(fresh) + 1 :]
        if os.path.islink(full):
            found["links"][path] = os.readlink(full)
        elif os.path.isdir(full):
            found["folders"][path] = manifest["folders"].get(path)
        else:
            found["files"][path] = _seen(full, manifest["files"].get(path))
    for part in PARTS:
        said, seen = manifest[part], found[part]
        odd = sorted(path for path in {*said, *seen} if said.get(path) != seen.get(path))
        if odd:
            raise _bad("The archive", f"{odd[0]} is not what its manifest says")
    for path, mode in manifest["folders"].items():
        os.chmod(f"{fresh}/{path}", (int(mode) & 0o755) | 0o700)


def _seen(full: str, said: Any) -> Any:
    """A file in the manifest's words, its mode set as that says."""
    with open(platform.opened(full), "rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    mode = said.get("mode") if isinstance(said, dict) else None
    if isinstance(mode, int):
        os.chmod(full, mode & 0o755)
    return {"mode": mode, "size": os.stat(full).st_size, "sha256": digest.hexdigest()}


def _refuse_programs(fresh: str) -> None:
    """A vault's repository may come from anywhere, and git runs what its settings name."""
    hooks = [name for name in platform.names(f"{fresh}/.git/hooks") if not name.endswith(".sample")]
    config = f"{fresh}/.git/config"
    bad = [f"the hook {name}" for name in hooks]
    if os.path.lexists(f"{fresh}/.git") and not os.path.isdir(f"{fresh}/.git"):
        bad.append("a repository that lies elsewhere")
    if os.path.exists(config):
        keys = git_process.setting_names(platform.read_file(config))
        for key in ["an unreadable one"] if keys is None else keys:
            section, _, rest = key.lower().partition(".")
            if section not in SAFE_SECTIONS or rest.rpartition(".")[2] in RUNS_PROGRAMS:
                bad.append(f"the setting {key}")
    if bad:
        raise _bad("The archive", f"its repository has {bad[0]}, which can run programs")


def _put_in_place(fresh: str, place: str, now: float) -> str:
    """The new vault in one step; where an empty one stood, that one is kept beside it."""
    if not os.path.isdir(place) or not os.listdir(place):
        os.rename(fresh, place)
        platform.sync_folder(os.path.dirname(place))
        return ""
    aside = f"{place}.before-{new_id(now)}"
    exchange(fresh, place, aside)
    if os.path.isdir(fresh):
        os.rename(fresh, aside)
    return aside

"""A vault out of an archive: as it was, byte for byte, or nothing is changed.

An archive is outside data: it is unpacked beside the vault, within limits and without links or names that leave it,
verified against its manifest, searched for settings that would run programs, and only then moved into place in one
step. A vault that has memory in it is never replaced, and an empty one that was there is kept beside the new one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, git_process, home, log, platform, segments
from holdfast.capture.ids import new_id
from holdfast.errors import HoldfastError, NewerFormat, NotFound, Unsupported, UsageError
from holdfast.vault import brain, notes
from holdfast.vault.archive import FORMAT, MANIFEST
from holdfast.vault.purge_history import exchange, sync_all

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTS = ("files", "links", "folders")
LARGEST_MANIFEST = 256 << 20
MOST_FILES = 1_000_000
MOST_BYTES = 8 << 30
MEMORY = ("lineage", "prompts", "tasks", "thoughts", "outputs")
SAFE_SECTIONS = ("core", "remote", "branch", "user", "init", "gc", "pull", "push", "fetch", "merge", "i18n", "color")
RUNS_PROGRAMS = (
    *("fsmonitor", "sshcommand", "editor", "pager", "askpass", "hookspath", "gitproxy", "attributesfile"),
    *("excludesfile", "worktree", "alternaterefscommand", "uploadpack", "receivepack", "vcs", "driver", "proxy"),
)


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
    elif os.path.isfile(f"{place}/{brain.PATH}"):
        text = platform.read_file(f"{place}/{brain.PATH}").decode("utf-8", "replace")
        what = "words of yours in BRAIN.md" if text != brain.refreshed(None, ()) else ""
    if what:
        raise UsageError(
            f"{vault} has {what}, and an archive is never merged; nothing was changed. "
            "Set HOLDFAST_HOME to a fresh folder and import it there."
        )


def _sweep(place: str) -> None:
    """What a killed restore left beside the vault."""
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
    for path in _everything(fresh):
        full = f"{fresh}/{path}"
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


def _everything(folder: str) -> Iterator[str]:
    for top, folders, names in os.walk(folder):
        for name in (*folders, *names):
            yield f"{top}/{name}"[len(folder) + 1 :]


def _seen(full: str, said: Any) -> Any:
    """What a file is, in the manifest's words, its mode set as it says."""
    digest = hashlib.sha256()
    with open(platform.opened(full), "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
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
        keys = ["an unreadable one"] if keys is None else keys
        bad += [f"the setting {key}" for key in keys if key and _is_unsafe(key.lower())]
    if bad:
        raise _bad("The archive", f"its repository has {bad[0]}, which can run programs")


def _is_unsafe(key: str) -> bool:
    return key.partition(".")[0] not in SAFE_SECTIONS or key.rpartition(".")[2] in RUNS_PROGRAMS


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

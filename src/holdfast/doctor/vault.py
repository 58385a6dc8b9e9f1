"""The vault's folder: there, ours, private, of a format we know, with room; and it takes and syncs a write.

The write is a real one. Where the system can (Linux), the file that it goes to has no name at all, so not even a kill
leaves one behind and no folder changes; elsewhere it is a file of our own in `.state`, removed at once.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from holdfast.capture import config, home, platform, vault_id
from holdfast.close.drain import ROOM
from holdfast.doctor.checks import MEND, bad, good, note, reason
from holdfast.text.phrases import first_of, many
from holdfast.vault import notes, writable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

COMFORT = 256 << 20  # bytes below which a disk is worth a word
PROBE = b"holdfast doctor was here\n" * 200
FILES, FOLDERS = 0o600, 0o700
MEMORY = (*notes.FOLDERS.values(), notes.QUARANTINE, "lineage", "tasks", "thoughts", "outputs", "discarded", "prompts")
KEPT = ("history-", "git-", "purge.git")  # repositories and parts of one that were set aside
OF_VAULT = ("BRAIN.md", "activity.log", "projects.toml")
OPENED = (
    *("vault.lock", "queue/lock", "projects.lock", "closing", "head", "changed"),
    *("tasks/lock", "tasks/index.db", "field.db", "field.db.lock"),
)
WRITTEN = (
    "",
    "/.state",
    "/.state/queue/live",
    "/.state/ledger",
    "/.state/episodes/live",
    "/.state/marks",
    "/.git",
    "/.git/objects",
)


def check_folder(place: Place) -> Iterator[Check]:
    if vault_id.look(place.vault, place.env).status == vault_id.GONE:
        yield bad("vault", f"it is not at {place.vault}", "`vault-place` says what to do")
        return
    try:
        seen = os.stat(place.vault)
    except FileNotFoundError:
        yield bad("vault", f"there is none at {place.vault}", f"{MEND} or `holdfast init` makes it", can_fix=True)
        return
    if not stat.S_ISDIR(seen.st_mode):
        yield bad("vault", f"{place.vault} is no folder", "set HOLDFAST_HOME to a folder, or move that file")
        return
    version = home.format_of(place.vault)
    if version > home.FORMAT:
        what = (
            f"{place.vault} has format {version}, this holdfast knows {home.FORMAT}; flags are kept, nothing is filed"
        )
        yield bad("vault", what, "upgrade holdfast on this machine")
    elif seen.st_uid != os.geteuid():
        what = f"{place.vault} belongs to user {seen.st_uid}, you are {os.geteuid()}"
        yield bad("vault", what, "run your agent and holdfast as that user, or set HOLDFAST_HOME to a folder of yours")
    elif not version or not os.path.isdir(place.state):
        yield bad("vault", f"{place.vault} is not complete", f"{MEND} or `holdfast init` completes it", can_fix=True)
    else:
        yield good("vault", f"{place.vault}, format {version}")


def check_modes(place: Place) -> Iterator[Check]:
    """What we write is its owner's only."""
    wrong = wrong_modes(place)
    if wrong:
        names = [os.path.relpath(path, os.path.dirname(place.vault)) for path, _ in wrong]
        what = f"others may read, or you may not: {first_of(names)}"
        yield bad("vault-modes", what, f"{MEND} gives them back to you alone", can_fix=True)
    elif os.path.isdir(place.vault):
        yield good("vault-modes", "the vault and its state are yours alone")


def wrong_modes(place: Place) -> list[tuple[str, int]]:
    """What in the vault's own folders has another mode than we give it, and which it should have."""
    found = []
    paths = [place.vault]
    for top, folders, files in os.walk(place.state):
        folders[:] = [name for name in folders if not name.startswith(KEPT)]  # git's own modes, behind ours
        paths += [top, *(f"{top}/{name}" for name in (*files, *folders))]
    for path in dict.fromkeys(paths):
        if path == config.path_of(place.state):
            continue  # a person's own, made with their own editor
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue  # gone meanwhile, or there is no vault
        wanted = FOLDERS if stat.S_ISDIR(mode) else FILES
        is_plain = stat.S_ISDIR(mode) or stat.S_ISREG(mode)
        if is_plain and (mode & 0o077 or mode & wanted != wanted):
            found.append((path, wanted))
    return found


def check_write(place: Place) -> Iterator[Check]:
    """A real file is written, synced and read back, wherever a hook or a close has to write."""
    folders = [f"{place.vault}{part}" for part in WRITTEN if os.path.isdir(f"{place.vault}{part}")]
    if not folders:
        return
    for folder in folders:
        try:
            _write(folder, place.state)
        except OSError as error:
            fix = "free space, or make it writable for you; flags are refused until then, and say so"
            yield bad("vault-write", f"{folder} takes no writes ({reason(error)})", fix)
            return
    yield good("vault-write", f"written, synced and read back in {many(len(folders), 'folder')}")


def check_folders(place: Place) -> Iterator[Check]:
    """Every folder of the memory itself takes a file of this user: a close writes to any of them."""
    if not os.path.isdir(place.vault):
        return
    wrong = [why for name in _memory_folders(place.vault) if (why := writable.why_not(place.vault, f"{name}/note.md"))]
    files = (*OF_VAULT, *notes.paths(place.vault))
    wrong += [why for name in files if (why := writable.why_not(place.vault, name))]
    wrong = list(dict.fromkeys(wrong))
    if wrong:
        fix = "make them folders that you may write; until then what belongs there waits as flags"
        yield bad("note-folders", first_of(wrong), fix)
    else:
        yield good("note-folders", "every folder of the memory can be written")


def _memory_folders(vault: str) -> Iterator[str]:
    """The folders that notes, handoffs, tasks and thoughts lie in, and those within them."""
    for top in MEMORY:
        yield top
        for name in sorted(platform.names(f"{vault}/{top}")) if os.path.isdir(f"{vault}/{top}") else ():
            if os.path.isdir(f"{vault}/{top}/{name}"):
                yield f"{top}/{name}"


def check_locks(place: Place) -> Iterator[Check]:
    """Locks and indexes in .state are opened for writing as those who need them do, and nothing is written."""
    wrong: dict[str, str] = {}
    for name in OPENED:
        path = f"{place.state}/{name}"
        try:
            os.close(platform.opened(path, os.O_RDWR))
        except FileNotFoundError:
            continue
        except OSError as error:
            wrong[path] = error.strerror or str(error)
    if wrong:
        mine = all(os.path.isfile(path) and os.stat(path).st_uid == os.geteuid() for path in wrong)
        mine = mine and not os.statvfs(place.state).f_flag & os.ST_RDONLY
        fix = f"{MEND} gives it back to you" if mine else "make it a file that you may write"
        said = [f"{path} ({why})" for path, why in wrong.items()]
        yield bad("locks", f"cannot be opened to write: {first_of(said)}", fix, can_fix=mine)
    elif os.path.isdir(place.state):
        yield good("locks", "every lock and index can be opened")


def _write(folder: str, state: str) -> None:
    fd, path = _open(folder, state)
    try:
        if os.write(fd, PROBE) != len(PROBE):
            raise OSError(28, "No space left on device", folder)
        platform.sync(fd)
        if os.pread(fd, len(PROBE) + 1, 0) != PROBE:
            raise OSError(5, "It gave back other bytes than it was given", folder)
    finally:
        os.close(fd)
        if path:
            platform.remove(path)
    platform.sync_folder(folder)


def _open(folder: str, state: str) -> tuple[int, str]:
    flags = os.O_RDWR | os.O_CLOEXEC
    nameless = getattr(os, "O_TMPFILE", 0)
    if nameless:
        try:
            return os.open(folder, flags | nameless, FILES), ""
        except OSError as error:
            if error.errno not in (21, 22, 95):  # EISDIR, EINVAL, EOPNOTSUPP: this file system has no such thing
                raise
    if not folder.startswith(state):
        folder = state  # a name in the memory itself would be taken for a person's
    path = f"{folder}/doctor.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    return os.open(path, flags | os.O_CREAT | os.O_EXCL, FILES), path


def check_space(place: Place) -> Iterator[Check]:
    try:
        seen = os.statvfs(place.vault)
    except OSError:
        return
    free = seen.f_bavail * seen.f_frsize
    said = f"{free / (1 << 20):,.0f} MB free"
    if free < ROOM or (seen.f_files and not seen.f_favail):
        fix = "free some space: what is left is kept for flags, and nothing is filed until then"
        yield bad("space", f"the disk of {place.vault} is full ({said})", fix)
    elif free < COMFORT:
        yield note("space", f"only {said} on the disk of {place.vault}")
    else:
        yield good("space", said)

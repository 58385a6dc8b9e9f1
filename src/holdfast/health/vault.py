"""The vault's folder: the one that this machine knows, ours, private, of a known format, with room; it takes a write.
Its files are whole, and those that hooks read can be read.

The write is a real one. Where the system can (Linux), the file that it goes to has no name at all, so not even a kill
leaves one behind; elsewhere it is a file of our own in `.state`, removed at once. Whatever lies where a file is
expected and is none (a pipe, a folder, gigabytes of nothing) is passed over everywhere else, and named here.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from holdfast.capture import codec, config, gate, git_process, gitfiles, home, platform, vault_id
from holdfast.close.drain import ROOM
from holdfast.errors import GitFailed
from holdfast.health.finding import MEND, bad, good, lost, note, reason
from holdfast.hosts import KNOWN
from holdfast.hosts.host import registrar
from holdfast.text.layout import first_of, many
from holdfast.vault import armed_file, damage, git_damage, index, notes
from holdfast.vault.git import Repository
from holdfast.vault.transaction import locked, refresh_derived

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.finding import Finding, Place

PLACE = "vault-place"
FILES = "memory-files"
PATIENCE = 10.0
COMFORT = 256 << 20  # bytes below which a disk is worth a word
PROBE = b"holdfast doctor was here\n" * 200
FILE_MODE, FOLDER_MODE = 0o600, 0o700
MEMORY = (
    *(*notes.FOLDERS.values(), notes.QUARANTINE, "lineage", "tasks"),
    *("thoughts", "sleep", "outputs", "discarded", "prompts"),
)
KEPT = ("history-", "git-", "purge.git")  # repositories and parts of one that were set aside
OF_VAULT = ("BRAIN.md", "activity.log", "projects.toml")
OPENED = (
    *("vault.lock", "queue/lock", "projects.lock", "closing", "sleep/lock", "head", "changed"),
    *("tasks/lock", "tasks/index.db", "field.db", "field.db.lock"),
)
WRITTEN = (
    *("", "/.state", "/.state/queue/live", "/.state/ledger", "/.state/episodes/live", "/.state/marks"),
    *("/.git", "/.git/objects"),
)
EXPECTED_IN_VAULT = ("BRAIN.md", "format", "projects.toml", "activity.log", "purged", ".gitignore", ".gitattributes")
EXPECTED_IN_GIT = ("HEAD", "config", "index", "packed-refs")
EXPECTED_IN_STATE = (
    *("armed", "notes.index", "trusted", "vault.lock", "paused", "background.log", "queue/lock", "tasks/lock"),
    *("tasks/index.db", "field.db", "field.db.lock", "calls/settled", "check"),
)
EXPECTED_FOLDERS = ("queue/live", "ledger", "marks", "brief", "spend")


def check_place(place: Place) -> list[Finding]:
    if place.vault != home.own_vault(place.env):
        return [good(PLACE, "a repository's own vault, which you trusted")]
    seen = vault_id.look(place.vault, place.env)
    if seen.status == vault_id.GONE and seen.known:
        what = f"{vault_id.gone(seen.known, place.env)} {vault_id.kept_words(seen.known, place.env)}"
        return [bad(PLACE, what, vault_id.way_out(seen.known, place.env))]
    if seen.status == vault_id.OTHER:
        what, _, fix = vault_id.replaced(seen).partition(". Put ")
        return [bad(PLACE, what, f"put {fix}".rstrip("."))]
    kept = vault_id.kept_for(seen.id, place.env)
    if kept and platform.is_there(kept):
        return [note(PLACE, f"what was kept while the vault was gone lies in {kept}", "the next start takes it in")]
    if seen.known is None and home.format_of(place.vault):
        return [note(PLACE, "this machine has not recorded the vault's id yet", "the next start does")]
    return [good(PLACE, "the vault is the one that this machine knows" if seen.known else "there is no vault yet")]


def check_folder(place: Place) -> list[Finding]:
    if vault_id.look(place.vault, place.env).status == vault_id.GONE:
        return [bad("vault", f"it is not at {place.vault}", "`vault-place` says what to do")]
    try:
        seen = os.stat(place.vault)
    except FileNotFoundError:
        return [bad("vault", f"there is none at {place.vault}", f"{MEND} or `holdfast init` makes it", can_fix=True)]
    if not stat.S_ISDIR(seen.st_mode):
        return [bad("vault", f"{place.vault} is no folder", "set HOLDFAST_HOME to a folder, or move that file")]
    version = home.format_of(place.vault)
    if version > home.FORMAT:
        what = f"{place.vault} has format {version}, this holdfast knows {home.FORMAT}"
        return [bad("vault", f"{what}; flags are kept, nothing is filed", "upgrade holdfast on this machine")]
    if seen.st_uid != os.geteuid():
        fix = "run your agent and holdfast as that user, or set HOLDFAST_HOME to a folder of yours"
        return [bad("vault", f"{place.vault} belongs to user {seen.st_uid}, you are {os.geteuid()}", fix)]
    if not version or not os.path.isdir(place.state):
        return [bad("vault", f"{place.vault} is not complete", f"{MEND} or `holdfast init` completes it", can_fix=True)]
    return [good("vault", f"{place.vault}, format {version}")]


def mend_folder(place: Place) -> str:
    home.refuse_newer(place.vault)
    home.make_vault(place.vault, place.env)
    return f"made the vault {place.vault}"


def check_modes(place: Place) -> Iterator[Finding]:
    """Our files are their owner's only."""
    wrong = wrong_modes(place)
    if wrong:
        names = [os.path.relpath(path, os.path.dirname(place.vault)) for path, _ in wrong]
        what = f"others may read, or you may not: {first_of(names)}"
        yield bad("vault-modes", what, f"{MEND} gives them back to you alone", can_fix=True)
    elif os.path.isdir(place.vault):
        yield good("vault-modes", "the vault and its state are yours alone")


def wrong_modes(place: Place) -> list[tuple[str, int]]:
    """The paths in the vault's own folders that have another mode than we give them, and which they should have."""
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
        wanted = FOLDER_MODE if stat.S_ISDIR(mode) else FILE_MODE
        is_plain = stat.S_ISDIR(mode) or stat.S_ISREG(mode)
        if is_plain and (mode & 0o077 or mode & wanted != wanted):
            found.append((path, wanted))
    return found


def mend_modes(place: Place) -> str:
    wrong = wrong_modes(place)
    for path, mode in wrong:
        os.chmod(path, mode)
    return f"gave {many(len(wrong), 'file or folder')} back to you alone"


def check_write(place: Place) -> list[Finding]:
    """A real file is written, synced and read back, wherever a hook or a close has to write."""
    folders = [f"{place.vault}{part}" for part in WRITTEN if os.path.isdir(f"{place.vault}{part}")]
    if not folders:
        return []
    for folder in folders:
        try:
            _write(folder, place.state)
        except OSError as error:
            fix = "free space, or make it writable for you; flags are refused until then, and say so"
            return [bad("vault-write", f"{folder} takes no writes ({reason(error)})", fix)]
    return [good("vault-write", f"written, synced and read back in {many(len(folders), 'folder')}")]


def check_folders(place: Place) -> list[Finding]:
    """Every folder of the memory itself takes a file of this user: a close writes to any of them."""
    if not os.path.isdir(place.vault):
        return []
    probes = [f"{name}/note.md" for name in _memory_folders(place.vault)]
    found = (damage.why_not(place.vault, name) for name in (*probes, *OF_VAULT, *notes.paths(place.vault)))
    wrong = list(dict.fromkeys(why for why in found if why))
    if wrong:
        fix = "make them folders that you may write; until then what belongs there waits as flags"
        return [bad("note-folders", first_of(wrong), fix)]
    return [good("note-folders", "every folder of the memory can be written")]


def _memory_folders(vault: str) -> Iterator[str]:
    """The folders that notes, handoffs, tasks and thoughts lie in, and those within them."""
    for top in MEMORY:
        yield top
        for name in sorted(platform.names(f"{vault}/{top}")) if os.path.isdir(f"{vault}/{top}") else ():
            if os.path.isdir(f"{vault}/{top}/{name}"):
                yield f"{top}/{name}"


def check_locks(place: Place) -> Iterator[Finding]:
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
            return os.open(folder, flags | nameless, FILE_MODE), ""
        except OSError as error:
            if error.errno not in (21, 22, 95):  # EISDIR, EINVAL, EOPNOTSUPP: this file system has no such thing
                raise
    if not folder.startswith(state):
        folder = state  # a name in the memory itself would be taken for a person's
    path = f"{folder}/doctor.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    return os.open(path, flags | os.O_CREAT | os.O_EXCL, FILE_MODE), path


def check_space(place: Place) -> list[Finding]:
    try:
        seen = os.statvfs(place.vault)
    except OSError:
        return []
    free = seen.f_bavail * seen.f_frsize
    said = f"{free / (1 << 20):,.0f} MB free"
    if free < ROOM or (seen.f_files and not seen.f_favail):
        fix = "free some space: what is left is kept for flags, and nothing is filed until then"
        return [bad("space", f"the disk of {place.vault} is full ({said})", fix)]
    if free < COMFORT:
        return [note("space", f"only {said} on the disk of {place.vault}")]
    return [good("space", said)]


def check_files(place: Place) -> list[Finding]:
    odd = list(_odd(place))
    found = [f"{path} {why}" for path, why in odd]
    git = gitfiles.checkout(place.cwd)
    found += [why] if git and (why := git_process.trouble(git)) else []
    if found:
        fix = "move it away; until then it is passed over, and what it should say does not count"
        is_ours = any(_can_be_moved(place, path) for path, _ in odd)
        fix = f"{MEND} moves what lies in the vault aside; {fix}" if is_ours else fix
        return [bad("files", first_of(list(dict.fromkeys(found))), fix, can_fix=is_ours)]
    return [good("files", "everything that should be a file is one")]


def mend_files(place: Place) -> str:
    """Move odd things in the vault aside. A large file stays: it may be somebody's."""
    moved = [damage.set_aside(place.vault, path) for path, _ in _odd(place) if _can_be_moved(place, path)]
    return f"moved aside, to {place.state}/{damage.ASIDE}: {first_of([os.path.basename(path) for path in moved])}"


def _odd(place: Place) -> Iterator[tuple[str, str]]:
    for path in dict.fromkeys(_expected(place)):
        why = platform.oddity(path)
        if not why and path.startswith(f"{place.vault}/") and os.path.islink(path) and not os.path.exists(path):
            why = "is a link that leads nowhere"
        if why:
            yield path, why


def _can_be_moved(place: Place, path: str) -> bool:
    is_ours = path.startswith(f"{place.vault}/") and not path.startswith(f"{place.vault}/.git/")
    return is_ours and not os.path.isfile(path)


def _expected(place: Place) -> Iterator[str]:
    root = gitfiles.root_of(place.cwd)
    yield from (f"{root}/.git/{name}" for name in ("HEAD", "config", "packed-refs"))
    yield f"{root}/.holdfast.toml"
    yield from (path for name in KNOWN for path in registrar(name).files(place.env, place.cwd))
    yield from (f"{place.vault}/{name}" for name in EXPECTED_IN_VAULT)
    yield from (f"{place.vault}/.git/{name}" for name in EXPECTED_IN_GIT)
    yield config.path_of(place.state)
    yield from (f"{place.state}/{name}" for name in EXPECTED_IN_STATE)
    for folder in EXPECTED_FOLDERS:
        yield from (f"{place.state}/{folder}/{name}" for name in sorted(platform.names(f"{place.state}/{folder}")))
    tasks = f"{place.vault}/tasks"
    yield from (f"{tasks}/{name}/session_memory.md" for name in sorted(platform.names(tasks)))
    yield from (f"{place.vault}/{path}" for path in notes.paths(place.vault))


def check_damaged(place: Place) -> list[Finding]:
    repository = Repository(place.vault)
    if not os.path.isdir(place.vault) or not repository.exists():
        return []
    try:
        found = damage.find(repository)
        gone = [one.path for one in found if damage.is_lost(repository, one)]
    except GitFailed:
        return [note(FILES, "looked at once the history can be read again, which knows how each file was")]
    if not found:
        return [good(FILES, "every file of the memory can be read and is whole")]
    named = first_of([f"{one.path} {one.why}" for one in found])
    if gone:
        fix = f"{MEND} keeps what is left of it in .state/{damage.ASIDE}, brings back the rest, and ends this alarm"
        what = f"{many(len(found), 'file')} damaged: {named}; the history has no whole version of {first_of(gone)}"
        return [lost(FILES, what, fix, can_fix=True)]
    fix = f"{MEND} brings back what the history has, and keeps the damaged file beside"
    if all(one.why == damage.UNREADABLE for one in found):
        fix = f"{MEND} opens what is yours; another user's file is theirs to give back"
    if any(one.why == damage.GONE for one in found):
        fix += "; if you removed it yourself, say so with a commit in the vault"
    return [bad(FILES, f"{many(len(found), 'file')} damaged: {named}", fix, can_fix=True)]


def mend_damaged(place: Place) -> str:
    may_accept = gate.decide(gate.asker(place.env, place.cwd, place.vault), gate.Change(gate.HISTORY, gate.LIFTED))
    with locked(place.vault, PATIENCE) as repository:
        found = damage.find(repository)
        if may_accept == gate.APPLY:  # the user has been told, and their own word lets it go
            gone = [one.path for one in found if damage.is_lost(repository, one)]
            git_damage.accept_unreadable(repository, gone)
        done = list(damage.restore(repository, found))
        damage.lift_fault(repository)
        return "; ".join(done) or "found nothing damaged any more"


def check_derived(place: Place) -> Iterator[Finding]:
    """The files that the hook reads are compiled ahead: one that cannot be read costs a start its memory."""
    if not os.path.isdir(place.state):
        return
    broken, briefs = broken_derived(place), _briefs(place)
    if broken:
        what = f"cannot be read in .state: {first_of(broken)}"
        yield bad("derived", what, f"{MEND} makes them anew", can_fix=True)
    else:
        yield good("derived", f"{many(len(briefs), 'brief')} made ahead")
    try:
        text = platform.read_file(f"{place.state}/check", 32).decode("ascii", "replace").strip()
    except OSError:
        return
    if text.isdecimal() and int(text):
        what = f"the last check found {many(int(text), 'error')} in the notes"
        yield note("notes", what, "`holdfast check` lists them")


def broken_derived(place: Place) -> list[str]:
    broken = []
    for name in ("armed", *_briefs(place)):
        try:
            data = platform.read_file(f"{place.state}/{name}")
            is_good = armed_file.is_readable(data) if name == "armed" else isinstance(codec.decode(data), dict)
            broken += [] if is_good else [name]
        except FileNotFoundError:
            continue  # no note is armed
        except (OSError, ValueError):
            broken.append(name)
    return broken


def _briefs(place: Place) -> list[str]:
    return [f"brief/{name}" for name in platform.names(f"{place.state}/brief") if not name.endswith(".tmp")]


def mend_derived(place: Place) -> str:
    """Remove what cannot be read first: it is compiled, and a reader of it could only stumble."""
    for name in broken_derived(place):
        platform.remove(f"{place.state}/{name}")
    refresh_derived(place.vault, index.load(place.vault))
    return "made anew what hooks read"

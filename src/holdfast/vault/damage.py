"""Damaged files of the vault, as no person and no writer of ours leaves them: empty, full of zeros, cut, shut, or gone
with their whole folder; and files that this user may not write.

A disk that fails and a power that goes leave such files, and so does a wrong move of a whole folder. History never
takes them for an edit: what was committed before stays the newest version, the file is named until it is put right, and
`restore` brings it back from history. Bytes that are replaced are kept beside, in `.state/set-aside`.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import home, log, notices, platform
from holdfast.vault import git_loose, notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.vault.git import Repository

ASIDE = "set-aside"
FOLDERS = (*notes.FOLDERS.values(), "lineage", "tasks", "thoughts", "sleep")
MOST_VERSIONS = 30  # of a file that are looked at for one that is whole
SIGNS = bytes(code for code in range(32) if code not in b"\t\n\r\f\x1b")  # no text has them
UNREADABLE = "cannot be read by you"
GONE = "is gone, and with it most of its folder"


def why_not(vault: str, path: str) -> str:
    """The reason why a file of the vault could not be written, as the end of a sentence; "" where it could."""
    folder = vault
    *above, name = path.split("/")
    for part in above:
        inner = f"{folder}/{part}"
        if not os.path.lexists(inner):
            return _refusal(folder)  # in which it would be made
        folder = inner
    place = f"{folder}/{name}"
    if (why := _refusal(folder)) or not os.path.lexists(place):
        return why
    if os.path.islink(place) or not os.path.isfile(place):
        return f"{place} is no file"
    return "" if os.access(place, os.R_OK) else f"{place} cannot be read by you"


def _refusal(folder: str) -> str:
    try:
        seen = os.stat(folder)
    except OSError as error:
        return f"{folder} cannot be looked at: {error.strerror}"
    if not stat.S_ISDIR(seen.st_mode):
        return f"{folder} is no folder"
    if os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        return ""
    if seen.st_uid != os.geteuid():
        return f"{folder} belongs to user {seen.st_uid}, you are {os.geteuid()}"
    return f"you may not write to {folder}"


def sentence(vault: str, refused: Iterable[tuple[str, str]], paths: Iterable[str] | None = None) -> str:
    """The first of these files that the system refused, with the reason; "" where it refused none of them."""
    wanted = None if paths is None else set(paths)
    for path, why in refused:
        if wanted is None or path in wanted:
            return f"{path} cannot be written ({why_not(vault, path) or why})"
    return ""


def note_refused(vault: str, refused: Sequence[tuple[str, str]], now: float) -> None:
    """The system let us not write these: it is told at every start until it does."""
    if refused:
        notices.stand(home.state(vault), notices.UNWRITABLE, sentence(vault, refused), now, refused[0][0])


@dataclass(frozen=True)
class DamagedFile:
    """A file of the vault, and what is wrong with it as the end of a sentence."""

    path: str
    why: str


def find(repository: Repository) -> list[DamagedFile]:
    """Every damaged file that the history knows."""
    head = repository.head()
    idents = _tracked(repository, head) if head else {}
    vanished = _vanished(repository.vault, idents)
    changed = (path for path, ident in idents.items() if not _is_as_committed(repository.vault, path, ident))
    return [DamagedFile(path, why) for path in changed if (why := of(repository, head, path, vanished))]


def without_damaged(repository: Repository, head: str, changed: list[str], now: float) -> list[str]:
    """Of changed files those that may be committed; of the others every start tells until they are put right."""
    vault = repository.vault
    vanished: frozenset[str] = frozenset()
    if head and any(not os.path.lexists(f"{vault}/{path}") for path in changed):
        vanished = _vanished(vault, _tracked(repository, head))
        listed = "\n".join(sorted(vanished)).encode("utf-8", "surrogateescape")
        platform.write_atomic(_list(vault), listed, durable=False)
    held = {path: why for path in changed if (why := of(repository, head, path, vanished))}
    if held:
        path, why = next(iter(held.items()))
        notices.stand(home.state(vault), notices.FILES, f"{path} {why}", now, path)
    # Git would take a file for all that lay in the folder of that name.
    above = {path[:at] for path in held for at, letter in enumerate(path) if letter == "/"}
    return [path for path in changed if path not in held and path not in above]


def lift_faults(repository: Repository) -> None:
    """Lift the faults of what a writer needed, since one went through."""
    state = home.state(repository.vault)
    if notices.are_there(state):
        notices.lift(state, notices.HISTORY, notices.HISTORY_LOST)
        for one in notices.standing(state):
            if one.name == notices.UNWRITABLE and not (one.path and why_not(repository.vault, one.path)):
                notices.lift(state, one.name)
        lift_fault(repository)


def lift_fault(repository: Repository) -> None:
    """Lift the fault of damaged files where they are whole again, or were let go."""
    state = home.state(repository.vault)
    if any(one.name == notices.FILES for one in notices.standing(state)) and not find(repository):
        notices.lift(state, notices.FILES)


def _tracked(repository: Repository, head: str) -> dict[str, str]:
    """The files of a commit, each with the id of its content."""
    raw = repository.run("ls-tree", "-r", "-z", "--full-tree", head).decode("utf-8", "surrogateescape")
    pairs = [line.partition("\t") for line in raw.split("\0") if line]
    return {path: told.rpartition(" ")[2] for told, _, path in pairs}


def _is_as_committed(vault: str, path: str, ident: str) -> bool:
    """True if a log is what the commit has, by its id: that git is asked for each of many logs costs a process each."""
    if not _is_log(path):
        return False
    try:
        data = platform.read_file(f"{vault}/{path}")
    except OSError:
        return False
    return not _is_broken(data) and git_loose.blob_id(data, len(ident)) == ident  # one may be committed broken


def _vanished(vault: str, names: Iterable[str]) -> frozenset[str]:
    """Notes that are gone with most of their folder: one note is removed by somebody, a folder by mistake. Those that
    were seen to go so stay on a list, since new notes fill the folder again."""
    gone = [path for path in names if not os.path.lexists(f"{vault}/{path}")]
    if not gone:
        return frozenset()
    found = set(gone).intersection(git_loose.readable(_list(vault)).decode("utf-8", "surrogateescape").split("\n"))
    for top in FOLDERS:
        left = [path for path in gone if path.startswith(f"{top}/")]
        if len(left) > 1 and 2 * len(left) > sum(path.startswith(f"{top}/") for path in names):
            found.update(left)
    return frozenset(found)


def _list(vault: str) -> str:
    return f"{home.state(vault)}/missing-notes"


def of(repository: Repository, head: str, path: str, vanished: frozenset[str]) -> str:
    """The damage of a file, as the end of a sentence; "" where there is none. A note that somebody removed is not
    damaged, unless most of its folder went with it (`vanished`)."""
    whole = f"{repository.vault}/{path}"
    top = path.partition("/")[0]
    if top != path and os.path.islink(f"{repository.vault}/{top}"):
        return "is gone: a link lies where its folder was"
    try:
        seen = os.lstat(whole)
    except FileNotFoundError:
        return GONE if path in vanished else "is gone" if _is_log(path) else ""
    except NotADirectoryError:
        return "is gone: something else lies where its folder was"
    except OSError:
        return UNREADABLE
    if stat.S_ISDIR(seen.st_mode) and os.access(whole, os.R_OK) and platform.names(whole):
        return ""  # somebody made a folder of a note
    if not stat.S_ISREG(seen.st_mode):
        kind = platform.KINDS.get(stat.S_IFMT(seen.st_mode), "something else")
        return "" if stat.S_ISLNK(seen.st_mode) and os.path.isfile(whole) else f"is no file but {kind}"
    if seen.st_size > platform.LARGEST:
        return ""  # named as such elsewhere
    if not seen.st_size:
        return "is empty" if path.endswith((".md", ".log", ".toml")) or path == "format" else ""
    try:
        data = platform.read_file(whole)
    except OSError:
        return UNREADABLE
    if not _is_log(path):
        return _of_text(path, data)
    if _is_broken(data):
        return "has records in it that are broken"
    return "" if data.startswith(repository.content(head, path) or b"") else "lacks records that the history has"


def _is_log(path: str) -> bool:
    """True if a file is of framed records, to which is only ever added."""
    return path.endswith(".log") and "/live/" in path


def _of_text(path: str, data: bytes) -> str:
    if path.endswith((".md", ".toml")) and len(data.translate(None, SIGNS)) != len(data):
        return "has bytes in it that are no text"
    return ""


def _is_broken(data: bytes) -> bool:
    return any(found.what == log.DAMAGE for found in log.scan(data))


def restore(repository: Repository, damages: Iterable[DamagedFile]) -> Iterator[str]:
    """Bring each back as it was last whole, a sentence each. The vault's lock is held."""
    for one in damages:
        if one.why == UNREADABLE:
            yield _opened(repository.vault, one.path)
            continue
        kept = _last_whole(repository, one.path)
        if kept is None and not _is_log(one.path):
            place = set_aside(repository.vault, f"{repository.vault}/{one.path}")
            rest = f"; what is left of it is kept in {place}" if place else ""
            yield f"{one.path} is lost: it {one.why}, and the history has no whole version of it{rest}"
            continue
        kept = kept or b""  # of a log, whatever can still be read of it is put back
        path = above = f"{repository.vault}/{one.path}"
        while (above := os.path.dirname(above)) != repository.vault:
            if os.path.lexists(above) and not os.path.isdir(above):
                set_aside(repository.vault, above)  # something that is no folder, where one should be
        if _is_log(one.path):  # and whole records of the damaged one that the kept version does not have
            known = set(log.records(log.scan(kept)))
            left = log.records(log.scan(git_loose.readable(path)))
            kept += b"".join(log.frame(record) for record in left if record not in known)
        place = set_aside(repository.vault, path)
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, kept, durable=True)
        beside = f"; the damaged one is kept in {place}" if place else ""
        yield f"{one.path} is back from the history{beside}"


def is_lost(repository: Repository, one: DamagedFile) -> bool:
    """True if neither the file nor the history has a whole version of it."""
    return one.why != UNREADABLE and not _is_log(one.path) and _last_whole(repository, one.path) is None


def _opened(vault: str, path: str) -> str:
    """A file of our own that was shut is opened for us again; another user's is theirs to give."""
    folder = vault
    for part in path.split("/"):
        folder = f"{folder}/{part}"
        seen = os.lstat(folder)
        if seen.st_uid != os.geteuid():
            return f"{path} {UNREADABLE}: it belongs to user {seen.st_uid}"
        wanted = 0o700 if stat.S_ISDIR(seen.st_mode) else 0o600
        if seen.st_mode & wanted != wanted and not stat.S_ISLNK(seen.st_mode):
            os.chmod(folder, seen.st_mode & 0o777 | wanted)
    return f"{path} can be read again"


def _last_whole(repository: Repository, path: str) -> bytes | None:
    """The newest version in the history that is not damaged; of a log the longest."""
    raw = repository.text("log", f"--max-count={MOST_VERSIONS}", "--format=%H", "--", path)
    found = [data for commit in raw.split() if (data := repository.content(commit, path))]
    if _is_log(path):
        return max((data for data in found if not _is_broken(data)), key=len, default=None)
    return next((data for data in found if not _of_text(path, data)), None)


def set_aside(vault: str, path: str) -> str:
    """Move what lies at a path in the vault out of the way; returns where it is, "" where nothing was."""
    name = os.path.relpath(path, vault).replace("/", "~")
    place = git_loose.moved(path, f"{home.state(vault)}/{ASIDE}/{name}")
    if place and not os.path.islink(place):
        os.chmod(place, 0o700 if os.path.isdir(place) else 0o600)
    return place

"""A change of several files that is made whole or not at all, whatever kills it.

The new texts lie in one journal file, synced, before the first file is touched; then the files, then the commit, then
the journal goes. The next holder of the vault's lock finishes a change that was cut short, from the journal, so the
vault comes out as if nothing had happened.

A person may save the same file at the same moment. Every file is replaced only where it still is what the change was
planned on, old and new change places in one step, and what was displaced is looked at once more before it goes: their
version wins, ours is planned again.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import agent_files, calls, codec, home, platform
from holdfast.capture.ids import digest as text_digest
from holdfast.capture.quoting import BESIDE_NAME
from holdfast.errors import HoldfastError, UsageError
from holdfast.model import OURS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vault.git import Repository

TRAILER = "Holdfast-Change"
LARGEST_JOURNAL = 1 << 32  # a merge of two whole vaults
LONGEST_NAME = 255  # bytes that a file system takes
# Errors of a file that we may not or cannot replace: a link, a pipe, a folder, gone or come since, or somebody else's.
NOT_OURS = (
    *(errno.ELOOP, errno.EINVAL, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENOENT),
    *(errno.EACCES, errno.EPERM, errno.EROFS),
)
RACED = (errno.EEXIST, errno.ENOENT)  # those of them that only a person's hand makes, at that very moment
MAP = "BRAIN.md"


@dataclass(frozen=True)
class File:
    """One file of a change: what it was when the change was planned (a digest), and what it shall be. None: no file."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Change:
    """One commit to be. `parents` beyond the head are those of a merge. Where none of its own files can be put in
    place, its `derived` ones are left too: they would tell of what is not there."""

    id: str
    subject: str
    files: tuple[File, ...]
    cause: str = ""
    author: tuple[str, str] = OURS
    parents: tuple[str, ...] = field(default=())
    derived: tuple[str, ...] = field(default=())  # files that only tell of the others

    def message(self) -> str:
        cause = f"Holdfast-Cause: {self.cause}\n" if self.cause else ""
        return f"{self.subject}\n\n{cause}{TRAILER}: {self.id}\n"


@dataclass(frozen=True)
class Applied:
    """A change that was carried out: its commit ("" where nothing was left to commit), and the files that were left as
    they are, since a person won or, with the reason in `refused`, since the system does not let us write them."""

    commit: str
    skipped: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()


def digest(raw: bytes | None) -> str | None:
    return None if raw is None else text_digest(raw.decode("utf-8", "surrogateescape"), 32)


def content(vault: str, path: str) -> bytes | None:
    """A file of the vault; None where there is none. Raises OSError for what is no plain file of it: a link is nobody's
    content, and a pipe would make us wait."""
    if _leaves(vault, path):
        raise OSError(errno.ELOOP, "it lies outside of the vault, or behind a link", path)
    try:
        return platform.read_regular(f"{vault}/{path}")
    except (FileNotFoundError, NotADirectoryError):
        return None


def inside(vault: str, path: str) -> str:
    """The full path of a file of the vault. Raises UsageError where it would leave it, by dots or by a link."""
    if _leaves(vault, path):
        raise UsageError(f"{path} does not lie in the vault, or lies behind a link; nothing was written.")
    return f"{vault}/{path}"


def _leaves(vault: str, path: str) -> bool:
    """Also by a link that stays in the vault: git would not follow it."""
    parts = path.split("/")
    if "" in parts or "." in parts or ".." in parts or parts[0] in (".state", ".git") or "\0" in path:
        return True
    return platform.is_behind_link(vault, os.path.dirname(path))


def apply(repository: Repository, change: Change) -> Applied:
    """Write the files, commit them, forget the journal. The vault's lock is held."""
    for one in change.files:
        inside(repository.vault, one.path)
    from holdfast.vault import git_loose  # whoever only reads a file needs no git

    git_loose.make_sure(repository, _displaced(repository.vault, change))
    platform.make_folders(_folder(repository.vault))
    record = {"v": 1, **asdict(change)}
    platform.write_atomic(_journal(repository.vault), codec.encode(record), durable=True)
    return _carry_out(repository, change)


def _displaced(vault: str, change: Change) -> dict[str, bytes]:
    """The texts that only the history has once a change is made."""
    found = {}
    for one in change.files:
        try:
            now = content(vault, one.path) if one.before is not None else None
        except OSError:
            continue
        after = encoded(one.after)
        if now and digest(now) == one.before and not (after or b"").startswith(now):
            found[one.path] = now
    return found


def readable(vault: str, path: str) -> bytes | None:
    """A file of the vault; None where there is none that can be read."""
    try:
        return content(vault, path)
    except OSError:
        return None


def read(vault: str, path: str) -> str | None:
    """The same as text, byte for byte: what is no UTF-8 comes back as it went when it is written again."""
    raw = readable(vault, path)
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def text(vault: str, path: str) -> str:
    return read(vault, path) or ""


def encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def is_cut_short(vault: str) -> bool:
    """True if a change was begun and not finished: the next writer finishes it."""
    return os.path.exists(_journal(vault))


def recover(repository: Repository) -> Applied | None:
    """Finish a change that was cut short, if there is one. The vault's lock is held."""
    path = _journal(repository.vault)
    for name in platform.names(_folder(repository.vault)):
        if name.endswith((".tmp", ".fresh")):
            platform.remove(f"{_folder(repository.vault)}/{name}")  # half a file that nobody was promised
    try:
        raw = platform.read_file(path, largest=LARGEST_JOURNAL)
    except FileNotFoundError:
        return None
    try:
        change = _from_record(codec.decode(raw))
        for one in change.files:
            inside(repository.vault, one.path)
    except (ValueError, KeyError, TypeError, UsageError) as error:
        aside = f"{path}.unreadable-{text_digest(raw.decode('utf-8', 'replace'))}"
        os.rename(path, aside)
        raise HoldfastError(f"A change cut short cannot be finished ({error}); it is kept as {aside}.") from error
    known = repository.attempt("log", "-n", "50", "--format=%H", "--fixed-strings", f"--grep={TRAILER}: {change.id}")
    commit = known.stdout.decode("ascii", "replace").strip()
    if known.returncode == 0 and commit:
        if change.parents:  # a merge that was committed by plumbing may have been killed before the index knew
            repository.run("reset", "--quiet", "--mixed", "HEAD", allowed=(0, 1))
        _forget(repository.vault)
        return Applied(commit.split()[0], ())
    applied = _carry_out(repository, change)
    _keep_beside(repository, change, applied)
    return applied


def _keep_beside(repository: Repository, change: Change, applied: Applied) -> None:
    """Of a merge that was cut short, what a person has changed since: their version stays, the other one lies beside
    it, as sync does with a conflict, or it would only be in the history."""
    if not change.parents or not applied.skipped:
        return
    lost = [(one.path, one.after) for one in change.files if one.path in applied.skipped and one.path != "BRAIN.md"]
    files = [File(beside_of(path, text_digest(after)), None, after) for path, after in lost if after is not None]
    if files:
        ident = f"{change.id[:-1]}{'Z' if change.id[-1:] != 'Z' else 'Y'}"
        apply(repository, Change(ident, f"{change.subject} (kept beside)", tuple(files), change.cause))


def beside_of(path: str, ident: str) -> str:
    """The path for another version of a file: the same version always to the same place."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    ending = f"{BESIDE_NAME}{ident[:7]}{dot}{ending}"
    room = LONGEST_NAME - len(ending.encode("utf-8", "surrogateescape"))
    raw = stem.encode("utf-8", "surrogateescape")[:room]
    return f"{folder}{slash}{raw.decode('utf-8', 'ignore')}{ending}"


def _from_record(record: dict[str, Any]) -> Change:
    files = tuple(File(one["path"], one["before"], one["after"]) for one in record["files"])
    author = (str(record["author"][0]), str(record["author"][1]))
    parents, derived = tuple(record["parents"]), tuple(record.get("derived", ()))
    return Change(str(record["id"]), str(record["subject"]), files, str(record["cause"]), author, parents, derived)


def _carry_out(repository: Repository, change: Change) -> Applied:
    skipped: list[str] = []
    refused: list[tuple[str, str]] = []
    own = [one for one in change.files if one.path not in change.derived]
    for one in own:
        if (why := _write(repository.vault, one)) is not None:
            skipped.append(one.path)
            refused += [(one.path, why)] if why else []
    is_vain = bool(own) and len(skipped) == len(own)
    for one in (one for one in change.files if one.path in change.derived):
        # A map that names what was not written would be a lie; the next change makes one that is true.
        if is_vain or (skipped and one.path == MAP):
            skipped.append(one.path)
        elif (why := _write(repository.vault, one)) is not None:
            skipped.append(one.path)
            refused += [(one.path, why)] if why else []
    written = [one.path for one in change.files if one.path not in skipped]
    commit = "" if is_vain and not change.parents else _commit(repository, change, written)
    _forget(repository.vault)
    return Applied(commit, tuple(skipped), tuple(refused))


@contextmanager
def _unwritten(path: str) -> Iterator[None]:
    """No writer is within a log of ours while it is replaced (capture/segments): one that is there is waited for, the
    next takes a new segment. What it appended to the displaced file would be acknowledged and gone."""
    with ExitStack() as held:
        if "/live/" in path and path.endswith(".log"):
            with suppress(FileNotFoundError):
                fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
                held.callback(os.close, fd)
                fcntl.flock(fd, fcntl.LOCK_EX)
        yield


def _write(vault: str, file: File) -> str | None:
    """Put one file in its place. Returns None where it is there, "" where somebody else has changed it since the change
    was planned, and the reason where the system refuses it."""
    path = inside(vault, file.path)
    after = encoded(file.after)
    aside = f"{_folder(vault)}/displaced-{text_digest(file.path)}"
    try:
        with _unwritten(path):
            if not _settle(vault, file, aside):
                return ""
            now = content(vault, file.path)
            if now == after:
                return None
            if digest(now) != file.before:
                return ""
            if agent_files.concerns(file.path):
                calls.written(home.state(vault), file.path, file.after)
            if after is None:
                os.rename(path, aside)
            else:
                _put(path, after, aside, is_new=now is None)
            platform.sync_folder(os.path.dirname(path))
            is_ours = _settle(vault, file, aside)
    except OSError as error:
        if error.errno in NOT_OURS:
            with suppress(OSError):
                _settle(vault, file, aside)
            return "" if error.errno in RACED else error.strerror or str(error)
        raise
    if is_ours and after is None and "/" in file.path:
        with suppress(OSError):  # something is still in it
            os.rmdir(os.path.dirname(path))
    return None if is_ours else ""


def _put(path: str, after: bytes, aside: str, *, is_new: bool) -> None:
    """The new bytes at a path, and what stood there aside; in one step, so that no save of a person falls between."""
    platform.make_folders(os.path.dirname(path))
    fresh = f"{aside}.fresh"
    platform.remove(fresh)
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(fd, "wb") as out:
        out.write(after)
        out.flush()
        if not is_new:
            os.fchmod(out.fileno(), stat.S_IMODE(os.lstat(path).st_mode))  # the mode is a person's too
        platform.sync(out.fileno())
    os.rename(fresh, aside)  # so half a file never lies there
    if is_new:
        os.link(aside, path)
    else:
        _exchange(aside, path)


def _settle(vault: str, file: File, aside: str) -> bool:
    """Look at what lies aside, now or from a try that was killed: ours goes, a person's goes back where it was (False).

    Theirs is what is neither the old text nor the new one: they saved it between our look and our step.
    """
    if os.path.lexists(f"{aside}.old"):  # of an exchange in two steps
        os.rename(f"{aside}.old", aside)
    try:
        left = digest(platform.read_file(aside, largest=LARGEST_JOURNAL))
    except FileNotFoundError:
        return True
    after = digest(encoded(file.after))
    is_theirs = left not in (file.before, after)
    if is_theirs and digest(content(vault, file.path)) == after:
        path = f"{vault}/{file.path}"
        if after is None:
            os.link(aside, path)
        else:
            _give_back(aside, path, left, after)
    platform.remove(aside)
    return not is_theirs


def _give_back(aside: str, path: str, theirs: str | None, expected: str | None) -> None:
    """Put a person's version back in the place of ours. Whatever they save meanwhile is newer, and what they mean:
    should it turn up aside, it changes places with the older one once more."""
    _exchange(aside, path)
    while (found := digest(platform.read_file(aside, largest=LARGEST_JOURNAL))) != expected:
        expected, theirs = theirs, found
        _exchange(aside, path)


def _exchange(one: str, other: str) -> None:
    """Two files change places in one step; where the system cannot, in two, the second behind a second name."""
    if not platform.exchange(one, other):
        old = f"{one}.old"
        os.link(other, old)
        os.rename(one, other)
        os.rename(old, one)


def _commit(repository: Repository, change: Change, written: Sequence[str]) -> str:
    """Commit exactly these paths; "" where they are already as the head has them."""
    from holdfast.vault import git  # whoever only reads a file needs none

    if not change.parents:
        return git.commit_only(repository, written, change.message(), change.author) if written else ""
    head = repository.head()
    git.stage(repository, written)
    tree = repository.text("write-tree")
    commit = git.tree_committed(repository, tree, (head, *change.parents), change.message(), change.author)
    repository.run("update-ref", "-m", change.subject, "HEAD", commit, head)
    return commit


def _forget(vault: str) -> None:
    os.unlink(_journal(vault))
    platform.sync_folder(_folder(vault))


def _folder(vault: str) -> str:
    return f"{home.state(vault)}/writing"


def _journal(vault: str) -> str:
    return f"{_folder(vault)}/journal"

"""A change of several files that is made whole or not at all, whatever kills it.

What is to be written lies in one journal file, synced, before the first of them is touched; then the files, then the
commit, then the journal goes. Whoever holds the vault's lock next finishes a change that was cut short, from the
journal, so the vault comes out as if nothing had happened.

A person may save the same file at the same moment. Every file is replaced only where it still is what the change was
planned on, and what was displaced is looked at once more before it goes: their version wins, ours is planned again.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, platform
from holdfast.capture.ids import digest as text_digest
from holdfast.errors import GitFailed, HoldfastError, UsageError
from holdfast.vault.git import OURS, Repository

if TYPE_CHECKING:
    from collections.abc import Sequence

TRAILER = "Holdfast-Change"


@dataclass(frozen=True)
class File:
    """One file of a change: what it was when the change was planned (a digest), and what it shall be. None: no file."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Change:
    """One commit to be. `parents` beyond the head are those of a merge."""

    id: str
    subject: str
    files: tuple[File, ...]
    cause: str = ""
    author: tuple[str, str] = OURS
    parents: tuple[str, ...] = field(default=())

    def message(self) -> str:
        cause = f"Holdfast-Cause: {self.cause}\n" if self.cause else ""
        return f"{self.subject}\n\n{cause}{TRAILER}: {self.id}\n"


@dataclass(frozen=True)
class Applied:
    """What became of a change: its commit ("" where nothing was left to commit), and the files that a person won."""

    commit: str
    skipped: tuple[str, ...]


def digest(raw: bytes | None) -> str | None:
    return None if raw is None else text_digest(raw.decode("utf-8", "surrogateescape"), 32)


def content(vault: str, path: str) -> bytes | None:
    """A file of the vault; None where there is none. A link is nobody's content."""
    try:
        fd = os.open(f"{vault}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with open(fd, "rb") as file:
        return file.read()


def inside(vault: str, path: str) -> str:
    """The full path of a file of the vault. Raises UsageError where it would leave it, by dots or by a link."""
    top = os.path.realpath(vault)
    parts = path.split("/")
    full = f"{vault}/{path}"
    leaves = path.startswith("/") or ".." in parts or parts[0] in ("", ".state", ".git") or "\0" in path
    if leaves or not f"{os.path.realpath(os.path.dirname(full))}/".startswith(f"{top}/"):
        raise UsageError(f"{path} does not lie in the vault; nothing was written.")
    return full


def apply(repository: Repository, change: Change) -> Applied:
    """Write the files, commit them, forget the journal. The vault's lock is held."""
    for one in change.files:
        inside(repository.vault, one.path)
    platform.make_folders(_folder(repository.vault))
    record = {"v": 1, **asdict(change)}
    platform.write_atomic(_journal(repository.vault), codec.encode(record), durable=True)
    return _carry_out(repository, change)


def recover(repository: Repository) -> Applied | None:
    """Finish a change that was cut short, if there is one. The vault's lock is held."""
    path = _journal(repository.vault)
    try:
        raw = platform.read_file(path)
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
        _refresh_index(repository, change)
        _forget(repository.vault)
        return Applied(commit.split()[0], ())
    return _carry_out(repository, change)


def _from_record(record: dict[str, Any]) -> Change:
    files = tuple(File(one["path"], one["before"], one["after"]) for one in record["files"])
    author = (str(record["author"][0]), str(record["author"][1]))
    return Change(
        str(record["id"]), str(record["subject"]), files, str(record["cause"]), author, tuple(record["parents"])
    )


def _carry_out(repository: Repository, change: Change) -> Applied:
    skipped = tuple(one.path for one in change.files if not _write(repository.vault, one))
    written = [one.path for one in change.files if one.path not in skipped]
    commit = _commit(repository, change, written)
    _forget(repository.vault)
    return Applied(commit, skipped)


def _write(vault: str, file: File) -> bool:
    """Put one file in its place; False where somebody else has changed it since the change was planned."""
    path = inside(vault, file.path)
    after = None if file.after is None else file.after.encode("utf-8", "surrogateescape")
    try:
        now = content(vault, file.path)
    except OSError:
        return False  # a link, or a folder: not ours to replace
    if now == after:
        return True
    if digest(now) != file.before:
        return False
    displaced = f"{_folder(vault)}/displaced"
    fresh = f"{_folder(vault)}/fresh"
    for left in (displaced, fresh):
        platform.remove(left)
    if after is None:
        os.rename(path, displaced)
        if digest(platform.read_file(displaced)) != file.before:
            os.rename(displaced, path)
            return False
        platform.remove(displaced)
        platform.sync_folder(os.path.dirname(path))
        _drop_empty_folder(os.path.dirname(path), vault)
        return True
    platform.make_folders(os.path.dirname(path))
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(fd, "wb") as out:
        out.write(after)
        out.flush()
        platform.sync(out.fileno())
    if now is None:
        try:
            os.link(fresh, path)
        except FileExistsError:
            return False
        platform.remove(fresh)
    else:
        os.link(path, displaced)
        os.rename(fresh, path)
        if digest(platform.read_file(displaced)) != file.before:
            os.rename(displaced, path)
            return False
        platform.remove(displaced)
    platform.sync_folder(os.path.dirname(path))
    return True


def _drop_empty_folder(folder: str, vault: str) -> None:
    try:
        if folder != vault:
            os.rmdir(folder)
    except OSError:
        return  # something is still in it


def _commit(repository: Repository, change: Change, written: Sequence[str]) -> str:
    """Commit exactly these paths; "" where they are already as the head has them."""
    head = repository.head()
    _stage(repository, written)
    if change.parents:
        tree = repository.text("write-tree")
        parents = [part for parent in (head, *change.parents) for part in ("-p", parent)]
        made = repository.run(
            "commit-tree", tree, *parents, "-F", "-", given=change.message().encode("utf-8"), who=change.author
        )
        commit = made.decode("ascii").strip()
        repository.run("update-ref", "-m", change.subject, "HEAD", commit, head)
        return commit
    paths = _to_commit(repository, written, head)
    if not paths:
        return ""
    done = repository.attempt(
        *("commit", "--quiet", "--no-verify", "--only", "--cleanup=verbatim", "-m", change.message()),
        *("--pathspec-from-file=-", "--pathspec-file-nul"),
        given=_listed(paths),
        who=change.author,
        env={"GIT_LITERAL_PATHSPECS": "1"},
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        if "nothing to commit" in said or "nothing added to commit" in said or "no changes added" in said:
            return ""
        raise GitFailed(f"git commit failed in {repository.vault}: {(said or 'no reason').splitlines()[-1]}")
    return repository.head()


def _to_commit(repository: Repository, written: Sequence[str], head: str) -> list[str]:
    """What git can name: files that are there, and gone ones that the head still has."""
    there = [path for path in written if os.path.lexists(f"{repository.vault}/{path}")]
    gone = sorted(set(written) - set(there))
    if gone and head:
        listed = repository.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", head).split(b"\0")
        known = {name.decode("utf-8", "surrogateescape") for name in listed}
        there += [path for path in gone if path in known]
    return there


def _stage(repository: Repository, written: Sequence[str]) -> None:
    if written:
        repository.run("update-index", "--add", "--remove", "-z", "--stdin", given=_listed(written))


def _listed(paths: Sequence[str]) -> bytes:
    return "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")


def _refresh_index(repository: Repository, change: Change) -> None:
    """A merge that was committed by plumbing may have been killed before the index knew."""
    if change.parents:
        repository.run("reset", "--quiet", "--mixed", "HEAD", allowed=(0, 1))


def _forget(vault: str) -> None:
    os.unlink(_journal(vault))
    platform.sync_folder(_folder(vault))


def _folder(vault: str) -> str:
    return f"{home.state(vault)}/writing"


def _journal(vault: str) -> str:
    return f"{_folder(vault)}/journal"

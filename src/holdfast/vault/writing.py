"""One writer at a time: the vault's lock, what a killed writer left, a person's edits, then ours with the map.

    with writing(vault, now) as writer:
        writer.commit("remember: …", {"knowledge/x.md": text}, cause="remember")

Entering makes the repository if there is none, removes stale locks, finishes a change that was cut short, and commits
what a person edited as theirs, so that ours is never mixed with it. Committing renews the map in BRAIN.md in the same
commit, and after it what is derived: the index of notes and the armed file.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.capture import home, ledger, platform
from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact
from holdfast.errors import Busy, HoldfastError, NewerFormat
from holdfast.vault import armed, brain, index, journal
from holdfast.vault.git import OURS, Repository, remove_stale_locks
from holdfast.vault.journal import Applied, Change, File

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATIENCE = 60.0  # seconds that a writer waits for another
GROWING = ("projects.toml", "activity.log")  # appended to by hooks and closes between commits
GITIGNORE = "# Not memory: our machinery, and what editors leave.\n.state/\n*~\n.*.sw?\n*.tmp\n\\#*#\n.#*\n.DS_Store\n"
GITATTRIBUTES = "* -text\nactivity.log merge=union\nprojects.toml merge=union\n"
OWN = {".gitignore": GITIGNORE, ".gitattributes": GITATTRIBUTES}


class Writer:
    """The vault while its lock is held."""

    def __init__(self, repository: Repository, now: float) -> None:
        self.repository = repository
        self.vault = repository.vault
        self.now = now
        self._index: index.Index | None = None

    @property
    def index(self) -> index.Index:
        if self._index is None:
            self._index = index.load(self.vault)
        return self._index

    def read(self, path: str) -> str | None:
        """A file of the vault as text; bytes that are no UTF-8 come back as they went when it is written again."""
        try:
            raw = journal.content(self.vault, path)
        except OSError:
            return None
        return None if raw is None else raw.decode("utf-8", "surrogateescape")

    def commit(
        self,
        subject: str,
        texts: Mapping[str, str | None],
        *,
        cause: str,
        author: tuple[str, str] | None = None,
        parents: tuple[str, ...] = (),
        planned_on: Mapping[str, str | None] | None = None,
    ) -> Applied:
        """Write these files and the map as one commit. None removes a file.

        `planned_on` are the texts that the caller worked from; a file that is no longer so is left to its editor and
        named in `skipped`. Where it is not given, what stands there now is taken for it.
        """
        before = {path: self.read(path) for path in texts}
        before.update({path: text for path, text in (planned_on or {}).items() if path in texts})
        wanted = dict(texts)
        after = self.index.with_texts(texts)
        if brain.PATH not in wanted:
            before[brain.PATH] = self.read(brain.PATH)
            wanted[brain.PATH] = brain.refreshed(before[brain.PATH], after.notes)
        for path in GROWING:
            text = self.read(path)
            if path not in wanted and text is not None:
                before[path] = wanted[path] = text
        files = tuple(
            File(path, journal.digest(_raw(before[path])), text)
            for path, text in wanted.items()
            if text != before[path] or path in GROWING or path in texts
        )
        change = Change(new_id(self.now), _subject(subject), files, cause, author or OURS, parents)
        applied = journal.apply(self.repository, change)
        self._index = None
        refresh_derived(self.vault, self.index)
        if applied.commit:
            _tell(self.vault, self.now, cause, change, applied)
        return applied


@contextmanager
def writing(vault: str, now: float, patience: float = PATIENCE) -> Iterator[Writer]:
    """The vault for one writer. Raises Busy, GitFailed, NewerFormat."""
    version = home.format_of(vault)
    if version > home.FORMAT:
        raise NewerFormat(f"{vault} has format {version}; nothing was changed. Upgrade holdfast on this machine.")
    home.make_vault(vault)
    held = _lock(f"{home.state(vault)}/vault.lock", patience)
    try:
        repository = Repository(vault, held)
        if repository.exists():
            remove_stale_locks(repository)
        repository.init()
        writer = Writer(repository, now)
        journal.recover(repository)
        _begin(writer)
        commit_person(writer)
        yield writer
    finally:
        os.close(held)


def _lock(path: str, patience: float) -> int:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(fd)
                raise Busy from None
            time.sleep(0.01)


def _begin(writer: Writer) -> None:
    """A fresh repository gets its first commit before anything else, so that there is always a head."""
    if writer.repository.head():
        return
    texts = {path: writer.read(path) for path in (*OWN, "format", *GROWING)}
    files = [
        File(path, journal.digest(_raw(text)), OWN.get(path) if text is None else text)
        for path, text in texts.items()
        if text is not None or path in OWN
    ]
    journal.apply(writer.repository, Change(new_id(writer.now), "The vault begins", tuple(files), "init"))


def commit_person(writer: Writer) -> str:
    """What a person changed since the last commit, committed as theirs. Returns the commit, "" where there was none."""
    repository = writer.repository
    raw = repository.run("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    changed = [line[3:].decode("utf-8", "surrogateescape") for line in raw.split(b"\0") if line]
    head = repository.head()
    ours = [path for path in changed if _has_only_grown(repository, head, path)]
    theirs = [path for path in changed if path not in ours]
    if not theirs:
        return ""
    some = ", ".join(theirs[:3]) + (f" and {len(theirs) - 3} more" if len(theirs) > 3 else "")
    change = Change(new_id(writer.now), _subject(f"edited by hand: {some}"), (), "hand")
    repository.run("add", "--all", "--", ":/", *(f":(exclude){path}" for path in ours))
    who = repository.person()
    repository.run("commit", "--quiet", "--no-verify", "--cleanup=verbatim", "-m", change.message(), who=who)
    return repository.head()


def _has_only_grown(repository: Repository, head: str, path: str) -> bool:
    """Whether a file that hooks append to has nothing but more lines than at the head: then it is our own doing."""
    if path not in GROWING:
        return False
    now = journal.content(repository.vault, path) or b""
    before = repository.content(head, path) or b""
    return now.startswith(before)


def refresh_derived(vault: str, known: index.Index) -> None:
    """What the hook reads. A disk that refuses it costs freshness, nothing else."""
    try:
        armed.compile_all(vault, known.notes)
        _touch_stale(vault)
    except OSError:
        return


def _touch_stale(vault: str) -> None:
    """Every brief is to be made anew: its maker looks at this file's time."""
    platform.write_atomic(f"{home.state(vault)}/changed", b"", durable=False)


def _tell(vault: str, now: float, cause: str, change: Change, applied: Applied) -> None:
    try:
        what = {"change": change.id, "commit": applied.commit[:12], "files": len(change.files)}
        ledger.append(home.state(vault), "vault", now, cause=cause, **what)
    except HoldfastError:
        return  # git has said it durably


def _raw(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def _subject(text: str) -> str:
    line = redact(" ".join(text.split()))[0]
    return line if len(line) <= 100 else line[:99].rstrip() + "…"

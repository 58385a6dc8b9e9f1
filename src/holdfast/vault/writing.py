"""One writer at a time: the vault's lock, what a killed writer left, a person's edits, then ours with the map.

    with writing(vault, now) as writer:
        writer.commit("remember: …", {"knowledge/x.md": text}, cause="remember", by=asker)

Entering makes the repository if there is none, removes stale locks, finishes a change that was cut short, and commits
what checkpoints wrote as ours and what a person edited as theirs, so that the two are never mixed. While a person's own
merge or rebase is half done, or they look at an old commit, it is refused in a sentence. Committing renews the map in
BRAIN.md in the same commit, and after it what is derived: the armed file and the briefs.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.capture import agent_edits, home, ledger, locks, platform, quoting
from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact
from holdfast.errors import GitFailed, HoldfastError
from holdfast.vault import armed_file, brain, gate, index, journal, notes, own, settling, standing, tasks, vouched
from holdfast.vault.git import OURS, Repository, remove_stale_locks
from holdfast.vault.journal import Applied, Change, File

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATIENCE = 60.0  # seconds that a writer waits for another
GROWING = ("projects.toml", "activity.log")  # appended to by hooks and closes between commits
GITIGNORE = "# Not memory: our machinery, and what editors leave.\n.state/\n*~\n.*.sw?\n*.tmp\n\\#*#\n.#*\n.DS_Store\n"
GITATTRIBUTES = "* -text\nactivity.log merge=union\nprojects.toml merge=union\npurged merge=union\n"
UNMERGED = (b"DD", b"AU", b"UD", b"UA", b"DU", b"AA", b"UU")
OWN = {".gitignore": GITIGNORE, ".gitattributes": GITATTRIBUTES}


class Writer:
    """The vault while its lock is held."""

    def __init__(self, repository: Repository, now: float) -> None:
        self.repository = repository
        self.vault = repository.vault
        self.now = now
        self.head = ""  # the last commit that is vouched for (vault/vouched)
        self._index: index.Index | None = None

    @property
    def index(self) -> index.Index:
        if self._index is None:
            self._index = index.load(self.vault)
        return self._index

    @property
    def known_paths(self) -> list[str] | None:
        """The notes, and what should be one, where somebody has looked already."""
        known = self._index
        return None if known is None else [*known.known, *(one.path for one in known.broken)]

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
        by: gate.Asker,
        author: tuple[str, str] | None = None,
        parents: tuple[str, ...] = (),
        planned_on: Mapping[str, str | None] | None = None,
        with_briefs: bool = True,
    ) -> Applied:
        """Write these files and the map as one commit. None removes a file. Then make anew what is derived, so that
        the very next start knows; a close, which makes many commits, sees to the briefs itself.

        `by` says who asks: what a note binds as is changed only by those whom the gate lets. Raises gate.Refused.

        `planned_on` are the texts that the caller worked from; a file that is no longer so is left to its editor and
        named in `skipped`. Where it is not given, what stands there now is taken for it.
        """
        before = {path: self.read(path) for path in texts}
        before.update({path: text for path, text in (planned_on or {}).items() if path in texts})
        wanted = dict(texts)
        after = self.index.with_texts(texts)
        standing.refuse(by, texts, self.index, after)
        if brain.PATH in texts and brain.refreshed(self.read(brain.PATH), ()) != brain.refreshed(texts[brain.PATH], ()):
            gate.require(by, gate.Change(gate.IDENTITY, gate.LIFTED), "Changing the user's own part of BRAIN.md")
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
        self.head = applied.commit if self.head and applied.commit else self.head
        self._index = None if applied.skipped else after
        refresh_derived(self.vault, self.index, with_briefs=with_briefs)
        if applied.commit:
            _tell(self.vault, self.now, cause, change, applied)
        return applied


@contextmanager
def writing(vault: str, now: float, patience: float = PATIENCE) -> Iterator[Writer]:
    """The vault for one writer. Raises Busy, GitFailed, NewerFormat."""
    home.refuse_newer(vault)
    home.make_vault(vault)
    if not os.path.exists(f"{vault}/.git"):
        from holdfast.vault import purge_history

        purge_history.mend(vault)  # before a fresh history would take its place
    held = lock(vault, patience)
    try:
        repository = Repository(vault, held)
        remove_stale_locks(repository)
        _refuse_odd_lists(vault)
        repository.init()
        _refuse_amid(repository)
        repository.keep_branch()
        writer = Writer(repository, now)
        journal.recover(repository)
        _begin(writer)
        tasks.settle(writer)
        commit_person(writer)
        yield writer
        repository.keep_branch()
        if writer.head:
            vouched.vouch(vault, writer.head, paths=writer.known_paths)
    finally:
        os.close(held)


def take_in(vault: str, now: float, patience: float = 2.0) -> None:
    """Commit or settle what was edited since the last writer, so that there is a version to go back to. While another
    writes, or a person is in the middle of something, that is left to the next."""
    if not os.path.exists(f"{vault}/.git"):
        return
    try:
        with writing(vault, now, patience):
            pass
    except (HoldfastError, OSError):
        return


def lock(vault: str, patience: float) -> int:
    """The vault's lock, as a descriptor to be closed. Raises Busy."""
    return locks.taken(f"{home.state(vault)}/vault.lock", patience)


def is_being_written(vault: str) -> bool:
    """Whether somebody holds the vault's lock at this moment: then what lies there is work in progress."""
    return locks.is_held(f"{home.state(vault)}/vault.lock")


def _refuse_amid(repository: Repository) -> None:
    """A commit of ours would end what a person began, conflicts and all."""
    begun = repository.begun_by_hand()
    if begun:
        raise GitFailed(
            f"A {begun} that somebody began in {repository.vault} is not finished; nothing was changed. "
            "Finish it with git there, then run it again."
        )


def _refuse_odd_lists(vault: str) -> None:
    """A pipe where git reads a list on its way through the vault would keep it, and the vault's lock, for ever."""
    waiting = [vault]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except OSError:
            continue  # git says so itself
        for entry in found:
            if entry.name in (".gitignore", ".gitattributes", ".gitmodules") and (why := platform.oddity(entry.path)):
                raise GitFailed(f"{entry.path} {why}, so git was not started; nothing was changed. Move it away.")
            if entry.name not in (".git", ".state") and entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def _begin(writer: Writer) -> None:
    """A fresh repository gets its first commit before anything else, so that there is always a head; one that a person
    made gets what keeps our machinery out of it."""
    has_head = bool(writer.repository.head())
    wanted = [path for path in OWN if not os.path.lexists(f"{writer.vault}/{path}")]
    if has_head and not wanted:
        return
    texts = {path: writer.read(path) for path in (wanted if has_head else (*OWN, "format", *GROWING))}
    files = [
        File(path, journal.digest(_raw(text)), OWN.get(path) if text is None else text)
        for path, text in texts.items()
        if text is not None or path in OWN
    ]
    journal.apply(writer.repository, Change(new_id(writer.now), "The vault begins", tuple(files), "init"))


def commit_person(writer: Writer) -> str:
    """What a person changed since the last commit, committed as theirs. Returns the commit, "" where there was none.
    What an agent changed with its own tools is settled first (vault/settling)."""
    repository = writer.repository
    found = _changed(repository)
    head = repository.head()
    settled = settling.settle(writer, [path for _, path in found])
    if settled.paths:
        found, head = _changed(repository), repository.head()
    changed = [path for _, path in found if _can_be_kept(repository.vault, path)]
    edits = agent_edits.Edits(repository.vault)
    left = [path for path in changed if not settled.is_done and edits.by(path)]
    theirs = [path for path in changed if path not in left and not _is_our_own(repository, head, path)]
    commit = _commit_theirs(writer, found, theirs) if theirs else ""
    if settled.is_done:
        writer.head = commit or head
        vouched.vouch(writer.vault, writer.head, paths=writer.known_paths, anew=True)
    return commit


def _changed(repository: Repository) -> list[tuple[bytes, str]]:
    """The files that differ from the head, each with its state as git says it. Raises GitFailed amid a conflict."""
    raw = repository.run(
        *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"),
        *("--", ":/", ":(top,exclude).state"),  # our machinery, whatever a person made of .gitignore
    )
    found = [(line[:2], line[3:].decode("utf-8", "surrogateescape")) for line in raw.split(b"\0") if line]
    torn = [path for state, path in found if state in UNMERGED]
    if torn:
        raise GitFailed(
            f"{torn[0]} in {repository.vault} is in conflict; nothing was changed. "
            "Mend it and `git add` it there, then run it again."
        )
    return found


def _commit_theirs(writer: Writer, found: list[tuple[bytes, str]], theirs: list[str]) -> str:
    repository = writer.repository
    change = Change(new_id(writer.now), _subject(f"edited by hand: {notes.some_of(theirs)}"), (), "hand")
    who = repository.person()
    if any(state[:1] not in b" ?" and state[1:] != b" " for state, _ in found):
        # A file was edited again after it was staged: only the index has the version between.
        journal.commit_theirs(repository, (), change.message(), who)
        change = Change(new_id(writer.now), change.subject, (), "hand")
    return journal.commit_theirs(repository, theirs, change.message(), who)


def _can_be_kept(vault: str, path: str) -> bool:
    """Files and links, and what is gone. Not a pipe, nor a repository of its own, of which git would keep the name,
    nor a file so large that git would hash it for minutes while everybody waits for the vault's lock."""
    try:
        seen = os.lstat(f"{vault}/{path}")
    except OSError:
        return True
    is_file = stat.S_ISREG(seen.st_mode) and seen.st_size <= platform.LARGEST
    return not path.endswith("/") and (is_file or stat.S_ISLNK(seen.st_mode) or stat.S_ISDIR(seen.st_mode))


def _is_our_own(repository: Repository, head: str, path: str) -> bool:
    """Whether a changed file is our own doing: task memory, thoughts, or one that hooks append to and that only has
    more lines than at the head."""
    if path not in GROWING:
        return own.is_ours(repository.vault, path)
    now = journal.content(repository.vault, path) or b""
    before = repository.content(head, path) or b""
    return now.startswith(before)


def refresh_derived(vault: str, known: index.Index, *, with_briefs: bool = True) -> None:
    """What the hook reads. A disk that refuses it costs freshness, nothing else."""
    from holdfast.vault import brief

    try:
        armed_file.compile_all(vault, known)
        _touch_stale(vault)
        if with_briefs:
            brief.refresh_known(vault, known)
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
    return quoting.shortened(redact(" ".join(text.split()))[0], 100)

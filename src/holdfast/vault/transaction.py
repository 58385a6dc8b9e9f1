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
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.capture import agent_files, gate, home, ledger, locks, platform, quoting
from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact
from holdfast.errors import GitFailed, HistoryDamaged, HoldfastError, Unwritable
from holdfast.model import OURS
from holdfast.vault import agent_edits, authority, damage, git_damage, git_settings, journal, note_facets, own_files
from holdfast.vault.armed_file import compile_all
from holdfast.vault.git import Repository, commit_theirs, remove_stale_locks
from holdfast.vault.git_loose import tell_lost
from holdfast.vault.index_rows import StoredIndex
from holdfast.vault.journal import Applied, Change, File
from holdfast.vault.notes import some_of
from holdfast.vault.stored_index import opened as opened_index

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.vault.index import Index

PATIENCE = 60.0  # seconds that a writer waits for another
GROWING = ("projects.toml", "activity.log")  # appended to by hooks and closes between commits
GITIGNORE = "# Not memory: our machinery, and what editors leave.\n.state/\n*~\n.*.sw?\n*.tmp\n\\#*#\n.#*\n.DS_Store\n"
GITATTRIBUTES = "* -text\nactivity.log merge=union\nprojects.toml merge=union\npurged merge=union\n"
IGNORED = b"!!"
UNMERGED = (b"DD", b"AU", b"UD", b"UA", b"DU", b"AA", b"UU")
LISTS = frozenset((".gitignore", ".gitattributes", ".gitmodules"))  # that git reads in each folder
OWN = {".gitignore": GITIGNORE, ".gitattributes": GITATTRIBUTES}


class Writer:
    """The vault while its lock is held."""

    def __init__(self, repository: Repository, now: float) -> None:
        self.repository = repository
        self.vault = repository.vault
        self.now = now
        self.head = ""  # the last commit that is vouched for (vault/authority)
        self.at = ""  # the head, where nobody has moved it since
        self.dirty: set[str] | None = None  # the files that differ from the head, as git said last
        self._index: Index | None = None

    @property
    def index(self) -> Index:
        """The notes. It is opened once, and grows with what is committed."""
        if self._index is None:
            if self.dirty is None:
                changed(self)
            self._index = opened_index(self.repository, self.at or self.repository.head(), self.dirty or ())
        return self._index

    @property
    def seen_index(self) -> Index | None:
        """The notes, where somebody has looked already."""
        return self._index

    def look_again(self) -> None:
        """Somebody else has written: the next look at the notes begins anew."""
        self._index = None

    def begin_anew(self) -> None:
        """The history is another one."""
        self.at, self.dirty, self._index = "", None, None

    def read(self, path: str) -> str | None:
        """A file of the vault as text; bytes that are no UTF-8 come back as they went when it is written again."""
        return journal.read(self.vault, path)

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
        in_vain: bool = False,
    ) -> Applied:
        """Write these files and the map as one commit; None removes a file. Then make anew what is derived, so that the
        very next start knows; a close, which makes many commits, sees to the briefs itself.

        `by` asks, and the gate says which notes that binds it may change. `planned_on` are the texts that the caller
        worked from, else what stands there now; a file that is no longer so is left to its editor and named in
        `skipped`. Raises gate.Refused, and Unwritable where the system lets us write none of the files, unless it may
        be `in_vain`: then the caller looks at what was refused.
        """
        before = {path: text for path, text in (planned_on or {}).items() if path in texts}
        for path in texts.keys() - before.keys():
            before[path] = self.read(path)
        wanted = dict(texts)
        after = self.index.with_texts(texts)
        authority.refuse(by, texts, self.index, after)
        brain, old = note_facets.PATH, self.read(note_facets.PATH)
        if brain not in texts:
            before[brain], wanted[brain] = old, note_facets.refreshed(old, after)
        elif note_facets.refreshed(old, ()) != note_facets.refreshed(texts[brain], ()):
            gate.require(by, gate.Change(gate.IDENTITY, gate.LIFTED), "Changing the user's own part of BRAIN.md")
        for path in GROWING:
            text = self.read(path)
            if path not in wanted and text is not None:
                before[path] = wanted[path] = text
        files = tuple(
            File(path, journal.digest(journal.encoded(before[path])), text)
            for path, text in wanted.items()
            if text != before[path] or path in GROWING or path in texts
        )
        derived = tuple(path for path in (note_facets.PATH, *GROWING) if path not in texts)
        change = Change(new_id(self.now), _subject(subject), files, cause, author or OURS, parents, derived)
        applied = journal.apply(self.repository, change)
        self.at = applied.commit or self.at
        self._index = after.keep(applied.commit) if isinstance(after, StoredIndex) else after
        if applied.skipped:
            self.dirty = {*(self.dirty or ()), *texts, *applied.skipped}
            self.look_again()
        last = applied.commit
        if note_facets.PATH in applied.skipped:
            last = self._redraw_map() or last
        self.head = last if self.head and last else self.head
        damage.note_refused(self.vault, applied.refused, self.now)
        if not in_vain and texts and texts.keys() <= dict(applied.refused).keys():
            raise Unwritable(f"{damage.sentence(self.vault, applied.refused)}; nothing was changed.")
        refresh_derived(self.vault, self.index, with_briefs=with_briefs)
        if applied.commit:
            told = {"change": change.id, "commit": applied.commit[:12], "files": len(files)}
            with suppress(HoldfastError):  # git has said it durably
                ledger.append(home.state(self.vault), "vault", self.now, cause=cause, **told)
        return applied

    def _redraw_map(self) -> str:
        """The map of what is there, where a change could not be made as a whole and left it as it was."""
        before = self.read(note_facets.PATH)
        after = note_facets.refreshed(before, self.index)
        if after == before:
            return ""
        file = File(note_facets.PATH, journal.digest(journal.encoded(before)), after)
        change = Change(new_id(self.now), "The map of what is there", (file,), "map")
        self.at = journal.apply(self.repository, change).commit or self.at
        self.look_again()
        return self.at


@contextmanager
def writing(vault: str, now: float, patience: float = PATIENCE) -> Iterator[Writer]:
    """The vault for one writer. Raises Busy, GitFailed, NewerFormat."""
    home.refuse_newer(vault)
    home.make_vault(vault)
    if not os.path.exists(f"{vault}/.git"):
        from holdfast.vault import purge_history

        purge_history.mend(vault)  # before a fresh history would take its place
    with locked(vault, patience) as repository:
        try:
            remove_stale_locks(repository)
            _refuse_odd_lists(vault)
            git_damage.refuse(repository)
            repository.init()
            if begun := repository.begun_by_hand():  # a commit of ours would end it, conflicts and all
                raise GitFailed(
                    f"A {begun} that somebody began in {vault} is not finished; nothing was changed. "
                    "Finish it with git there, then run it again."
                )
            repository.keep_branch()
            writer = Writer(repository, now)
            journal.recover(repository)
            _begin(writer)
            own_files.settle(writer)
            commit_person(writer)
            yield writer
            repository.keep_branch()
            if writer.head:
                authority.vouch(vault, writer.head, writer.seen_index)
            git_settings.note(vault, repository.own_folder())
            damage.lift_faults(repository)
        except GitFailed as error:
            broken = error if isinstance(error, HistoryDamaged) else None
            if error.by_git and not broken:
                with suppress(GitFailed):
                    broken = git_damage.explained(repository)
            if broken is None:
                raise
            git_damage.note_fault(vault, broken, now)
            raise broken from (None if broken is error else error)


def take_in(vault: str, now: float, patience: float = 2.0) -> None:
    """Commit or settle what was edited since the last writer, so that there is a version to go back to. While another
    writes, or a person is in the middle of something, that is left to the next."""
    if os.path.exists(f"{vault}/.git"):
        with suppress(HoldfastError, OSError), writing(vault, now, patience):
            pass


@contextmanager
def locked(vault: str, patience: float = PATIENCE) -> Iterator[Repository]:
    """The vault's repository while its lock is held, for repairs that a writer would stumble over. Raises Busy."""
    held = locks.taken(f"{home.state(vault)}/vault.lock", patience)
    try:
        yield Repository(vault, held)
    finally:
        os.close(held)


def is_being_written(vault: str) -> bool:
    """True if somebody holds the vault's lock at this moment: then what lies there is work in progress."""
    return locks.is_held(f"{home.state(vault)}/vault.lock")


def _refuse_odd_lists(vault: str) -> None:
    """A pipe where git reads a list on its way through the vault would keep it, and the vault's lock, for ever."""
    for top, folders, names in os.walk(vault):
        for name in LISTS.intersection((*names, *folders)):
            if why := platform.oddity(f"{top}/{name}"):
                raise GitFailed(f"{top}/{name} {why}, so git was not started; nothing was changed. Move it away.")
        folders[:] = [name for name in folders if name not in (".git", ".state")]


def _begin(writer: Writer) -> None:
    """Make the first commit, so that there is always a head, or keep our machinery out of one that a person made."""
    has_head = bool(writer.repository.head())
    wanted = [path for path in OWN if not os.path.lexists(f"{writer.vault}/{path}")]
    if has_head and not wanted:
        return
    texts = {path: writer.read(path) for path in (wanted if has_head else (*OWN, "format", *GROWING))}
    files = [
        File(path, journal.digest(journal.encoded(text)), OWN.get(path) if text is None else text)
        for path, text in texts.items()
        if text is not None or path in OWN
    ]
    journal.apply(writer.repository, Change(new_id(writer.now), "The vault begins", tuple(files), "init"))


def commit_person(writer: Writer) -> str:
    """Commit a person's changes since the last commit as theirs. Returns the commit, "" where there was none. Changes
    that an agent made with its own tools are settled first (vault/agent_edits)."""
    repository = writer.repository
    found = changed(writer)
    head = repository.head()
    settled = agent_edits.settle(writer, [path for _, path in found])
    if settled.paths:
        found, head = changed(writer), repository.head()
    kept = [path for _, path in found if _can_be_kept(repository.vault, path)]
    kept = damage.without_damaged(repository, head, kept, writer.now)
    edits = agent_files.Edits(repository.vault)
    left = [path for path in kept if not settled.is_done and edits.by(path)]
    theirs = [path for path in kept if path not in left and not _is_our_own(repository, head, path)]
    tell_lost(repository, head, theirs, writer.now)
    commit = _commit_theirs(writer, found, theirs) if theirs else ""
    if commit:
        writer.look_again()
    writer.at = commit or head
    if settled.is_done:
        writer.head = commit or head
        authority.vouch(writer.vault, writer.head, writer.seen_index, anew=True)
    return commit


def changed_paths(repository: Repository) -> list[str]:
    """The files that differ from the head and can be committed."""
    found = [path for state, path in repository.changed() if state != IGNORED]
    return [path for path in found if _can_be_kept(repository.vault, path)]


def changed(writer: Writer) -> list[tuple[bytes, str]]:
    """The files that differ from the head, each with its state as git says it; the writer knows them from then on, with
    those that git is told to ignore. Raises GitFailed amid a conflict."""
    repository = writer.repository
    listed = repository.changed()
    writer.dirty = {path for _, path in listed}
    found = [one for one in listed if one[0] != IGNORED]
    torn = [path for state, path in found if state in UNMERGED]
    if torn:
        raise GitFailed(
            f"{torn[0]} in {repository.vault} is in conflict; nothing was changed. "
            "Mend it and `git add` it there, then run it again."
        )
    return found


def _commit_theirs(writer: Writer, found: list[tuple[bytes, str]], theirs: list[str]) -> str:
    repository = writer.repository
    change = Change(new_id(writer.now), _subject(f"edited by hand: {some_of(theirs)}"), (), "hand")
    who = repository.person()
    if any(state[:1] not in b" ?" and state[1:] != b" " for state, _ in found):
        # A file was edited again after it was staged: only the index has the version between.
        commit_theirs(repository, (), change.message(), who)
        change = Change(new_id(writer.now), change.subject, (), "hand")
    return commit_theirs(repository, theirs, change.message(), who)


def _can_be_kept(vault: str, path: str) -> bool:
    """Files and links, and what is gone. Not a pipe, nor a repository of its own, of which git would keep the name, nor
    a file so large that git would hash it for minutes while everybody waits for the vault's lock."""
    try:
        seen = os.lstat(f"{vault}/{path}")
    except OSError:
        return True
    is_file = stat.S_ISREG(seen.st_mode) and seen.st_size <= platform.LARGEST
    return not path.endswith("/") and (is_file or stat.S_ISLNK(seen.st_mode) or stat.S_ISDIR(seen.st_mode))


def _is_our_own(repository: Repository, head: str, path: str) -> bool:
    """True if a changed file is our own doing: task memory, thoughts, or one that hooks only appended to."""
    if path not in GROWING:
        return own_files.is_ours(repository.vault, path)
    now = journal.content(repository.vault, path) or b""
    before = repository.content(head, path) or b""
    return now.startswith(before)


def refresh_derived(vault: str, known: Index, *, with_briefs: bool = True) -> None:
    """Make the files anew that the hook reads. A disk that refuses it costs freshness, nothing else."""
    from holdfast.vault import brief

    with suppress(OSError):
        compile_all(vault, known)
        platform.write_atomic(f"{home.state(vault)}/changed", b"", durable=False)  # briefs are to be made anew
        if with_briefs:
            brief.refresh_known(vault, known)


def _subject(text: str) -> str:
    return quoting.shortened(redact(" ".join(text.split()))[0], 100)

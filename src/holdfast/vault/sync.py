"""One vault on several machines: their commits are fetched, merged file by file, and ours are pushed.

Promise: nothing that either side wrote is lost, nothing is ever forced, and a kill at any point leaves a vault that the
next sync brings to the same tree. Where both changed the same lines, ours stays, theirs lies beside it, and it is said.

The network is used without the vault's lock, so a slow remote never keeps a session's close waiting; only the merge
holds it. A merge is one journalled change with their commit as second parent. Where its tree comes out as theirs and we
had nothing of our own, the head then moves to their very commit, so that machines come to rest instead of merging each
other's merges for ever. That last step moves only a reference, between two commits of the same tree.

Another vault that shares no history with ours is refused, unless ours has nothing of its own yet or the two are to be
joined: then each file of theirs counts as new. Purged texts are never carried back to either side. What a remote offers
is not believed: links, other repositories and paths into our machinery are refused before a byte is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from holdfast.capture import gate, home
from holdfast.errors import GitFailed, NewerFormat, NotFound, UsageError
from holdfast.vault import git_damage, history, journal, note_facets, notes, own_files, purge_history, remote
from holdfast.vault.git import Repository
from holdfast.vault.merge import merge
from holdfast.vault.transaction import GROWING, OWN, Writer, commit_person, writing

ROUNDS = 5
TRIES = 10
LONGEST_PATH = 1000
LINK, MODULE = "120000", "160000"


@dataclass(frozen=True)
class Conflict:
    """A file that both changed: where ours is, where theirs is ("" where there is only one version), and why."""

    path: str
    theirs: str
    why: str


@dataclass(frozen=True)
class Joined:
    """The files that a merge took from the remote, or would take."""

    taken: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True)
class Synced:
    """A sync, done or planned: files taken, commits sent, and the commit where both sides now stand."""

    remote: str
    taken: tuple[str, ...]
    sent: int
    conflicts: tuple[Conflict, ...]
    commit: str
    dry_run: bool = False
    origin_was: str = ""  # the address that this one took the place of


@dataclass(frozen=True)
class MergePlan:
    """The files of a merge, and the texts they were planned on."""

    texts: dict[str, str | None]
    planned_on: dict[str, str | None]
    conflicts: tuple[Conflict, ...]


def sync(vault: str, now: float, wanted: str = "", *, joining: bool = False) -> Synced:
    """Fetch, merge, push, at most a few rounds. Raises NotFound, UsageError, GitFailed, NewerFormat, Busy."""
    repository = Repository(vault)
    git_damage.refuse(repository)
    name = remote.choose(repository, wanted)
    if not repository.exists():
        with writing(vault, now):
            pass  # which makes it
    joined = Joined()
    for _ in range(ROUNDS):
        theirs = remote.fetch(repository, name)
        _refuse_purged(repository, name, theirs)
        with writing(vault, now) as writer:
            _refuse_links(writer.repository)
            purge_history.publish(writer)  # where a purge was cut short or is older than the list
            more = join(writer, theirs, joining=joining) if theirs else Joined()
            taken = tuple(dict.fromkeys((*joined.taken, *more.taken)))
            joined = Joined(taken, tuple(dict.fromkeys((*joined.conflicts, *more.conflicts))))
            own_files.settle(writer)  # pages are made of the logs of all machines
            head = writer.repository.head()
        sent = _count(repository, theirs, head)
        if head == theirs or remote.push(repository, name, head):
            was = ""
            if remote.is_new(repository, name):  # it has proved itself: a sync goes there from now on
                with writing(vault, now) as writer:
                    was = remote.remember(writer.repository, name)
            shown = remote.shown(repository, name)
            return Synced(shown, joined.taken, sent, joined.conflicts, head, origin_was=was)
    raise GitFailed(
        f"{remote.shown(repository, name)} changed {ROUNDS} times while we were pushing; all of theirs is merged and "
        "all of ours is kept here. Run `holdfast sync` again."
    )


def preview(vault: str, wanted: str = "", *, joining: bool = False) -> Synced:
    """Plan a sync; theirs is fetched, nothing is written to the vault or sent."""
    repository = Repository(vault)
    head = repository.head() if repository.exists() else ""
    if not head:
        raise NotFound("The vault has no history yet, so there is nothing to compare; nothing was changed.")
    name = remote.choose(repository, wanted)
    theirs = remote.fetch(repository, name)
    _refuse_purged(repository, name, theirs)
    joined = Joined()
    if theirs and not _is_within(repository, theirs, head):
        plan = _plan(repository, partial(journal.read, vault), _base(repository, head, theirs, joining=joining), theirs)
        joined = Joined(_taken(plan), plan.conflicts)
    sent = _count(repository, theirs, head)
    return Synced(remote.shown(repository, name), joined.taken, sent, joined.conflicts, head, dry_run=True)


def join(writer: Writer, theirs: str, *, joining: bool = False) -> Joined:
    """Merge their commit into the vault. The vault's lock is held. Raises UsageError, NewerFormat."""
    repository = writer.repository
    head = repository.head()
    if _is_within(repository, theirs, head):
        _settle(repository, theirs)
        return Joined()
    base = _base(repository, head, theirs, joining=joining)
    plan = _plan(repository, writer.read, base, theirs)
    _refuse_impossible(writer.vault, plan.texts)
    for full in (f"{writer.vault}/{path}" for path in plan.texts):
        if _is_file(full) and not os.path.islink(full) and os.lstat(full).st_mode & 0o111:
            os.chmod(full, 0o600)  # a memory is no program: else two machines would never agree
    conflicts = plan.conflicts
    late = _write(writer, plan, (theirs,))
    for _ in range(TRIES):
        if not late:
            break
        commit_person(writer)
        again = _plan(repository, writer.read, base, theirs, late)
        conflicts += again.conflicts
        late = _write(writer, again)
    if late:
        raise GitFailed(f"{late[0]} changes all the time; it was left as it is, and their version is in {theirs[:12]}.")
    _settle(repository, theirs)
    return Joined(_taken(plan), conflicts)


def _write(writer: Writer, plan: MergePlan, parents: tuple[str, ...] = ()) -> tuple[str, ...]:
    """One commit; returns the files that a person or a hook changed in that very moment, to be merged again."""
    taken = _taken(plan)
    some = notes.some_of(taken).encode("utf-8", "replace").decode("utf-8")  # as a commit message can hold it
    texts = history.with_map(plan.texts, writer.index)
    applied = writer.commit(
        f"sync: {some or 'nothing new'}",
        texts,
        cause="sync",
        by=gate.BY_SYNC,
        parents=parents,
        planned_on=plan.planned_on,
    )
    return tuple(path for path in applied.skipped if path in texts)


def _plan(
    repository: Repository, read: Callable[[str], str | None], base: str, theirs: str, only: tuple[str, ...] = ()
) -> MergePlan:
    listed = [one for one in history.deltas(repository, base, theirs) if not only or one.path in only]
    _refuse_odd(listed)
    texts_of = history.blobs(repository, (name for one in listed for name in (one.before, one.after)))
    _refuse_newer(next((texts_of[one.after] for one in listed if one.path == "format"), None))
    texts: dict[str, str | None] = {}
    planned_on: dict[str, str | None] = {}
    conflicts = []
    for one in listed:
        ours = planned_on[one.path] = read(one.path)
        merged = merge(one.path, texts_of[one.before], ours, texts_of[one.after])
        texts[one.path] = merged.text
        if not merged.conflict:
            continue
        if ours is None:
            conflicts.append(Conflict(one.path, "", "removed here, changed there; it is back"))
        elif texts_of[one.after] is None:
            conflicts.append(Conflict(one.path, "", "changed here, removed there; it stays"))
        else:
            beside = journal.beside_of(one.path, one.after)
            conflicts.append(Conflict(one.path, beside, "both changed the same lines"))
            texts[beside], planned_on[beside] = texts_of[one.after], read(beside)
    return MergePlan(texts, planned_on, tuple(conflicts))


def _taken(plan: MergePlan) -> tuple[str, ...]:
    """The files that a merge changes here. A map that is generated again is no change."""
    before = dict(plan.planned_on)
    if note_facets.PATH in before:
        before[note_facets.PATH] = note_facets.refreshed(before[note_facets.PATH], ())
    return tuple(sorted(path for path, text in plan.texts.items() if text != before[path]))


def _base(repository: Repository, head: str, theirs: str, *, joining: bool) -> str:
    """The commit that both come from, else the empty tree if ours is bare or both are to be joined, else UsageError."""
    found = repository.run("merge-base", head, theirs, allowed=(0, 1)).decode("ascii").split()
    if found:
        return found[0]
    raw = repository.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", head)
    paths = {path for path in raw.decode("utf-8", "surrogateescape").split("\0") if path}
    words = (repository.content(head, note_facets.PATH) or b"").decode("utf-8", "replace") or None
    is_bare = note_facets.refreshed(words, ()) == note_facets.refreshed(None, ())
    has_own = not is_bare or paths - {*OWN, *GROWING, "format", note_facets.PATH, purge_history.GONE}
    if has_own and not joining:
        raise UsageError(
            "The remote holds another vault that shares no history with this one; nothing was changed. To make one "
            "vault of both, add `--join` to the command. To take that one, set HOLDFAST_HOME to a new folder and sync "
            "there; to keep this one, sync it with an empty remote."
        )
    return repository.run("hash-object", "-t", "tree", "--stdin", given=b"").decode("ascii").strip()


def _settle(repository: Repository, theirs: str) -> None:
    """Where our newest commit is nothing but their commit taken over, stand at theirs: both have the same tree."""
    asked = repository.attempt("rev-parse", "HEAD", "HEAD^1", "HEAD^2", "HEAD^{tree}", f"{theirs}^{{tree}}")
    if asked.returncode:
        return  # no merge
    head, first, second, tree, their_tree = asked.stdout.decode("ascii").split()
    if (second, tree) == (theirs, their_tree) and _is_within(repository, first, theirs):
        repository.run("update-ref", "-m", "sync: as theirs", "HEAD", theirs, head)


def _is_within(repository: Repository, older: str, newer: str) -> bool:
    return repository.attempt("merge-base", "--is-ancestor", older, newer).returncode == 0


def _count(repository: Repository, theirs: str, head: str) -> int:
    return int(repository.text("rev-list", "--count", head, *([f"^{theirs}"] if theirs else [])))


def _refuse_impossible(vault: str, texts: dict[str, str | None]) -> None:
    """A file where the other side has a folder: neither could be kept, and half a merge must not begin."""
    for path in (path for path, text in texts.items() if text is not None):
        parts = path.split("/")
        above = ["/".join(parts[:nth]) for nth in range(1, len(parts))]
        blocked = [one for one in above if texts.get(one, "") is not None and _is_file(f"{vault}/{one}")]
        blocked += [one for one in above if texts.get(one) is not None]
        below = (f"{top}/{name}"[len(vault) + 1 :] for top, _, names in os.walk(f"{vault}/{path}") for name in names)
        blocked += [path] if any(texts.get(one, "") is not None for one in below) else []
        if blocked:
            what = f"{blocked[0]} is a file on one machine and a folder on the other"
            raise UsageError(f"{what}; nothing was changed. Rename one.")


def _is_file(path: str) -> bool:
    return os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))


def _refuse_purged(repository: Repository, name: str, theirs: str) -> None:
    """Ours, before they are merged or sent: what was purged on another machine must not go back from here."""
    listed = purge_history.idents((repository.content(theirs, purge_history.GONE) or b"") if theirs else b"")
    if listed and listed.intersection(repository.text("rev-list", "HEAD").split()):
        raise UsageError(
            f"This machine still has what was purged elsewhere, and {remote.shown(repository, name)} would get it "
            "back; nothing was changed. Start from a fresh folder: set HOLDFAST_HOME to it and sync there with "
            "`--remote ADDRESS`. What only this machine has can be taken along by hand; `holdfast export` keeps a copy "
            "of all."
        )


def _refuse_odd(listed: Iterable[history.Delta]) -> None:
    for one in listed:
        parts = one.path.split("/")
        why = ""
        if one.mode in (LINK, MODULE):
            why = "is a link" if one.mode == LINK else "is another repository"
        elif parts[0].casefold() == ".state" or any(part.casefold() in (".git", ".", "..", "") for part in parts):
            why = "lies outside of what a vault holds"
        elif len(os.fsencode(one.path)) > LONGEST_PATH or any(
            len(os.fsencode(part)) > journal.LONGEST_NAME for part in parts
        ):
            why = "has too long a name"
        if why and one.after:
            raise UsageError(
                f"The remote has {one.path[:200]!r}, which {why}, and that is never written; nothing was "
                "changed. Take it out of the vault on the machine that pushed it, and sync there."
            )


def _refuse_links(repository: Repository) -> None:
    """Ours, before they are sent: no other machine would take them."""
    raw = repository.run("ls-tree", "-r", "-z", "--full-tree", "HEAD").decode("utf-8", "surrogateescape")
    for line in raw.split("\0"):
        if line.startswith((LINK, MODULE)):
            what = "a link" if line.startswith(LINK) else "another repository"
            raise UsageError(
                f"{line.partition(chr(9))[2]} is {what}, which a sync does not carry; nothing was changed. Keep it "
                "outside of the vault."
            )


def _refuse_newer(format_text: str | None) -> None:
    number = (format_text or "").strip()
    if number.isdecimal() and int(number) > home.FORMAT:
        raise NewerFormat(
            f"The remote's vault has format {number}, this holdfast knows {home.FORMAT}; nothing was changed. "
            "Upgrade holdfast on this machine."
        )

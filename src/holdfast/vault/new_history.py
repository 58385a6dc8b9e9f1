"""A new history for a vault whose old one is damaged beyond mending, by the user's word.

Promise: no file of the vault is touched and the old repository is kept, renamed, in .state. The new one has as much of
the old as is whole: the newest commit that can be read with everything before it, then one commit with the files as
they are. A history that is whole is never replaced. The new repository is made beside the old and put in its place in
one step, so a kill leaves one of the two.

Files that an agent changed with its own tools are not taken in by that commit: the next writer settles them like any
others (vault/settling), as if they were new.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import faults, gate, home, ledger, platform
from holdfast.capture.agent_edits import Edits
from holdfast.capture.ids import new_id
from holdfast.errors import HoldfastError, NotFound
from holdfast.model import OURS
from holdfast.vault import (
    git_damage,
    git_graph,
    git_making,
    git_mending,
    git_parts,
    git_view,
    journal,
    last_commit,
    purge_history,
    writing,
)
from holdfast.vault.git import BRANCH, Repository
from holdfast.vault.git_settings import is_steering, names
from holdfast.vault.journal import Change
from holdfast.vault.purge_history import Beside

if TYPE_CHECKING:
    from holdfast.vault.git_graph import Graph
    from holdfast.vault.git_parts import Damage

FRESH = "history.git.fresh"
KEPT = "history-"  # and a time: an old repository, in .state
CAUSE = "new-history"


@dataclass(frozen=True)
class Plan:
    """What would be done: the damage, the commit that the new history goes on from ("" where none is whole), how many
    commits are kept with it, and how many of the old history leave `history` and `undo`. `is_kept`: there is an old
    repository to keep. `can_accept`: only older versions are lost, and the history could go on with all its commits."""

    damage: str
    base: str
    commits: int
    leaving: int = 0
    is_kept: bool = True
    can_accept: bool = False


@dataclass(frozen=True)
class Begun:
    """`kept` is where the old repository lies now, below the vault; "" where there was none. `files` are all that the
    new commit has."""

    commit: str
    base: str
    commits: int
    files: int
    kept: str


def plan(vault: str, *, by: gate.Asker) -> Plan:
    """Look at the damage. Raises gate.Refused, and NotFound where there is nothing that only the user could decide."""
    gate.require(by, gate.Change(gate.HISTORY, gate.LIFTED), "Beginning a new history")
    repository = Repository(vault)
    lost = _lost(repository)
    if lost.part == git_parts.GONE:
        return Plan(lost.what, "", 0, is_kept=os.path.lexists(repository.folder))
    with git_view.opened(repository) as view:
        graph = git_graph.read(view)
        known = _known(repository)
        base = _base(repository, graph)
        kept = set(graph.past([base])) if base else set()
        had = set(graph.past(known) if any(one in graph.commits for one in known) else graph.commits)
        leaving = 0 if lost.part == git_parts.REPLACED else len(had - kept)
        return Plan(lost.what, base, len(kept), leaving, can_accept=lost.goes_on and bool(lost.idents))


def begin(vault: str, now: float, *, by: gate.Asker) -> Begun:
    """Put a new history in the place of the damaged one. Raises gate.Refused, NotFound, Busy, OSError."""
    gate.require(by, gate.Change(gate.HISTORY, gate.LIFTED), "Beginning a new history")
    held = writing.lock(vault, writing.PATIENCE)
    try:
        repository = Repository(vault, held)
        _keep_left_over(home.state(vault), now)
        mended = git_mending.mend(repository, now)  # so that as much as possible is kept
        lost = _lost(repository, mended)
        if lost.part == git_parts.REPLACED:
            kept, base = "", repository.head()
        else:
            base, packed = ("", b"") if lost.part == git_parts.GONE else _whole_part(repository)
            kept = _exchange(repository, base, packed, now)
        commits = _count(repository, base)
        commit, files = _take_in(repository, now)
        last_commit.forget(vault)
        last_commit.note(vault, repository.own_folder())
        faults.lift(home.state(vault), faults.HISTORY, faults.HISTORY_LOST, faults.OBJECTS, faults.VERSIONS)
    finally:
        os.close(held)
    try:
        ledger.append(home.state(vault), "vault", now, cause=CAUSE, commit=commit[:12], kept=kept, why=lost.what)
    except HoldfastError:
        pass  # git has said it durably
    with writing.writing(vault, now):
        return Begun(commit, base, commits, files, kept)


def _lost(repository: Repository, mended: list[str] | None = None) -> Damage:
    """The worst of what is lost. Raises NotFound where nothing is, and says what was `mended` on the way to it."""
    found = git_damage.look(repository)
    lost = [one for one in found if one.is_lost]
    if lost:
        return next((one for one in lost if not one.goes_on), lost[0])
    if mended:
        raise NotFound(
            f"Nothing in the history of {repository.vault} is lost, so it goes on and no new one was begun. Mended on "
            f"the way: {'; '.join(mended)}."
        )
    way = "`holdfast doctor --fix` mends what is damaged." if found else "`holdfast doctor` says what is wrong."
    raise NotFound(f"Nothing in the history of {repository.vault} is lost; nothing was changed. {way}")


def _known(repository: Repository) -> list[str]:
    """The commits that the history has stood at, the newest first."""
    folder = repository.own_folder()
    known = (last_commit.tip(folder), last_commit.known(repository.vault), *last_commit.recorded(folder))
    return list(dict.fromkeys(one for one in known if one))


def _base(repository: Repository, graph: Graph) -> str:
    """The newest commit that is whole with everything before it; "" where none is. Where no record of the branch is
    left, it is looked for among all commits that are there."""
    return graph.newest_whole(_known(repository), purge_history.gone(repository.vault))


def _whole_part(repository: Repository) -> tuple[str, bytes]:
    """The commit that the new history goes on from, and a pack of all that it leads to."""
    with git_view.opened(repository) as view:
        base = _base(repository, git_graph.read(view))
        if not base:
            return "", b""
        git_making.make(view.repository, f"{repository.own_folder()}/index")
        words = ("pack-objects", "--revs", "--stdout", "--quiet", "--no-reuse-object", "--no-reuse-delta")
        return base, view.repository.run(*words, given=f"{base}\n".encode("ascii"))


def _count(repository: Repository, base: str) -> int:
    return int(repository.text("rev-list", "--count", base)) if base else 0


def _exchange(repository: Repository, base: str, packed: bytes, now: float) -> str:
    """The new repository in the place of the old, which is kept; returns where."""
    state, folder = home.state(repository.vault), repository.folder
    fresh = Beside(repository.vault, repository.held, f"{state}/{FRESH}")
    fresh.run("init", "--quiet", "--template=")
    if base:
        fresh.run("index-pack", "--stdin", "--fix-thin", given=packed)
        fresh.run("update-ref", f"refs/heads/{BRANCH}", base)
    config = last_commit.known_config(repository.vault)
    if config and not any(is_steering(name, network=False) for name in names(config)):
        platform.write_atomic(f"{fresh.folder}/config", config, durable=True)
    platform.write_atomic(f"{fresh.folder}/HEAD", f"ref: refs/heads/{BRANCH}\n".encode("ascii"), durable=True)
    if base:
        fresh.run("read-tree", "HEAD")
    purge_history.sync_all(fresh.folder)
    os.chmod(fresh.folder, 0o700)
    name = _free_name(state, now)
    if not os.path.lexists(folder):
        os.rename(fresh.folder, folder)
        platform.sync_folder(repository.vault)
        return ""
    purge_history.exchange(fresh.folder, folder, f"{state}/{name}")
    if os.path.lexists(fresh.folder):
        os.rename(fresh.folder, f"{state}/{name}")
    platform.sync_folder(state)
    return f".state/{name}"


def _keep_left_over(state: str, now: float) -> None:
    """What a try that was killed has left is the old repository or half of the new one: nobody can tell, so it is
    kept."""
    if os.path.lexists(f"{state}/{FRESH}"):
        os.rename(f"{state}/{FRESH}", f"{state}/{_free_name(state, now)}")


def _free_name(state: str, now: float) -> str:
    name = f"{KEPT}{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}.git"
    while os.path.lexists(f"{state}/{name}"):
        name = f"{name.removesuffix('.git')}-again.git"
    return name


def _take_in(repository: Repository, now: float) -> tuple[str, int]:
    """The files as they are, as one commit of ours; returns it, and how many they are. Without this commit all of them
    would count as edited by hand."""
    if repository.head():
        repository.run("read-tree", "HEAD")
        repository.run("update-index", "-q", "--refresh", allowed=(0, 1))
    edits = Edits(repository.vault)
    mine = [path for path in writing.changed_paths(repository) if not edits.by(path)]
    change = Change(new_id(now), "A new history begins, with the files as they are", (), CAUSE)
    commit = journal.commit_theirs(repository, mine, change.message(), OURS) if mine else ""
    commit = commit or repository.head()
    files = repository.run("ls-tree", "-r", "-z", "--name-only", commit).count(b"\0") if commit else 0
    return commit, files

"""A new history in the place of one that is damaged beyond mending, by the user's word.

Promise: the old repository is kept whole in .state, the new one goes on from the newest commit that is whole with
everything before it, and the files of the vault stay as they are. The vault's lock is held.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import gate, home, ledger, notices, platform
from holdfast.capture.agent_files import Edits
from holdfast.capture.ids import new_id
from holdfast.errors import HoldfastError, NotFound
from holdfast.model import OURS
from holdfast.vault import git_damage, git_objects, git_repair, git_settings, git_view, purge_history, transaction
from holdfast.vault.git import BRANCH, Repository, commit_theirs
from holdfast.vault.git_settings import is_steering, names
from holdfast.vault.journal import Change
from holdfast.vault.purge_history import Beside

if TYPE_CHECKING:
    from holdfast.vault.git_objects import Damage, Graph

FRESH = "history.git.fresh"
KEPT = "history-"  # and a time: an old repository, in .state
CAUSE = "new-history"


@dataclass(frozen=True)
class NewHistory:
    """A new history as it would begin: the damage, the commit that it goes on from ("" where none is whole), how many
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
    """`kept` is where the old repository lies now ("" where there was none), `files` are all of the new commit."""

    commit: str
    base: str
    commits: int
    files: int
    kept: str


def plan(vault: str, *, by: gate.Asker) -> NewHistory:
    """Look at the damage. Raises gate.Refused, and NotFound where there is nothing that only the user could decide."""
    gate.require(by, gate.Change(gate.HISTORY, gate.LIFTED), "Beginning a new history")
    repository = Repository(vault)
    lost = _lost(repository)
    if lost.part == git_objects.GONE:
        return NewHistory(lost.what, "", 0, is_kept=os.path.lexists(repository.folder))
    with git_view.opened(repository) as view:
        graph = git_objects.read(view)
        known = _known(repository)
        base = _base(repository, graph)
        kept = set(graph.past([base])) if base else set()
        had = set(graph.past(known) if any(one in graph.commits for one in known) else graph.commits)
        leaving = 0 if lost.part == git_objects.REPLACED else len(had - kept)
        return NewHistory(lost.what, base, len(kept), leaving, can_accept=lost.goes_on and bool(lost.idents))


def begin(vault: str, now: float, *, by: gate.Asker) -> Begun:
    """Put a new history in the place of the damaged one. Raises gate.Refused, NotFound, Busy, OSError."""
    gate.require(by, gate.Change(gate.HISTORY, gate.LIFTED), "Beginning a new history")
    with transaction.locked(vault) as repository:
        state = home.state(vault)
        if os.path.lexists(f"{state}/{FRESH}"):  # a killed try's: the old repository or half of the new, who can tell
            os.rename(f"{state}/{FRESH}", f"{state}/{_free_name(state, now)}")
        mended = git_repair.mend(repository, now)  # so that as much as possible is kept
        lost = _lost(repository, mended)
        if lost.part == git_objects.REPLACED:
            kept, base = "", repository.head()
        else:
            base, packed = ("", b"") if lost.part == git_objects.GONE else _whole_part(repository)
            kept = _exchange(repository, base, packed, now)
        commits = int(repository.text("rev-list", "--count", base)) if base else 0
        commit, files = _take_in(repository, now)
        git_settings.forget(vault)
        git_settings.note(vault, repository.own_folder())
        notices.lift(home.state(vault), notices.HISTORY, notices.HISTORY_LOST, notices.OBJECTS, notices.VERSIONS)
    with suppress(HoldfastError):  # git has said it durably
        ledger.append(home.state(vault), "vault", now, cause=CAUSE, commit=commit[:12], kept=kept, why=lost.what)
    with transaction.writing(vault, now):
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
    known = (git_settings.tip(folder), git_settings.known(repository.vault), *git_settings.recorded(folder))
    return list(dict.fromkeys(one for one in known if one))


def _base(repository: Repository, graph: Graph) -> str:
    """The newest commit that is whole with everything before it; "" where none is. Where no record of the branch is
    left, it is looked for among all commits that are there."""
    return graph.newest_whole(_known(repository), purge_history.gone(repository.vault))


def _whole_part(repository: Repository) -> tuple[str, bytes]:
    """The commit that the new history goes on from, and a pack of all that it leads to."""
    with git_view.opened(repository) as view:
        base = _base(repository, git_objects.read(view))
        if not base:
            return "", b""
        git_view.make(view.repository, f"{repository.own_folder()}/index")
        words = ("pack-objects", "--revs", "--stdout", "--quiet", "--no-reuse-object", "--no-reuse-delta")
        return base, view.repository.run(*words, given=f"{base}\n".encode("ascii"))


def _exchange(repository: Repository, base: str, packed: bytes, now: float) -> str:
    """The new repository in the place of the old, which is kept; returns where."""
    state, folder = home.state(repository.vault), repository.folder
    fresh = Beside(repository.vault, repository.held, f"{state}/{FRESH}")
    fresh.run("init", "--quiet", "--template=")
    if base:
        fresh.run("index-pack", "--stdin", "--fix-thin", given=packed)
        fresh.run("update-ref", f"refs/heads/{BRANCH}", base)
    config = git_settings.known_config(repository.vault)
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


def _free_name(state: str, now: float) -> str:
    name = f"{KEPT}{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}.git"
    while os.path.lexists(f"{state}/{name}"):
        name = f"{name.removesuffix('.git')}-again.git"
    return name


def _take_in(repository: Repository, now: float) -> tuple[str, int]:
    """Commit the files as ours, or all would count as edited by hand; returns the commit, and how many they are."""
    if repository.head():
        git_repair.read_index(repository)
    edits = Edits(repository.vault)
    mine = [path for path in transaction.changed_paths(repository) if not edits.by(path)]
    change = Change(new_id(now), "A new history begins, with the files as they are", (), CAUSE)
    commit = commit_theirs(repository, mine, change.message(), OURS) if mine else ""
    commit = commit or repository.head()
    files = repository.run("ls-tree", "-r", "-z", "--name-only", commit).count(b"\0") if commit else 0
    return commit, files

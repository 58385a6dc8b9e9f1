"""Repair of the vault's repository from what is left: only what is derived, and nothing is thrown away.

    index         from the last commit
    references    from git's own record of where they stood, or from .state
    settings      as .state kept them
    packs         their indexes from the packs; of a damaged pack every object that can still be read
    objects       from the files of the vault, where one of them still is what the object was

A file that is replaced goes to .state/aside first, under its own name. The vault's lock is held. A history that is
damaged beyond mending is replaced by a new one, by the user's word.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import gate, home, ledger, notices, platform
from holdfast.capture.agent_files import Edits
from holdfast.capture.ids import new_id
from holdfast.errors import GitFailed, HoldfastError, NotFound
from holdfast.model import OURS
from holdfast.vault import git_damage, git_loose, git_objects, git_settings, git_view, purge_history, transaction
from holdfast.vault.git import BRANCH, Repository, commit_theirs
from holdfast.vault.git_loose import moved
from holdfast.vault.git_settings import is_steering, names
from holdfast.vault.journal import Change
from holdfast.vault.purge_history import Beside

if TYPE_CHECKING:
    from holdfast.vault.git_objects import Damage, Graph

ROUNDS, TRIES = 12, 3  # of looking and mending: one damage can hide behind another
DERIVED = ("objects/info/commit-graph", "objects/info/commit-graphs", "objects/pack/multi-pack-index")
FRESH = "history.git.fresh"
KEPT = "history-"  # and a time: an old repository, in .state
CAUSE = "new-history"


def mend(repository: Repository, now: float) -> list[str]:
    """Mend what can be; returns what was done, a clause each. git_damage.look says what is left."""
    done: list[str] = []
    tried: Counter[str] = Counter()
    aside = f"{home.state(repository.vault)}/aside/git-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}"
    for _ in range(ROUNDS):
        seen = [one for one in git_damage.look(repository) if one.part in ACTS and not one.is_lost]
        found = [one for one in seen if tried[one.what] < TRIES]
        if not found:
            break
        for one in found:
            tried[one.what] += 1
            with suppress(GitFailed):  # it needs a part that comes after it: the next round tries again
                done.append(ACTS[one.part](repository, one, aside))
    return [one for one in dict.fromkeys(done) if one]


def _put_aside(folder: str, aside: str, *names: str) -> None:
    for name in names:
        moved(f"{folder}/{name}", f"{aside}/{name}")


def _folders(repository: Repository, damage: Damage, _: str) -> str:
    platform.make_folders(f"{repository.own_folder()}/refs")
    return damage.what.replace("is gone", "made anew")


def _config(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    _put_aside(folder, aside, "config")
    kept = git_settings.known_config(repository.vault)
    if kept:
        platform.write_atomic(f"{folder}/config", kept, durable=True)
        return ".git/config put back as it was last"
    repository.run("init", "--quiet", "--template=")
    return ".git/config made anew; `holdfast sync --remote ADDRESS` names the remote again, if there was one"


def _head(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    _put_aside(folder, aside, "HEAD")
    platform.write_atomic(f"{folder}/HEAD", f"ref: refs/heads/{BRANCH}\n".encode("ascii"), durable=True)
    return f".git/HEAD leads to {BRANCH} again"


def _packed(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    kept = git_settings.packed(folder)
    _put_aside(folder, aside, "packed-refs")
    if kept:
        lines = "".join(f"{commit} {name}\n" for name, commit in sorted(kept.items()))
        platform.write_atomic(f"{folder}/packed-refs", lines.encode("utf-8"), durable=True)
    return ".git/packed-refs written anew with what could be read of it"


def _references(repository: Repository, damage: Damage, aside: str) -> str:
    """References besides our own branch: those of a remote come with the next sync."""
    name = damage.what.split(" ", 1)[0].removeprefix(".git/")
    _put_aside(repository.own_folder(), aside, name)
    return f"{name} put aside"


def _branch(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    name, commit = git_settings.branch(folder), git_damage.newest(repository)
    if not commit:
        return ""
    moved(f"{folder}/{name}", f"{aside}/{name}")
    platform.make_folders(os.path.dirname(f"{folder}/{name}"))
    platform.write_atomic(f"{folder}/{name}", f"{commit}\n".encode("ascii"), durable=True)
    return f"{name} stands at {commit[:10]} again, the last commit that is known"


def _index(repository: Repository, _: Damage, aside: str) -> str:
    _put_aside(repository.own_folder(), aside, "index")
    if git_settings.tip(repository.own_folder()):
        _read_index(repository)
    return ".git/index made anew from the last commit"


def _read_index(repository: Repository) -> None:
    repository.run("read-tree", "HEAD")
    repository.run("update-index", "-q", "--refresh", allowed=(0, 1))


def _objects(repository: Repository, _: Damage, aside: str) -> str:
    """Put broken objects aside, then write all that the files still have, and the trees of the index."""
    folder = repository.own_folder()
    bad = git_loose.broken_objects(folder)
    for path in bad:
        moved(path, f"{aside}/{os.path.relpath(path, folder)}")
    git_view.make(repository, f"{folder}/index")
    if not bad:
        return "git's objects that were gone made anew from the vault's files"
    made = sum(1 for path in bad if os.path.exists(path))
    return f"{made:,} of git's objects made anew from the vault's files; {len(bad):,} that cannot be read put aside"


def _packs(repository: Repository, _: Damage, aside: str) -> str:
    """The index of a pack is made from the pack. Of a pack that is cut short, whatever can be read is unpacked."""
    folder = repository.own_folder()
    _put_aside(folder, aside, *DERIVED)
    saved = []
    for name in sorted(platform.names(f"{folder}/objects/pack")):
        stem = name.removesuffix(".pack")
        path = f"objects/pack/{stem}"
        if name == stem or repository.attempt("verify-pack", f"{folder}/{path}.pack").returncode == 0:
            continue
        fresh = f"{folder}/{path}.idx.fresh"
        if repository.attempt("index-pack", "-o", fresh, f"{folder}/{path}.pack").returncode == 0:
            _put_aside(folder, aside, *(f"{path}{ending}" for ending in (".idx", ".rev", ".bitmap")))
            os.rename(fresh, f"{folder}/{path}.idx")
            saved.append(f"the index of {stem} made anew")
            continue
        platform.remove(fresh)
        _put_aside(folder, aside, *(f"{path}{ending}" for ending in (".pack", ".idx", ".rev", ".bitmap")))
        raw = platform.read_file(f"{aside}/{path}.pack", largest=1 << 32)
        repository.attempt("unpack-objects", "-r", "-q", given=raw)
        saved.append(f"{stem} unpacked as far as it can be read")
    platform.sync_folder(f"{folder}/objects/pack")
    return ", ".join(saved)


def _graph(repository: Repository, _: Damage, aside: str) -> str:
    _put_aside(repository.own_folder(), aside, *DERIVED)
    return "what git keeps to be faster put aside"


ACTS = {
    git_objects.FOLDERS: _folders,
    git_objects.CONFIG: _config,
    git_objects.HEAD: _head,
    git_objects.PACKED: _packed,
    git_objects.REFS: _references,
    git_objects.BRANCH: _branch,
    git_objects.INDEX: _index,
    git_objects.OBJECTS: _objects,
    git_objects.PACKS: _packs,
    git_objects.GRAPH: _graph,
}


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
        if os.path.lexists(
            f"{state}/{FRESH}"
        ):  # of a killed try: the old repository or half of the new, nobody can tell
            os.rename(f"{state}/{FRESH}", f"{state}/{_free_name(state, now)}")
        mended = mend(repository, now)  # so that as much as possible is kept
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
        _read_index(repository)
    edits = Edits(repository.vault)
    mine = [path for path in transaction.changed_paths(repository) if not edits.by(path)]
    change = Change(new_id(now), "A new history begins, with the files as they are", (), CAUSE)
    commit = commit_theirs(repository, mine, change.message(), OURS) if mine else ""
    commit = commit or repository.head()
    files = repository.run("ls-tree", "-r", "-z", "--name-only", commit).count(b"\0") if commit else 0
    return commit, files

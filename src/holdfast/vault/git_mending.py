"""Mending the vault's repository from what is left: only what is derived, and nothing is thrown away.

    index         from the last commit
    references    from git's own record of where they stood, or from .state
    settings      as .state kept them
    packs         their indexes from the packs; of a damaged pack every object that can still be read
    objects       from the files of the vault, where one of them still is what the object was

A file that is replaced goes to .state/aside first, under its own name. The vault's lock is held.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from holdfast.capture import home, platform
from holdfast.errors import GitFailed
from holdfast.vault import git_damage, git_making, git_parts, last_commit, loose_objects
from holdfast.vault.aside import moved
from holdfast.vault.git import BRANCH, Repository

if TYPE_CHECKING:
    from holdfast.vault.git_parts import Damage

ROUNDS, TRIES = 12, 3  # of looking and mending: one damage can hide behind another
DERIVED = ("objects/info/commit-graph", "objects/info/commit-graphs", "objects/pack/multi-pack-index")


def mend(repository: Repository, now: float) -> list[str]:
    """Mend what can be; returns what was done, a clause each. What is left is for git_damage.look to say."""
    done: list[str] = []
    tried: dict[str, int] = {}
    aside = f"{home.state(repository.vault)}/aside/git-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}"
    for _ in range(ROUNDS):
        seen = [one for one in git_damage.look(repository) if one.part in ACTS and not one.is_lost]
        found = [one for one in seen if tried.get(one.what, 0) < TRIES]
        if not found:
            break
        for one in found:
            tried[one.what] = tried.get(one.what, 0) + 1
            try:
                done.append(ACTS[one.part](repository, one, aside))
            except GitFailed:
                continue  # it needs a part that comes after it: the next round tries again
    return [one for one in dict.fromkeys(done) if one]


def _folders(repository: Repository, damage: Damage, _: str) -> str:
    platform.make_folders(f"{repository.own_folder()}/refs")
    return damage.what.replace("is gone", "made anew")


def _config(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    moved(f"{folder}/config", f"{aside}/config")
    kept = last_commit.known_config(repository.vault)
    if kept:
        platform.write_atomic(f"{folder}/config", kept, durable=True)
        return ".git/config put back as it was last"
    repository.run("init", "--quiet", "--template=")
    return ".git/config made anew; `holdfast sync --remote ADDRESS` names the remote again, if there was one"


def _head(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    moved(f"{folder}/HEAD", f"{aside}/HEAD")
    platform.write_atomic(f"{folder}/HEAD", f"ref: refs/heads/{BRANCH}\n".encode("ascii"), durable=True)
    return f".git/HEAD leads to {BRANCH} again"


def _packed(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    kept = last_commit.packed(folder)
    moved(f"{folder}/packed-refs", f"{aside}/packed-refs")
    if kept:
        lines = "".join(f"{commit} {name}\n" for name, commit in sorted(kept.items()))
        platform.write_atomic(f"{folder}/packed-refs", lines.encode("utf-8"), durable=True)
    return ".git/packed-refs written anew with what could be read of it"


def _references(repository: Repository, damage: Damage, aside: str) -> str:
    """References besides our own branch: those of a remote come with the next sync."""
    folder = repository.own_folder()
    name = damage.what.split(" ", 1)[0].removeprefix(".git/")
    moved(f"{folder}/{name}", f"{aside}/{name}")
    return f"{name} put aside"


def _branch(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    name, commit = last_commit.branch(folder), git_damage.newest(repository)
    if not commit:
        return ""
    moved(f"{folder}/{name}", f"{aside}/{name}")
    platform.make_folders(os.path.dirname(f"{folder}/{name}"))
    platform.write_atomic(f"{folder}/{name}", f"{commit}\n".encode("ascii"), durable=True)
    return f"{name} stands at {commit[:10]} again, the last commit that is known"


def _index(repository: Repository, _: Damage, aside: str) -> str:
    moved(f"{repository.own_folder()}/index", f"{aside}/index")
    if last_commit.tip(repository.own_folder()):
        repository.run("read-tree", "HEAD")
        repository.run("update-index", "-q", "--refresh", allowed=(0, 1))
    return ".git/index made anew from the last commit"


def _objects(repository: Repository, _: Damage, aside: str) -> str:
    """Objects that are cut short go aside, so that git can write them again; then all that the files still have is
    written, and the trees of the index."""
    folder = repository.own_folder()
    bad = loose_objects.broken(folder)
    for path in bad:
        moved(path, f"{aside}/{os.path.relpath(path, folder)}")
    git_making.make(repository, f"{folder}/index")
    if not bad:
        return "git's objects that were gone made anew from the vault's files"
    made = sum(1 for path in bad if os.path.exists(path))
    return f"{made:,} of git's objects made anew from the vault's files; {len(bad):,} that cannot be read put aside"


def _packs(repository: Repository, _: Damage, aside: str) -> str:
    """The index of a pack is made from the pack. Of a pack that is cut short, whatever can be read is unpacked."""
    folder = repository.own_folder()
    for name in DERIVED:
        moved(f"{folder}/{name}", f"{aside}/{name}")
    saved = []
    for name in sorted(platform.names(f"{folder}/objects/pack")):
        stem = name.removesuffix(".pack")
        path = f"objects/pack/{stem}"
        if name == stem or repository.attempt("verify-pack", f"{folder}/{path}.pack").returncode == 0:
            continue
        fresh = f"{folder}/{path}.idx.fresh"
        if repository.attempt("index-pack", "-o", fresh, f"{folder}/{path}.pack").returncode == 0:
            _beside(folder, path, aside, (".idx", ".rev", ".bitmap"))
            os.rename(fresh, f"{folder}/{path}.idx")
            saved.append(f"the index of {stem} made anew")
            continue
        platform.remove(fresh)
        _beside(folder, path, aside, (".pack", ".idx", ".rev", ".bitmap"))
        raw = platform.read_file(f"{aside}/{path}.pack", largest=1 << 32)
        repository.attempt("unpack-objects", "-r", "-q", given=raw)
        saved.append(f"{stem} unpacked as far as it can be read")
    platform.sync_folder(f"{folder}/objects/pack")
    return ", ".join(saved)


def _beside(folder: str, path: str, aside: str, endings: tuple[str, ...]) -> None:
    for ending in endings:
        moved(f"{folder}/{path}{ending}", f"{aside}/{path}{ending}")


def _graph(repository: Repository, _: Damage, aside: str) -> str:
    folder = repository.own_folder()
    for name in DERIVED:
        moved(f"{folder}/{name}", f"{aside}/{name}")
    return "what git keeps to be faster put aside"


ACTS = {
    git_parts.FOLDERS: _folders,
    git_parts.CONFIG: _config,
    git_parts.HEAD: _head,
    git_parts.PACKED: _packed,
    git_parts.REFS: _references,
    git_parts.BRANCH: _branch,
    git_parts.INDEX: _index,
    git_parts.OBJECTS: _objects,
    git_parts.PACKS: _packs,
    git_parts.GRAPH: _graph,
}

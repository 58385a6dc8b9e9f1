"""Repair of the vault's repository from what is left: only what is derived, and nothing is thrown away.

    index         from the last commit
    references    from git's own record of where they stood, or from .state
    settings      as .state kept them
    packs         their indexes from the packs; of a damaged pack every object that can still be read
    objects       from the files of the vault, where one of them still is what the object was

A file that is replaced goes to .state/aside first, under its own name. The vault's lock is held. A history that is
damaged beyond mending is replaced by a new one, by the user's word (vault/new_history).
"""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.capture import home, platform
from holdfast.errors import GitFailed
from holdfast.vault import git_damage, git_loose, git_objects, git_settings, git_view
from holdfast.vault.git import BRANCH, Repository
from holdfast.vault.git_loose import moved

if TYPE_CHECKING:
    from holdfast.vault.git_objects import Damage

ROUNDS, TRIES = 12, 3  # of looking and mending: one damage can hide behind another
DERIVED = ("objects/info/commit-graph", "objects/info/commit-graphs", "objects/pack/multi-pack-index")


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
        read_index(repository)
    return ".git/index made anew from the last commit"


def read_index(repository: Repository) -> None:
    """The index as the last commit has it."""
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

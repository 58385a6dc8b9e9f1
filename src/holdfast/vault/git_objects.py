"""Losses of a damaged repository, held against the commit that it stood at last.

Promise: nothing is called mendable of which it was not seen that every object which that commit leads to is there, or
can be made from the vault's files. Losses are named by file and commit, so that a person knows which version of which
note it is. Losses that the user has accepted (git_settings.accepted) are no damage any more.

All commits and folders are read as a graph: what a commit leads to that is not there, and which commits are whole.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.errors import GitFailed
from holdfast.model import value
from holdfast.vault import git_loose, git_settings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from holdfast.vault.git import Repository
    from holdfast.vault.git_view import View

GONE, REPLACED, FOLDERS, CONFIG, HEAD, PACKED, REFS, BRANCH = (
    *("gone", "replaced", "folders", "config", "HEAD", "packed-refs", "refs", "branch"),
)
INDEX, OBJECTS, PACKS, GRAPH, LOST, UNSEEN = "index", "objects", "packs", "graph", "lost", "unseen"
AT_ONCE = 1 << 24  # bytes of objects that one process is asked for
FOREIGN = "160000"  # the mode of a commit of another repository in a tree
ALL = "the list of files"  # of a commit whose own tree is not there
MISSING = re.compile(r"missing (?:blob|tree|commit|tag) ([0-9a-f]{40,64})")
NAMED = 3  # versions that a sentence names
NOW_WHOLE = "the notes as they are now are whole"
NEEDED = "needed by the last commit"


@value
class Damage:
    """One part that is damaged, as a clause. `is_lost`: nothing that is left can make it anew. `goes_on`: the vault can
    be written all the same. `idents` are the objects that are lost, where all of them are versions of files."""

    part: str
    what: str
    is_lost: bool = False
    goes_on: bool = False
    idents: tuple[str, ...] = ()


@value
class Commit:
    time: int
    tree: str
    parents: tuple[str, ...]


@value
class Version:
    """A lost object: the file or folder that it is ("" for the commit itself), and the oldest commit that has it."""

    ident: str
    path: str
    commit: str
    time: int

    @property
    def is_file(self) -> bool:
        """True if it is one version of one file: without it git can still tell of every commit."""
        return bool(self.path) and not self.path.endswith("/") and self.path != ALL


@dataclass
class Graph:
    """`odd` of a tree are its files that are not there, `folders` lead on."""

    there: frozenset[str]
    made: frozenset[str]
    commits: dict[str, Commit]
    folders: dict[str, tuple[tuple[str, str], ...]]
    odd: dict[str, tuple[tuple[str, str], ...]]
    _below: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def below(self, tree: str) -> tuple[tuple[str, str], ...]:
        """Path and id of whatever in a tree the repository does not have, the tree itself with the path ""."""
        if tree not in self._below:
            found = [] if tree in self.there else [("", tree)]
            found += self.odd.get(tree, ())
            for name, ident in self.folders.get(tree, ()):
                found += [(f"{name}/{path}" if path else f"{name}/", one) for path, one in self.below(ident)]
            self._below[tree] = tuple(found)
        return self._below[tree]

    def past(self, commits: Iterable[str]) -> dict[str, None]:
        """These commits and all before them, those that are not there among them, each after its parents."""
        found: dict[str, None] = {}
        waiting = list(commits)
        while waiting:
            one = waiting[-1]
            parents = self.commits[one].parents if one in self.commits else ()
            new = [parent for parent in parents if parent not in found]
            if new and one not in found:
                waiting += new
            else:
                found[waiting.pop()] = None
        return found

    def absent(self, commit: str, *, alone: bool = False) -> dict[str, Version]:
        """Objects that the repository lacks of a commit and its past (`alone`: without it), mendable or not, by id."""
        found: dict[str, Version] = {}
        for one in [commit] if alone else self.past([commit]):
            known = self.commits.get(one)
            if known is None or one not in self.there:
                found[one] = Version(one, "", one, known.time if known else 0)
            if known is None:
                continue
            for path, ident in self.below(known.tree):
                found.setdefault(ident, Version(ident, path or ALL, one, known.time))
        return found

    def lost(self, commit: str, *, alone: bool = False) -> dict[str, Version]:
        """The part of it that nothing makes again."""
        return {ident: one for ident, one in self.absent(commit, alone=alone).items() if ident not in self.made}

    def whole(self) -> set[str]:
        """The commits that are there with all that they lead to."""
        after: dict[str, list[str]] = {}
        for ident, one in self.commits.items():
            for parent in one.parents:
                after.setdefault(parent, []).append(ident)
        waiting = [ident for ident in self.commits if self.lost(ident, alone=True)]
        waiting += [child for parent, ones in after.items() if parent not in self.commits for child in ones]
        torn: set[str] = set()
        while waiting:
            ident = waiting.pop()
            if ident not in torn:
                torn.add(ident)
                waiting += after.get(ident, [])
        return self.commits.keys() - torn

    def newest_whole(self, known: Sequence[str], without: Iterable[str] = ()) -> str:
        """The first whole commit of those that are `known`, else the newest before them, else of all; "" for none."""
        whole = self.whole() - set(without)
        first = next((one for one in known if one in whole), "")
        return first or self._newest(self.past(known).keys() & whole) or self._newest(whole)

    def _newest(self, commits: set[str]) -> str:
        before = {parent for one in commits for parent in self.commits[one].parents}
        return max(commits - before, key=lambda one: (self.commits[one].time, one), default="")


def read(view: View) -> Graph:
    """The graph of what a view shows. Raises GitFailed."""
    graph = Graph(view.there, view.made, {}, {}, {})
    for ident, raw in _contents(view.repository, view.commits):
        graph.commits[ident] = _commit(raw)
    for ident, raw in _contents(view.repository, view.trees):
        entries = list(git_loose.entries(raw, len(ident) // 2))
        folders = tuple((name, one) for mode, name, one in entries if mode == git_loose.FOLDER)
        files = [(name, one) for mode, name, one in entries if mode not in (git_loose.FOLDER, FOREIGN)]
        odd = tuple((name, one) for name, one in files if one not in view.there)
        if folders:
            graph.folders[ident] = folders
        if odd:
            graph.odd[ident] = odd
    return graph


def _contents(repository: Repository, listed: Iterable[tuple[str, int]]) -> Iterator[tuple[str, bytes]]:
    batch: list[str] = []
    size = 0
    for ident, length in (*listed, ("", 0)):  # which ends the last batch
        if batch and (size > AT_ONCE or not ident):
            found = repository.objects(batch)
            if len(found) < len(batch):
                what = f"{len(found)} of {len(batch)} objects of {repository.vault}"
                raise GitFailed(f"git cat-file gave back {what}", by_git=True)
            yield from found.items()
            batch, size = [], 0
        batch.append(ident)
        size += length


def _commit(raw: bytes) -> Commit:
    head = raw.partition(b"\n\n")[0].decode("utf-8", "replace").split("\n")
    words = [line.split(" ") for line in head]
    trees = [one[1] for one in words if one[0] == "tree"]
    times = [one[-2] for one in words if one[0] == "committer" and len(one) > 2]
    parents = tuple(one[1] for one in words if one[0] == "parent")
    time = int(times[0]) if times and times[0].isdecimal() else 0
    return Commit(time, trees[0] if trees else "", parents)


def judge(repository: Repository, in_files: list[Damage], said: str = "", status: int = 0) -> list[Damage]:
    """Everything that is wrong with objects, where the files already show the damage `in_files`, or git's own check
    ended with this `status` and has `said` why. Raises GitFailed."""
    from holdfast.vault import git_view, purge_history

    with git_view.opened(repository) as view:
        graph = read(view)
        accepted = git_settings.accepted(repository.vault)
        found: list[Damage] = []
        known, tip = git_settings.known(repository.vault), git_settings.tip(repository.own_folder())
        is_other = known and known not in graph.commits and known not in purge_history.gone(repository.vault)
        if is_other and tip in graph.commits and not any(one.part in (BRANCH, REPLACED) for one in in_files):
            found.append(Damage(REPLACED, f"it has no commit {known[:10]}, at which it stood before", is_lost=True))
        at = target(repository, graph, in_files)
        if not at and not any(one.is_lost for one in in_files):
            at = next(iter(_stood_at(repository)), "")
        absent = graph.absent(at) if at else {}
        lost = {ident: one for ident, one in absent.items() if ident not in graph.made and ident not in accepted}
        found += _mendable(view, graph, absent, lost, accepted)
        if lost:
            found.append(_lost(view, graph, at, lost))
        if not found or all(one.part == GRAPH for one in found):
            found += _others(repository, graph, said, status, accepted | absent.keys())
        if status < 128 and status & 0b110000:
            found.append(Damage(GRAPH, "what git keeps to be faster cannot be read", goes_on=True))
        return found


def target(repository: Repository, graph: Graph, in_files: Iterable[Damage]) -> str:
    """The commit that the branch stands at, or will once its files are mended; "" where that cannot be."""
    tip = git_settings.tip(repository.own_folder())
    is_right = tip and not any(one.part == BRANCH for one in in_files)
    return tip if is_right else newest(repository, graph)


def newest(repository: Repository, graph: Graph) -> str:
    """The commit that the branch stood at last, by git's own record or by .state, whichever is later; "" where that one
    cannot be read any more: an older one in its place would be a loss that nobody was asked about."""
    found = _stood_at(repository)
    have = graph.there | graph.made
    if not found or not all(one in graph.commits and graph.commits[one].tree in have for one in found):
        return ""
    return found[1] if len(found) == 2 and found[0] in graph.past([found[1]]) else found[0]


def _stood_at(repository: Repository) -> list[str]:
    recorded = git_settings.recorded(repository.own_folder())[:1]
    return [one for one in dict.fromkeys((*recorded, git_settings.known(repository.vault))) if one]


def _mendable(
    view: View, graph: Graph, absent: dict[str, Version], lost: dict[str, Version], accepted: Collection[str]
) -> Iterable[Damage]:
    """Objects that the files have, or nobody needs, and packs: what can be read of them is taken out."""
    if view.packs:
        yield Damage(PACKS, "a pack of git's objects is damaged")
    broken = {"".join(path.split("/")[-2:]) for path in view.broken} - lost.keys() - set(accepted)
    made = {ident: one for ident, one in absent.items() if ident in graph.made}
    if broken:
        yield Damage(OBJECTS, f"{_many(len(broken))} cut short or empty{_of(made.values())}")
    elif made and not view.packs:
        yield Damage(OBJECTS, f"{_many(len(made))} gone{_of(made.values())}")


def _lost(view: View, graph: Graph, at: str, lost: dict[str, Version]) -> Damage:
    broken = {"".join(path.split("/")[-2:]) for path in view.broken}
    how = "cut short or empty" if lost.keys() <= broken else "gone or cut short" if lost.keys() & broken else "gone"
    now = {ident: one for ident, one in graph.lost(at, alone=True).items() if ident in lost}
    goes_on = all(one.is_file for one in now.values())
    if not now:
        end = f"which was replaced since; {NOW_WHOLE}"
    elif goes_on:
        end = "which its file does not have any more"
    else:
        end = NEEDED
    what = f"{_many(len(lost))} {how}{_of(lost.values())}, {end}"
    idents = tuple(sorted(lost)) if all(one.is_file for one in lost.values()) else ()
    return Damage(LOST, what, is_lost=True, goes_on=goes_on, idents=idents)


def _others(repository: Repository, graph: Graph, said: str, status: int, known: Collection[str]) -> Iterable[Damage]:
    """Damage that git found besides the history itself: other references, or files that somebody staged."""
    missing = set(MISSING.findall(said)) - set(known)
    if missing and missing <= graph.made:
        yield Damage(OBJECTS, f"{_many(len(missing))} gone")
    elif missing:
        what = f"{_many(len(missing))} gone, of something besides the history; {NOW_WHOLE}"
        yield Damage(LOST, what, is_lost=True, goes_on=True, idents=tuple(sorted(missing)))
        return
    first = next((line for line in said.splitlines() if line.startswith(("error", "fatal"))), "git fsck failed")
    if status & 0b1111 and status < 128 and not known:
        yield Damage(LOST, first, is_lost=True, goes_on=True)
    elif status == 128:
        stale = platform.names(f"{repository.own_folder()}/objects/info")
        if any(name.startswith("commit-graph") for name in stale):
            yield Damage(GRAPH, "what git keeps to be faster cannot be read", goes_on=True)
        else:
            yield Damage(UNSEEN, first, goes_on=True)


def _of(versions: Iterable[Version]) -> str:
    """Their files and commits, the newest first."""
    listed = sorted(versions, key=lambda one: (-one.time, one.path))
    if not listed:
        return ""
    more = f" and {len(listed) - NAMED:,} more" if len(listed) > NAMED else ""
    names = []
    for one in listed[:NAMED]:
        day = time.strftime(" of %Y-%m-%d", time.gmtime(one.time)) if one.time else ""
        names.append(f"{f'{one.path} in ' if one.path else ''}commit {one.commit[:10]}{day}")
    return f", of {', '.join(names)}{more}"


def _many(count: int) -> str:
    return f"{count or 'some'} of git's objects {'is' if count == 1 else 'are'}"

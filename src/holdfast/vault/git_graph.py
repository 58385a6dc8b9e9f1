"""All commits and folders of a repository as a graph: what a commit leads to that is not there, and which are whole.

Read once, from a view that git can read to its end (vault/git_view), in a few processes. Of each folder only what leads
on or is not there is kept, so the size of a long history is that of its commits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.errors import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.vault.git import Repository
    from holdfast.vault.git_view import View

AT_ONCE = 1 << 24  # bytes of objects that one process is asked for
FOLDER, FOREIGN = "40000", "160000"  # modes in a tree: a folder, and a commit of another repository
ALL = "the list of files"  # of a commit whose own tree is not there


@dataclass(frozen=True)
class Commit:
    time: int
    tree: str
    parents: tuple[str, ...]


@dataclass(frozen=True)
class Version:
    """An object that a commit leads to and the repository does not have: the file or folder that it is ("" for the
    commit itself), and the oldest commit that has it."""

    ident: str
    path: str
    commit: str
    time: int

    @property
    def is_file(self) -> bool:
        """Whether it is one version of one file: without it git can still tell of every commit."""
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
        """What a commit leads to (`alone`: its own files) that the repository does not have, by id; also what could
        be made again."""
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
        """The newest whole commit: the first whole one of those that are `known`, else the newest before them, else
        the newest of all; "" where there is none."""
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
        entries = list(_entries(raw, len(ident) // 2))
        folders = tuple((name, one) for mode, name, one in entries if mode == FOLDER)
        odd = tuple(
            (name, one) for mode, name, one in entries if mode not in (FOLDER, FOREIGN) and one not in view.there
        )
        if folders:
            graph.folders[ident] = folders
        if odd:
            graph.odd[ident] = odd
    return graph


def _contents(repository: Repository, listed: Iterable[tuple[str, int]]) -> Iterator[tuple[str, bytes]]:
    batch: list[str] = []
    size = 0
    for ident, length in listed:
        batch.append(ident)
        size += length
        if size > AT_ONCE:
            yield from _read(repository, batch)
            batch, size = [], 0
    yield from _read(repository, batch)


def _read(repository: Repository, idents: list[str]) -> Iterator[tuple[str, bytes]]:
    if not idents:
        return
    found = repository.objects(idents)
    if len(found) < len(idents):
        raise GitFailed(
            f"git cat-file gave back {len(found)} of {len(idents)} objects of {repository.vault}", by_git=True
        )
    yield from found.items()


def _commit(raw: bytes) -> Commit:
    head = raw.partition(b"\n\n")[0].decode("utf-8", "replace").split("\n")
    words = [line.split(" ") for line in head]
    trees = [one[1] for one in words if one[0] == "tree"]
    times = [one[-2] for one in words if one[0] == "committer" and len(one) > 2]
    parents = tuple(one[1] for one in words if one[0] == "parent")
    time = int(times[0]) if times and times[0].isdecimal() else 0
    return Commit(time, trees[0] if trees else "", parents)


def _entries(raw: bytes, length: int) -> Iterator[tuple[str, str, str]]:
    at = 0
    while at < len(raw):
        space, end = raw.index(b" ", at), raw.index(b"\0", at)
        name = raw[space + 1 : end].decode("utf-8", "surrogateescape")
        yield raw[at:space].decode("ascii", "replace"), name, raw[end + 1 : end + 1 + length].hex()
        at = end + 1 + length

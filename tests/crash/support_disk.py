"""A model of a disk that keeps what was synced, and of the rest whatever it likes.

Recorded system calls are replayed into it. At any point the power can be cut; `after_power_loss` then writes out a tree
that a machine could find when it starts again. What the model assumes:

- Data that was written before a sync of its file began, and whose sync succeeded, is there. Of any other write all,
  nothing, a beginning of any length or some of its sectors may be there, the rest of its space being zeros; or the
  space was never taken. Writes do not wait for each other.
- If a sync fails, what it should have covered may be lost for good, even if a later sync of the file succeeds.
- A name (a file, folder or link made, renamed or removed) is certain only after its folder was synced; a rename
  between folders after both were. Until then it may be lost, and uncertain names come in any order. A rename happens
  whole or not at all. A folder whose own name is lost takes everything in it along.
- Syncing a file says nothing about its name; syncing a folder says nothing about the files in it.
- What was there before the recording began is certain. A disk that lies about a sync is not modelled.

Real file systems promise more than this (ext4 keeps the order of names, for one). What survives here survives there.
"""

from __future__ import annotations

import math
import posix
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from .support_strace import Call

SECTOR = 512
MAKING = ("openat", "mkdir", "mkdirat", "symlink", "symlinkat")
SYNCS = ("fsync", "fdatasync")
RENAMES = ("rename", "renameat", "renameat2")
REMOVALS = ("unlink", "unlinkat")
UNKNOWN = ("creat", "link", "linkat", "rmdir", "truncate", "ftruncate", "fallocate", "pwrite64", "writev", "sendfile")
# A question mark lets strace pass over a name that this processor's kernel does not have.
TRACED = tuple(f"?{name}" for name in (*MAKING, "write", *SYNCS, *RENAMES, *REMOVALS, *UNKNOWN))


@dataclass
class Write:
    offset: int
    data: bytes
    time: int
    certain: float = math.inf
    doomed: bool = False


@dataclass
class Node:
    """A file (its writes), a link (its target) or a folder (neither)."""

    kind: str
    target: str = ""
    writes: list[Write] = field(default_factory=list)

    @property
    def size(self) -> int:
        return max((write.offset + len(write.data) for write in self.writes), default=0)


@dataclass
class Naming:
    """One change of names: in each folder a name that leads to a node, or to none; all of it or nothing."""

    names: list[tuple[int, str, int | None]]
    time: int
    waits_for: set[int]
    certain: float = math.inf


class Disk:
    """Everything below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.nodes: list[Node] = []
        self.names: dict[int, dict[str, int]] = {}
        self.namings: list[Naming] = []
        self.said: list[tuple[int, str]] = []
        self.time = 0
        self.moments = [0]  # after which something here was different
        self._take_in(root)
        self._certain_names = {folder: dict(names) for folder, names in self.names.items()}

    def _take_in(self, path: Path) -> int:
        """What is there already."""
        if path.is_symlink():
            return self._make(Node("link", target=str(path.readlink())))
        if not path.is_dir():
            return self._make(Node("file", writes=[Write(0, path.read_bytes(), 0, certain=0)]))
        folder = self._make(Node("folder"))
        self.names[folder] |= {one.name: self._take_in(one) for one in path.iterdir()}
        return folder

    def _make(self, node: Node) -> int:
        self.nodes.append(node)
        if node.kind == "folder":
            self.names[len(self.nodes) - 1] = {}
        return len(self.nodes) - 1

    def replay(self, calls: list[Call]) -> None:
        """Let recorded calls happen, in the order in which they ended."""
        start = self.time + 1
        early: set[int] = set()
        for nth, call in enumerate(calls):
            self.time = start + call.ended
            if call.name in SYNCS:
                self._sync(call, start + call.began)
            elif nth not in early and call.result is not None and call.result >= 0:
                try:
                    self._happen(call, start + call.began)
                except KeyError:
                    # It met the effect of another process's call that had begun, and whose end was seen later.
                    under_way = [n for n, other in enumerate(calls[nth + 1 :], nth + 1) if other.began < call.ended]
                    for n in under_way:
                        if n not in early and calls[n].name not in SYNCS and (calls[n].result or 0) >= 0:
                            self._happen(calls[n], start + calls[n].began)
                            early.add(n)
                    self._happen(call, start + call.began)

    def _happen(self, call: Call, began: int) -> None:
        if call.name == "write":
            self._write(call, began)
            return
        paths = [text.decode() for text in call.texts]
        fd, leads_to = call.fd
        if not any(f"{path}/".startswith(f"{self.root}/") for path in (*paths, leads_to if fd.isdigit() else "")):
            return
        assert call.name not in UNKNOWN, f"the model knows nothing of {call.name}"
        if call.name == "openat" and "O_CREAT" not in call.arguments:
            assert "O_TRUNC" not in call.arguments, "the model knows nothing of truncation"
            return
        if call.name in RENAMES:
            (old_folder, old), (new_folder, new) = self._place(paths[0]), self._place(paths[1])
            node = self.names[old_folder][old]
            self._name([(old_folder, old, None), (new_folder, new, node)])
            return
        folder, name = self._place(paths[-1])
        if call.name in REMOVALS:
            self._name([(folder, name, None)])
        elif call.name.startswith("mkdir"):
            self._name([(folder, name, self._make(Node("folder")))])
        elif call.name.startswith("symlink"):
            self._name([(folder, name, self._make(Node("link", target=paths[0])))])
        elif name not in self.names[folder]:
            self._name([(folder, name, self._make(Node("file")))])

    def _write(self, call: Call, began: int) -> None:
        _, path = call.fd
        if path.startswith("pipe:"):
            # Counted from its beginning: whoever reads the answer may act on it before the call has returned.
            self.said += [(began, line) for line in call.texts[0].decode().splitlines()]
            self.moments.append(self.time)
        elif path.startswith(f"{self.root}/"):
            node = self.nodes[self._find(path)]
            (data,) = call.texts
            node.writes.append(Write(node.size, data[: call.result], self.time))
            self.moments.append(self.time)

    def _sync(self, call: Call, began: int) -> None:
        """It covers what was done before it began, and counts from when it ended. One that was killed says nothing."""
        path = call.fd[1]
        if call.result is None or not f"{path}/".startswith(f"{self.root}/"):
            return
        self.moments.append(self.time)
        number = self._find(path)
        covered = [write for write in self.nodes[number].writes if write.time < began and write.certain == math.inf]
        for write in covered:
            if call.result < 0:
                write.doomed = True
            elif not write.doomed:
                write.certain = self.time
        if call.result < 0 or self.nodes[number].kind != "folder":
            return
        for naming in self.namings:
            if naming.time < began and number in naming.waits_for:
                naming.waits_for.remove(number)
                if not naming.waits_for:
                    naming.certain = self.time

    def _name(self, names: list[tuple[int, str, int | None]]) -> None:
        self.moments.append(self.time)
        self.namings.append(Naming(names, self.time, {folder for folder, _, _ in names}))
        _apply(self.names, names)

    def _place(self, path: str) -> tuple[int, str]:
        folder, _, name = path.rpartition("/")
        return self._find(folder), name

    def _find(self, path: str) -> int:
        at = 0
        for name in path.removeprefix(self.root).strip("/").split("/"):
            at = self.names[at][name] if name else at
        return at

    def uncertain_names(self, when: int) -> list[Naming]:
        """What had happened to names at `when` and was not yet certain."""
        return [naming for naming in self.namings if naming.time <= when < naming.certain]

    def by_chance(self, when: int, chance: random.Random) -> list[Naming]:
        """Some of the uncertain names, in any order."""
        uncertain = self.uncertain_names(when)
        return chance.sample(uncertain, chance.choice((0, len(uncertain), chance.randint(0, len(uncertain)))))

    def after_power_loss(self, when: int, names_kept: list[Naming], chance: random.Random, place: Path) -> None:
        """Write out to `place` what may be found after a loss of power at `when`, with these of the uncertain names."""
        names = {folder: dict(inside) for folder, inside in self._certain_names.items()}
        for naming in [one for one in self.namings if one.certain <= when] + names_kept:
            _apply(names, naming.names)
        kept = chance.choice((0.0, 0.5, 1.0))
        self._write_out(0, names, when, kept, chance, str(place))

    def _write_out(
        self, number: int, names: dict[int, dict[str, int]], when: int, kept: float, chance: random.Random, path: str
    ) -> None:
        node = self.nodes[number]
        if node.kind == "folder":
            posix.mkdir(path)
            for name, inside in names.get(number, {}).items():
                self._write_out(inside, names, when, kept, chance, f"{path}/{name}")
        elif node.kind == "link":
            posix.symlink(node.target, path)
        else:
            with open(path, "wb") as file:
                file.write(_content(node, when, kept, chance))


def _apply(names: dict[int, dict[str, int]], changes: list[tuple[int, str, int | None]]) -> None:
    for folder, name, node in changes:
        inside = names.setdefault(folder, {})
        if node is None:
            inside.pop(name, None)
        else:
            inside[name] = node


def _content(node: Node, when: int, kept: float, chance: random.Random) -> bytes:
    content = bytearray()
    for write in node.writes:
        if write.time > when:
            continue
        data: bytes | None = write.data
        if write.certain > when and chance.random() >= kept:
            data = _uncertain(write, chance)
        if data is not None:
            content.extend(bytes(max(0, write.offset - len(content))))
            content[write.offset : write.offset + len(data)] = data
    return bytes(content)


def _uncertain(write: Write, chance: random.Random) -> bytes | None:
    """What may be left of a write that was not synced; None if not even its space."""
    how = chance.choice(("nothing", "zeros", "torn", "torn at a sector", "some sectors"))
    size = len(write.data)
    if how == "nothing":
        return None
    if how == "zeros":
        return bytes(size)
    if how == "torn":
        return write.data[: chance.randrange(size)] if size else b""
    first = SECTOR - write.offset % SECTOR
    edges = [0, *range(first, size, SECTOR), size]
    if how == "torn at a sector":
        return write.data[: chance.choice(edges)]
    parts = [write.data[a:b] if chance.random() < 0.5 else bytes(b - a) for a, b in pairwise(edges)]
    return b"".join(parts)

"""Handoffs as the page shows them: a page of the chain by names and heads alone, and one of them whole.

Names say the order, so of thousands of handoffs only those of one page are read, and of those only the front matter.
An address names a handoff by its project's folder and its file, and is looked up among the names that are there.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from holdfast.capture import front_matter, platform, quoting
from holdfast.errors import NotFound
from holdfast.vault import journal, lineage
from holdfast.vault.lineage import Handoff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.page.visit import Visit

PAGE = 80
REMEMBERED = 4096  # heads that are not read again
LINKED = re.compile(r"\s*\(\[note\]\(([^)\s]+)\)\)|\[([^\]]*)\]\(([^)\s]+)\)")
UNREADABLE = "This handoff cannot be read"


@dataclass(frozen=True)
class Head:
    """A handoff in a list. `number` counts from the oldest of what is shown; `trouble` says why it cannot be read."""

    ident: str
    number: int
    title: str
    time: str
    branch: str = ""
    host: str = ""
    author: str = ""
    parents: tuple[str, ...] = ()
    trouble: str = ""

    @property
    def project(self) -> str:
        return self.ident.partition("/")[0]

    @property
    def machine(self) -> str:
        """The machine, which a handoff's name says between its time and its id."""
        return quoting.stem(self.ident)[lineage.DIGITS + 1 : -7]

    @property
    def is_written(self) -> bool:
        """True if somebody who did the work wrote it, and not a close."""
        return not (self.author == lineage.MECHANICAL or self.author.startswith(lineage.JUDGED))

    @property
    def by(self) -> str:
        if self.author.startswith(lineage.JUDGED):
            return f"put together by Holdfast with {self.author.removeprefix(lineage.JUDGED)}"
        if self.author == lineage.MECHANICAL:
            return "put together by Holdfast from flags and prompts"
        return "written by you" if self.author == "user" else f"written by {self.author or 'hand'}"


@dataclass(frozen=True)
class Item:
    """One item of a section: its words, and the note that it became."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class Section:
    key: str
    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Chain:
    """All names, the oldest first, and which file a parent's name means."""

    paths: tuple[str, ...]
    idents: dict[str, str]

    def number(self, ident: str) -> int:
        """Its place, from 1; 0 where it is not in the chain."""
        path = f"{lineage.FOLDER}/{ident}.md"
        return self.paths.index(path) + 1 if path in self.paths else 0

    def parents(self, stems: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.idents[one] for one in stems if one in self.idents)


def chain(visit: Visit) -> Chain:
    """The handoffs of the project that is shown, or of all."""
    vault = visit.server.vault
    if visit.everything:
        folders = platform.names(f"{vault}/{lineage.FOLDER}")
        found = [path for folder in folders for path in lineage.names_under(vault, folder)]
        found.sort(key=lambda path: path.rpartition("/")[2])
    else:
        found = lineage.names(vault, visit.memory.at.project().id)
    return Chain(tuple(found), {quoting.stem(path): ident_of(path) for path in found})


def ident_of(path: str) -> str:
    return path.removeprefix(f"{lineage.FOLDER}/").removesuffix(".md")


def heads(vault: str, known: Chain, upto: int) -> list[Head]:
    """A page of the chain, the newest first; `upto` is the number of the first one, 0 for the newest of all."""
    last = min(upto, len(known.paths)) if upto > 0 else len(known.paths)
    first = max(0, last - PAGE)
    return [head(vault, known, number) for number in range(last, first, -1)]


def head(vault: str, known: Chain, number: int) -> Head:
    """By its number, and by nothing but its front matter."""
    path = known.paths[number - 1]
    ident = ident_of(path)
    fields, trouble = _fields(vault, path, _stamp(f"{vault}/{path}"))
    if trouble:
        return Head(ident, number, UNREADABLE, _time_in(ident), trouble=trouble)
    said = {name: str(fields.get(name) or "") for name in ("title", "time", "branch", "host", "author")}
    parents = fields.get("parents")
    stems = [str(one) for one in parents] if isinstance(parents, list) else []
    return Head(ident, number, parents=known.parents(stems), **{**said, "title": said["title"] or "Without a title"})


def _stamp(path: str) -> tuple[int, int, int]:
    try:
        found = os.lstat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


@lru_cache(maxsize=REMEMBERED)
def _fields(vault: str, path: str, stamp: tuple[int, int, int]) -> tuple[dict[str, Any], str]:  # noqa: ARG001
    """The front matter of a file as it is at this stamp, or why there is none. A handoff hardly ever changes."""
    try:
        raw = journal.content(vault, path) or b""
        return front_matter.read(raw[: front_matter.LONGEST * 2].decode("utf-8", "replace"))[0], ""
    except (OSError, front_matter.Damaged) as error:
        return {}, str(error)


def _time_in(ident: str) -> str:
    """The time that a name says, in ISO form."""
    said = quoting.stem(ident)[: lineage.DIGITS]
    if not re.fullmatch(r"\d{8}T\d{6}Z", said):
        return ""
    return f"{said[:4]}-{said[4:6]}-{said[6:8]}T{said[9:11]}:{said[11:13]}:{said[13:15]}Z"


def find(vault: str, ident: str) -> Handoff:
    """One handoff, whole. Raises NotFound."""
    folder, _, name = ident.partition("/")
    path = f"{lineage.FOLDER}/{ident}.md"
    if not folder or not name or "/" in name or path not in lineage.names_under(vault, folder):
        raise NotFound("There is no such handoff; `holdfast notes --handoffs` lists them.")
    found = lineage.read(vault, path)
    if not isinstance(found, Handoff):
        raise NotFound(f"{UNREADABLE}: {found.reason}. Its file is {path}; `holdfast history` has what it said before.")
    return found


def head_of(one: Handoff, number: int = 0, known: Chain | None = None) -> Head:
    parents = known.parents(one.parents) if known else ()
    title = one.title or "Without a title"
    return Head(ident_of(one.path), number, title, one.time, one.branch, one.host, one.author, parents)


def sections(one: Handoff) -> tuple[Section, ...]:
    """The sections that have something in them, in their order."""
    found = ((key, title, one.items(key)) for key, title in lineage.SECTIONS.items())
    return tuple(Section(key, title, tuple(map(item, items))) for key, title, items in found if items)


def item(text: str) -> Item:
    """An item without the marks of its links; the first that leads to a note of the vault is kept."""
    notes = [one[1] or one[3] for one in LINKED.finditer(text) if (one[1] or one[3]).startswith("../")]
    words = LINKED.sub(lambda one: one[2] or "", text)
    return Item(words, notes[0].lstrip("./") if notes else "")

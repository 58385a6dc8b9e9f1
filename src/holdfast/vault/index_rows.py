"""The index as rows of a store, asked for one by one: the same answers as vault/index without loading every note.

A planned change lies over the rows until it is made; then it is stored with the commit that has it. The rows are
believed or not where the store is opened (vault/stored_index).
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, platform, same_project
from holdfast.text import folding
from holdfast.vault import index, index_store, note_facets, notes
from holdfast.vault.index import Index, Known
from holdfast.vault.index_store import raw
from holdfast.vault.notes import Broken, Note

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from holdfast.vault.index_store import Store
    from holdfast.vault.note_facets import Facets

UNUSABLE = (sqlite3.Error, ValueError, TypeError)
AT_ONCE = 500  # rows that one question asks for


class _Rows(Mapping[str, Known]):
    """The notes of a stored index by path; one is read when it is asked for, all of them where all are."""

    def __init__(self, owner: StoredIndex) -> None:
        self._owner = owner

    def __getitem__(self, path: str) -> Known:
        found = self._owner.one(path)
        if not isinstance(found, Known):
            raise KeyError(path)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._owner.everything)

    def __len__(self) -> int:
        return len(self._owner.everything)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and isinstance(self._owner.one(path), Known)

    def values(self) -> Any:
        return self._owner.everything.values()

    def items(self) -> Any:
        return self._owner.everything.items()


class StoredIndex(Index):
    """The rows of a store, and over them what is planned: None for a file that goes."""

    vault: str
    store: Store
    over: dict[str, Known | Broken | None]
    _seen: dict[str, Known | Broken | None]

    def __init__(
        self,
        vault: str,
        store: Store,
        over: Mapping[str, Known | Broken | None] | None = None,
        held: tuple[str, ...] = (),
        merged: Mapping[str, str] | None = None,
    ) -> None:
        merged = same_project.names(vault) if merged is None else merged
        own = {"vault": vault, "store": store, "over": dict(over or {}), "held": held, "merged": merged}
        self.__dict__.update(own, known=_Rows(self), _seen={})

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]

    def with_texts(self, texts: Mapping[str, str | None]) -> Index:
        return StoredIndex(self.vault, self.store, {**self.over, **index.planned(texts)}, self.held, self.merged)

    def keep(self, commit: str) -> StoredIndex:
        """Store the planned change, which was made in this commit."""
        now = time.time_ns()
        stamped = {path: index.stamp_of(f"{self.vault}/{path}", now) for path in self.over}
        fresh = {path: (stamped[path], one) for path, one in self.over.items() if one is not None}
        gone = [path for path, one in self.over.items() if one is None]
        try:
            facets = {} if self.merged else self._planned  # rows have the project of the file
            self.store.save(index.as_rows(fresh, facets), gone, {"commit": commit} if commit else {})
        except UNUSABLE:
            self._renew()
        return StoredIndex(self.vault, self.store, held=self.held)

    def one(self, path: str) -> Known | Broken | None:
        if path in self.over:
            return self._as_ours(self.over[path])
        if path not in self._seen:
            self._look([path])
        return self._seen[path]

    def _look(self, paths: Sequence[str]) -> None:
        """Ask for the rows of some paths at once."""
        for begin in range(0, len(paths), AT_ONCE):
            some = {path.encode("utf-8", "surrogateescape"): path for path in paths[begin : begin + AT_ONCE]}
            rows = self._ask(f"SELECT path, stamp, crc, row FROM note WHERE path IN ({_marks(some)})", *some)
            found = {some[bytes(path)]: row for path, *row in rows}
            self._seen.update(
                (path, self._recalled(path, *found[path]) if path in found else None) for path in some.values()
            )

    def _as_ours(self, one: Known | Broken | None) -> Known | Broken | None:
        """With the id that its project goes by; rows and what is planned have the one in the file."""
        return index.under_merges(one, self.merged) if self.merged and isinstance(one, Known) else one

    def _ids(self, projects: Collection[str]) -> tuple[bytes, ...]:
        """The ids under which rows of these projects lie, as rows have them."""
        family = same_project.family
        ids = {one: None for name in projects for one in family(self.merged, name)} if self.merged else projects
        return tuple(one.encode("utf-8", "surrogatepass") for one in ids)

    def _recalled(self, path: str, stamp: str, crc: int, row: bytes) -> Known | Broken | None:
        if crc == zlib.crc32(row):
            try:
                return self._as_ours(index.recalled(path, [stamp, *codec.decode(row)]))
            except UNUSABLE:
                pass
        read = notes.read(self.vault, path)  # not what we wrote: the file is
        return self._as_ours(read if isinstance(read, Broken) else index.known_of(read))

    @cached_property
    def everything(self) -> dict[str, Known]:
        rows = self._ask("SELECT path, stamp, crc, row FROM note WHERE is_note")
        found = {index_store.path_of(path): (stamp, crc, row) for path, stamp, crc, row in rows}
        known = {path: self._recalled(path, *row) for path, row in found.items() if path not in self.over}
        whole = {**known, **{path: self._as_ours(one) for path, one in self.over.items()}}
        return {path: one for path, one in sorted(whole.items()) if isinstance(one, Known)}

    @property
    def broken(self) -> tuple[Broken, ...]:
        paths = [index_store.path_of(path) for (path,) in self._ask("SELECT path FROM note WHERE NOT is_note")]
        found = [self.one(path) for path in sorted({*paths, *self.over})]
        return tuple(one for one in found if isinstance(one, Broken))

    def is_taken(self, path: str) -> bool:
        fold = path.casefold()
        rows = self._ask("SELECT path FROM note WHERE fold = ?", raw(fold))
        there = [found for (one,) in rows if (found := index_store.path_of(one)) not in self.over]
        return bool(there) or any(one is not None and path_.casefold() == fold for path_, one in self.over.items())

    def saying(self, words: str) -> list[Known]:
        paths = self._paths("digest = ?", words)
        return self._those({*paths, *(path for path, one in self._planned.items() if one.digest == words)})

    def made_of(self, source: str) -> list[str]:
        paths = self._paths("id IN (SELECT id FROM source WHERE source = ?)", raw(source))
        return sorted({*paths, *(path for path, one in self._planned.items() if source in one.sources)})

    def called(self, name: str) -> list[Note]:
        wanted = name.casefold()
        paths = self._paths("id IN (SELECT id FROM called WHERE name = ?)", raw(wanted))
        planned = (path for path, one in self._planned.items() if wanted in one.called)
        return [one.note for one in self._those({*paths, *planned})]

    def under(self, folder: str) -> list[Known]:
        first = index_store.raw_path(folder)
        paths = self._paths("path >= ? AND path < ?", first + b"/", first + b"0")
        return self._those({*paths, *(path for path in self.over if path.startswith(f"{folder}/"))})

    def listing(self) -> bytes:
        if self.over:
            return super().listing()
        in_order = "(SELECT path || x'0a' AS line FROM note ORDER BY path)"
        (found,) = self._ask(f"SELECT CAST(group_concat(line, '') AS BLOB) FROM {in_order}")
        return bytes(found[0] or b"")

    def armed_lines(self, most: int) -> list[str]:
        rows = self._ask("SELECT path, armed FROM note WHERE armed != x'' ORDER BY path LIMIT ?", most + len(self.over))
        found = {index_store.path_of(path): bytes(armed).decode("utf-8", "replace") for path, armed in rows}
        found = {path: armed for path, armed in found.items() if path not in self.over}
        found |= {path: "\n".join(one.armed) for path, one in self._planned.items() if one.armed}
        return [line for _, armed in sorted(found.items()) for line in armed.split("\n")][:most]

    def on_map(self, group: int, most: int) -> tuple[list[Note], int]:
        query = "SELECT name, path FROM note WHERE map = ? ORDER BY name, path LIMIT ?"
        rows = self._ask(query, group, most + len(self.over))
        found = [(bytes(name), index_store.path_of(path)) for name, path in rows]
        found = [one for one in found if one[1] not in self.over]
        found += [(raw(one.name), path) for path, one in self._planned.items() if one.group == group]
        count = self._count("map = ?", (group,), lambda one: one.group == group)
        return [one.note for one in self._those(path for _, path in sorted(found)[:most])], count

    def on_shelf(self, shelf: str, projects: Collection[str], most: int) -> list[Note]:
        is_rising = shelf == note_facets.ALWAYS
        found = []
        for project in self._ids(projects):
            rows = self._ask(
                "SELECT key, name, path FROM note WHERE shelf = ? AND project = ? "
                f"ORDER BY key {'ASC' if is_rising else 'DESC'}, name, path LIMIT ?",
                *(shelf, project, most + len(self.over)),
            )
            found += [(bytes(key), bytes(name), index_store.path_of(path)) for key, name, path in rows]
        found = [one for one in found if one[2] not in self.over]
        mine = ((path, one) for path, one in self._planned.items() if one.shelf == shelf and one.project in projects)
        found += [(raw(one.key), raw(one.name), path) for path, one in mine]
        found.sort(key=lambda one: one[1:])
        found.sort(key=lambda one: one[0], reverse=not is_rising)
        return [one.note for one in self._those(path for *_, path in found[:most])]

    def count(self, shelf: str, projects: Collection[str], *, active: bool = False) -> int:
        def is_counted(one: Facets) -> bool:
            return one.shelf == shelf and one.project in projects and (one.is_active or not active)

        ids = self._ids(projects)
        where = f"shelf = ? AND project IN ({_marks(ids)})" + (" AND is_active" if active else "")
        return self._count(where, (shelf, *ids), is_counted)

    def waiting(self, projects: Collection[str]) -> int:
        ids = self._ids(projects)
        where = f"waits AND project IN ({_marks(ids)})"
        return self._count(where, ids, lambda one: one.waits and one.project in projects)

    def projects(self) -> set[str]:
        shelves = (note_facets.ALWAYS, note_facets.OTHER)
        rows = self._ask("SELECT DISTINCT project FROM note WHERE shelf IN (?, ?)", *shelves)
        named = (bytes(one).decode("utf-8", "surrogatepass") for (one,) in rows)
        found = {self.merged.get(one, one) for one in named}
        return found | {one.project for one in self._planned.values() if one.shelf in shelves}

    def like(self, words: frozenset[str]) -> list[Note]:
        telling = sorted(words - folding.MARKS)
        if len(telling) < folding.FEWEST:
            return []
        query = f"SELECT id FROM word WHERE word IN ({_marks(telling)}) GROUP BY id HAVING count(*) >= {folding.FEWEST}"
        paths = self._paths(f"id IN ({query})", *map(raw, telling))
        near = {*paths, *(path for path, one in self._planned.items() if one.words)}
        return [one.note for one in self._those(near) if folding.are(words, _words(one.note.description))]

    @cached_property
    def _planned(self) -> dict[str, Facets]:
        found = {path: self._as_ours(one) for path, one in self.over.items()}
        return {path: note_facets.of(one) for path, one in found.items() if isinstance(one, Known)}

    @cached_property
    def _replaced(self) -> list[Facets]:
        """The facets of the rows that something planned lies over."""
        below = StoredIndex(self.vault, self.store, merged=self.merged)
        found = (below.one(path) for path in self.over)
        return [note_facets.of(one) for one in found if isinstance(one, Known)]

    def _count(self, where: str, given: tuple[Any, ...], is_counted: Callable[[Facets], bool]) -> int:
        stored = int(self._ask(f"SELECT count(*) FROM note WHERE {where}", *given)[0][0])
        return stored - sum(map(is_counted, self._replaced)) + sum(map(is_counted, self._planned.values()))

    def _paths(self, where: str, *given: Any) -> list[str]:
        found = (index_store.path_of(one) for (one,) in self._ask(f"SELECT path FROM note WHERE {where}", *given))
        return [path for path in found if path not in self.over]

    def _those(self, paths: Iterable[str]) -> list[Known]:
        """Notes by path, a set of them in the order of their paths."""
        listed = sorted(paths) if isinstance(paths, set) else list(paths)
        self._look([path for path in listed if path not in self.over and path not in self._seen])
        return [one for path in listed if isinstance(one := self.one(path), Known)]

    def _ask(self, query: str, *given: Any) -> list[Any]:
        try:
            return self.store.db.execute(query, given).fetchall()
        except sqlite3.Error:
            self._renew()
            return self.store.db.execute(query, given).fetchall()

    def _renew(self) -> None:
        """The database cannot be used: it goes, and all that is known is had from the files for as long as we live."""
        self.store.close()
        platform.remove(index_store.place(self.vault))
        whole = index.load(self.vault)
        self.store.db = index_store.in_memory()
        found: dict[str, Known | Broken] = {**whole.known, **{one.path: one for one in whole.broken}}
        self.store.save(index.as_rows({path: ("", one) for path, one in found.items()}))
        self._seen.clear()


@lru_cache(maxsize=4096)  # one start compares hundreds of sentences with the same notes
def _words(text: str) -> frozenset[str]:
    return folding.words(text)


def _marks(values: Collection[Any]) -> str:
    return ", ".join("?" * len(values))

"""The store in one SQLite file, held open: one writer at a time, and a file that cannot be used is mended or refused.

field/store.py says what is promised, sqlite/search has the questions.
"""

from __future__ import annotations

import posix
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from holdfast.capture import locks, platform
from holdfast.errors import Busy
from holdfast.field import words
from holdfast.field.ranking import Facts
from holdfast.field.sqlite import queries, schema, search, vectors
from holdfast.field.sqlite.schema import broken_is_said
from holdfast.field.store import Damaged, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.field.store import Mark, Vector
    from holdfast.field.thought import Thought
    from holdfast.field.traffic import Event


BUSY = (
    "Another holdfast process is writing to the field; what was said is kept and is taken in later. "
    "Nothing needs to be done."
)
PATIENCE = 20.0
MERGED = 500  # pages of the index of words that one tidying may write
REFUSED = (1, 13, 30)  # EPERM, EACCES, EROFS: a sandbox that lets us look


def taken(path: str, patience: float) -> int:
    """The lock, as a file that is open; closing it gives it back. Raises Busy."""
    return locks.taken(path, patience, BUSY)


class SqliteStore(search.Search):
    """The field's file. It may be used by the threads of one process in turn."""

    def __init__(self, path: str, *, only_look: bool = False) -> None:
        """With `only_look` nothing on disk is changed, and a file that cannot be used as it is says why it cannot."""
        self.path = path
        self._depth = 0
        self._only_looks = only_look
        if only_look:
            self._use(schema.only_looked_at(path))
            return
        try:
            platform.make_folders(path.rpartition("/")[0])
            db = schema.looked_at(path)
            if db is None:
                with self._locked(PATIENCE):
                    db = _made(path)
        except OSError as error:
            if error.errno not in REFUSED:
                raise
            self._only_looks, db = True, schema.as_it_lies(path)
        self._use(db)

    @contextmanager
    def _locked(self, patience: float) -> Iterator[None]:
        held = taken(f"{self.path}.lock", patience)
        try:
            yield
        finally:
            posix.close(held)

    def _use(self, db: sqlite3.Connection) -> None:
        self.begin(db)
        self._inode = posix.stat(self.path).st_ino

    def _is_gone(self) -> bool:
        """Whether the file was taken away under us: what is written to it would be nobody's."""
        try:
            return posix.stat(self.path).st_ino != self._inode
        except OSError:
            return True

    def close(self) -> None:
        self.db.close()

    @contextmanager
    def writing(self, patience: float = PATIENCE) -> Iterator[None]:
        if self._depth:
            yield
            return
        if self._only_looks:
            raise Busy("The field cannot be written from here; nothing was changed. What it has is found all the same.")
        with self._locked(patience):
            if self._is_gone():
                self.db.close()
                self._use(_made(self.path))
            with broken_is_said():
                self.db.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                with broken_is_said():
                    yield
                    self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0
            self._follow()

    def _follow(self) -> None:
        """After a commit, under the lock: vectors are numbered anew where that is due, and their files follow. What
        fails here costs time only: what was to be written is."""
        with suppress(sqlite3.Error):
            if self._grown:
                self._renumber_if_due()
            self.extend()

    def _renumber_if_due(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        try:
            if vectors.is_due(self.db):
                vectors.renumber(self.db)
            self.db.execute("COMMIT")
        finally:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")

    def discard(self) -> None:
        with self._locked(PATIENCE):
            self.db.close()
            schema.remove(self.path)
            self._use(_made(self.path))

    def clear(self) -> None:
        for table in (
            "thought",
            "place",
            "gone",
            "traffic",
            "asked",
            "vector",
            "bare",
            "mark",
            "archived",
            "cited",
            "fresh",
        ):
            self.db.execute(f"DELETE FROM {table}")
        self.db.execute("DELETE FROM meta WHERE name IN ('model', 'travelled')")
        vectors.begin_anew(self.db)

    def flaw(self, within: float) -> str | None:
        return schema.flaw(self.db, within)

    @broken_is_said()
    def places(self, prefix: str = "") -> dict[str, str]:
        if not self._depth and self._is_gone():
            return {}
        below = "SELECT path, stamp FROM place WHERE path >= ? AND path < ?"  # they stand together in the key
        return dict(self.db.execute(below, (prefix, f"{prefix}\U0010ffff")).fetchall())

    def note_places(self, stamps: Mapping[str, str]) -> None:
        with self.writing():
            self.db.executemany("INSERT OR REPLACE INTO place VALUES (?, ?)", stamps.items())

    def take(
        self,
        place: str,
        stamp: str,
        thoughts: Sequence[Thought],
        supersedes: Sequence[tuple[str, str]] = (),
        *,
        anew: bool = True,
    ) -> None:
        with self.writing():
            if anew:
                self._drop(place, {one.id for one in thoughts})
            self.db.executemany(search.PUT, [search.row(one, place) for one in thoughts])
            self.db.executemany("DELETE FROM cited WHERE by = ?", [(one.id,) for one in thoughts])
            cited = [(source, one.id) for one in thoughts for source in dict.fromkeys(one.sources)]
            self.db.executemany("INSERT OR REPLACE INTO cited VALUES (?, ?)", cited)
            self.db.executemany("INSERT OR REPLACE INTO gone VALUES (?, ?, ?)", [(*pair, place) for pair in supersedes])
            self.db.execute("INSERT OR REPLACE INTO place VALUES (?, ?)", (place, stamp))

    def forget(self, place: str) -> None:
        with self.writing():
            self._drop(place, set())
            self.db.execute("DELETE FROM place WHERE path = ?", (place,))

    def mark(self, place: str, stamp: str, marks: Sequence[Mark], *, anew: bool = True) -> None:
        with self.writing():
            if anew:
                self.db.execute("DELETE FROM mark WHERE place = ?", (place,))
            rows = [(one.step, one.kind, one.id, one.other, one.count, place) for one in marks]
            self.db.executemany("INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?, ?, ?)", rows)
            self.db.execute("INSERT OR REPLACE INTO place VALUES (?, ?)", (place, stamp))
            queries.put_away(self.db)

    def compact(self) -> None:
        with self.writing():
            self.db.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (MERGED,))
            vectors.ask_again(self.db)
            self._grown.add(self.serving())

    def rested(self, until: Mapping[str, float]) -> None:
        with self.writing():
            self.db.executemany("DELETE FROM fresh WHERE id = ? AND at <= ?", until.items())

    def _drop(self, place: str, but: set[str]) -> None:
        known = self.db.execute("SELECT id FROM thought WHERE place = ?", (place,))
        self.db.executemany("DELETE FROM thought WHERE id = ?", [row for row in known.fetchall() if row[0] not in but])
        self.db.execute("DELETE FROM gone WHERE place = ?", (place,))
        if self.db.execute("DELETE FROM mark WHERE place = ?", (place,)).rowcount:
            queries.put_away(self.db)

    def thoughts(self, ids: Iterable[str]) -> dict[str, Thought]:
        return {str(row[0]): search.thought(row) for row in self._rows(search.NAMED, ids)}

    def texts(self, ids: Iterable[str]) -> dict[str, str]:
        return dict(self._rows("t.id, t.text", ids))

    @broken_is_said()
    def _rows(self, columns: str, ids: Iterable[str]) -> list[Any]:
        found: list[Any] = []
        for some in queries.pieces(ids):
            query = f"SELECT {columns} FROM thought t WHERE t.id IN ({queries.places(some)})"
            found += self.db.execute(query, some).fetchall()
        return found

    def facts(self, ids: Iterable[str]) -> dict[str, Facts]:
        rows = self._rows("t.id, t.size, t.speaker, t.thread, t.said, t.turn", ids)
        return {ident: Facts(size, who, thread, said, bool(turn)) for ident, size, who, thread, said, turn in rows}

    @broken_is_said()
    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, list[tuple[str, int]]]:
        rows = [row for row in self._rows("t.id, t.thread, t.created", ids) if row[1]]
        return {ident: self.around(ident, thread, created, reach) for ident, thread, created in rows}

    @broken_is_said()
    def same(self, text: str, project: str, space: str) -> str:
        row = self.db.execute(
            "SELECT t.id FROM thought t WHERE same = ? AND project = ? AND space = ? "
            f"AND {search.SUCCESSOR} IS NULL ORDER BY created, id",
            (words.sameness(text), project, space),
        ).fetchone()
        return str(row[0]) if row else ""

    @broken_is_said()
    def count(self, scope: Scope = Scope()) -> int:  # noqa: B008  a frozen value
        where, values = self.conditions(scope)
        return int(self.db.execute(f"SELECT count(*) FROM thought t WHERE 1{where}", values).fetchone()[0])

    def embed(self, model: str, vectors: Mapping[str, Vector]) -> None:
        with self.writing():
            serving = self.serving()
            self.put_vectors(model, vectors, serves=serving in ("", model))
            if not serving:
                self._note("model", model)

    def serve(self, model: str) -> None:
        with self.writing():
            self._note("model", model)
            self.keep_only(model)

    def _note(self, name: str, value: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    @broken_is_said()
    def travelled(self) -> int:
        return int(self.meta("travelled") or 0)

    def travel(self, events: Sequence[Event], end: int) -> None:
        with self.writing():
            self.put_traffic(events)
            self._note("travelled", str(end))

    def forget_traffic(self) -> None:
        with self.writing():
            self.db.execute("DELETE FROM traffic")
            self.db.execute("DELETE FROM asked")
            self.db.execute("DELETE FROM meta WHERE name = 'travelled'")


def _made(path: str) -> sqlite3.Connection:
    """The file, under the lock."""
    try:
        return schema.opened(path)
    except sqlite3.DatabaseError as error:
        raise Damaged from error

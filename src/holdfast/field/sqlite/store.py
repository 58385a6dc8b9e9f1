"""The store in one SQLite file: field/store.py says what is promised, sqlite/holding how the file is opened and
written to.

The field's file, held open: who may write, one at a time, and what happens to a file that cannot be used.
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
from holdfast.field.sqlite import schema, searching, vectors
from holdfast.field.sqlite import searching as scoping
from holdfast.field.sqlite import searching as trails
from holdfast.field.sqlite import vectors as renumbering
from holdfast.field.store import Asked, Damaged, Hit, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.field.store import Vector
    from holdfast.field.thought import Thought, Traffic
    from holdfast.field.traffic import Event


PASSED = "The index of the field cannot be used now; nothing that was saved is lost. Try again."
PASSING = (5, 6, 8, 10, 13, 14)  # busy, locked, read-only, input or output failed, full, cannot be opened


@contextmanager
def broken_is_said() -> Iterator[None]:
    """A file that turns out broken is said in a sentence, and so is one that takes nothing now; what else failed is
    raised as it is."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in PASSING:
            raise Busy(PASSED) from error
        if isinstance(error, (sqlite3.OperationalError, sqlite3.IntegrityError, sqlite3.ProgrammingError)) and (
            "malformed" not in str(error)
        ):
            raise
        raise Damaged from error


BUSY = (
    "Another holdfast process is writing to the field; what was said is kept and is taken in later. "
    "Nothing needs to be done."
)


def taken(path: str, patience: float) -> int:
    """The lock, as a file that is open; closing it gives it back. Raises Busy."""
    return locks.taken(path, patience, BUSY)


PATIENCE = 20.0
REFUSED = (1, 13, 30)  # EPERM, EACCES, EROFS: a sandbox that lets us look


class Held:
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
                held = taken(f"{path}.lock", PATIENCE)
                try:
                    db = _made(path)
                finally:
                    posix.close(held)
        except OSError as error:
            if error.errno not in REFUSED:
                raise
            self._only_looks, db = True, schema.as_it_lies(path)
        self._use(db)

    def _use(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.search = searching.Searching(self.path, db)
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
        held = taken(f"{self.path}.lock", patience)
        try:
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
        finally:
            posix.close(held)

    def _follow(self) -> None:
        """After a commit, under the lock: vectors are numbered anew where that is due, and their files follow. What
        fails here costs time only: what was to be written is."""
        with suppress(sqlite3.Error):
            if self.search.has_grown:
                self._renumber_if_due()
            self.search.extend()

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
        held = taken(f"{self.path}.lock", PATIENCE)
        try:
            self.db.close()
            schema.remove(self.path)
            self._use(_made(self.path))
        finally:
            posix.close(held)


def _made(path: str) -> sqlite3.Connection:
    """The file, under the lock."""
    try:
        return schema.opened(path)
    except sqlite3.DatabaseError as error:
        raise Damaged from error


class SqliteStore(Held):
    """What is asked of the field's file. It may be used by the threads of one process in turn."""

    def clear(self) -> None:
        for table in ("thought", "place", "gone", "traffic", "asked", "vector", "bare"):
            self.db.execute(f"DELETE FROM {table}")
        self.db.execute("DELETE FROM meta WHERE name IN ('model', 'travelled')")
        renumbering.begin_anew(self.db)

    def flaw(self, within: float) -> str | None:
        return schema.flaw(self.db, within)

    def places(self, prefix: str = "") -> dict[str, str]:
        if not self._depth and self._is_gone():
            return {}
        below = "SELECT path, stamp FROM place WHERE path >= ? AND path < ?"  # they stand together in the key
        with broken_is_said():
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
            self.db.executemany(searching.PUT, [searching.row(one, place) for one in thoughts])
            self.db.executemany("INSERT OR REPLACE INTO gone VALUES (?, ?, ?)", [(*pair, place) for pair in supersedes])
            self.db.execute("INSERT OR REPLACE INTO place VALUES (?, ?)", (place, stamp))

    def forget(self, place: str) -> None:
        with self.writing():
            self._drop(place, set())
            self.db.execute("DELETE FROM place WHERE path = ?", (place,))

    def _drop(self, place: str, but: set[str]) -> None:
        known = self.db.execute("SELECT id FROM thought WHERE place = ?", (place,))
        self.db.executemany("DELETE FROM thought WHERE id = ?", [row for row in known.fetchall() if row[0] not in but])
        self.db.execute("DELETE FROM gone WHERE place = ?", (place,))

    def thoughts(self, ids: Iterable[str]) -> dict[str, Thought]:
        return {str(row[0]): searching.thought(row) for row in self._rows(searching.NAMED, ids)}

    def texts(self, ids: Iterable[str]) -> dict[str, str]:
        return dict(self._rows("t.id, t.text", ids))

    def _rows(self, columns: str, ids: Iterable[str]) -> list[Any]:
        found: list[Any] = []
        with broken_is_said():
            for some in scoping.pieces(ids):
                marks = ", ".join("?" * len(some))
                found += self.db.execute(f"SELECT {columns} FROM thought t WHERE t.id IN ({marks})", some).fetchall()
        return found

    def facts(self, ids: Iterable[str]) -> dict[str, Facts]:
        rows = self._rows("t.id, t.size, t.speaker, t.thread, t.said, t.turn", ids)
        return {ident: Facts(size, who, thread, said, bool(turn)) for ident, size, who, thread, said, turn in rows}

    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, list[tuple[str, int]]]:
        with broken_is_said():
            rows = [row for row in self._rows("t.id, t.thread, t.created", ids) if row[1]]
            return {ident: self.search.around(ident, thread, created, reach) for ident, thread, created in rows}

    def same(self, text: str, project: str, space: str) -> str:
        with broken_is_said():
            row = self.db.execute(
                "SELECT t.id FROM thought t WHERE same = ? AND project = ? AND space = ? "
                "AND NOT EXISTS (SELECT 1 FROM gone WHERE old = t.id) ORDER BY created, id",
                (words.sameness(text), project, space),
            ).fetchone()
        return str(row[0]) if row else ""

    def count(self, scope: Scope = Scope()) -> int:  # noqa: B008  a frozen value
        where, values = scoping.conditions(scope)
        with broken_is_said():
            return int(self.db.execute(f"SELECT count(*) FROM thought t WHERE 1{where}", values).fetchone()[0])

    def lexical(self, terms: Sequence[str], scope: Scope, most: int) -> list[Hit]:
        with broken_is_said():
            return self.search.lexical(terms, scope, most)

    def nearest(self, vector: Vector, scope: Scope, most: int, model: str = "") -> list[Hit]:
        with broken_is_said():
            return self.search.nearest(vector, scope, most, model or self.serving())

    def unembedded(self, model: str, most: int) -> list[Thought]:
        with broken_is_said():
            return [searching.thought(row) for row in self.search.bare(searching.NAMED, model, self.serving(), most)]

    def lacking(self, model: str) -> int:
        with broken_is_said():
            return self.search.lacking(model, self.serving())

    def embed(self, model: str, vectors: Mapping[str, Vector]) -> None:
        with self.writing():
            serving = self.serving()
            self.search.embed(model, vectors, serves=serving in ("", model))
            if not serving:
                self.db.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", (model,))

    def serve(self, model: str) -> None:
        with self.writing():
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", (model,))
            self.search.keep_only(model)

    def serving(self) -> str:
        with broken_is_said():
            return self._meta("model")

    def _meta(self, name: str) -> str:
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def travelled(self) -> int:
        with broken_is_said():
            return int(self._meta("travelled") or 0)

    def travel(self, events: Sequence[Event], end: int) -> None:
        with self.writing():
            trails.travel(self.db, events)
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('travelled', ?)", (str(end),))

    def forget_traffic(self) -> None:
        with self.writing():
            self.db.execute("DELETE FROM traffic")
            self.db.execute("DELETE FROM asked")
            self.db.execute("DELETE FROM meta WHERE name = 'travelled'")

    def traffic(self, ids: Iterable[str], *, whole: bool = True) -> dict[str, Traffic]:
        with broken_is_said():
            return trails.load(self.db, ids, whole=whole)

    def busiest(self, accesses: int, agents: int, scope: Scope, most: int) -> list[Hit]:
        with broken_is_said():
            return trails.busiest(self.db, accesses, agents, scope, most)

    def asked(self, since: float, most: int) -> list[Asked]:
        with broken_is_said():
            return trails.asked(self.db, since, most)

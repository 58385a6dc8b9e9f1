"""`.state/notes.index`: what is known of every note, in a database of its own, so that a change reads a few rows.

Derived: whatever is wrong with it, it is made anew from the files. Each row has a checksum, so a row that is not what
we wrote counts as missing. Nothing is synced: after a power loss the first writer compares every row with its file
(vault/stored_index), because the machine has booted since.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, platform

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from holdfast.vault.note_facets import Facets
else:
    try:
        import _sqlite3 as sqlite3  # without the datetime and collections that the package brings along
    except ImportError:
        import sqlite3

Error = sqlite3.Error  # of every method of a store
VERSION = 4
PATIENCE = 5.0  # seconds for another process that writes rows
CACHE = -8192  # KiB of pages kept
SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE note (
  id INTEGER PRIMARY KEY, path BLOB UNIQUE NOT NULL, stamp TEXT NOT NULL, crc INTEGER NOT NULL,
  is_note INTEGER NOT NULL, fold BLOB NOT NULL, digest TEXT NOT NULL, project BLOB NOT NULL, map INTEGER NOT NULL,
  name BLOB NOT NULL, shelf TEXT NOT NULL, key BLOB NOT NULL, is_active INTEGER NOT NULL, waits INTEGER NOT NULL,
  armed BLOB NOT NULL, row BLOB NOT NULL
);
CREATE INDEX note_fold ON note (fold);
CREATE INDEX note_digest ON note (digest);
CREATE INDEX note_map ON note (map, name, path);
CREATE INDEX note_shelf ON note (shelf, project, key, name, path, is_active);
CREATE INDEX note_waits ON note (project) WHERE waits;
CREATE INDEX note_armed ON note (path) WHERE armed != x'';
CREATE INDEX note_broken ON note (path) WHERE NOT is_note;
CREATE TABLE source (source BLOB NOT NULL, id INTEGER NOT NULL);
CREATE INDEX source_of ON source (source);
CREATE INDEX source_id ON source (id);
CREATE TABLE called (name BLOB NOT NULL, id INTEGER NOT NULL);
CREATE INDEX called_of ON called (name);
CREATE INDEX called_id ON called (id);
CREATE TABLE word (word BLOB NOT NULL, id INTEGER NOT NULL);
CREATE INDEX word_of ON word (word);
CREATE INDEX word_id ON word (id);
"""
TABLES = ("note", "source", "called", "word")
PUT = "INSERT INTO note VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def place(vault: str) -> str:
    return f"{home.state(vault)}/notes.index"


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class Store:
    """The database, open. Every method may raise sqlite3.Error."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self.db.close()

    def __del__(self) -> None:
        self.close()

    def meta(self) -> dict[str, str]:
        return dict(self.db.execute("SELECT name, value FROM meta"))

    def rows(self) -> dict[str, list[Any]]:
        """Every row by path, behind its stamp."""
        found = {}
        for path, stamp, crc, row in self.db.execute("SELECT path, stamp, crc, row FROM note"):
            if crc == zlib.crc32(row):
                found[path_of(path)] = [stamp, *codec.decode(row)]
        return found

    def below(self, folder: str) -> list[str]:
        """The paths in a folder, in order."""
        first = raw_path(folder)
        query = "SELECT path FROM note WHERE path >= ? AND path < ? ORDER BY path"
        return [path_of(one) for (one,) in self.db.execute(query, (first + b"/", first + b"0"))]

    def save(
        self,
        rows: Mapping[str, tuple[str, list[Any], Facets, bool]],
        gone: Iterable[str] = (),
        meta: Mapping[str, str] | None = None,
        *,
        anew: bool = False,
    ) -> None:
        """Put these rows in their places, take the others out, and note what holds from now on."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            if anew:
                for table in TABLES:
                    self.db.execute(f"DELETE FROM {table}")
            else:
                for path in (*rows, *gone):
                    self._drop(path)
            for path, (stamp, row, facets, is_note) in rows.items():
                self._put(path, stamp, codec.encode(row), facets, is_note=is_note)
            for name, value in (meta or {}).items():
                self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))
            self.db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self.db.execute("ROLLBACK")
            raise

    def _drop(self, path: str) -> None:
        found = self.db.execute("SELECT id FROM note WHERE path = ?", (raw_path(path),)).fetchone()
        if found:
            for table in TABLES:
                self.db.execute(f"DELETE FROM {table} WHERE id = ?", found)

    def _put(self, path: str, stamp: str, row: bytes, facets: Facets, *, is_note: bool) -> None:
        made = self.db.execute(
            PUT,
            (
                *(raw_path(path), stamp, zlib.crc32(row), is_note, raw(facets.fold), facets.digest),
                *(raw(facets.project), facets.group, raw(facets.name), facets.shelf, raw(facets.key)),
                *(facets.is_active, facets.waits, raw("\n".join(facets.armed)), row),
            ),
        ).lastrowid
        for table, values in (("source", facets.sources), ("word", facets.words), ("called", facets.called)):
            self.db.executemany(f"INSERT INTO {table} VALUES (?, ?)", [(raw(one), made) for one in values])


def opened(vault: str, *, make: bool = True) -> Store | None:
    """The store of a vault; None where there is none that can be used, and `make` says not to begin one."""
    path = place(vault)
    for _ in range(2):
        try:
            for one in (path, f"{path}-journal"):
                if os.path.lexists(one):
                    platform.refuse_odd(one)
            if not os.path.exists(path):
                if not make:
                    return None
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
            return _connected(path)
        except (OSError, sqlite3.OperationalError):
            return None  # it is only a help; or another process is at it, or the disk is
        except (sqlite3.Error, ValueError):
            for one in (path, f"{path}-journal") if make else ():
                platform.remove(one)
    return None


def _connected(path: str) -> Store:
    db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        db.execute(f"PRAGMA cache_size = {CACHE}")
        db.execute("PRAGMA synchronous = OFF")
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if not version and not tables:
            db.executescript(f"BEGIN IMMEDIATE;{SCHEMA}PRAGMA user_version = {VERSION};COMMIT;")
        elif version != VERSION or not tables >= {"meta", *TABLES}:
            raise sqlite3.DatabaseError("of another version")
    except BaseException:
        with suppress(sqlite3.Error):
            db.close()
        raise
    return Store(db)


def in_memory() -> sqlite3.Connection:
    """A database of the same shape that nobody else sees."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.executescript(SCHEMA)
    return db


def raw_path(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def path_of(stored: bytes) -> str:
    return bytes(stored).decode("utf-8", "surrogateescape")

"""The tables, in numbered steps, and opening the file.

A file of an older step is brought up, one of a newer is refused in a sentence, one that is broken or was made of other
words (field/words.VERSION) is taken away under the writers' lock: all of it is derived, and is taken in anew.
"""

from __future__ import annotations

import posix
import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.capture.ids import new_id
from holdfast.errors import Busy, NewerFormat
from holdfast.field import words
from holdfast.field.store import Damaged, Outdated
from holdfast.field.thought import SLEPT_ON as SLEPT_KINDS
from holdfast.field.thought import SLEPT_ON_NOTES

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 10.0  # seconds; readers wait for nobody, and writers wait at their lock
LOOK = 1.0  # that somebody waits who only looks
OPCODES = 20_000  # between two looks at the clock
LOCKED = "Another program has locked the index of the field; nothing was changed. Look again when it is done."
ENDINGS = ("", "-wal", "-shm")
MAPPED = 1 << 30  # bytes of the file that are read without a copy

THOUGHTS = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE place (path TEXT PRIMARY KEY, stamp TEXT) WITHOUT ROWID;
CREATE TABLE thought (n INTEGER PRIMARY KEY, id TEXT UNIQUE, text TEXT, context TEXT, kind TEXT, contributor TEXT,
  agent TEXT, session TEXT, project TEXT, space TEXT, tags TEXT, category TEXT, sources TEXT, origin TEXT, created REAL,
  path TEXT, title TEXT, start REAL, place TEXT, same TEXT, extra TEXT, scope TEXT,
  thread TEXT, size INTEGER, speaker TEXT, said REAL, turn INTEGER);
CREATE INDEX by_same ON thought (same, project, space);
CREATE INDEX by_thread ON thought (thread, created, id) WHERE thread <> '';
CREATE INDEX by_place ON thought (place);
CREATE TABLE gone (old TEXT, new TEXT, place TEXT, PRIMARY KEY (old, new)) WITHOUT ROWID;
CREATE INDEX gone_at ON gone (place);
CREATE VIRTUAL TABLE words USING fts5(title, text, context, extra, scope, content = 'thought', content_rowid = 'n',
  tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER thought_came AFTER INSERT ON thought BEGIN
  INSERT INTO words (rowid, title, text, context, extra, scope)
  VALUES (new.n, new.title, new.text, new.context, new.extra, new.scope);
END;
CREATE TRIGGER thought_went AFTER DELETE ON thought BEGIN
  INSERT INTO words (words, rowid, title, text, context, extra, scope)
  VALUES ('delete', old.n, old.title, old.text, old.context, old.extra, old.scope);
END;
CREATE TRIGGER thought_changed AFTER UPDATE OF title, text, context, extra, scope ON thought
WHEN (old.title, old.text, old.context, old.extra, old.scope) IS NOT
  (new.title, new.text, new.context, new.extra, new.scope) BEGIN
  INSERT INTO words (words, rowid, title, text, context, extra, scope)
  VALUES ('delete', old.n, old.title, old.text, old.context, old.extra, old.scope);
  INSERT INTO words (rowid, title, text, context, extra, scope)
  VALUES (new.n, new.title, new.text, new.context, new.extra, new.scope);
END;
"""
TRAFFIC = """
CREATE TABLE traffic (id TEXT PRIMARY KEY, count INTEGER, agents INTEGER, last REAL, weight REAL, rest TEXT)
  WITHOUT ROWID;
CREATE INDEX busy ON traffic (count, agents) WHERE count >= 3;
CREATE TABLE asked (n INTEGER PRIMARY KEY, time REAL, agent TEXT, project TEXT, query TEXT, ids TEXT);
"""
# `bare` are the thoughts without a vector of the model that serves: asking every thought would grow with the field.
VECTORS = """
CREATE TABLE project (code INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE vector (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT, model TEXT, project INTEGER, v BLOB);
CREATE INDEX vector_of ON vector (id, model);
CREATE TABLE bare (id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO bare SELECT id FROM thought;
CREATE TRIGGER bare_came AFTER INSERT ON thought BEGIN
  INSERT INTO bare SELECT new.id WHERE new.id NOT IN (SELECT id FROM bare);
END;
CREATE TRIGGER bare_went AFTER DELETE ON thought BEGIN
  DELETE FROM vector WHERE id = old.id;
  DELETE FROM bare WHERE id = old.id;
END;
CREATE TRIGGER bare_again AFTER UPDATE OF title, text, context, project ON thought
WHEN (old.title, old.text, old.context, old.project) IS NOT (new.title, new.text, new.context, new.project) BEGIN
  DELETE FROM vector WHERE id = old.id;
  INSERT INTO bare SELECT new.id WHERE new.id NOT IN (SELECT id FROM bare);
END;
"""
# `fresh` are the thoughts that came, changed or were read since the last sleep, for the same reason; `archived` follows
# from the marks, and is looked up with every search.
SLEPT = ", ".join(f"'{one}'" for one in SLEPT_KINDS)
SLEPT_NOTES = ", ".join(f"'{one}'" for one in SLEPT_ON_NOTES)
SLEPT_ON = f"(t.kind IN ({SLEPT}) OR t.kind = 'note' AND t.category IN ({SLEPT_NOTES}))"
SLEEP = f"""
CREATE TABLE mark (step TEXT, kind TEXT, id TEXT, other TEXT, count REAL, place TEXT,
  PRIMARY KEY (kind, id, other, step)) WITHOUT ROWID;
CREATE INDEX mark_at ON mark (place);
CREATE VIEW standing AS SELECT * FROM mark WHERE step NOT IN (SELECT id FROM mark WHERE kind = 'undone');
CREATE TABLE archived (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE cited (source TEXT, by TEXT, PRIMARY KEY (source, by)) WITHOUT ROWID;
CREATE INDEX cited_by ON cited (by);
INSERT OR IGNORE INTO cited WITH RECURSIVE part (by, source, rest) AS (
  SELECT id, '', sources || char(31) FROM thought WHERE sources <> ''
  UNION ALL SELECT by, substr(rest, 1, instr(rest, char(31)) - 1), substr(rest, instr(rest, char(31)) + 1) FROM part
  WHERE rest <> '') SELECT source, by FROM part WHERE source <> '';
CREATE INDEX by_time ON thought (created);
CREATE INDEX by_access ON traffic (last);
CREATE TABLE fresh (id TEXT PRIMARY KEY, at REAL) WITHOUT ROWID;
INSERT INTO fresh SELECT id, created FROM thought t WHERE {SLEPT_ON};
CREATE TRIGGER fresh_came AFTER INSERT ON thought BEGIN
  INSERT INTO fresh SELECT id, created FROM thought t
  WHERE id = new.id AND id NOT IN (SELECT id FROM fresh) AND {SLEPT_ON};
END;
CREATE TRIGGER fresh_went AFTER DELETE ON thought BEGIN
  DELETE FROM fresh WHERE id = old.id;
  DELETE FROM cited WHERE by = old.id;
END;
CREATE TRIGGER fresh_again AFTER UPDATE OF title, text, context, project ON thought
WHEN (old.title, old.text, old.context, old.project) IS NOT (new.title, new.text, new.context, new.project) BEGIN
  INSERT INTO fresh SELECT id, created FROM thought t
  WHERE id = new.id AND id NOT IN (SELECT id FROM fresh) AND {SLEPT_ON};
END;
"""
STEPS = (THOUGHTS, TRAFFIC, VECTORS, SLEEP)


PASSED = "The index of the field cannot be used now; nothing that was saved is lost. Try again."
PASSING = (5, 6, 8, 10, 13, 14)  # busy, locked, read-only, input or output failed, full, cannot be opened


@contextmanager
def broken_is_said() -> Iterator[None]:
    """A file that turns out broken is said in a sentence, and so is one that takes nothing now; any other failure is
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


def opened(path: str) -> sqlite3.Connection:
    """The file, made or brought up if need be. Whoever may write holds the lock, or nobody has the file yet. Raises
    NewerFormat, sqlite3.DatabaseError."""
    for _ in range(2):
        db = _connected(path)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            _tune(db)
            if _is_ready(db, path):
                return db
        except sqlite3.DatabaseError as error:
            if _is_passing(error):
                db.close()
                raise
        except NewerFormat:
            db.close()
            raise
        db.close()
        remove(path)
    raise sqlite3.DatabaseError(f"{path} cannot be made")


def looked_at(path: str) -> sqlite3.Connection | None:
    """The file as it is, where it can be used as it is; None where somebody with the lock has to see to it first."""
    try:
        posix.stat(path)
    except OSError:
        return None
    db = _connected(path)
    try:
        _tune(db)
        if _version(db) == len(STEPS) and _made_of(db) == words.VERSION:
            return db
    except sqlite3.DatabaseError:
        pass
    db.close()
    return None


def as_it_lies(path: str) -> sqlite3.Connection:
    """The file where nothing may be written, not even the locks of readers: what is not yet in it is not seen. Raises
    Damaged where there is none that can be used."""
    try:
        platform.refuse_odd(path)
        db = sqlite3.connect(f"{_address(path)}?immutable=1", uri=True, isolation_level=None, check_same_thread=False)
        if _version(db) == len(STEPS):
            return db
        db.close()
    except (sqlite3.DatabaseError, OSError) as error:
        raise Damaged from error
    raise Damaged


def only_looked_at(path: str) -> sqlite3.Connection:
    """The file for somebody who must change nothing, at one moment of it: none is made, brought up or taken away, and
    what its log holds stays there. Raises OSError, NewerFormat, Outdated, Busy, Damaged.

    Where nobody has it open it is read without any lock. Else only the way that takes part in the locks will do: one
    that does not would, when it closes the file, give away the locks of every other connection of this process.
    """
    platform.refuse_odd(path)
    if not posix.access(path, posix.R_OK):
        raise PermissionError(f"{path} may not be read from here")
    failed: Exception | None = None
    for way in ("mode=ro",) if _has_log(path) else ("immutable=1", "mode=ro"):
        db = sqlite3.connect(f"{_address(path)}?{way}", uri=True, timeout=LOOK, isolation_level=None)
        try:
            db.execute("BEGIN")
            version = _version(db)
            is_ours = version == len(STEPS) and _made_of(db) == words.VERSION
        except sqlite3.DatabaseError as error:
            db.close()
            if "locked" in str(error):
                raise Busy(LOCKED) from error
            failed = error
            continue
        if is_ours:
            return db
        db.close()
        raise _newer(path, version) if version > len(STEPS) else Outdated
    raise Damaged from failed


def _address(path: str) -> str:
    """A path as SQLite takes it with options behind it."""
    from urllib.parse import quote

    return f"file:{quote(path)}"


def _has_log(path: str) -> bool:
    """Whether somebody has the file open, or was killed: then the file alone may not be all there is."""
    try:
        posix.stat(f"{path}-wal")
    except OSError:
        return False
    return True


def flaw(db: sqlite3.Connection, within: float) -> str | None:
    """The first flaw that SQLite finds in the file; "" for none, None where so many seconds were too few to tell."""
    until = time.perf_counter() + within
    db.set_progress_handler(lambda: time.perf_counter() > until, OPCODES)
    try:
        said = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError as error:
        return None if "interrupted" in str(error) else str(error)
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        db.set_progress_handler(None, 0)
    return "" if said == "ok" else " ".join(said.split())


def remove(path: str) -> None:
    """The log of the file first: beside another file it would be taken for that one's."""
    for ending in reversed(ENDINGS):
        platform.remove(path + ending)


def _connected(path: str) -> sqlite3.Connection:
    # One that is new is its owner's alone. One that is there is left to SQLite: closing it here would give away the
    # locks of every other connection of this process, and another process would take its log away.
    platform.make_way(path)
    if not posix.access(path, posix.F_OK):
        posix.close(posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600))
    elif not posix.access(path, posix.W_OK):
        raise PermissionError(13, "may not be written", path)
    return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)


def _tune(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA synchronous = NORMAL")  # a commit that the power takes is in the logs, and is taken in again
    db.execute(f"PRAGMA mmap_size = {MAPPED}")


def _is_ready(db: sqlite3.Connection, path: str) -> bool:
    version = _version(db)
    if version > len(STEPS):
        raise _newer(path, version)
    if version == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return False  # a file of somebody else's making at this place
    for number, step in enumerate(STEPS[version:], version + 1):
        first = f"INSERT INTO meta VALUES ('made', '{words.VERSION}'), ('store', '{new_id(0)}');" if number == 1 else ""
        db.executescript(f"BEGIN IMMEDIATE; {step} {first} PRAGMA user_version = {number}; COMMIT;")
    return _made_of(db) == words.VERSION


def _newer(path: str, version: int) -> NewerFormat:
    return NewerFormat(
        f"{path} was made by a newer holdfast (step {version}, this one knows {len(STEPS)}); nothing was changed. "
        "Upgrade holdfast on this machine."
    )


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _made_of(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT value FROM meta WHERE name = 'made'").fetchone()
    return int(row[0]) if row else 0


def _is_passing(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is whole and something else is in the way: a lock, a full disk, a right that we lack."""
    return isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error)

"""The tables of the tasks' index, and opening it. All of it is derived: whatever is wrong with the file, it goes.

A checkpoint is on the fast path, and `sqlite3` itself imports datetime and collections for types that nobody here uses:
twice the cost of the library beneath it. Where an interpreter has that under another name, the package serves as well.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:
        import sqlite3

REFUSALS = {
    "is full": (28, "No space left on device"),
    "readonly": (30, "Read-only file system"),
    "unable to open": (13, "Permission denied"),
}
Refused = sqlite3.Error  # what a disk or another process may answer
Passing = sqlite3.OperationalError  # a full disk or a lock: the file itself is whole
VERSION = 2  # also of what units and subjects make of a text: another one makes the file anew
PATIENCE = 10.0  # seconds; nobody should hold it at all
SCHEMA = """
CREATE TABLE task (task TEXT PRIMARY KEY, project TEXT, goal TEXT, state TEXT, started REAL, changed REAL, spoke REAL,
  episode TEXT, last REAL, place TEXT) WITHOUT ROWID;
CREATE TABLE behind (task TEXT PRIMARY KEY, project TEXT) WITHOUT ROWID;
CREATE TABLE log (path TEXT PRIMARY KEY, task TEXT, size INTEGER) WITHOUT ROWID;
CREATE TABLE entry (task TEXT, time REAL, id TEXT, kind TEXT, text TEXT, origin TEXT, episode TEXT, supersedes TEXT,
  "to" TEXT, field TEXT, project TEXT, "both" INTEGER, within TEXT, gone TEXT DEFAULT '', PRIMARY KEY (task, id))
  WITHOUT ROWID;
CREATE INDEX in_force ON entry (task, kind, gone, time, id);
CREATE INDEX by_time ON entry (task, kind, time, id);
CREATE TABLE tally (task TEXT, kind TEXT, told INTEGER, gone INTEGER, PRIMARY KEY (task, kind)) WITHOUT ROWID;
CREATE TRIGGER told AFTER INSERT ON entry BEGIN
  INSERT INTO tally VALUES (new.task, new.kind, 1, 0) ON CONFLICT DO UPDATE SET told = told + 1;
END;
CREATE TRIGGER went AFTER UPDATE OF gone ON entry WHEN (old.gone = '') <> (new.gone = '') BEGIN
  UPDATE tally SET gone = gone + CASE new.gone WHEN '' THEN -1 ELSE 1 END WHERE task = new.task AND kind = new.kind;
END;
CREATE INDEX by_id ON entry (id);
CREATE TABLE gone (task TEXT, old TEXT, new TEXT, PRIMARY KEY (old, new)) WITHOUT ROWID;
CREATE TABLE subject (project TEXT, key TEXT, task TEXT, id TEXT, PRIMARY KEY (project, key, task, id)) WITHOUT ROWID;
CREATE INDEX of_task ON subject (task);
CREATE TABLE span (task TEXT, series TEXT, low INTEGER, high INTEGER, state TEXT, entry TEXT, width INTEGER,
  within TEXT, PRIMARY KEY (task, series, low)) WITHOUT ROWID;
CREATE TABLE named (task TEXT, name TEXT, state TEXT, entry TEXT, nth INTEGER, within TEXT, PRIMARY KEY (task, name))
  WITHOUT ROWID;
CREATE TABLE series (task TEXT, series TEXT, nth INTEGER, PRIMARY KEY (task, series)) WITHOUT ROWID;
CREATE INDEX by_state ON named (task, state, nth);
CREATE TABLE looked (folder TEXT PRIMARY KEY, stamp TEXT) WITHOUT ROWID;
"""


def opened(path: str) -> sqlite3.Connection:
    """The file, made if need be; one that is broken or of another version is taken away: all of it is in the logs."""
    why = ""
    for _ in range(2):
        if path != ":memory:":
            platform.make_folders(path.rpartition("/")[0])
            platform.make_way(path)
            posix.close(posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600))
        db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == VERSION:
                return db
            if version == 0 and not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
                return db
        except sqlite3.DatabaseError as error:
            why = str(error)
            if isinstance(error, sqlite3.OperationalError) and "lock" in why:
                raise
            refusal = next((one for word, one in REFUSALS.items() if word in why), None)
            if refusal:  # the disk's, so the file is as good as it was
                db.close()
                raise OSError(*refusal, path) from error
        db.close()
        remove(path)
    raise OSError(5, f"it cannot be made ({why or 'another version'})", path)  # EIO: the folder or the disk refuses it


def remove(path: str) -> None:
    for ending in ("", "-wal", "-shm"):
        platform.remove(path + ending)

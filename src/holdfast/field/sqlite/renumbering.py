"""Numbers of vectors that are gone are given again, so that the mapped files do not grow with every edit.

A vector keeps its number for as long as it is there, and that is its row in the file; an edit makes a new one, and the
old row stays, empty of use. Once most rows are so, and they are more than a few, all vectors are numbered anew in one
transaction, under a new name of the store. Whoever looks meanwhile sees the database as it was, and a file of another
name is believed by nobody: after a kill between the two the vectors are read from the database, and the next writer
makes the file.

Counting reads every number, so it is not done at each write: the next count is due when one part in 32 has come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture.ids import new_id

if TYPE_CHECKING:
    import sqlite3

FEW = 4096  # rows that may be dead whatever the share: 1 MB of the file
SHARE = 2  # dead are more than one in so many
GROWTH = 32  # the next count is due when one part in so many has come
DUE = "recount"


def is_due(db: sqlite3.Connection) -> bool:
    """Whether most rows are dead. Looks at two values as a rule. Within a transaction."""
    last, due = last_number(db), _due(db)
    if last < max(due, FEW):
        return False
    live = int(db.execute("SELECT count(*) FROM vector").fetchone()[0])
    dead = last - live
    if dead >= FEW and dead * SHARE > last:
        return True
    _put(db, last + max(FEW, last // GROWTH))
    return False


def ask_again(db: sqlite3.Connection) -> None:
    """Many have gone at once: the next look counts. Within a transaction."""
    _put(db, 0)


def last_number(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'vector'").fetchone()
    return int(row[0]) if row else 0


def renumber(db: sqlite3.Connection) -> None:
    """Within a transaction. Those of the model that serves come first: the rows of others are empty in its file."""
    db.execute("CREATE TEMP TABLE kept AS SELECT id, model, project, v FROM vector ORDER BY n")
    db.execute("DELETE FROM vector")
    begin_anew(db)
    serving = "(SELECT value FROM meta WHERE name = 'model')"
    db.execute(
        "INSERT INTO vector (id, model, project, v) SELECT id, model, project, v FROM kept "
        f"ORDER BY model IS NOT {serving}, model, rowid"
    )
    db.execute("DROP TABLE kept")


def begin_anew(db: sqlite3.Connection) -> None:
    """Numbers begin at one again, and the files of before are no longer believed. Within a transaction."""
    db.execute("DELETE FROM sqlite_sequence WHERE name = 'vector'")
    db.execute("UPDATE meta SET value = ? WHERE name = 'store'", (new_id(0),))
    _put(db, 0)


def _due(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT value FROM meta WHERE name = ?", (DUE,)).fetchone()
    return int(row[0]) if row else 0


def _put(db: sqlite3.Connection, due: int) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (DUE, str(due)))

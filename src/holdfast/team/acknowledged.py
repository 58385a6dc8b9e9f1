"""This machine's record of what a team's store has acknowledged of one project: places with their stamps, and how far
the traffic log went.

It answers "what is unsent" without a server, and tells the next shipment where to go on. It is derived: the store keeps
the same beside the rows, with a mark that changes with every transaction. Where the two marks differ (a kill between
the two, a server that was restored from an older copy) the store's is taken, and whatever it lacks is sent again.
Places that hold nothing of the project are kept here alone: the team need not know their names.
"""

from __future__ import annotations

import posix
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from holdfast.capture import home, platform
from holdfast.capture.ids import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.team.settings import Share

SENT = "@sent"  # the place in the store that holds the mark
TABLES = """
CREATE TABLE IF NOT EXISTS place (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, there INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS note (name TEXT PRIMARY KEY, said TEXT NOT NULL) WITHOUT ROWID;
"""


def folder(vault: str) -> str:
    return f"{home.state(vault)}/team"


class Acknowledged:
    """To be used as a context, which closes it. A file that cannot be read is begun anew."""

    def __init__(self, vault: str, share: Share) -> None:
        self.path = f"{folder(vault)}/{digest(f'{share.team} {share.project}', 24)}.db"

    def __enter__(self) -> Acknowledged:
        platform.make_folders(self.path.rpartition("/")[0])
        try:
            self._db = self._opened()
            self._db.execute("SELECT count(*) FROM note").fetchone()
        except sqlite3.DatabaseError:
            self.remove()
            self._db = self._opened()
        return self

    def _opened(self) -> sqlite3.Connection:
        with suppress(OSError):  # made by us, so that it is its owner's only
            posix.close(platform.opened(self.path, posix.O_WRONLY | posix.O_CREAT))
        db = sqlite3.connect(self.path, isolation_level=None, timeout=20)
        db.executescript(f"PRAGMA synchronous = NORMAL; {TABLES}")
        return db

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def remove(self) -> None:
        for end in ("", "-journal", "-wal", "-shm"):
            platform.remove(f"{self.path}{end}")

    def places(self, prefix: str = "") -> dict[str, str]:
        query = "SELECT path, stamp FROM place WHERE path >= ? AND path < ?"
        return dict(self._db.execute(query, (prefix, f"{prefix}\U0010ffff")).fetchall())

    def is_there(self, path: str) -> bool:
        """Whether the store has this place."""
        found = self._db.execute("SELECT there FROM place WHERE path = ?", (path,)).fetchone()
        return bool(found and found[0])

    def there(self) -> list[str]:
        return [row[0] for row in self._db.execute("SELECT path FROM place WHERE there ORDER BY path")]

    def note(self, name: str, otherwise: str = "") -> str:
        found = self._db.execute("SELECT said FROM note WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else otherwise

    @property
    def travelled(self) -> int:
        return int(self.note("travelled", "0"))

    def keep(
        self,
        *,
        there: Mapping[str, str] | None = None,
        here: Mapping[str, str] | None = None,
        gone: Iterable[str] = (),
        **notes: str,
    ) -> None:
        """What was acknowledged now, in one transaction."""
        with closing(self._db.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            for stamps, is_there in ((there, 1), (here, 0)):
                rows = [(path, stamp, is_there) for path, stamp in (stamps or {}).items()]
                cursor.executemany("INSERT OR REPLACE INTO place VALUES (?, ?, ?)", rows)
            cursor.executemany("DELETE FROM place WHERE path = ?", [(path,) for path in gone])
            cursor.executemany("INSERT OR REPLACE INTO note VALUES (?, ?)", list(notes.items()))
            cursor.execute("COMMIT")

    def begin_anew(self, places: Mapping[str, str], travelled: int, mark: str) -> None:
        """Nothing but what the store says."""
        with closing(self._db.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            cursor.execute("DELETE FROM place")
            cursor.execute("DELETE FROM note WHERE name NOT IN ('purges', 'last')")
            cursor.executemany("INSERT INTO place VALUES (?, ?, 1)", list(places.items()))
            rows = [("travelled", str(travelled)), ("mark", mark)]
            cursor.executemany("INSERT OR REPLACE INTO note VALUES (?, ?)", rows)
            cursor.execute("COMMIT")

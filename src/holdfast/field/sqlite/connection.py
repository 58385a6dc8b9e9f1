"""The field's file, held open: who may write, one at a time, and what happens to a file that cannot be used.

Writers hold a lock on a file beside it and begin IMMEDIATE; readers wait for nobody. A file that is missing, broken or
of an older step is seen to under the lock, and is then empty or whole: whoever syncs next fills it.
"""

from __future__ import annotations

import posix
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.errors import Busy
from holdfast.field.sqlite import lock, renumbering, schema, searching
from holdfast.field.sqlite.failing import broken_is_said
from holdfast.field.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

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
                held = lock.taken(f"{path}.lock", PATIENCE)
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
        held = lock.taken(f"{self.path}.lock", patience)
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
            if renumbering.is_due(self.db):
                renumbering.renumber(self.db)
            self.db.execute("COMMIT")
        finally:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")

    def discard(self) -> None:
        held = lock.taken(f"{self.path}.lock", PATIENCE)
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

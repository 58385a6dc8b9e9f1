"""What SQLite reports, as the store says it: a file that is broken, or one that takes nothing now."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.errors import Busy
from holdfast.field.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

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

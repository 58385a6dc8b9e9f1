"""One writer at a time: SQLite's own waiting starves writers, a lock on a file beside it does not."""

from __future__ import annotations

from holdfast.capture import locks

BUSY = (
    "Another holdfast process is writing to the field; what was said is kept and is taken in later. "
    "Nothing needs to be done."
)


def taken(path: str, patience: float) -> int:
    """The lock, as a file that is open; closing it gives it back. Raises Busy."""
    return locks.taken(path, patience, BUSY)

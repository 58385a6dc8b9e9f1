"""Vectors as bytes, in a file that is mapped and scanned: exact, filtered by project, and made anew from the database.

    64 bytes: mark, the store's own id, dimension, this boot      then row n - 1 for vector n: scale, project, int8 ...

Vectors in the database are never changed, only added under a new number, so this file only grows, until all are given
new numbers at once (`renumber`) and another file takes its place. A row counts only if the database still has
its number; that is looked at for the few that are returned. What the file has not yet is read from the database. It
is not synced: one that was written before this boot, or beside another database, is not believed.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any, BinaryIO

from holdfast.capture import platform
from holdfast.capture.ids import digest, new_id
from holdfast.model import value

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    import numpy
    from numpy.typing import NDArray


HEADER = 64
MARK = b"HFV1"
AT_HAND = 1 << 24  # bytes of rows that are kept in one piece
EMPTY = -1  # instead of a project's code, of a row that counts for nobody
BLOCK = 1 << 12  # rows that are made floats at a time: they stay in the processor's cache


def packed(vector: NDArray[Any]) -> bytes:
    """A vector as its scale and a byte for each part."""
    import numpy

    row = numpy.asarray(vector, dtype=numpy.float32)
    largest = float(numpy.abs(row).max(initial=0.0))
    scale = largest / 127 if largest > 0 else 0.0
    parts = numpy.round(row / scale).astype(numpy.int8) if scale else numpy.zeros(row.shape, numpy.int8)
    return struct.pack("<f", scale) + parts.tobytes()


def rows_of(given: NDArray[Any]) -> list[NDArray[Any]]:
    """The vectors of one thought: one, or one for each passage. One that says nothing has a vector near nothing, so
    that it is not asked for again."""
    import numpy

    if given.ndim == 1:
        return [given]
    return list(given) if len(given) else [numpy.zeros(given.shape[1], numpy.float32)]


def mean(rows: list[NDArray[numpy.int8]]) -> NDArray[numpy.float32]:
    """One row of whole numbers up to 127 for a thought of one or several passages. Products of such rows are whole
    numbers that a float holds exactly, so a sum of them is the same in any order and on every machine."""
    import numpy

    if len(rows) == 1:
        return rows[0].astype(numpy.float32)
    lengths = [float(numpy.sqrt(float((row.astype(numpy.int64) ** 2).sum()))) or 1.0 for row in rows]
    total = sum((row.astype(numpy.float64) / length for row, length in zip(rows, lengths, strict=True)), start=0.0)
    largest = float(numpy.abs(total).max(initial=0.0)) or 1.0
    found: NDArray[numpy.float32] = numpy.round(numpy.asarray(total) / largest * 127).astype(numpy.float32)
    return found


def row_of(blob: bytes, code: int) -> bytes:
    """A row of the file, from what the database has."""
    return blob[:4] + struct.pack("<i", code) + blob[4:]


def dimension_of(blob: bytes) -> int:
    return len(blob) - 4


def path_of(base: str, model: str) -> str:
    return f"{base}.vectors-{digest(model, 8)}"


def sweep(base: str, models: Iterable[str]) -> None:
    """The files of all other models go. Under the writers' lock; who has one mapped keeps it until then."""
    kept = {path_of(base, model) for model in models}
    folder, _, name = base.rpartition("/")
    for one in platform.names(folder):
        if one.startswith(f"{name}.vectors-") and f"{folder}/{one}" not in kept:
            platform.remove(f"{folder}/{one}")


@value
class Part:
    """The places in a table of the rows that a question means, and these rows where they are at hand."""

    places: NDArray[Any]
    rows: NDArray[Any] | None = None


class Table:
    """Rows, and whose each is: in one piece, because every question looks at all of it, and only at the parts of those
    that it means. Who asks within one project asks there again, so its rows stay at hand."""

    def __init__(self, rows: NDArray[Any]) -> None:
        import numpy

        self.rows = rows
        self.codes = numpy.where(rows["scale"] > 0, rows["code"], numpy.int32(EMPTY))
        self._last: tuple[tuple[int, ...], Part] | None = None

    def part(self, codes: tuple[int, ...]) -> Part:
        """The rows of these projects, or of all; those that are empty, or near nothing, are nobody's."""
        import numpy

        last = self._last
        if last is not None and last[0] == codes:
            return last[1]
        are = numpy.zeros(len(self.codes), dtype=bool) if codes else self.codes != EMPTY
        for code in codes:
            are |= self.codes == code
        places = numpy.flatnonzero(are)
        if len(places) * self.rows.itemsize > AT_HAND:
            return Part(places)
        found = Part(places, self.taken(places))
        self._last = (codes, found)
        return found

    def taken(self, places: NDArray[Any]) -> NDArray[Any]:
        """The rows at these places, which ascend; without a copy where nothing lies between them."""
        if len(places) and places[-1] - places[0] == len(places) - 1:
            return self.rows[places[0] : places[-1] + 1]
        return self.rows.take(places)


class Sidecar:
    """The file beside the database, for one model."""

    def __init__(self, base: str, store: str, model: str, dimension: int) -> None:
        self.path = path_of(base, model)
        self.dimension = dimension
        self.width = dimension + 8
        head = MARK + struct.pack("<I", dimension) + store.encode()[:26].ljust(26) + platform.boot_id().encode()[:30]
        self.head = head.ljust(HEADER, b"\0")[:HEADER]
        self._seen: tuple[int, int] = (0, 0)
        self._table: Table | None = None

    def rows(self) -> int:
        """The number of whole rows that can be believed."""
        try:
            with open(platform.opened(self.path), "rb") as file:
                return self._believed(file)
        except OSError:
            return 0

    def _believed(self, file: BinaryIO) -> int:
        is_ours = file.read(HEADER) == self.head
        return (os.fstat(file.fileno()).st_size - HEADER) // self.width if is_ours else 0

    def extend(self, last: int, missing: Callable[[int], Iterable[tuple[int, bytes]]]) -> None:
        """Bring the file up to vector `last`; `missing` gives numbers and rows beyond a number. By one writer at a
        time. A disk that refuses it costs time, nothing else."""
        have = self.rows()
        if have >= last:
            return
        try:
            if not have:
                platform.write_atomic(self.path, self.head, durable=False)
            with open(platform.opened(self.path, os.O_RDWR), "r+b") as file:
                at, block = have, bytearray()
                for n, row in missing(have):
                    block += b"\0" * (self.width * (n - 1 - at)) + row  # numbers that are gone leave empty rows
                    at = n
                    if len(block) > 1 << 22:
                        _put(file.fileno(), block, HEADER + have * self.width)
                        have, block = at, bytearray()
                _put(file.fileno(), block, HEADER + have * self.width)
        except OSError:
            return

    def table(self) -> Table | None:
        """The rows as they are now, mapped; None where there are none. Of one file that is open: another may take its
        place between two looks at its path, and its rows have other numbers."""
        import numpy

        try:
            with open(platform.opened(self.path), "rb") as file:
                seen = os.fstat(file.fileno())
                if (seen.st_ino, seen.st_size) == self._seen:
                    return self._table
                count, self._table = self._believed(file), None
                if count:
                    mapped = numpy.memmap(file, dtype=self._kind(), mode="r", offset=HEADER, shape=(count,))
                    self._table = Table(mapped.view(numpy.ndarray))
                self._seen = (seen.st_ino, seen.st_size)
        except OSError:
            return None
        return self._table

    def _kind(self) -> Any:
        import numpy

        return numpy.dtype([("scale", "<f4"), ("code", "<i4"), ("parts", "i1", (self.dimension,))])

    def read(self, rows: Iterable[tuple[int, bytes]]) -> tuple[Table, list[int]]:
        """Rows that the file has not yet, as a table with their numbers."""
        import numpy

        listed = list(rows)
        found = numpy.frombuffer(b"".join(row for _, row in listed), dtype=self._kind())
        return Table(found), [n for n, _ in listed]


def _put(fd: int, block: bytearray, at: int) -> None:
    done = 0
    while done < len(block):
        done += os.pwrite(fd, memoryview(block)[done:], at + done)


def exact(rows: NDArray[Any], vector: NDArray[numpy.float32]) -> NDArray[Any]:
    """The scores of a few rows, whatever stands beside them: the last digits of a matrix product depend on that."""
    import numpy

    products = rows["parts"].astype(numpy.float64) * vector.astype(numpy.float64)
    found: NDArray[Any] = products.sum(axis=1) * rows["scale"]
    return found


def scores(table: Table, vector: NDArray[numpy.float32], part: Part) -> NDArray[numpy.float32]:
    """The cosine of each row of a part, in their order."""
    import numpy

    found = numpy.empty(len(part.places), dtype=numpy.float32)
    for begin in range(0, len(found), BLOCK):
        some = slice(begin, begin + BLOCK)
        rows = table.taken(part.places[some]) if part.rows is None else part.rows[some]
        found[some] = (rows["parts"].astype(numpy.float32) @ vector) * rows["scale"]
    return found


# Numbers of vectors that are gone are given again, so that the mapped files do not grow with every edit.
FEW = 4096  # rows that may be dead whatever the share: 1 MB of the file
SHARE = 2  # dead are more than one in so many
GROWTH = 32  # the next count is due when one part in so many has come
DUE = "recount"


def is_due(db: sqlite3.Connection) -> bool:
    """Whether most rows are dead. Looks at two values as a rule. Within a transaction."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (DUE,)).fetchone()
    last, due = last_number(db), int(row[0]) if row else 0
    if last < max(due, FEW):
        return False
    live = int(db.execute("SELECT count(*) FROM vector").fetchone()[0])
    dead = last - live
    if dead >= FEW and dead * SHARE > last:
        return True
    _count_again(db, last + max(FEW, last // GROWTH))
    return False


def ask_again(db: sqlite3.Connection) -> None:
    """Many have gone at once: the next look counts. Within a transaction."""
    _count_again(db, 0)


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
    _count_again(db, 0)


def _count_again(db: sqlite3.Connection, due: int) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (DUE, str(due)))

"""The tokens of a text, from FTS5 itself: what the embedded store finds by a word, this one finds by the same.

A token stands in the database as eight bytes of its digest: numbers are compared without a look at their meaning, which
row-level security allows before it has looked at a row.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

COLUMNS = ("title", "text", "context", "extra")
WEIGHTS = {"title": 2.0, "text": 1.0, "context": 0.5, "extra": 0.5}  # as sqlite/search.WEIGHTS
APART = 1 << 24  # between the places of two columns: no phrase goes from one into the next
SIZES, LENGTHS = 0, 1  # in the place of a token: how many texts there are, and how many tokens in all of them
_own = threading.local()


@dataclass
class Tokens:
    """The tokens of one text: where each stands, how much that counts, and how many there are in all."""

    spots: dict[int, list[int]] = field(default_factory=dict)
    freqs: dict[int, float] = field(default_factory=dict)
    length: int = 0


def number(token: str) -> int:
    """Never SIZES or LENGTHS."""
    made = int.from_bytes(hashlib.blake2b(token.encode(), digest_size=8).digest(), "big", signed=True)
    return made if made not in (SIZES, LENGTHS) else made - 2


def _db() -> sqlite3.Connection:
    db: sqlite3.Connection | None = getattr(_own, "db", None)
    if db is None:
        db = _own.db = sqlite3.connect(":memory:", isolation_level=None)
        how = "tokenize = 'porter unicode61 remove_diacritics 2'"
        db.execute(f"CREATE VIRTUAL TABLE words USING fts5({', '.join(COLUMNS)}, {how})")
        db.execute("CREATE VIRTUAL TABLE seen USING fts5vocab(words, instance)")
    return db


def of_texts(rows: Sequence[tuple[str, str, str, str]]) -> list[Tokens]:
    """The tokens of texts given as title, text, context and extra words."""
    db = _db()
    db.execute("BEGIN")
    try:
        db.executemany(f"INSERT INTO words (rowid, {', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?)", [
            (at, *row) for at, row in enumerate(rows)
        ])  # fmt: skip
        found = [Tokens(length=1) for _ in rows]  # the word of the project, which the embedded index has beside them
        for at, column, token, offset in db.execute(
            "SELECT doc, col, term, offset FROM seen ORDER BY doc, col, offset"
        ):
            one, term = found[at], number(token)
            one.spots.setdefault(term, []).append(COLUMNS.index(column) * APART + offset)
            one.freqs[term] = one.freqs.get(term, 0.0) + WEIGHTS[column]
            one.length += 1
    finally:
        db.execute("ROLLBACK")
    return found


def of_terms(terms: Sequence[str]) -> list[list[int]]:
    """For each term its tokens in their order: one as a rule, several for a phrase, none for signs alone."""
    found = of_texts([("", term.replace("\0", " "), "", "") for term in terms])
    return [
        [token for _, token in sorted((at, token) for token, places in one.spots.items() for at in places)]
        for one in found
    ]

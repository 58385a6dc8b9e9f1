"""Ids that sort by time: 48 bits of milliseconds, 16 of order within a call, 64 of chance; 26 letters, as a ULID."""

from __future__ import annotations

import posix
import sys

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: no I, L, O, U
LENGTH = 26


def new_id(now: float, nth: int = 0) -> str:
    """An id for `now`; `nth` keeps the order of several made in one call."""
    number = (((int(now * 1000) << 16) + nth) << 64) | int.from_bytes(posix.urandom(8), "big")
    return _letters(number, LENGTH)


def made_of(when: float, words: str) -> str:
    """An id that sorts by time like any other, and is the same however often it is made of these words."""
    return _letters((int(when * 1000) << 80) | int(digest(words, 20), 16), LENGTH)


def time_of(ident: str) -> float:
    """The time at which an id was made."""
    number = 0
    for letter in ident[:10]:
        number = number * 32 + LETTERS.index(letter)
    return number / 1000


def digest(text: str, length: int = 12) -> str:
    """A short stable name for any text, safe as a file name."""
    if sys.version_info >= (3, 12):  # asked, not tried: an import that fails searches the whole path each time
        from _sha2 import sha256
    else:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    return str(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())[:length]


def _letters(number: int, length: int) -> str:
    out = ""
    for _ in range(length):
        out = LETTERS[number & 31] + out
        number >>= 5
    return out

"""Sign-in: a link that counts once, and the keys of browsers.

    .state/page.keys      digests of links and keys, and until when each counts; for the owner's eyes only

A cookie goes to every port of a host, so another program on this machine could take one. A key is kept by the browser
for our origin alone, port included, and sent in a header that no other page can send: there is nothing to steal or to
forge. A link is the part of an address behind `#`, which no server and no history of a proxy gets to see; its first
use ends it. What cannot be read lets nobody in. A wrong guess is answered without a lock and without a write, since
anybody on this machine may guess.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, gate, locks, platform
from holdfast.errors import Busy

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = "page.keys"
VERSION = 1
LARGEST = 1 << 20
PATIENCE = 10.0  # seconds for another that signs in
LINK_LASTS = 10 * 60.0
KEY_LASTS = 7 * 24 * 3600.0  # since it was last used
USED_EVERY = 3600.0  # seconds between two notes that a key was used
MOST = 64  # keys, and as many links: the one that was not used for longest goes
LINK, KEY = "link", "key"


@dataclass(frozen=True)
class Entry:
    """A link or a key. `until` is when it ends."""

    digest: str
    kind: str
    until: float
    read_only: bool = False


def make_link(state: str, now: float, *, by: gate.Asker, read_only: bool = False) -> str:
    """The secret of a new link. Raises Refused for an agent, OSError."""
    gate.require(by, gate.Change(gate.TOKEN), "Opening the page")
    platform.make_folders(state)
    made = secrets.token_urlsafe(24)
    with _changing(state, now) as known:
        known.append(Entry(_digest(made), LINK, now + LINK_LASTS, read_only))
    return made


def use_link(state: str, given: str, now: float) -> str | None:
    """The key that a link is worth, once; None for one that is unknown, used or too old."""
    wanted = _digest(given)
    if _link_in(_kept(state), wanted, now) is None:
        return None
    with _changing(state, now) as known:
        found = _link_in(known, wanted, now)
        if found is None:  # another tab was faster
            return None
        known.remove(found)
        made = secrets.token_urlsafe(32)
        known.append(Entry(_digest(made), KEY, now + KEY_LASTS, found.read_only))
    return made


def _link_in(known: list[Entry], wanted: str, now: float) -> Entry | None:
    return next((one for one in known if one.kind == LINK and one.until > now and _same(one.digest, wanted)), None)


def sign_out(state: str, given: str, now: float, *, everywhere: bool = False) -> None:
    """End a key, or all keys and links."""
    wanted = _digest(given)
    with _changing(state, now) as known:
        known[:] = [] if everywhere else [one for one in known if not _same(one.digest, wanted)]


class Keys:
    """The keys that count, as they are on disk now."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._read: tuple[object, list[Entry]] = (None, [])  # together, as several threads ask at once

    def of(self, given: str, now: float) -> Entry | None:
        """A key that counts. Every one is compared with, each in the same time."""
        wanted, found = _digest(given), None
        for one in self._all():
            if _same(one.digest, wanted) and one.kind == KEY and one.until > now:
                found = one
        if found and found.until - now < KEY_LASTS - USED_EVERY:
            self._prolong(found, now)
        return found

    def _all(self) -> list[Entry]:
        try:
            seen = os.stat(f"{self._state}/{FILE}")
            stamp: object = (seen.st_mtime_ns, seen.st_ino, seen.st_size)
        except OSError:
            return []
        before, known = self._read
        if stamp != before:
            known = _kept(self._state)
            self._read = (stamp, known)
        return known

    def _prolong(self, used: Entry, now: float) -> None:
        try:
            with _changing(self._state, now, patience=0.0) as known:
                known[:] = [replace(one, until=now + KEY_LASTS) if one == used else one for one in known]
        except (OSError, Busy):
            pass  # it counts until its time all the same, and its next use tries again


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("ascii"))


def _kept(state: str) -> list[Entry]:
    try:
        found = codec.decode(platform.read_regular(f"{state}/{FILE}", LARGEST))
        return [_entry(one) for one in found["keys"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _entry(told: dict[str, Any]) -> Entry:
    return Entry(str(told["digest"]), str(told["kind"]), float(told["until"]), told["read_only"] is True)


@contextmanager
def _changing(state: str, now: float, patience: float | None = None) -> Iterator[list[Entry]]:
    """All that count, to be changed in place. Raises Busy."""
    lock = locks.taken(f"{state}/{FILE}.lock", PATIENCE if patience is None else patience)
    try:
        known = [one for one in _kept(state) if one.until > now]
        yield known
        by_age = sorted(known, key=lambda one: one.until)
        kept = [one for kind in (LINK, KEY) for one in [one for one in by_age if one.kind == kind][-MOST:]]
        told = codec.encode({"v": VERSION, "keys": [asdict(one) for one in kept]})
        platform.write_atomic(f"{state}/{FILE}", told, durable=True)
    finally:
        os.close(lock)

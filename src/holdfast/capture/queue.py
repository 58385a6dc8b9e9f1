"""The append-only queue of flags: what was flagged and is not yet filed.

Promise: when `append` returns, the flags survive a crash of this process and of the machine (capture/segments).
Beside each segment lies a log of what became of its flags, written by capture/settle; folding the two gives the
state. A flag leaves only by being acknowledged. One that failed too often is dead: still here, visible, and waiting
again after a retry.

What the user has been told of and need not be told of again: damage in the queue, flags and files that are gone.
"""

from __future__ import annotations

import posix
import zlib

from holdfast.capture import codec, log, platform, segments
from holdfast.capture.redaction import redact_record
from holdfast.model import VERSION, Flag, Process, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


TRIES = 5
UNREADABLE = "unreadable"
WAITING, CLAIMED, DEAD, FILED = "waiting", "claimed", "dead", "filed"


@value
class Entry:
    """A flag and where it stands. `tries` counts its claims, `claim` is the last one unless it was given back."""

    flag: Flag
    segment: str
    state: str = WAITING
    tries: int = 0
    claim: str = ""
    error: str = ""

    def as_record(self, now: float) -> dict[str, Any]:
        """As the command line and the servers tell it."""
        from holdfast.capture.episodes import session_of

        flag = self.flag
        return {
            "id": flag.id,
            "kind": flag.kind,
            "text": flag.text,
            "session": session_of(flag.episode),
            "project": flag.project,
            "age_s": round(now - flag.time, 3),
            "episode": flag.episode,
            "host": flag.host,
            "origin": flag.origin,
            "evidence": list(flag.evidence),
            "tries": self.tries,
            "error": self.error,
        }


@value
class View:
    """The queue at one moment. `complete` is false where only the newest part was read."""

    entries: tuple[Entry, ...]
    broken: tuple[tuple[str, log.Found], ...]
    complete: bool

    def of(self, state: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.state == state)


def append(folder: str, flags: Sequence[Flag], now: float, roll_at: int = segments.ROLL_AT) -> str:
    """Put flags into the queue; returns the segment's name. Raises NotSaved: then none of them counts as saved."""
    payloads = [codec.encode(redact_record(flag.as_record())[0]) for flag in flags]
    return segments.append(folder, payloads, now, roll_at)


def read(folder: str, now: float, newest: int | None = None, tries: int = TRIES) -> View:
    """What waits, is claimed or is dead, oldest first; of a long queue only the `newest` bytes if asked."""
    parts: list[Segment] = []
    budget = newest
    for path in reversed(segments.live(folder)):
        if budget is not None and budget <= 0:
            return _view(folder, parts, complete=False)
        part = look(path, now, tries, newest=budget)
        if part:
            parts.append(part)
            budget = None if budget is None else budget - part.size
    return _view(folder, parts, complete=budget is None or budget >= 0)


def _view(folder: str, newest_first: list[Segment], *, complete: bool) -> View:
    seen: dict[str, Entry] = {}
    broken: list[tuple[str, log.Found]] = []
    for part in reversed(newest_first):
        broken += part.broken
        for ident, entry in part.entries.items():
            if entry.state != FILED:
                seen.setdefault(ident, entry)
    if broken:  # what somebody has looked at already is no longer told
        broken = still_open(folder, broken)
    return View(tuple(seen.values()), tuple(broken), complete)


@value
class Segment:
    """One segment: its flags by id, the filed ones included, and what in it or beside it is no record."""

    path: str
    size: int
    entries: dict[str, Entry]
    broken: list[tuple[str, log.Found]]


def look(path: str, now: float, tries: int = TRIES, newest: int | None = None) -> Segment | None:
    """One segment; None if it was archived meanwhile, so nothing in it waits. One that cannot be read is all broken."""
    try:
        return read_segment(path, now, tries, newest)
    except FileNotFoundError:
        return None
    except OSError as error:
        unreadable = log.Found(UNREADABLE, 0, 0, str(error).encode("utf-8", "replace"))
        return Segment(path, 0, {}, [(path, unreadable)])


def read_segment(path: str, now: float, tries: int = TRIES, newest: int | None = None) -> Segment:
    # What became of the flags is read first: a segment that is archived between the two looks is then gone, while the
    # other way round its flags would come back to life.
    events, broken = _events(settled_path(path))
    size = posix.stat(path).st_size
    entries: dict[str, Entry] = {}
    for one in log.scan_file(path) if newest is None else log.scan_tail(path, newest):
        try:
            if one.what != log.RECORD:
                raise ValueError(one.what)
            flag = Flag.from_record(codec.decode(one.payload))
            entries.setdefault(flag.id, Entry(flag, path))
        except (ValueError, KeyError, TypeError, AttributeError):
            broken.append((path, one))
    if events:
        _fold(entries, events, now, tries)
    return Segment(path, size, entries, broken)


def unfiled_of(folder: str, segment: str, episode: str, now: float) -> list[Entry] | None:
    """The unfiled flags of an episode in a segment; none in one that was archived, None if nobody can tell."""
    part = look(f"{folder}/live/{segment}", now)
    if part and any(one.what == UNREADABLE for _, one in part.broken):
        return None
    entries = part.entries.values() if part else ()
    return [entry for entry in entries if entry.flag.episode == episode and entry.state != FILED]


def settled_path(segment: str) -> str:
    return segment[: -len(".log")] + ".settled"


def _events(path: str) -> tuple[list[dict[str, Any]], list[tuple[str, log.Found]]]:
    events: list[dict[str, Any]] = []
    broken: list[tuple[str, log.Found]] = []
    try:
        found = list(log.scan_file(path))
    except FileNotFoundError:
        return [], []
    for one in found:
        try:
            if one.what != log.RECORD:
                raise ValueError(one.what)
            event = codec.decode(one.payload)
            if not all(isinstance(ident, str) for ident in [event["what"], *event["ids"]]):
                raise ValueError("not what we write")
            events.append(event)
        except (ValueError, KeyError, TypeError):
            broken.append((path, one))
    return events, broken


def _fold(entries: dict[str, Entry], events: list[dict[str, Any]], now: float, limit: int) -> None:
    """Apply what became of each flag. The rules stand here and nowhere else."""
    filed: set[str] = set()
    tries: dict[str, int] = {}
    claims: dict[str, dict[str, object]] = {}
    errors: dict[str, str] = {}
    for event in events:
        what = event["what"]
        for ident in event["ids"]:
            if what == "claim":
                claims[ident] = event
                tries[ident] = tries.get(ident, 0) + 1
            elif what == "retry":
                tries[ident] = 0
                claims.pop(ident, None)
            elif claims.get(ident, {}).get("claim") != event.get("claim"):
                continue
            elif what == "acknowledge":
                filed.add(ident)
            elif what == "release":
                claims.pop(ident, None)
                errors[ident] = str(event.get("error", ""))
                if not errors[ident]:
                    tries[ident] -= 1
    held_claims: dict[int, bool] = {}
    for ident, entry in entries.items():
        claim = claims.get(ident)
        held = False
        if claim is not None and ident not in filed:
            # One look per claim: its owner is looked for in /proc, and a claim may hold thousands of flags.
            known = held_claims.get(id(claim))
            held = held_claims[id(claim)] = _holds(claim, now) if known is None else known
        count = tries.get(ident, 0)
        state = FILED if ident in filed else CLAIMED if held else DEAD if count >= limit else WAITING
        name = str(claim["claim"]) if claim else ""
        entries[ident] = Entry(entry.flag, entry.segment, state, count, name, errors.get(ident, ""))


def _holds(claim: dict[str, object], now: float) -> bool:
    """A lease holds until its time, or until its owner is seen to be dead."""
    until, since = claim.get("until", 0), claim.get("t", 0)
    if not isinstance(until, (int, float)) or not isinstance(since, (int, float)) or now >= until:
        return False
    owner = Process.from_record(claim.get("owner"))
    return owner is None or platform.alive(owner, since, now, silence=until - since)


@value
class Known:
    """Places of damage, ids of flags, names of segments and days of the ledger."""

    places: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    segments: frozenset[str] = frozenset()
    days: frozenset[str] = frozenset()


def read_set_aside(folder: str) -> Known:
    """All that was set aside in the queue at `folder`."""
    found: dict[str, set[str]] = {name: set() for name in Known.__annotations__}
    try:
        payloads = list(log.records(log.scan_file(f"{folder}/set-aside")))
    except OSError:
        return Known()
    for payload in payloads:
        try:
            record = codec.decode(payload)
            for name, known in found.items():
                known.update(str(one) for one in record.get(name, ()))
        except (ValueError, TypeError, AttributeError):
            continue
    return Known(**{name: frozenset(known) for name, known in found.items()})


def add(folder: str, now: float, **what: Sequence[str]) -> None:
    """Note what somebody has looked at, durably. Raises NotSaved."""
    record = {"v": VERSION, "t": now, **{name: list(ones) for name, ones in what.items() if ones}}
    log.append(f"{folder}/set-aside", [codec.encode(record)], durable=True)


def place_of(path: str, found: log.Found) -> str:
    """A name for bytes that are no record: where they stand, and which they are."""
    return f"{path.rpartition('/')[2]}:{found.start}-{found.end}:{zlib.crc32(found.payload):08x}"


def still_open(folder: str, broken: Iterable[tuple[str, log.Found]]) -> list[tuple[str, log.Found]]:
    """The damage that nobody has looked at yet."""
    known = read_set_aside(folder).places
    return [(path, one) for path, one in broken if place_of(path, one) not in known]

"""The append-only queue of flags: what was flagged and is not yet filed.

Promise: when `append` returns, the flags survive a crash of this process and of the machine (capture/segments).
Beside each segment lies a log of what became of its flags, written by capture/settle; folding the two gives the
state. A flag leaves only by being acknowledged. One that failed too often is dead: still here, visible, and
waiting again after a retry.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, log, platform, segments
from holdfast.capture.flags import from_record
from holdfast.model import Flag, Process, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TRIES = 5
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


@value
class View:
    """The queue at one moment. `complete` is false where only the newest part was read."""

    entries: tuple[Entry, ...]
    broken: tuple[tuple[str, log.Found], ...]
    complete: bool

    def of(self, state: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.state == state)


def append(folder: str, flags: Sequence[Flag], now: float, roll_at: int = segments.ROLL_AT) -> None:
    """Put flags into the queue. Raises NotSaved, after which none of them counts as saved."""
    segments.append(folder, [codec.encode(flag.as_record()) for flag in flags], now, roll_at)


def read(folder: str, now: float, newest: int | None = None, tries: int = TRIES) -> View:
    """What waits, is claimed or is dead, oldest first; of a long queue only the `newest` bytes if asked."""
    parts: list[Segment] = []
    budget = newest
    for path in reversed(segments.live(folder)):
        if budget is not None and budget <= 0:
            return _view(parts, complete=False)
        try:
            parts.append(read_segment(path, now, tries, newest=budget))
        except FileNotFoundError:
            continue  # archived between the listing and the look: nothing in it waits
        if budget is not None:
            budget -= parts[-1].size
    return _view(parts, complete=budget is None or budget >= 0)


def _view(newest_first: list[Segment], *, complete: bool) -> View:
    seen: dict[str, Entry] = {}
    broken: list[tuple[str, log.Found]] = []
    for part in reversed(newest_first):
        broken += part.broken
        for ident, entry in part.entries.items():
            if entry.state != FILED:
                seen.setdefault(ident, entry)
    return View(tuple(seen.values()), tuple(broken), complete)


@value
class Segment:
    """One segment: its flags by id, the filed ones included, and what in it or beside it is no record."""

    path: str
    size: int
    entries: dict[str, Entry]
    broken: list[tuple[str, log.Found]]


def read_segment(path: str, now: float, tries: int = TRIES, newest: int | None = None) -> Segment:
    size = posix.stat(path).st_size
    found = log.scan_file(path) if newest is None else log.scan_tail(path, newest)
    entries: dict[str, Entry] = {}
    broken: list[tuple[str, log.Found]] = []
    for one in found:
        try:
            if one.what != log.RECORD:
                raise ValueError(one.what)
            flag = from_record(codec.decode(one.payload))
            entries.setdefault(flag.id, Entry(flag, path))
        except (ValueError, KeyError, TypeError, AttributeError):
            broken.append((path, one))
    broken += _fold(entries, settled_path(path), now, tries)
    return Segment(path, size, entries, broken)


def settled_path(segment: str) -> str:
    return segment[: -len(".log")] + ".settled"


def _fold(entries: dict[str, Entry], path: str, now: float, limit: int) -> list[tuple[str, log.Found]]:
    """Apply what became of each flag. The rules stand here and nowhere else."""
    broken = []
    filed: set[str] = set()
    tries: dict[str, int] = {}
    claims: dict[str, dict[str, object]] = {}
    errors: dict[str, str] = {}
    try:
        found = list(log.scan_file(path))
    except FileNotFoundError:
        return []
    for one in found:
        try:
            if one.what != log.RECORD:
                raise ValueError(one.what)
            event = codec.decode(one.payload)
            what, ids = event["what"], event["ids"]
        except (ValueError, KeyError, TypeError):
            broken.append((path, one))
            continue
        for ident in ids:
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
    for ident, entry in entries.items():
        claim = claims.get(ident)
        held = claim is not None and _holds(claim, now)
        count = tries.get(ident, 0)
        state = FILED if ident in filed else CLAIMED if held else DEAD if count >= limit else WAITING
        name = str(claim["claim"]) if claim else ""
        entries[ident] = Entry(entry.flag, entry.segment, state, count, name, errors.get(ident, ""))
    return broken


def _holds(claim: dict[str, object], now: float) -> bool:
    """A lease holds until its time, or until its owner is seen to be dead."""
    until, since = claim.get("until", 0), claim.get("t", 0)
    if not isinstance(until, (int, float)) or not isinstance(since, (int, float)) or now >= until:
        return False
    owner = claim.get("owner")
    return platform.alive(Process(**owner), since, now, silence=until - since) if isinstance(owner, dict) else True

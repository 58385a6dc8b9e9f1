"""The ledger: one record for everything that fired, with what it did and how long it took.

It is the proof that the mechanism runs, so it is written at every moment, and it is cheap: one unsynced append to the
file of the day, whatever the ledger already holds. It may lose its last records with the power; nothing that must
survive is only here. Ninety days are kept whole, then only the counts of each day.
"""

from __future__ import annotations

import posix
import time

from holdfast.capture import codec, log, platform
from holdfast.capture.episodes import session_of
from holdfast.capture.redaction import redact, redact_record
from holdfast.model import VERSION, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

KINDS = (
    *("hook", "nudge", "injection", "flag", "episode", "close", "vault", "model", "task", "upkeep", "purged", "error"),
    "sleep",
    "density",
)
SAID, SILENT, KEPT, SKIPPED, DECLINED = "said", "silent", "held", "skipped", "declined"  # decisions of a nudge
SNAPSHOT, NO_SNAPSHOT = "snapshot", "no snapshot"  # and of a compaction


def append(state: str, kind: str, now: float, **what: object) -> None:
    """Write one record. Raises NotSaved where the ledger cannot be written."""
    append_all(state, kind, now, [what])


def append_all(state: str, kind: str, now: float, records: list[dict[str, object]]) -> None:
    """Write several records of one kind at once."""
    made = [redact_record({"v": VERSION, "t": round(now, 6), "kind": kind, **what})[0] for what in records]
    log.append(day_path(state, now), [codec.encode(record) for record in made], durable=False)


def short(text: str, size: int) -> str:
    """The beginning of an outside text. Secrets go before the cut: half a secret is no longer recognised."""
    return redact(text)[0][:size]


def day_of(when: float) -> str:
    """The day of a time, as the ledger names it."""
    return time.strftime("%Y-%m-%d", time.gmtime(when))


def day_path(state: str, when: float) -> str:
    return path_of(state, day_of(when))


DAY = 24 * 3600.0
KEPT_DAYS = 90
TAIL = 64 * 1024


@value
class Wanted:
    """A choice of records: of a session (its id, or a beginning of it), of some kinds, from and until a time."""

    session: str = ""
    kinds: tuple[str, ...] = ()
    since: float = 0.0
    until: float = 0.0

    def takes(self, record: dict[str, Any]) -> bool:
        when, kind = record.get("t", 0), record.get("kind")
        if when < self.since or (self.until and when >= self.until) or (self.kinds and kind not in self.kinds):
            return False
        return not self.session or session_of(str(record.get("episode", ""))).startswith(self.session)


def days(state: str) -> list[str]:
    """The days that are kept whole, oldest first."""
    names = [name[:-4] for name in platform.names(f"{state}/ledger") if name.endswith(".log")]
    return sorted(day for day in names if len(day) == 10 and day.replace("-", "").isdecimal())


def read(state: str, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """The records that are wanted, oldest first."""
    for day in days(state):
        began = _began(day)
        if began + DAY > wanted.since and (not wanted.until or began < wanted.until):
            yield from _decoded(_scan(path_of(state, day)), wanted)


def newest(state: str, wanted: Wanted, count: int) -> list[dict[str, Any]]:
    """The last `count` records that are wanted, oldest first, reading no more than that takes."""
    found: list[dict[str, Any]] = []
    for day in reversed(days(state)):
        if len(found) >= count or _began(day) + DAY < wanted.since:
            break
        found[:0] = _newest_of(path_of(state, day), wanted, count - len(found))
    return found


def _newest_of(path: str, wanted: Wanted, count: int) -> list[dict[str, Any]]:
    part: list[dict[str, Any]] = []
    size = 0
    try:
        while len(part) < count and size < posix.stat(path).st_size:
            size = size * 4 or TAIL
            part = list(_decoded(log.scan_tail(path, size), wanted))
    except FileNotFoundError:
        return []  # folded into the counts meanwhile
    return part[-count:]


def _scan(path: str, start: int = 0) -> Iterator[log.Found]:
    try:
        yield from log.scan_file(path, start)
    except FileNotFoundError:
        return  # folded into the counts meanwhile


def follow(state: str, wanted: Wanted, wait: Callable[[], None]) -> Iterator[dict[str, Any]]:
    """Records as they are written, from now on. `wait` is called whenever there is nothing new."""
    places = {day: posix.stat(path_of(state, day)).st_size for day in days(state)}
    while True:
        fresh = False
        for day in days(state):
            found = list(_scan(path_of(state, day), places.get(day, 0)))
            for number, one in enumerate(found):
                if one.what == log.TORN and number == len(found) - 1:
                    break  # being written, or the writer died: it is looked at again with what follows
                places[day] = one.end
                fresh = True
                yield from _decoded([one], wanted)
        if not fresh:
            wait()


def retire(state: str, now: float) -> list[str]:
    """Fold the days past their time into counts; returns them."""
    last = day_of(now - KEPT_DAYS * DAY)
    old = [day for day in days(state) if day < last]
    counted = {str(record["day"]) for record in counts(state)} if old else set()
    for day in old:
        if day not in counted:
            record = {"v": 1, "day": day, "counts": _count(log.scan_file(path_of(state, day)))}
            log.append(f"{state}/ledger/counts.log", [codec.encode(record)], durable=True)
        platform.remove(path_of(state, day))
    return old


def counts(state: str) -> list[dict[str, Any]]:
    """The counts of the days that are no longer kept whole."""
    return [record for record in _decoded(_scan(f"{state}/ledger/counts.log"), Wanted()) if "day" in record]


def _count(found: Iterable[log.Found]) -> dict[str, int]:
    """The number of records of each kind, and of each event of a hook."""
    total: dict[str, int] = {}
    for record in _decoded(found, Wanted()):
        kind, event = str(record.get("kind", "unknown")), record.get("event")
        for name in (kind, f"{kind}:{event}") if event else (kind,):
            total[name] = total.get(name, 0) + 1
    return total


def _decoded(found: Iterable[log.Found], wanted: Wanted) -> Iterator[dict[str, Any]]:
    for one in found:
        if one.what == log.RECORD:
            record = codec.decode(one.payload)
            if wanted.takes(record):
                yield record
        elif wanted.takes({"kind": "error", "t": time.time()}):
            yield {"kind": "error", "error": f"{one.what} bytes {one.start}-{one.end} in the ledger", "t": 0.0}


def path_of(state: str, day: str) -> str:
    return f"{state}/ledger/{day}.log"


def _began(day: str) -> float:
    from datetime import date

    return (date.fromisoformat(day) - date(1970, 1, 1)).days * DAY

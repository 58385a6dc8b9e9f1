"""Losses: flags, segments and days that were acknowledged, and are neither in the queue nor filed nor purged.

The ledger and the queue are written by the same call and lie in different files, so each tells what the other has lost:

- A flag in the ledger (90 days) whose id is in no segment, waiting or archived, in no record of what was filed, and in
  no file of the vault, is lost. A purge takes its record out of the ledger too, so a purged flag is none.
- A segment that the ledger names, or that upkeep counted, must lie in live/ or archive/: none is ever removed, save by
  a purge that leaves nothing in it.
- A day of the ledger on which flags were taken, or which upkeep saw, must be there or folded into the counts.

Reading all that takes as long as the history is, so doctor, audit and the daily upkeep do it, never a hook.
"""

from __future__ import annotations

from holdfast.capture import codec, home, ledger, log, platform, queue
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NOTICE = "acknowledged"
PLACES = ("live", "archive")
NO_TEXT = (".git", ".state")
LARGEST = 1 << 22  # bytes of a file of the vault that is looked through for an id


@value
class Losses:
    """`flags` are ids that were acknowledged and are nowhere, `segments` files of the queue, `days` those of the
    ledger, `uncounted` how many segments are missing of which no name is known."""

    flags: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    uncounted: int = 0
    known: int = 0

    @property
    def is_whole(self) -> bool:
        return not (self.flags or self.segments or self.days or self.uncounted)

    def sentence(self) -> str:
        """A sentence that says what is missing; "" where nothing is."""
        said = []
        if count := len(self.flags):
            said.append(f"{_many(count, 'flag')} that {'was' if count == 1 else 'were'} acknowledged cannot be found")
        if count := len(self.segments) + self.uncounted:
            named = f" ({', '.join(self.segments[:3])})" if self.segments else ""
            said.append(f"{_many(count, 'file')} of the queue {'is' if count == 1 else 'are'} missing{named}")
        if self.days:
            said.append(f"the ledger of {', '.join(self.days[:3])} is missing")
        return "; ".join(said)


@value
class Acknowledged:
    """The ledger's word: flags with their segment, the counts of the newest upkeep, and when something was purged."""

    flags: dict[str, str]
    upkeep: dict[str, Any]
    purged: float


def account(vault: str, now: float) -> Losses:
    """Compare ledger, queue and vault. Reads only."""
    state = home.state(vault)
    folder = f"{state}/queue"
    told = _told(state)
    present, days_taken, settled = _queued(folder)
    files = _files(folder)
    aside = queue.read_set_aside(folder)
    gone = told.flags.keys() - present - settled - aside.flags
    lost = _unfiled(vault, gone) if gone else set()
    # Of a segment that a purge emptied the ledger names no flag any more.
    missing = set(told.flags.values()) - {""} - files - aside.segments
    absent = _missing_days(state, now, days_taken, told.upkeep) - aside.days
    flags, segments, days = (tuple(sorted(one)) for one in (lost, missing, absent))
    return Losses(flags, segments, days, _uncounted(told, files, missing), len(told.flags))


def counted(state: str, found: Losses) -> dict[str, Any]:
    """The counts that upkeep writes down each day, so that a later look can tell whether a file is gone. One that is
    gone already is counted on, or the alarm would end by itself."""
    missing = len(found.segments) + found.uncounted
    days = sorted({*ledger.days(state), *found.days})
    return {"queue_files": len(_files(f"{state}/queue")) + missing, "days": days}


def _files(folder: str) -> set[str]:
    """Every segment. Those that wait are listed first, so one that is archived meanwhile is not missed."""
    return {name for place in PLACES for name in platform.names(f"{folder}/{place}") if name.endswith(".log")}


def _told(state: str) -> Acknowledged:
    flags: dict[str, str] = {}
    upkeep: dict[str, Any] = {}
    purged = 0.0
    for day in ledger.days(state):
        for record in codec.logged(f"{state}/ledger/{day}.log", having=(b'"flag"', b'"upkeep"', b'"purge"')):
            kind, when = record.get("kind"), record.get("t", 0.0)
            if kind == "flag" and record.get("id"):
                flags[str(record["id"])] = str(record.get("segment", ""))
            elif kind == "upkeep" and "queue_files" in record:
                upkeep = record
            elif kind == "vault" and record.get("cause") == "purge" and isinstance(when, (int, float)):
                purged = float(when)
    return Acknowledged(flags, upkeep, purged)


def _queued(folder: str) -> tuple[set[str], set[str], set[str]]:
    """The ids in every segment, the days on which they were taken, and the ids that were filed."""
    present: set[str] = set()
    days: set[str] = set()
    settled: set[str] = set()
    for place in PLACES:
        for name in sorted(platform.names(f"{folder}/{place}")):
            for record in codec.logged(f"{folder}/{place}/{name}"):
                try:
                    if name.endswith(".settled"):
                        settled.update(record["ids"] if record.get("what") == "acknowledge" else ())
                    else:
                        present.add(str(record["id"]))
                        days.add(ledger.day_of(float(record["time"])))
                except (ValueError, KeyError, TypeError, OverflowError):
                    continue
    return present, days, settled


def _unfiled(vault: str, ids: set[str]) -> set[str]:
    """Those that no file of the vault names: a note has its flags as sources, a discard its id."""
    left = ids
    for path in _texts(vault):
        text = platform.text(path, LARGEST) if left else ""
        left = {ident for ident in left if ident not in text}
    return left


def _texts(folder: str) -> Iterator[str]:
    for name in sorted(platform.names(folder)):
        kind = platform.kind(f"{folder}/{name}")
        if kind == platform.A_FOLDER and name not in NO_TEXT:
            yield from _texts(f"{folder}/{name}")
        elif kind == platform.A_FILE:
            yield f"{folder}/{name}"


def _missing_days(state: str, now: float, taken: set[str], upkeep: dict[str, Any]) -> set[str]:
    """Days that should be there: kept for 90 days, then counted."""
    oldest = ledger.day_of(now - ledger.KEPT_DAYS * ledger.DAY)
    seen = upkeep.get("days")
    wanted = {day for day in (*taken, *(map(str, seen) if isinstance(seen, list) else ())) if day >= oldest}
    folded = {str(record["day"]) for record in ledger.counts(state)}
    return wanted - set(ledger.days(state)) - folded


def _uncounted(told: Acknowledged, files: set[str], missing: set[str]) -> int:
    """The number of files that upkeep counted and that are gone without a name, unless a purge took them."""
    before = told.upkeep.get("queue_files")
    if not isinstance(before, int) or told.purged > float(told.upkeep.get("t", 0.0)):
        return 0
    return max(0, before - len(files) - len(missing))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def set_all_aside(vault: str, now: float) -> tuple[list[str], Losses]:
    """Note all damage in the queue, with copies, and all that is missing: the user has looked. Returns the copies and
    the losses. What cannot be read just now is no damage, and stays an alarm. Raises NotSaved, OSError."""
    folder = f"{home.state(vault)}/queue"
    broken = [one for one in queue.read(folder, now).broken if one[1].what != queue.UNREADABLE]
    copies = [log.set_aside(f"{folder}/broken", path.rpartition("/")[2], found) for path, found in broken]
    found = account(vault, now)
    if broken or not found.is_whole:
        places = [queue.place_of(path, one) for path, one in broken]
        queue.add(folder, now, places=places, flags=found.flags, segments=found.segments, days=found.days)
        ledger.append(home.state(vault), "upkeep", now, **counted(home.state(vault), Losses()))
    return copies, found

"""The yield of triggers: for each boundary the flags that it brought, what became of them, and what a used note cost.

A flag belongs to the boundary that health/boundaries says: the user's own words are a user request; else it is the
newest reminder of the same session and turn before it; else it came unprompted. Its note is found by the flag's id in
the note's sources. A note counts as read when a question returned it, or an agent opened or cited it (the traffic log
and the index of it), and as used when it was read or is armed. Tokens of reminders are estimated, a quarter of the
characters that were injected; tokens of judges are those that the meter told the ledger, shared equally among the
flags of the session they were spent on. Looking changes nothing.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import platform, projects, queue
from holdfast.close import judged
from holdfast.errors import HoldfastError
from holdfast.field import coverage, traffic
from holdfast.field.thought import note_id
from holdfast.health import audit, boundaries, period
from holdfast.vault import index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from holdfast.health.boundaries import Flagged
    from holdfast.health.finding import Place
    from holdfast.health.period import Period, Told
    from holdfast.vault.index import Known

PER_TOKEN = 4  # characters, on the average of English prose and code: an estimate
FEWEST = 5  # flags that a trigger must have brought to be ranked
LEFT_OUT = re.compile(r" \(([0-9A-HJKMNP-TV-Z]{26}), ")  # the id in a line of what a judge did not keep
MONTH = re.compile(r"-(\d{4}-\d{2})-")
LARGEST = 16 << 20
UNPROMPTED = "unprompted"
KINDS = {  # the kinds of boundary that are one trigger
    "user request": (boundaries.REQUEST,),
    "post-task": ("chapter", "task", "subagent", "commit", "checkpoint"),
    "context pressure": ("consider", "write", "handoff"),
    "compaction": (boundaries.BEFORE, boundaries.AFTER),
    "turn stop": (boundaries.STOP,),
    "session end": (boundaries.END,),
    UNPROMPTED: ("",),
}
TRIGGERS = {kind: name for name, kinds in KINDS.items() for kind in kinds}
# The ranking of the essay "When Does Memory Get Written?" (XPollination, version 4, 2026), and which of ours each is.
EXPECTED = (
    ("post-task consolidation", ("post-task",)),
    ("reinforcement by use", ()),
    ("explicit user requests", ("user request",)),
    ("sleep consolidation", ()),
    ("loading at a start", ()),
    ("flush before a compaction", ("context pressure", "compaction")),
    ("snapshots at a session's end", ("session end",)),
    ("decay", ()),
)
RANKS = {name: rank for rank, (_, ours) in enumerate(EXPECTED, 1) for name in ours}


@dataclass(frozen=True)
class Row:
    """One trigger. `filed` flags are in a note; `unknown` are in no note, neither discarded nor waiting: forgotten,
    purged, or of another machine. `notes_used` are different notes. None: the index cannot be looked at."""

    trigger: str
    reminders: int = 0
    unsized: int = 0  # reminders of which the ledger does not say how long they were
    flags: int = 0
    filed: int = 0
    read: int | None = 0
    armed: int = 0
    superseded: int = 0
    discarded: int = 0
    waiting: int = 0
    unknown: int = 0
    used: int | None = 0
    notes_used: int | None = 0
    reminder_tokens: int = 0
    judge_tokens: int = 0
    rank: int | None = None

    @property
    def tokens_per_used_note(self) -> float | None:
        return (self.reminder_tokens + self.judge_tokens) / self.notes_used if self.notes_used else None

    def as_record(self) -> dict[str, Any]:
        each = self.tokens_per_used_note
        more = {"tokens_per_used_note": None if each is None else round(each, 1)}
        return {**vars(self), **more, "expected_rank": RANKS.get(self.trigger)}


@dataclass(frozen=True)
class Yield:
    """The rows in the order of KINDS. `other_tokens` were spent by judges on sessions that flagged nothing."""

    period: Period
    rows: tuple[Row, ...]
    other_tokens: int
    why_unread: str = ""  # why nobody can say what was read

    @property
    def ranked(self) -> tuple[Row, ...]:
        return tuple(sorted((row for row in self.rows if row.rank), key=lambda row: row.rank or 0))

    def as_record(self) -> dict[str, Any]:
        return {
            "period": self.period.as_record(),
            "triggers": [row.as_record() for row in self.rows],
            "ranking": [row.trigger for row in self.ranked],
            "expected_ranking": [{"rank": rank, "name": name} for rank, (name, _) in enumerate(EXPECTED, 1)],
            "fewest_flags_to_rank": FEWEST,
            "characters_per_token": PER_TOKEN,
            "judge_tokens_without_flags": self.other_tokens,
            "reads_unknown": self.why_unread,
        }


def look(place: Place, asked: Period) -> Yield:
    """The yield in a period. Raises NotFound where there is no vault, or no such project."""
    audit.make_sure_of_vault(place)
    told = audit.with_merged(place, period.read(place.state, asked, projects.registered(place.vault)))
    flagged = {one.id: one for one in told.boundaries.flagged if one.id and told.period.takes(one.project)}
    of_flags = _notes_of(place, flagged.keys())
    read, why = _read(place, {one.note.path for one in of_flags.values()})
    left_out = _left_out(place.vault, told.period.since)
    waiting = {entry.flag.id for entry in queue.read(f"{place.state}/queue", place.clock()).entries}
    judge, others = _judge_tokens(told, flagged.values())
    rows = []
    for name in KINDS:
        mine = [one for one in flagged.values() if TRIGGERS.get(one.boundary, UNPROMPTED) == name]
        row = _fates(name, {one.id for one in mine}, of_flags, read, left_out, waiting)
        rows.append(replace(_reminded(row, told), judge_tokens=round(sum(judge[one.id] for one in mine))))
    return Yield(told.period, tuple(ranked(rows)), others, why)


def _notes_of(place: Place, ids: Iterable[str]) -> dict[str, Known]:
    wanted = set(ids)
    known = index.load(place.vault, keep=False).known.values()
    return {source: one for one in known for source in one.note.sources if source in wanted}


def _read(place: Place, paths: Iterable[str]) -> tuple[set[str] | None, str]:
    """The notes among these that were read, by path; None and why where the index cannot be looked at. The end of the
    log that the index has not taken in yet counts too."""
    of_ids = {note_id(path): path for path in paths}
    try:
        with coverage.only_looking(place.vault) as store:
            found = set(store.traffic(of_ids, whole=False))
            start = store.travelled()
    except FileNotFoundError:
        found, start = set(), 0
    except (HoldfastError, OSError) as error:
        return None, str(error)
    found.update(ident for event in traffic.travels(place.vault, start).found for ident in event.ids)
    return {path for ident, path in of_ids.items() if ident in found}, ""


def _left_out(vault: str, since: float) -> set[str]:
    """The flags that judges did not keep, from the files of the months of the period."""
    month, found = time.strftime("%Y-%m", time.gmtime(since)), set[str]()
    for name in platform.names(f"{vault}/{judged.FOLDER}"):
        said = MONTH.search(name)
        if not said or said[1] < month:
            continue
        try:
            text = platform.read_regular(f"{vault}/{judged.FOLDER}/{name}", LARGEST)
        except (OSError, ValueError):
            continue  # no file, or no longer one; the doctor names it
        found.update(LEFT_OUT.findall(text.decode("utf-8", "replace")))
    return found


def _judge_tokens(told: Told, flagged: Iterable[Flagged]) -> tuple[dict[str, float], int]:
    """The tokens of judges for each flag, and those that were spent on sessions of the period without any."""
    by_episode: dict[str, list[str]] = {}
    for one in flagged:
        by_episode.setdefault(one.episode, []).append(one.id)
    spent: dict[str, int] = {}
    for (about, _), calls in told.closes.calls.items():
        spent[about] = spent.get(about, 0) + calls.tokens_in + calls.tokens_out
    each = {
        ident: spent.get(key, 0) / len(ids) if key else 0.0 for key, ids in by_episode.items() for ident in ids
    }  # fmt: skip
    return each, sum(tokens for about, tokens in spent.items() if about in told.own() and about not in by_episode)


def _fates(
    trigger: str,
    ids: set[str],
    of_flags: Mapping[str, Known],
    read: set[str] | None,
    left_out: set[str],
    waiting: set[str],
) -> Row:
    filed = {ident: of_flags[ident] for ident in ids & of_flags.keys()}
    rest = ids - filed.keys()
    is_read = {ident for ident, one in filed.items() if read is not None and one.note.path in read}
    is_armed = {ident for ident, one in filed.items() if one.armed}
    used = is_read | is_armed
    return Row(
        trigger,
        flags=len(ids),
        filed=len(filed),
        read=None if read is None else len(is_read),
        armed=len(is_armed),
        superseded=sum(one.note.status == "superseded" for one in filed.values()),
        discarded=len(rest & left_out),
        waiting=len(rest & waiting - left_out),
        unknown=len(rest - waiting - left_out),
        used=None if read is None else len(used),
        notes_used=None if read is None else len({filed[ident].note.path for ident in used}),
    )


def _reminded(row: Row, told: Told) -> Row:
    mine = [one for one in told.boundaries.asked if told.period.takes(one.project)]
    mine = [one for one in mine if TRIGGERS.get(one.kind, UNPROMPTED) == row.trigger]
    return replace(
        row,
        reminders=len(mine),
        unsized=sum(not one.characters for one in mine),
        reminder_tokens=round(sum(one.characters for one in mine) / PER_TOKEN),
    )


def ranked(rows: list[Row]) -> Iterator[Row]:
    """Ranked by the share of flags that were used, then by how many: a trigger that fires more often is no better."""
    able = [row for row in rows if row.used is not None and row.flags >= FEWEST]
    able.sort(key=lambda row: (-(row.used or 0) / row.flags, -(row.used or 0), row.trigger))
    ranks = {row.trigger: rank for rank, row in enumerate(able, 1)}
    return (replace(row, rank=ranks.get(row.trigger)) for row in rows)

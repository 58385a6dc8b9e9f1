"""Receipts: what memory did in the last seven days, each figure with the records behind it.

Delivered at starts and at prompts, calls stopped and calls made the better way are in the ledger; what an agent opened
or cited is in the traffic log; whether a snag came again is in the record of its edit. Looking changes nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, log
from holdfast.capture.identity import PERSON
from holdfast.close.improve import edit_record
from holdfast.field import traffic
from holdfast.health import receipt_tally as tally
from holdfast.text.layout import many

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.close.improve.edit_record import Record
    from holdfast.field.traffic import Event
    from holdfast.health.period import Period
    from holdfast.health.receipt_tally import Proof, Tally

FIRST, MOST = 1 << 16, 1 << 23  # bytes of the end of the traffic log that are read
USED, HELD, AGAIN = "used", "held", "again"
NAMES = (tally.STARTS, tally.PROMPTS, USED, tally.STOPPED, tally.CORRECTED, HELD, AGAIN)
WORDS = {
    tally.STARTS: "Delivered at starts",
    tally.PROMPTS: "Delivered with a prompt",
    USED: "Opened or cited by an agent",
    tally.STOPPED: "Calls stopped",
    tally.CORRECTED: "Calls made the better way",
    HELD: "Snags that did not come again",
    AGAIN: "Snags that came again",
}


@dataclass(frozen=True)
class Receipts:
    """`uses` are of agents; `held` and `again` are edits made of snags that sessions of the week have put to the test.
    `is_cut`: the week's traffic is longer than was read, so the uses are at least so many."""

    starts: tuple[Proof, ...]
    prompts: tuple[Proof, ...]
    stopped: tuple[Proof, ...]
    corrected: tuple[Proof, ...]
    uses: tuple[Event, ...]
    held: tuple[Record, ...]
    again: tuple[Record, ...]
    is_cut: bool = False

    @property
    def used(self) -> tuple[str, ...]:
        """The ids of what was opened or cited, each once."""
        return tuple(dict.fromkeys(ident for one in self.uses for ident in one.ids))

    def count(self, name: str) -> int:
        return len(getattr(self, name))

    def detail(self, name: str) -> str:
        """A remark on a figure, in a few words."""
        if name in (tally.STARTS, tally.PROMPTS):
            found: tuple[Proof, ...] = getattr(self, name)
            return f"{many(sum(one.things for one in found), 'thing')} in all" if found else ""
        if name == USED and self.uses:
            most = " or more" if self.is_cut else ""
            return f"{many(len(self.uses), 'time')}{most}"
        return ""

    def as_record(self) -> dict[str, Any]:
        found: dict[str, Any] = {name: self.count(name) for name in NAMES}
        things = {f"{name}_things": sum(one.things for one in getattr(self, name)) for name in ("starts", "prompts")}
        return {**found, **things, "uses": len(self.uses), "uses_cut": self.is_cut}

    def lines(self) -> tuple[tuple[str, str], ...]:
        """The same for a terminal: a name and a sentence each."""
        things = [sum(one.things for one in some) for some in (self.starts, self.prompts)]
        starts, prompts = many(len(self.starts), "start"), many(len(self.prompts), "prompt")
        told = f"{starts} got {many(things[0], 'thing')}, {prompts} got {many(things[1], 'thing')}"
        stops = f"{many(len(self.stopped), 'call')} stopped, {len(self.corrected):,} then made the better way"
        snags = f"{many(len(self.held), 'snag')} did not come again, {len(self.again):,} did"
        more = " or more" if self.is_cut else ""
        used = f"{many(len(self.used), 'thought')} opened or cited by agents, {many(len(self.uses), 'time')}{more}"
        return (("delivered", told), ("used", used), ("calls", stops), ("snags", snags))


def count(vault: str, asked: Period, told: Tally) -> Receipts:
    """The receipts of a period, of a project or of all, with what the ledger's tally has of it."""
    ledgers = {kind: tuple(told.of(kind, asked.takes)) for kind in tally.KINDS}
    uses, is_cut = _uses(vault, asked)
    tested = [one for one in edit_record.everything(vault, (edit_record.APPLIED,)) if asked.takes(one.project)]
    held = [one for one in tested if one.proven_at >= asked.since and one.proven_at > one.recurred_at]
    again = [one for one in tested if one.recurred_at >= asked.since and one.recurred_at >= one.proven_at]
    return Receipts(**ledgers, uses=uses, held=tuple(held), again=tuple(again), is_cut=is_cut)


def _uses(vault: str, asked: Period) -> tuple[tuple[Event, ...], bool]:
    """Thoughts that agents opened or cited in a period, oldest first, and whether there may be more."""

    def takes(event: Event) -> bool:
        is_agents = event.kind == traffic.USED and event.agent != PERSON
        return is_agents and event.time >= asked.since and asked.takes(event.project)

    path, size = traffic.traffic_path(vault), FIRST
    while True:
        found, is_whole = _tail(path, size, takes, asked.since)
        if is_whole or size >= MOST:
            return tuple(found), not is_whole
        size *= 4


def _tail(path: str, size: int, takes: Callable[[Event], bool], since: float) -> tuple[list[Event], bool]:
    """Those at the end of the log, and whether its beginning, or the period's, was reached."""
    found: list[Event] = []
    first = float("inf")
    try:
        is_all = os.stat(path).st_size <= size
        for one in log.scan_tail(path, size):
            if one.what != log.RECORD:
                continue
            try:
                event = traffic.from_record(codec.decode(one.payload))
            except (ValueError, KeyError, TypeError):
                continue  # purged, or none of ours
            first = min(first, event.time)
            found += [event] if takes(event) else []
    except OSError:
        return [], True
    return found, is_all or first < since

"""The team's store as the intake sees it: what it takes in is chosen, named as the team's, and sent in small
transactions.

So one piece of code reads the vault, for the embedded index and for every team. Each transaction holds a few hundred
records, the stamps of the places they came from, and a new mark; it is acknowledged here only after the store has said
so. A kill at any moment costs a transaction that is sent twice, and sending it twice changes nothing. Without a store
everything is only counted.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

from holdfast.capture import log, purging
from holdfast.capture.ids import digest
from holdfast.field import traffic
from holdfast.field.thought import NOTE, WITHDRAWN
from holdfast.team.acknowledged import SENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from holdfast.field.postgres.store import PostgresStore
    from holdfast.field.store import Mark, Store
    from holdfast.field.thought import Thought
    from holdfast.field.traffic import Event
    from holdfast.team.acknowledged import Acknowledged
    from holdfast.team.names import Names

RECORDS = 200  # in one transaction
BYTES = 1 << 16  # of the traffic log that are read at once


class Outgoing:
    """The part of a Store that the intake uses. `local` is the vault's own index, which knows all that the records of a
    thought say together."""

    def __init__(
        self,
        vault: str,
        names: Names,
        sent: Acknowledged,
        local: Store,
        store: PostgresStore | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.vault, self.names, self.sent, self.local, self.store, self.progress = (
            vault, names, sent, local, store, progress,
        )  # fmt: skip
        self.count, self.oldest = 0, 0.0
        self._waiting: list[Callable[[PostgresStore], None]] = []
        self._records = 0
        self._there: dict[str, str] = {}
        self._here: dict[str, str] = {}
        self._gone: list[str] = []
        self._notes: dict[str, str] = {}

    # What the intake asks

    def places(self, prefix: str = "") -> dict[str, str]:
        return self.sent.places(prefix)

    def travelled(self) -> int:
        return self.sent.travelled

    def thoughts(self, _: Iterable[str]) -> dict[str, Thought]:
        """None: what other records say of a thought is asked of the local index, in `take`."""
        return {}

    def writing(self, _: float = 0.0) -> AbstractContextManager[None]:
        return nullcontext()

    # What it tells

    def note_places(self, stamps: Mapping[str, str]) -> None:
        """Stamps of folders and the like, which say how far this machine has looked: they stay here."""
        self._flush()
        self._here.update(stamps)
        self._flush()

    def mark(self, place: str, stamp: str, marks: Sequence[Mark], *, anew: bool = True) -> None:
        """Steps of sleep stay here: a team's sleep makes its own. Only a whole field takes them along."""
        if not self.names.is_whole:
            self._here[place] = stamp
            return
        self._do(len(marks), lambda store: store.mark(place, stamp, marks, anew=anew))
        self._there[place] = stamp

    def take(
        self,
        place: str,
        stamp: str,
        thoughts: Sequence[Thought],
        supersedes: Sequence[tuple[str, str]] = (),
        *,
        anew: bool = True,
    ) -> None:
        named = [one.id for one in thoughts if one.kind != NOTE]
        known = self.local.thoughts([*named, *(old for old, _ in supersedes)])
        chosen = [known.get(one.id, one) if one.kind != NOTE else one for one in thoughts]
        made = [self.names.sent(one) for one in chosen if self.names.has(one)]
        own = {one.id: one for one in (*thoughts, *known.values())}
        pairs = [
            (self.names.out(old), new if new == WITHDRAWN else self.names.out(new))
            for old, new in supersedes
            if old in own and self.names.is_of(own[old].project)
        ]
        if not made and not pairs:
            if anew and self.sent.is_there(place):
                self._do(1, lambda store: store.forget(place))
                self._tell(1, self._changed(place))
            is_there = not anew and (place in self._there or self.sent.is_there(place))
            (self._there if is_there else self._here)[place] = stamp
            return
        if not anew and not self.sent.is_there(place) and place not in self._there:
            anew = True  # what it held before was nothing of this project
        before = self.sent.note(f"said {place}")
        if before or not stamp:  # changed so lately that its time was not believed: then by what it says
            said = digest(repr((made, pairs)), 24)
            if said == before and self.sent.is_there(place):
                self._there[place] = stamp
                return
            self._notes[f"said {place}"] = said
        stops = self._stops(place) if len(made) > RECORDS else {}
        for at in range(0, max(1, len(made)), RECORDS):
            some, rest = made[at : at + RECORDS], made[at + RECORDS : at + RECORDS + 1]
            so_far = self._stop(place, stops.get(rest[0].id, 0), goes_on=bool(at) or not anew) if rest else stamp
            self._take(place, so_far, some, [] if at else pairs, anew=anew and not at)
        for one in made:
            self._tell(1, self._changed(place) if one.kind == NOTE else one.created)
        if pairs and not made:
            self._tell(len(pairs), self._changed(place))

    def _stops(self, place: str) -> dict[str, int]:
        """Where each thought of a long log begins."""
        found: dict[str, int] = {}
        if place.startswith(f"{traffic.FOLDER}/"):
            for one in log.scan_file(f"{self.vault}/{place}"):
                found.setdefault(str((purging.record_of(one) or {}).get("id", "")), one.start)
        return found

    def _stop(self, place: str, at: int, *, goes_on: bool) -> str:
        """The mark of a log up to there, or up to where it was sent before: a kill goes on from it."""
        known = self._there.get(place) or self.sent.places(place).get(place, "")
        is_log = goes_on and place.startswith(f"{traffic.FOLDER}/")
        before = int(known.partition(" ")[0] or 0) if is_log else 0
        return traffic.mark(self.vault, place, max(at, before)) if max(at, before) else ""

    def _take(
        self, place: str, stamp: str, made: Sequence[Thought], pairs: Sequence[tuple[str, str]], *, anew: bool
    ) -> None:
        self._do(len(made) or 1, lambda store: store.take(place, stamp, made, pairs, anew=anew))
        self._there[place] = stamp
        if self._records >= RECORDS:
            self._flush()

    def forget(self, place: str) -> None:
        if self.sent.is_there(place):
            self._do(1, lambda store: store.forget(place))
            self._tell(1, 0.0)
        self._gone.append(place)

    def forget_traffic(self) -> None:
        self._flush()
        self._do(1, lambda store: store.forget_traffic())
        self._notes["travelled"] = "0"
        self._flush()

    def travel(self, _: Sequence[Event], end: int) -> None:
        """The events up to there, in parts: a week of them is no single transaction."""
        self._flush()
        start = 0 if self._notes.get("travelled") == "0" else self.travelled()
        while start < end:
            read = traffic.travels(self.vault, start, min(end, start + BYTES))
            if read.end == start:  # one record longer than a part
                read = traffic.travels(self.vault, start, end)
            if read.end == start:
                return
            self._events(start, read.found, read.end)
            start = read.end

    def _events(self, start: int, found: Sequence[Event], end: int) -> None:
        known = self.local.thoughts({ident for one in found for ident in one.ids})
        is_of = self.names.is_of
        made = []
        for one in found:
            is_here = is_of(one.project)
            elsewhere = [
                ident for ident in one.ids if (not is_of(known[ident].project) if ident in known else not is_here)
            ]
            if event := self.names.event(one, elsewhere):
                made.append(event)
                self._tell(1, one.time)

        def put(store: PostgresStore) -> None:
            if store.travelled() == start:  # else the commit before was made, and only its word was lost
                store.travel(made, end)

        self._do(len(made), put)
        self._notes["travelled"] = str(end)
        self._flush()

    def _changed(self, place: str) -> float:
        try:
            return os.stat(f"{self.vault}/{place}").st_mtime
        except OSError:
            return 0.0

    def _tell(self, count: int, when: float) -> None:
        self.count += count
        if when:
            self.oldest = min(self.oldest or when, when)

    # Sending

    def _do(self, records: int, work: Callable[[PostgresStore], None]) -> None:
        self._waiting.append(work)
        self._records += records

    def finish(self) -> None:
        self._flush()

    def _flush(self) -> None:
        """One transaction, and then the word here that it was made. Raises Away, Refused."""
        store, waiting = self.store, self._waiting
        if store is None:
            self._waiting, self._records = [], 0
            return
        notes = dict(self._notes)
        if waiting:
            notes["mark"] = digest(f"{self.sent.note('mark')} {os.urandom(8).hex()}", 16)

            def work() -> None:
                with store.writing():
                    for one in waiting:
                        one(store)
                    store.note_places({SENT: notes["mark"]})

            store.server.again(work)
        if waiting or self._there or self._here or self._gone or notes:
            self.sent.keep(there=self._there, here=self._here, gone=self._gone, **notes)
        self.progress(self._records)
        self._waiting, self._records = [], 0
        self._there, self._here, self._gone, self._notes = {}, {}, [], {}

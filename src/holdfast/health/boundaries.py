"""Boundaries that came, nudges that were injected, and what followed them: flags, a "nothing", or no answer.

A nudge is answered by a flag, by a checkpoint of a task, or by the word that there is nothing, before its turn ends;
one whose turn goes on is not judged yet. Within a turn a flag is counted for the newest nudge and answers them all.
Each flag is also kept with the boundary that brought it, for the yield of triggers (health/trigger_yield).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING

from holdfast.capture import ledger
from holdfast.health.closes import count as as_count
from holdfast.health.finding import Finding
from holdfast.text.layout import age

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from holdfast.health.period import Told

START, STOP, END, BEFORE, AFTER = "session-start", "turn-stop", "session-end", "before-compaction", "after-compaction"
REQUEST = "user-request"
KINDS = (
    *(START, "first-prompt", REQUEST, "chapter", "task", "subagent", "commit", "checkpoint"),
    *("consider", "write", "handoff", BEFORE, AFTER, STOP, END),
)
WAS_HELD = "it was held until now"
IN_A_ROW = 5  # nudges without any answer, after which something is wrong with the asking


@dataclass
class Asked:
    """One nudge that reached the model."""

    kind: str
    host: str
    project: str
    when: float
    characters: int = 0  # of what was injected; 0 where the ledger does not say
    flags: int = 0
    is_answered: bool = False
    is_declined: bool = False
    is_over: bool = False

    @property
    def is_ignored(self) -> bool:
        return self.is_over and not self.is_answered and not self.is_declined


@dataclass(frozen=True)
class Flagged:
    """One flag and the kind of boundary that brought it, "" for none: the user's own words are a user request, else it
    is the newest nudge of the turn, else the end of the session where that had come."""

    id: str
    boundary: str
    episode: str
    project: str


@dataclass
class Row:
    """One kind of boundary. `held` are those of `came` that waited for a moment which carries text."""

    kind: str
    came: int = 0
    injected: int = 0
    answered: int = 0
    flags: int = 0
    declined: int = 0
    ignored: int = 0
    held: int = 0
    silent: int = 0


@dataclass
class Boundaries:
    """Counts on the way through the ledger; `rows` puts them together for one project, or all."""

    came: dict[tuple[str, str], Row] = field(default_factory=dict)  # by project and kind
    asked: list[Asked] = field(default_factory=list)
    unasked: dict[str, int] = field(default_factory=dict)
    unwritten: list[tuple[str, float, str]] = field(default_factory=list)  # compactions without a snapshot
    flagged: list[Flagged] = field(default_factory=list)
    _open: dict[str, list[Asked]] = field(default_factory=dict)
    _spoken: set[tuple[str, object]] = field(default_factory=set)  # injections whose hook record is yet to come
    _ended: set[str] = field(default_factory=set)

    def take(self, record: Mapping[str, Any], key: str, when: float) -> None:
        kind = record.get("kind")
        project = str(record.get("project") or "")
        if kind == "injection":
            self._spoken.add((key, record.get("t")))
            self._size(record, key, when)
        elif kind == "nudge":
            self._nudge(record, key, project, when)
        elif kind == "flag":
            self._flag(record, key, project)
        elif kind == "task":
            self._answer(key)  # what was durable went into the memory of a task
        elif kind == "hook":
            self._moment(record, key, project)
        elif kind == "episode":
            self._end_turn(key)
            self._ended.add(key)

    def _row(self, project: str, kind: str) -> Row:
        return self.came.setdefault((project, kind), Row(kind))

    def _moment(self, record: Mapping[str, Any], key: str, project: str) -> None:
        event = str(record.get("event"))
        spoken = (key, record.get("t"))
        is_spoken = spoken in self._spoken
        self._spoken.discard(spoken)
        is_start = event == START and record.get("source") != "compact"
        is_stop = event == STOP and not record.get("agent")
        if is_start or is_stop or (event == END and not record.get("repeated")):
            row = self._row(project, event)
            row.came += 1
            row.injected += is_start and is_spoken
            self._end_turn(key)
            (self._ended.add if event == END else self._ended.discard)(key)

    def _nudge(self, record: Mapping[str, Any], key: str, project: str, when: float) -> None:
        kind, decision = str(record.get("boundary") or ""), record.get("decision")
        reason = str(record.get("reason") or "")
        row = self._row(project, kind)
        if decision == ledger.SAID:
            row.came += kind != STOP and reason != WAS_HELD  # that a turn stopped is counted from its hook
            row.injected += 1
            asked = Asked(kind, key.partition("/")[0], project, when, as_count(record.get("characters")))
            self.asked.append(asked)
            self._open.setdefault(key, []).append(asked)
        elif decision == ledger.DECLINED:
            for one in self._open.get(key, ()):
                one.is_declined = True
        elif decision in (ledger.SILENT, ledger.KEPT, ledger.SNAPSHOT, ledger.NO_SNAPSHOT):
            row.came += 1
            row.silent += decision == ledger.SILENT
            row.held += decision == ledger.KEPT
            row.injected += decision == ledger.SNAPSHOT
            self.unwritten += [(key, when, reason)] if decision == ledger.NO_SNAPSHOT else []

    def _size(self, record: Mapping[str, Any], key: str, when: float) -> None:
        """After a compaction one text carries brief, snapshot and nudge: its size is told with the injection."""
        newest = self._open.get(key, [])[-1:]
        if newest and newest[0].kind == AFTER and newest[0].when == when:
            newest[0].characters = as_count(record.get("characters"))

    def _flag(self, record: Mapping[str, Any], key: str, project: str) -> None:
        waiting = self._open.get(key)
        is_heard = record.get("origin") == "user" or record.get("flag") == REQUEST
        after = waiting[-1].kind if waiting else END if key in self._ended else ""
        self.flagged.append(Flagged(str(record.get("id") or ""), REQUEST if is_heard else after, key, project))
        if not waiting:
            self.unasked[project] = self.unasked.get(project, 0) + 1
            return
        waiting[-1].flags += 1
        self._answer(key)

    def _answer(self, key: str) -> None:
        for one in self._open.get(key, ()):
            one.is_answered = True

    def _end_turn(self, key: str) -> None:
        for one in self._open.pop(key, ()):
            one.is_over = True

    def rows(self, takes: Callable[[object], bool]) -> list[Row]:
        """Each kind that came, in the order of a session; kinds that we do not know come last."""
        found: dict[str, Row] = {}
        for (project, kind), row in self.came.items():
            if takes(project):
                sums = found.setdefault(kind, Row(kind))
                for name in ("came", "injected", "held", "silent"):
                    setattr(sums, name, getattr(sums, name) + getattr(row, name))
        for one in self.asked:
            if takes(one.project):
                row = found[one.kind]
                row.answered += one.is_answered
                row.flags += one.flags
                row.declined += one.is_declined and not one.is_answered
                row.ignored += one.is_ignored
        order = {kind: nth for nth, kind in enumerate(KINDS)}
        shown = [row for row in found.values() if row.came or row.injected]
        return sorted(shown, key=lambda row: (order.get(row.kind, len(order)), row.kind))

    def in_a_row(self, takes: Callable[[object], bool]) -> Iterator[tuple[str, int, float]]:
        """Hosts whose newest nudges all went without an answer, how many, and since when. One about the user's own
        words does not count: whether it was an order is the model's to say, and the words are filed either way."""
        by_host: dict[str, list[Asked]] = {}
        for one in self.asked:
            is_settled = one.is_over or one.is_answered or one.is_declined
            if takes(one.project) and is_settled and one.kind != REQUEST:
                by_host.setdefault(one.host, []).append(one)
        for host, asked in by_host.items():
            count = sum(1 for _ in takewhile(lambda one: one.is_ignored, reversed(asked)))
            if count >= IN_A_ROW:
                yield host, count, asked[-count].when


def findings(told: Told, now: float) -> Iterator[Finding]:
    for host, count, since in told.boundaries.in_a_row(told.period.takes):
        what = "no flag, no word that there is nothing"
        why = f"the last {count} nudges, since {age(now - since)}, got no answer: {what}"
        fix = (
            f"`holdfast doctor --agent {host}` looks whether the agent may run `holdfast flag`; "
            '`mode = "strict"` in config.toml lets the end of a turn ask once more'
        )
        yield Finding("no-answer", host, why, fix, count, since)
    for key, when, why in told.boundaries.unwritten:
        if key in told.own():
            said = f"a compaction went on without a snapshot ({why or 'nobody said why'})"
            yield Finding("no-snapshot", key, said, "`holdfast doctor` looks at the disk and the vault", last=when)

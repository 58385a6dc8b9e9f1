"""Loops: every snag and what became of it. A loop that does not close is a note, not a loop; so an open one is said.

A loop is open while its edit waits (in the queue, in quarantine, as a proposal, for a file to be written), while it
is only noted, so that nothing brings it back, and when it came again after it was told. It is closed when it is
wired (an armed note, a rule or a skill has it) or proven (close/improve/recurrence), or a person decided otherwise.
What is counted is closes: an edit that still waits after more than two of its project is an alarm at the next
start, in `doctor` and in `audit`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, notices, platform, queue, same_project
from holdfast.capture.ids import LENGTH, digest, time_of
from holdfast.close.improve import proposals
from holdfast.close.improve import record as improve_record
from holdfast.close.improve.edits import own_lines
from holdfast.close.improve.record import APPLIED, NOTED, PROPOSED, REJECTED, UNDONE, WAITING
from holdfast.close.improve.snag import parsed
from holdfast.errors import NotFound
from holdfast.model import TRUSTED, Flag
from holdfast.vault import index, notes

if TYPE_CHECKING:
    from collections.abc import Iterable


QUEUED, DEAD, QUARANTINED, GONE, REOPENED = "queued", "dead", "quarantined", "gone", "reopened"
PENDING = (QUEUED, DEAD, QUARANTINED, PROPOSED, WAITING)  # somebody has still to make the edit
OPEN = (*PENDING, NOTED, REOPENED)
WIRED, PROVEN, ENDED = "wired", "proven", "ended"
STAGES = {APPLIED: WIRED, NOTED: NOTED, REOPENED: REOPENED, UNDONE: ENDED, REJECTED: ENDED, GONE: ENDED}
PATIENCE = 2  # closes that an edit may wait
LASTS = 30 * 86400.0
NOTICE = "loops"
DISARMED = "its note waits for no tool call any more"
SAID = {
    QUEUED: "waits in the queue for a close",
    DEAD: "could not be filed; `holdfast queue` says why",
    QUARANTINED: "waits in quarantine: `holdfast review`",
    PROPOSED: "waits for your word: `holdfast review`",
    WAITING: "is to be written by the next close",
    APPLIED: "applied",
    NOTED: "saved as a note; nothing will bring it up by itself",
    REOPENED: "came again after it was told",
    UNDONE: "taken back",
    REJECTED: "rejected",
    GONE: "its note is no longer active",
}


@dataclass(frozen=True)
class Loop:
    """One snag. `where` is what it changed or would change, `when` the calls that bring it back, `why` what keeps it
    open or what else is to be known; `closes` have passed since."""

    id: str
    time: float
    project: str
    wrong: str
    better: str
    state: str
    where: str = ""
    why: str = ""
    when: dict[str, Any] | None = None
    closes: int = 0
    path: str = ""  # of its note
    again: str = ""  # the snag that it repeats
    proven: str = ""  # the session that has shown that its lesson is taken

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def is_late(self) -> bool:
        return self.state in PENDING and self.closes > PATIENCE

    @property
    def stage(self) -> str:
        """How far it has come: waiting, noted, wired, proven, reopened or ended."""
        return PROVEN if self.state == APPLIED and self.proven else STAGES.get(self.state, "waiting")

    def as_record(self, now: float) -> dict[str, Any]:
        names = (
            "id",
            "project",
            "wrong",
            "better",
            "state",
            "stage",
            "where",
            "why",
            "when",
            "closes",
            "again",
            "proven",
        )
        known = {name: getattr(self, name) for name in names}
        return {**known, "age_s": max(0.0, now - self.time), "open": self.is_open, "alarm": self.is_late}


@dataclass(frozen=True)
class Loops:
    """Open ones and closed ones, each oldest first."""

    open: tuple[Loop, ...]
    closed: tuple[Loop, ...]

    def count(self, stage: str) -> int:
        return sum(one.stage == stage for one in (*self.open, *self.closed))


def listing(vault: str, state: str, now: float, project: str | None = None) -> Loops:
    """Every loop of a project, of all where none is named."""
    return _counted(state, _found(vault, state, now), _ids(vault, project))


def _ids(vault: str, project: str | None) -> tuple[str, ...]:
    """Those of a project; () for all of them."""
    return () if project is None else same_project.ids(vault, project)


def _counted(state: str, given: Iterable[Loop], ids: tuple[str, ...]) -> Loops:
    found = {one.id: one for one in given if not ids or one.project in (*ids, "")}
    counted: dict[str, dict[str, Any]] = {}
    loops = []
    for one in found.values():
        if one.state in PENDING:
            known = counted.setdefault(one.project, _counter(state, one.project))
            begun = known["since"].get(one.id, known["closes"])
            loops.append(replace(one, closes=max(0, known["closes"] - begun)))
        else:
            loops.append(one)
    in_order = sorted(loops, key=lambda one: (one.time, one.id))
    return Loops(tuple(one for one in in_order if one.is_open), tuple(one for one in in_order if not one.is_open))


def _found(
    vault: str,
    state: str,
    now: float,
    states: tuple[str, ...] = improve_record.STATES,
    known: index.Index | None = None,
) -> Iterable[Loop]:
    """What is farthest on its way comes last, and counts: a flag that is filed may still be in the queue."""
    for entry in queue.read(f"{state}/queue", now).entries:
        if entry.flag.kind == "snag":
            yield _of_flag(entry)
    known = known or index.load(vault, keep=False)  # whoever only looks, such as `doctor`, leaves no trace
    for one in known.under(notes.QUARANTINE):
        if one.note.kind == "feedback":
            yield from _of_quarantined(vault, one.note.path)
    asked = {ident: one for one in proposals.listing(state) for ident in one.sources}
    for record in improve_record.everything(vault, states):
        if not is_elsewhere(record) or record.state not in PENDING or states == improve_record.STATES:
            made_of = (known.known[path] for path in reversed(known.made_of(record.id)))
            made = next((one for one in made_of if one.note.is_active), None)
            by_source = {record.id: made.note.path} if made else {}
            comes_back = frozenset(by_source.values() if made and _comes_back(made) else ())
            yield of_record(record, asked.get(record.id), by_source, comes_back)


def _of_flag(entry: queue.Entry) -> Loop:
    flag, snag = entry.flag, parsed(entry.flag)
    state = DEAD if entry.state == queue.DEAD else QUEUED
    outside = "" if flag.origin in TRUSTED else f"outside text ({flag.origin}) had entered its session"
    return Loop(flag.id, flag.time, flag.project, snag.wrong, snag.better, state, why=entry.error or outside)


def _of_quarantined(vault: str, path: str) -> Iterable[Loop]:
    """A snag from a tainted stretch. It is known by its words: its note says no more of itself than any other."""
    note = notes.read(vault, path)
    if isinstance(note, notes.Broken):
        return
    ident = note.sources[0] if note.sources else path
    project = "" if note.project == notes.GLOBAL else note.project
    words = " ".join(own_lines(note.body))
    snag = parsed(Flag(ident, 0.0, "", "", project, "snag", words))
    if snag.better:
        began = time_of(ident) if len(ident) == LENGTH and improve_record.is_id(ident) else 0.0
        why = f"outside text ({note.origin}) had entered its session"
        yield Loop(ident, began, project, snag.wrong, snag.better, QUARANTINED, path, why)


def _comes_back(one: index.Known) -> bool:
    """Whether something brings a note up: a tool call, or every start."""
    return bool(one.note.when or one.named or one.note.is_always_on)


def of_record(
    record: improve_record.Record,
    asked: proposals.Proposal | None = None,
    by_source: dict[str, str] | None = None,
    comes_back: frozenset[str] | None = None,
) -> Loop:
    """The loop that an improvement's record tells of. A note that a person has armed since, or disarmed, counts as it
    is now."""
    state, where, why = record.state, record.note, record.why
    if state in (PROPOSED, WAITING):
        where = record.file
        why = asked.why if asked else why
        if is_elsewhere(record):
            why = f"on the machine {record.machine}"
        elif state == PROPOSED and by_source is not None and not asked:
            why = f"its proposal is no longer here; `holdfast loops --undo {record.id[-8:]}` ends it"
    elif state == APPLIED and record.file:
        where = record.file
    elif state in (APPLIED, NOTED) and by_source is not None:
        where = by_source.get(record.id, "")
        state = state if where else GONE
        if comes_back is not None and state == NOTED and where in comes_back:
            state, why = APPLIED, ""
        elif comes_back is not None and state == APPLIED and where not in comes_back:
            state, why = NOTED, DISARMED
    if state == APPLIED and record.recurred_at > record.proven_at and not _is_followed(record):
        state, why = REOPENED, f"in {record.recurred}"
    known = (record.id, record.time, record.project, record.wrong, record.better)
    proven = record.proven if record.proven_at > record.recurred_at else ""
    return Loop(*known, state, where, why, record.when, path=record.note, again=record.again, proven=proven)


def _is_followed(record: improve_record.Record) -> bool:
    """Whether the snag that came again has a record of its own, which says how it goes on."""
    return improve_record.is_id(record.recurred)


def is_elsewhere(record: improve_record.Record) -> bool:
    """Whether another machine has the file or the proposal that it waits for."""
    return record.machine not in ("", platform.machine())


def find(vault: str, state: str, now: float, wanted: str) -> Loop:
    """The loop whose id begins or ends so. Raises NotFound."""
    asked = wanted.strip().upper()
    known = listing(vault, state, now)
    found = [
        one
        for one in (*known.open, *known.closed)
        if len(asked) >= proposals.SHORTEST and (one.id.upper().startswith(asked) or one.id.upper().endswith(asked))
    ]
    if len(found) == 1:
        return found[0]
    what = f'"{wanted}" may be {", ".join(one.id for one in found[:3])}' if found else f'There is no loop "{wanted}"'
    raise NotFound(f"{what}; nothing was changed. `holdfast loops --all` lists them.")


def alarms(vault: str, state: str, now: float, project: str | None = None) -> list[Loop]:
    """The open ones that more than two closes have passed by."""
    return [one for one in waiting(vault, state, now, project) if one.is_late]


def waiting(
    vault: str, state: str, now: float, project: str | None = None, known: index.Index | None = None
) -> tuple[Loop, ...]:
    """The open ones that this machine can close, without reading what every closed one did. One that is filed already
    and still in the queue may be among them: it is acknowledged in a moment."""
    return _counted(state, _found(vault, state, now, (PROPOSED, WAITING), known), _ids(vault, project)).open


def count_close(state: str, project: str) -> int:
    """One more close of a project; returns how many there were."""
    known = _counter(state, project)
    known["closes"] += 1
    _keep(state, project, known)
    return int(known["closes"])


def after_close(vault: str, state: str, now: float, project: str, known_notes: index.Index | None = None) -> list[Loop]:
    """The end of a close: it is counted, and what is late is said at the next starts. Returns the late ones."""
    ids = same_project.ids(vault, project)
    open_now = [one for one in waiting(vault, state, now, project, known_notes) if one.project in ids]
    known = _counter(state, project)
    known["closes"] += 1
    since = known["since"]
    # What this close has seen for the first time, it has passed by once.
    known["since"] = {one.id: since.get(one.id, known["closes"] - 1) for one in open_now}
    _keep(state, project, known)
    passed = [replace(one, closes=known["closes"] - known["since"][one.id]) for one in open_now]
    late = [one for one in passed if one.is_late]
    if late:
        notices.leave(state, NOTICE, sentence(late), now, project=project, lasts=LASTS)
    else:
        notices.remove(state, NOTICE, project)
    return late


def sentence(late: list[Loop]) -> str:
    """The alarm, in one line."""
    first = late[0]
    more = f" and {len(late) - 1} more" if len(late) > 1 else ""
    return (
        f"WARNING: {len(late)} snag{'' if len(late) == 1 else 's'} changed nothing in {first.closes} closes: "
        f'"{first.wrong[:120]}" {SAID[first.state]}{more}. `holdfast loops` lists them.'
    )


def _counter(state: str, project: str) -> dict[str, Any]:
    try:
        record = codec.decode(platform.read_file(_path(state, project), 1 << 20))
        return {"closes": int(record["closes"]), "since": {str(one): int(at) for one, at in record["since"].items()}}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {"closes": 0, "since": {}}


def _keep(state: str, project: str, known: dict[str, Any]) -> None:
    try:
        platform.make_folders(f"{state}/loops")
        platform.write_atomic(_path(state, project), codec.encode({"v": 1, **known}), durable=False)
    except OSError:
        return  # a close that is not counted makes an alarm late, nothing else


def _path(state: str, project: str) -> str:
    return f"{state}/loops/{digest(project)}"

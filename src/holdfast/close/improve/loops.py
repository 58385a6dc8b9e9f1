"""Loops: every snag and what became of it. A loop that does not close is a note, not a loop; so an open one is said.

A loop is open while its edit waits (in the queue, in quarantine, as a proposal, for a file to be written), while it
is only noted, so that nothing brings it back, and when it came again after it was told. It is closed when it is
wired (an armed note, a rule or a skill has it) or proven (`observe`), or a person decided otherwise.
Closes are counted: an edit that still waits after more than two of its project is an alarm at the next
start, in `doctor` and in `audit`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, gate, ledger, notices, platform, queue, same_project
from holdfast.capture.episodes import Episode, session_of
from holdfast.capture.ids import LENGTH, digest, time_of
from holdfast.capture.ledger import Wanted
from holdfast.close.improve import edit_record, proposals
from holdfast.close.improve.edit_record import APPLIED, NOTED, PROPOSED, REJECTED, UNDONE, WAITING
from holdfast.close.improve.note_edits import own_lines
from holdfast.close.improve.snags import parsed
from holdfast.errors import NotFound
from holdfast.model import TRUSTED, Flag
from holdfast.vault import index, notes
from holdfast.vault.transaction import writing

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
AGAIN, FAILED, BETTER = "again", "failed", "better"


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
        """The stage that it has reached: waiting, noted, wired, proven, reopened or ended."""
        return PROVEN if self.state == APPLIED and self.proven else STAGES.get(self.state, "waiting")

    def as_record(self, now: float) -> dict[str, Any]:
        names = "id project wrong better state stage where why when closes again proven"
        known = {name: getattr(self, name) for name in names.split()}
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
    return _counted(vault, state, _found(vault, state, now), project)


def _counted(vault: str, state: str, given: Iterable[Loop], project: str | None) -> Loops:
    ids = () if project is None else same_project.ids(vault, project)
    found = {one.id: one for one in given if not ids or one.project in (*ids, "")}
    counted = {one.project: counter(state, one.project) for one in found.values() if one.state in PENDING}
    for one in found.values():
        if one.state in PENDING:
            closes, since = counted[one.project]
            found[one.id] = replace(one, closes=max(0, closes - since.get(one.id, closes)))
    in_order = sorted(found.values(), key=lambda one: (one.time, one.id))
    return Loops(tuple(one for one in in_order if one.is_open), tuple(one for one in in_order if not one.is_open))


def _found(
    vault: str,
    state: str,
    now: float,
    states: tuple[str, ...] = edit_record.STATES,
    known: index.Index | None = None,
) -> Iterable[Loop]:
    """All loops; the farthest on its way comes last, and counts: a flag that is filed may still be in the queue."""
    for entry in queue.read(f"{state}/queue", now).entries:
        if entry.flag.kind == "snag":
            yield _of_flag(entry)
    known = known or index.load(vault, keep=False)  # whoever only looks, such as `doctor`, leaves no trace
    for one in known.under(notes.QUARANTINE):
        if one.note.kind == "feedback":
            yield from _of_quarantined(vault, one.note.path)
    asked = {ident: one for one in proposals.listing(state) for ident in one.sources}
    for record in edit_record.everything(vault, states):
        if not is_elsewhere(record) or record.state not in PENDING or states == edit_record.STATES:
            made_of = (known.known[path] for path in reversed(known.made_of(record.id)))
            made = next((one for one in made_of if one.note.is_active), None)
            yield of_record(record, asked.get(record.id), made, is_looked_up=True)


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
        began = time_of(ident) if len(ident) == LENGTH and edit_record.is_id(ident) else 0.0
        why = f"outside text ({note.origin}) had entered its session"
        yield Loop(ident, began, project, snag.wrong, snag.better, QUARANTINED, path, why)


def of_record(
    record: edit_record.Record,
    asked: proposals.Proposal | None = None,
    made: index.Known | None = None,
    *,
    is_looked_up: bool = False,
) -> Loop:
    """The loop that an improvement's record tells of. `asked` is its proposal and `made` its active note, where those
    were looked up: a note that a person has armed since, or disarmed, counts as it is now."""
    state, where, why = record.state, record.note, record.why
    if state in (PROPOSED, WAITING):
        where = record.file
        why = asked.why if asked else why
        if is_elsewhere(record):
            why = f"on the machine {record.machine}"
        elif state == PROPOSED and is_looked_up and not asked:
            why = f"its proposal is no longer here; `holdfast loops --undo {record.id[-8:]}` ends it"
    elif state == APPLIED and record.file:
        where = record.file
    elif state in (APPLIED, NOTED) and is_looked_up:
        where = made.note.path if made else ""
        comes_back = made and (made.note.when or made.named or made.note.is_always_on)  # at a call, or at every start
        if not made:
            state = GONE
        elif state == NOTED and comes_back:
            state, why = APPLIED, ""
        elif state == APPLIED and not comes_back:
            state, why = NOTED, DISARMED
    # A snag that came again has a record of its own, which says how it goes on; a session has none.
    if state == APPLIED and record.recurred_at > record.proven_at and not edit_record.is_id(record.recurred):
        state, why = REOPENED, f"in {record.recurred}"
    known = (record.id, record.time, record.project, record.wrong, record.better)
    proven = record.proven if record.proven_at > record.recurred_at else ""
    return Loop(*known, state, where, why, record.when, path=record.note, again=record.again, proven=proven)


def is_elsewhere(record: edit_record.Record) -> bool:
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
    return _counted(vault, state, _found(vault, state, now, (PROPOSED, WAITING), known), project).open


def after_close(vault: str, state: str, now: float, project: str, known_notes: index.Index | None = None) -> list[Loop]:
    """The end of a close: it is counted, and what is late is said at the next starts. Returns the late ones."""
    ids = same_project.ids(vault, project)
    open_now = [one for one in waiting(vault, state, now, project, known_notes) if one.project in ids]
    before, known = counter(state, project)
    # A loop that this close has seen for the first time, it has passed by once.
    since = {one.id: known.get(one.id, before) for one in open_now}
    try:
        platform.make_folders(f"{state}/loops")
        record = {"v": 1, "closes": before + 1, "since": since}
        platform.write_atomic(_path(state, project), codec.encode(record), durable=False)
    except OSError:
        pass  # a close that is not counted makes an alarm late, nothing else
    passed = [replace(one, closes=before + 1 - since[one.id]) for one in open_now]
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


def counter(state: str, project: str) -> tuple[int, dict[str, int]]:
    """The number of closes of a project, and at which of them each loop was first seen."""
    try:
        record = codec.decode(platform.read_file(_path(state, project), 1 << 20))
        return int(record["closes"]), {str(one): int(at) for one, at in record["since"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return 0, {}


def _path(state: str, project: str) -> str:
    return f"{state}/loops/{digest(project)}"


def observe(vault: str, state: str, now: float, episode: Episode) -> list[edit_record.Record]:
    """Note what an ended session has shown about the loops whose notes were told in it, as the ledger has it; returns
    those that changed."""
    known = [one for one in edit_record.everything(vault, (APPLIED,)) if one.note and one.time < now]
    if not known:
        return []
    wanted = Wanted(session=session_of(episode.key), kinds=("injection", "armed"), since=episode.opened)
    seen = outcomes(one for one in ledger.read(state, wanted) if one.get("episode") == episode.key)
    changed = [made for one in known if one.note in seen and (made := noted(one, episode.key, *seen[one.note])) != one]
    if changed:
        with writing(vault, now) as writer:
            texts: dict[str, str | None] = {one.path: edit_record.render(one) for one in changed}
            proven = sum(one.proven_at > one.recurred_at for one in changed)
            counts = ((proven, "proven"), (len(changed) - proven, "came again"))
            subject = f"loops: {', '.join(f'{count} {what}' for count, what in counts if count)}"
            planned_on = {path: writer.read(path) for path in texts}
            writer.commit(subject, texts, cause="loops", by=gate.BY_CLOSE, planned_on=planned_on)
    return changed


def outcomes(records: Iterable[dict[str, Any]]) -> dict[str, tuple[str, float]]:
    """The outcome of each note that was told before a call, by its path: proven, recurred or "", and its time."""
    told: dict[str, float] = {}
    after: dict[str, list[str]] = {}
    last: dict[str, float] = {}
    for one in records:
        when = float(one.get("t", 0.0))
        if one.get("kind") == "injection" and one.get("armed"):
            for path in one.get("carried") or ():
                told.setdefault(str(path), when)
                last[str(path)] = when
        elif one.get("kind") == "armed" and str(one.get("path")) in told:
            after.setdefault(str(one["path"]), []).append(str(one.get("how")))
            last[str(one["path"])] = when
    found: dict[str, tuple[str, float]] = {}
    for path in told:
        calls = after.get(path, [])
        is_proven = BETTER in calls or AGAIN not in calls
        found[path] = "recurred" if FAILED in calls else "proven" if is_proven else "", last[path]
    return found


def noted(record: edit_record.Record, episode: str, outcome: str, when: float) -> edit_record.Record:
    """The record with what a session has shown; as it was where that is known or says nothing."""
    if outcome == "proven" and when > record.proven_at:
        return replace(record, proven=episode, proven_at=when)
    if outcome == "recurred" and when > record.recurred_at:
        return replace(record, recurred=episode, recurred_at=when)
    return record

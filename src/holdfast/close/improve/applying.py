"""What a snag's edit needs after the close's commit: a skill's file is written, a note that a person accepted is armed.

The record is in the vault before the file is touched. So a close that is killed between the two is continued by the
next: a file that is still what the edit was planned on gets it, one that has it is done, and anything else becomes a
proposal with the reason. A record says that something is due, never what: it may have come by a sync, so which file and
which words are what this machine has planned itself (close/improve/plan).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import gate, ledger, notices, platform
from holdfast.capture.ids import LENGTH, time_of
from holdfast.close.improve import arming, loops, proposals, skills
from holdfast.close.improve import plan as improve_plan
from holdfast.close.improve import record as improve_record
from holdfast.close.improve.edits import own_lines
from holdfast.close.improve.proposals import notice_name
from holdfast.close.improve.record import APPLIED, NOTED, PROPOSED, WAITING, Record, with_state
from holdfast.close.improve.snag import parsed
from holdfast.errors import NotSaved
from holdfast.model import Flag
from holdfast.vault import notes
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from holdfast.close.improve.loops import Loop
    from holdfast.close.improve.plan import Plan

UNPLANNED = "this machine has planned no such edit"


def apply_pending(vault: str, state: str, now: float) -> list[Loop]:
    """Write the skill files whose edit is committed and not yet made, on this machine. Returns what became of each."""
    if not any(_is_pending(one) for one in improve_record.everything(vault, (WAITING,))):
        return []
    done = []
    with writing(vault, now) as writer:
        texts: dict[str, str | None] = {}
        for record in improve_record.everything(vault, (WAITING,)):
            if _is_pending(record):
                settled = _applied(state, record)
                texts[settled.path] = improve_record.render(settled)
                done.append(loops.of_record(settled))
                if settled.why != UNPLANNED:  # before the commit: a close that is killed here says the same again
                    _tell(state, done[-1], now)
        if texts:
            writer.commit(
                f"improve: {notes.some_of([one.where for one in done])}", texts, cause="improve", by=gate.BY_CLOSE
            )
    return done


def learned(vault: str, path: str, now: float) -> Loop | None:
    """A snag whose note a person has accepted: it is armed where it names a call, and its loop closes. None where the
    note tells of no snag."""
    note = notes.read(vault, path)
    if isinstance(note, notes.Broken) or note.kind != "feedback" or not note.sources or note.when:
        return None
    ident, lines = note.sources[0], tuple(own_lines(note.body))
    snag = parsed(Flag(ident, 0.0, "", "", note.project, "snag", " ".join(lines)))
    if not snag.better or not improve_record.is_id(ident) or improve_record.find(vault, ident):
        return None
    when = arming.derived(snag)
    project = "" if note.project == notes.GLOBAL else note.project
    began = time_of(ident) if len(ident) == LENGTH else now
    record = Record(ident, APPLIED if when else NOTED, project, began, snag.wrong, snag.better, note=path, made=True)
    record = replace(record, lines=lines, when=when)
    with writing(vault, now) as writer:
        text = writer.read(path)
        texts: dict[str, str | None] = {record.path: improve_record.render(record)}
        if text is not None and when:
            texts[path] = notes.with_fields(text, when=when)
        writer.commit(
            f"review: learn from {note.name}", texts, cause="review", by=gate.BY_USER, planned_on={path: text}
        )
    return loops.of_record(record)


def _is_pending(record: Record) -> bool:
    return record.state == WAITING and record.machine == platform.machine()


def _applied(state: str, record: Record) -> Record:
    """The record as it is now true: the file has the edit, or a person is asked."""
    plan = improve_plan.find(record.id)
    if not plan or plan.path != record.file:
        return with_state(record, PROPOSED, UNPLANNED)
    skill = improve_plan.skill_of(plan)
    if not skill:
        return with_state(record, PROPOSED, "the skill's file is gone, or is no plain file of its folder any more")
    after = skills.with_lines(skill.text, plan.lines)
    if skill.text in (plan.after, after):
        return with_state(record, APPLIED)
    why = _why_not_made(plan, skill.text) or skills.why_not(skill)
    try:
        if not why and improve_plan.make(plan):
            return with_state(record, APPLIED)
    except OSError as error:
        why = f"it cannot be written ({error.strerror})"
    why = why or "somebody saved it at that very moment"
    proposals.leave_skill(state, record, improve_plan.on(plan, skill, after), why)
    return with_state(record, PROPOSED, why)


def _why_not_made(plan: Plan, text: str) -> str:
    if text != plan.before:
        return "the file was changed after the edit was planned"
    return "" if skills.may_edit() else "the permission to edit skills was taken back"


def _tell(state: str, loop: Loop, now: float) -> None:
    from holdfast.close.improve.closing import told

    try:
        notices.leave(state, notice_name(loop.id), told(loop), now, project=loop.project)
        ledger.append(state, "improve", now, loop=loop.id, became=loop.state, path=loop.where, project=loop.project)
    except (OSError, NotSaved):
        return  # the record says it durably

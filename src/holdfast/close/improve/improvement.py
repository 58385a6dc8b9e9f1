"""The self-improvement loop: a snag becomes a concrete edit, and the next session hears of it.

The agent proposes, the close applies. `file` plans one trusted snag into the close's own commit, by rule or on a
judge's advice, and leaves a record of it in improvements/, so that this one edit can be taken back later. Edits that
need a person (of a skill, of the operator's own words) wait as proposals, and the snag is a note meanwhile. It all
follows from the flag and the files: a close that was killed and is run again comes to the same.

A skill's file is written after the commit, by `apply_pending`, so a close that is killed between the two is continued
by the next: a file that is still what the edit was planned on gets it, one that has it is done, and anything else
becomes a proposal with the reason. A record may have come by a sync, so it says that something is due, never what:
file and words are those that this machine has planned itself (close/improve/skills).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import gate, home, ledger, notices, platform
from holdfast.close.filing import Filing, sources_of
from holdfast.close.improve import edit_record, loops, note_edits, proposals, skills, snags
from holdfast.close.improve.edit_record import APPLIED, NOTED, PROPOSED, REJECTED, UNDONE, WAITING, Record
from holdfast.close.improve.loops import Loop
from holdfast.close.improve.snags import Snag, parsed, plain
from holdfast.errors import NotSaved
from holdfast.model import TRUSTED, Flag
from holdfast.vault import merge, notes
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.close.improve.advice import Advice

MOST_TOLD = 3  # sentences of one close
SAID = 200  # letters of a line that a start repeats
UNPLANNED = "this machine has planned no such edit"


@dataclass(frozen=True)
class Surroundings:
    """The surroundings of an edit: the project's folder and the user's, and whether skills may be edited."""

    state: str
    root: str = ""
    user: str = ""
    may_edit_skills: bool = False

    @classmethod
    def of(cls, vault: str, root: str) -> Surroundings:
        """By the user's own settings and environment: the vault may be a repository's, which permits nothing."""
        return cls(home.state(vault), root, home.user_home(os.environ), skills.may_edit())


def file(filing: Filing, flag: Flag, advice: Advice | None, place: Surroundings) -> Loop:
    """Plan one snag, once. `advice` is what `considered` let through. Raises OSError: a proposal cannot be kept."""
    if flag.origin not in TRUSTED:  # a drain that forgot: what would steer waits for a person
        return Loop(flag.id, flag.time, flag.project, flag.text, "", loops.QUARANTINED, filing.file(flag))
    known = edit_record.read(edit_record.path_of(flag.id), filing.text(edit_record.path_of(flag.id)))
    if known and (filing.is_filed(flag.id) or known.state in (UNDONE, REJECTED)):
        filing.placed.setdefault(flag.id, filing.places_of([flag.id]).get(flag.id, known.path))
        return loops.of_record(known)
    snag, bare, is_filed = parsed(flag), plain(flag), filing.is_filed(flag.id)
    again = None if is_filed or snag.rule or snag.skill else note_edits.earlier(filing, bare, snag)
    if again:
        return _came_again(filing, bare, snag, again)
    edit = None if is_filed else _edit(filing, bare, snag, advice)
    held = edit if edit and edit.is_held else None
    if held:  # the memory works meanwhile: a note as any flag's, or one that is armed
        edit = note_edits.planned(filing, bare, Snag(snag.wrong, snag.better))
    record = _filed(filing, bare, snag, None if edit and edit.is_held else edit)
    if held:  # an edit of what is the operator's own waits for them
        why = f"{held.path} has the operator's own words, or holds in every project"
        what = (proposals.NOTE, held.path, why, "", held.before, held.after, (flag.id,))
        proposals.leave(place.state, proposals.Proposal(flag.id, flag.time, flag.project, *what))
        here = platform.machine()
        record = replace(record, state=PROPOSED, why=why, file=held.path, added=held.lines, machine=here)
    elif snag.skill and edit_record.is_id(flag.id):
        lines = tuple(advice.lines) if advice and advice.target == "skill" else (snag.line,)
        record = _with_skill(record, snag.skill, lines, place)
    if edit_record.is_id(flag.id):
        filing.put(record.path, edit_record.render(record))
    return loops.of_record(record)


def _edit(filing: Filing, flag: Flag, snag: Snag, advice: Advice | None) -> note_edits.Edit | None:
    """The edit by the judge's word where it still holds, else by rule."""
    if advice is None or advice.target == "skill":
        return note_edits.planned(filing, flag, snag)
    when = advice.armed() or snags.derived(snag)
    found = note_edits.note_at(filing, advice.note) if advice.note else None
    if found and advice.body:
        edit = note_edits.rewritten(flag, *found, advice.body, when) if advice.is_of(found[0]) else None
        if edit and merge.whole_patch(edit.path, edit.before, edit.after):
            return edit
    if found and advice.lines:
        return note_edits.added(flag, *found, advice.lines, when)
    if advice.note or not advice.lines or snag.rule:  # the note that it was about is another by now, or gone
        return note_edits.planned(filing, flag, snag)
    return note_edits.made(filing, flag, advice.target, advice.name, advice.lines, when)


def _filed(filing: Filing, flag: Flag, snag: Snag, edit: note_edits.Edit | None) -> Record:
    """The note's part, planned, and what is to be kept of it."""
    named = f"the rule {snag.rule} cannot be changed now" if snag.rule else ""
    why = named or "it names no tool, command or file to wait for"
    known = Record(flag.id, NOTED, flag.project, flag.time, snag.wrong, snag.better, why, answers=flag.answers)
    if edit is None:
        path = filing.file(flag)
        is_made = path not in filing.known.known and filing.planned_on.get(path) is None
        return replace(known, note=path, made=is_made, lines=(flag.text,) if is_made else ())
    filing.put(edit.path, edit.after, *sources_of(flag))
    comes_back = edit.is_armed or edit.path.startswith("rules/")
    patch = merge.whole_patch(edit.path, edit.before, edit.after) if edit.is_whole else ""
    return replace(
        known,
        state=APPLIED if comes_back else NOTED,
        why=edit.why or ("" if comes_back else why),
        note=edit.path,
        made=edit.before is None,
        lines=edit.lines,
        when=edit.when,
        was=edit.was,
        whole=edit.is_whole,
        patch=patch,
    )


def _came_again(filing: Filing, flag: Flag, snag: Snag, again: note_edits.Again) -> Loop:
    """A snag that an earlier close has dealt with: its note waits for more calls, and the earlier record knows."""
    edit = note_edits.widened(flag, again.note, again.text, again.when)
    record = replace(_filed(filing, flag, snag, edit), again=again.earlier.id)
    earlier = replace(again.earlier, recurred=flag.id, recurred_at=flag.time)
    for one in (record, earlier):
        if edit_record.is_id(one.id):
            filing.put(one.path, edit_record.render(one))
    return loops.of_record(record)


def _with_skill(record: Record, name: str, lines: tuple[str, ...], place: Surroundings) -> Record:
    """The skill's part: it waits for its commit, or for a person."""
    skill = skills.find(name, place.root, place.user)
    if not skill:
        return replace(record, why=f"there is no skill {name} in this project or in the home that may be read")
    after = skills.with_lines(skill.text, lines)
    if after == skill.text:
        return replace(record, state=APPLIED, why="the skill says so already", file=skill.path, top=skill.top)
    why = skills.why_not(skill) if place.may_edit_skills else 'skills are edited only with [improve] skills = "apply"'
    plan = skills.SkillPlan(record.id, name, place.root, place.user, skill.path, lines, skill.text, after)
    made = replace(
        record,
        state=PROPOSED if why else WAITING,
        why=why,
        file=skill.path,
        top=skill.top,
        machine=platform.machine(),
        added=lines,
        before=edit_record.text_digest(skill.text),
        after=edit_record.text_digest(after),
        patch=merge.patch(os.path.relpath(skill.path, skill.top), skill.text, after),
    )
    if why:
        _leave_skill(place.state, made, plan, why)
    else:
        skills.keep(plan)
    return made


def told(loop: Loop) -> str:
    """Tell the change in one line for the next session."""
    back = f"`holdfast loops --undo {loop.id[-8:]}` takes it back"
    what = (loop.better or loop.wrong)[:SAID]
    if loop.state == APPLIED:
        subject = snags.subject(loop.when or {})
        if loop.again:
            return f'A snag came again: {loop.where} ("{what}") now waits for {subject}; {back}.'
        calls = f", and comes back at {subject}" if loop.when else ""
        return f'Changed by a snag: {loop.where} now says "{what}"{calls}; {back}.'
    if loop.state == NOTED:
        return f'Noted from a snag, in {loop.where}: "{what}"; {back}.'
    if loop.state == PROPOSED:
        return f'A snag asks for an edit of {loop.where}: "{what}"; the user decides with `holdfast review`.'
    return f'A snag {loops.SAID.get(loop.state, loop.state)}: "{what}".'


def after_commit(state: str, filed: Sequence[Loop], change_id: str, now: float, project: str) -> None:
    """After the close's commit: the ledger has each loop, and the next start of the project hears what changed, once. A
    snag that nothing brings back, or that waits for the user, is said for a week. A close that was killed before its
    flags left the queue says it again, under the same names: one sentence, not two."""
    fresh = [one for one in filed if one.state in (APPLIED, NOTED, PROPOSED)]
    try:
        what = [{"loop": one.id, "became": one.state, "path": one.where} for one in filed]
        ledger.append_all(state, "improve", now, [{**one, "project": project, "change": change_id} for one in what])
        for one in fresh[:MOST_TOLD]:
            is_once = one.state == APPLIED
            notices.leave(state, proposals.notice_name(one.id), told(one), now, project=one.project, once=is_once)
        if len(fresh) > MOST_TOLD:
            more = f"{len(fresh) - MOST_TOLD} more snags changed notes; `holdfast loops --all` lists them."
            notices.leave(state, f"snags-{filed[0].id}", more, now, project=project)
    except (OSError, NotSaved):
        return  # the edit itself is in git


def apply_pending(vault: str, state: str, now: float) -> list[loops.Loop]:
    """Write the skill files whose edit is committed and not yet made, on this machine. Returns what became of each."""
    if not _pending(vault):
        return []
    done = []
    with writing(vault, now) as writer:
        texts: dict[str, str | None] = {}
        for record in _pending(vault):
            settled = _applied(state, record)
            texts[settled.path] = edit_record.render(settled)
            done.append(loops.of_record(settled))
            if settled.why != UNPLANNED:  # before the commit: a close that is killed here says the same again
                _tell(state, done[-1], now)
        if texts:
            subject = f"improve: {notes.some_of([one.where for one in done])}"
            writer.commit(subject, texts, cause="improve", by=gate.BY_CLOSE)
    return done


def _pending(vault: str) -> list[Record]:
    return [one for one in edit_record.everything(vault, (WAITING,)) if one.machine == platform.machine()]


def _applied(state: str, record: Record) -> Record:
    """The record as it is now true: the file has the edit, or a person is asked."""
    plan = skills.find_plan(record.id)
    if not plan or plan.path != record.file:
        return replace(record, state=PROPOSED, why=UNPLANNED)
    skill = skills.skill_of(plan)
    if not skill:
        why = "the skill's file is gone, or is no plain file of its folder any more"
        return replace(record, state=PROPOSED, why=why)
    after = skills.with_lines(skill.text, plan.lines)
    if skill.text in (plan.after, after):
        return replace(record, state=APPLIED, why="")
    if skill.text != plan.before:
        why = "the file was changed after the edit was planned"
    else:
        why = skills.why_not(skill) if skills.may_edit() else "the permission to edit skills was taken back"
    try:
        if not why and skills.make(plan):
            return replace(record, state=APPLIED, why="")
    except OSError as error:
        why = f"it cannot be written ({error.strerror})"
    why = why or "somebody saved it at that very moment"
    _leave_skill(state, record, replace(plan, before=skill.text, after=after), why)
    return replace(record, state=PROPOSED, why=why)


def _tell(state: str, loop: loops.Loop, now: float) -> None:
    try:
        notices.leave(state, proposals.notice_name(loop.id), told(loop), now, project=loop.project)
        ledger.append(state, "improve", now, loop=loop.id, became=loop.state, path=loop.where, project=loop.project)
    except (OSError, NotSaved):
        return  # the record says it durably


def _leave_skill(state: str, record: Record, plan: skills.SkillPlan, why: str) -> None:
    """The edit of a skill file that a snag asks for. Raises OSError."""
    skills.keep(plan)
    what = (proposals.SKILL, plan.path, why, "", plan.before, plan.after, (record.id,))
    proposals.leave(state, proposals.Proposal(record.id, record.time, record.project, *what))

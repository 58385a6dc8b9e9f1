"""The self-improvement loop: a snag becomes a concrete edit, and the next session hears of it.

The agent proposes, the close applies. `file` plans one trusted snag into the close's own commit, by rule or on a
judge's advice, and leaves a record of it in improvements/, so that this one edit can be taken back later. What may not
be edited without a person (a skill, the operator's own words) waits as a proposal, and the snag is a note meanwhile.
It all follows from the flag and the files: a close that was killed and is run again comes to the same.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import home, ledger, notices, platform
from holdfast.close.filing import Filing, sources_of
from holdfast.close.improve import edits as improve_edits
from holdfast.close.improve import loops, proposals, recurrence, skills
from holdfast.close.improve import record as improve_record
from holdfast.close.improve import skills as improve_plan
from holdfast.close.improve import snag as arming
from holdfast.close.improve.applying import Undone, apply_pending, undo
from holdfast.close.improve.loops import Loop
from holdfast.close.improve.record import APPLIED, NOTED, PROPOSED, REJECTED, UNDONE, WAITING, Record
from holdfast.close.improve.snag import Snag, parsed, plain
from holdfast.errors import NotSaved
from holdfast.model import TRUSTED, Flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.close.improve.advice import Advice
    from holdfast.judge.reading import Fence
    from holdfast.judge.seam import Question
    from holdfast.vault.notes import Note

__all__ = [
    "Advice",
    "Loop",
    "Place",
    "Snag",
    "Undone",
    "after_commit",
    "apply_pending",
    "considered",
    "file",
    "given",
    "parsed",
    "question",
    "told",
    "undo",
]
MOST_TOLD = 3  # sentences of one close
SAID = 200  # letters of a line that a start repeats


@dataclass(frozen=True)
class Place:
    """Where a snag is turned into an edit: the project's folder and the user's, and whether skills may be edited."""

    state: str
    root: str = ""
    user: str = ""
    may_edit_skills: bool = False

    @classmethod
    def of(cls, vault: str, root: str) -> Place:
        """As the user's own settings and environment say: the vault may be a repository's, which permits nothing."""
        return cls(home.state(vault), root, home.user_home(os.environ), skills.may_edit())


def file(filing: Filing, flag: Flag, advice: Advice | None, place: Place) -> Loop:
    """Plan one snag, once. `advice` is what `considered` let through. Raises OSError: a proposal cannot be kept."""
    if flag.origin not in TRUSTED:  # a drain that forgot: what would steer waits for a person
        return Loop(flag.id, flag.time, flag.project, flag.text, "", loops.QUARANTINED, filing.file(flag))
    known = improve_record.read(improve_record.path_of(flag.id), filing.text(improve_record.path_of(flag.id)))
    if known and (filing.is_filed(flag.id) or known.state in (UNDONE, REJECTED)):
        filing.placed.setdefault(flag.id, filing.places_of([flag.id]).get(flag.id, known.path))
        return loops.of_record(known)
    snag, bare = parsed(flag), plain(flag)
    again = None if filing.is_filed(flag.id) or snag.rule or snag.skill else recurrence.find(filing, bare, snag)
    if again:
        return _came_again(filing, bare, snag, again)
    edit = None if filing.is_filed(flag.id) else _edit(filing, bare, snag, advice)
    held = edit if edit and edit.is_held else None
    if held or edit is None:  # the memory works meanwhile: a note as any flag's, or one that is armed
        edit = (
            None
            if filing.is_filed(flag.id) or not held
            else improve_edits.planned(filing, bare, Snag(snag.wrong, snag.better))
        )
        edit = None if edit and edit.is_held else edit
    record = _filed(filing, bare, snag, edit)
    if held:
        record = _proposed(record, held, flag, place)
    elif snag.skill and improve_record.is_id(flag.id):
        lines = tuple(advice.lines) if advice and advice.target == "skill" else (snag.line,)
        record = _with_skill(record, snag.skill, lines, place)
    if improve_record.is_id(flag.id):
        filing.put(record.path, improve_record.render(record))
    return loops.of_record(record)


def _edit(filing: Filing, flag: Flag, snag: Snag, advice: Advice | None) -> improve_edits.Edit | None:
    """By the judge's word where it still holds, else by rule."""
    if advice is None or advice.target == "skill":
        return improve_edits.planned(filing, flag, snag)
    when = advice.armed() or arming.derived(snag)
    found = improve_edits.note_at(filing, advice.note) if advice.note else None
    if found and advice.body:
        edit = improve_edits.rewritten(flag, *found, advice.body, when) if advice.is_of(found[0]) else None
        if edit and improve_record.whole_patch(edit.path, edit.before, edit.after):
            return edit
    if found and advice.lines:
        return improve_edits.added(flag, *found, advice.lines, when)
    if advice.note or not advice.lines:
        return improve_edits.planned(filing, flag, snag)  # the note that it was about is another by now, or gone
    kind = "rule" if advice.target == "rule" else "knowledge"
    if snag.rule:
        return improve_edits.planned(filing, flag, snag)
    return improve_edits.made(filing, flag, kind, advice.name, advice.lines, when)


def _filed(filing: Filing, flag: Flag, snag: Snag, edit: improve_edits.Edit | None) -> Record:
    """The note's part, planned, and what is to be kept of it."""
    common = {"id": flag.id, "project": flag.project, "time": flag.time, "wrong": snag.wrong, "better": snag.better}
    common["answers"] = flag.answers
    if edit is None:
        path = filing.file(flag)
        is_made = path not in filing.known.known and filing.planned_on.get(path) is None
        lines = (flag.text,) if is_made else ()
        why = _why_noted(snag)
        return Record(state=NOTED, note=path, made=is_made, lines=lines, why=why, **common)  # type: ignore[arg-type]
    filing.put(edit.path, edit.after, *sources_of(flag))
    is_rule = edit.path.startswith("rules/")
    patch = improve_record.whole_patch(edit.path, edit.before, edit.after) if edit.is_whole else ""
    return Record(
        state=APPLIED if edit.is_armed or is_rule else NOTED,
        why=edit.why or ("" if edit.is_armed or is_rule else _why_noted(snag)),
        note=edit.path,
        made=edit.before is None,
        lines=edit.lines,
        when=edit.when,
        was=edit.was,
        whole=edit.is_whole,
        patch=patch,
        **common,  # type: ignore[arg-type]
    )


def _came_again(filing: Filing, flag: Flag, snag: Snag, again: recurrence.Again) -> Loop:
    """A snag that an earlier close has dealt with: its note waits for more calls, and the earlier record knows."""
    edit = improve_edits.widened(flag, again.note, again.text, again.when)
    record = replace(_filed(filing, flag, snag, edit), again=again.earlier.id)
    earlier = replace(again.earlier, recurred=flag.id, recurred_at=flag.time)
    for one in (record, earlier):
        if improve_record.is_id(one.id):
            filing.put(one.path, improve_record.render(one))
    return loops.of_record(record)


def _why_noted(snag: Snag) -> str:
    return (
        f"the rule {snag.rule} cannot be changed now" if snag.rule else "it names no tool, command or file to wait for"
    )


def _proposed(record: Record, held: improve_edits.Edit, flag: Flag, place: Place) -> Record:
    """An edit of what is the operator's own waits for them."""
    why = f"{held.path} has the operator's own words, or holds in every project"
    proposals.leave(
        place.state,
        proposals.Proposal(
            flag.id, flag.time, flag.project, proposals.NOTE, held.path, why, "", held.before, held.after, (flag.id,)
        ),
    )
    return _with_file(record, PROPOSED, why, file=held.path, added=held.lines, machine=platform.machine())


def _with_skill(record: Record, name: str, lines: tuple[str, ...], place: Place) -> Record:
    """The skill's part: it waits for its commit, or for a person."""
    skill = skills.find(name, place.root, place.user)
    if not skill:
        why = f"there is no skill {name} in this project or in the home that may be read"
        return improve_record.with_state(record, record.state, why)
    after = skills.with_lines(skill.text, lines)
    if after == skill.text:
        return _with_file(record, APPLIED, "the skill says so already", file=skill.path, top=skill.top)
    why = skills.why_not(skill) if place.may_edit_skills else 'skills are edited only with [improve] skills = "apply"'
    plan = skills.Plan(record.id, name, place.root, place.user, skill.path, lines, skill.text, after)
    made = _with_file(
        record,
        PROPOSED if why else WAITING,
        why,
        file=skill.path,
        top=skill.top,
        machine=platform.machine(),
        added=lines,
        before=improve_record.text_digest(skill.text),
        after=improve_record.text_digest(after),
        patch=improve_record.patch(os.path.relpath(skill.path, skill.top), skill.text, after),
    )
    if why:
        proposals.leave_skill(place.state, made, plan, why)
    else:
        improve_plan.keep(plan)
    return made


def _with_file(record: Record, state: str, why: str, **more: object) -> Record:
    return Record(**{**record.__dict__, "state": state, "why": why, **more})


def given(flag: Flag, known: Iterable[Note], body_of: Callable[[Note], str]) -> tuple[Note, ...]:
    """The few notes that a judge may touch for one snag; the same are shown with its answer to `considered`."""
    from holdfast.close.improve import advice as improve_advice

    return improve_advice.candidates(flag, known, body_of)


def question(flag: Flag, shown: Sequence[Note], fence: Fence) -> Question[Advice]:
    """What a judge is asked about one snag."""
    from holdfast.close.improve import advice as improve_advice

    return improve_advice.question(flag, shown, fence)


def considered(advice: Advice, shown: Sequence[Note], flag: Flag, place: Place) -> Advice | None:
    """A judge's advice where it may be carried out; else None, and what it said is kept for a person."""
    from holdfast.close.improve import advice as improve_advice

    return improve_advice.considered(advice, shown, flag, place.state)


def told(loop: Loop) -> str:
    """What changed, in one line for the next session."""
    back = f"`holdfast loops --undo {loop.id[-8:]}` takes it back"
    what = (loop.better or loop.wrong)[:SAID]
    if loop.state == APPLIED:
        calls = f", and comes back at {arming.subject(loop.when)}" if loop.when else ""
        if loop.again:
            return (
                f'A snag came again: {loop.where} ("{what}") now waits for {arming.subject(loop.when or {})}; {back}.'
            )
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
        what = [{"loop": one.id, "became": one.state, "path": one.where, "project": project} for one in filed]
        ledger.append_all(state, "improve", now, [{**one, "change": change_id} for one in what])
        for one in fresh[:MOST_TOLD]:
            is_once = one.state == APPLIED
            notices.leave(state, proposals.notice_name(one.id), told(one), now, project=one.project, once=is_once)
        if len(fresh) > MOST_TOLD:
            more = f"{len(fresh) - MOST_TOLD} more snags changed notes; `holdfast loops --all` lists them."
            notices.leave(state, f"snags-{filed[0].id}", more, now, project=project)
    except (OSError, NotSaved):
        return  # the edit itself is in git

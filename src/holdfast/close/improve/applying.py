"""What a snag's edit needs after the close's commit: a skill's file is written, a note that a person accepted is
armed.

The record is in the vault before the file is touched. So a close that is killed between the two is continued by the
next: a file that is still what the edit was planned on gets it, one that has it is done, and anything else becomes
a proposal with the reason. A record says that something is due, never what: it may have come by a sync, so which
file and which words are what this machine has planned itself (close/improve/skills).

A person's word on what waits for it, notes and proposals alike: `holdfast review` asks for both in one breath.

One snag's edit is taken back, as a commit of its own, and exactly: the lines that came with it go, what others
added stays. Where a record does not have what that needs, or somebody changed the same words, nothing is changed
and said to be: a person takes it out by hand then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import gate, home, ledger, notices, platform
from holdfast.capture.ids import LENGTH, time_of
from holdfast.close.improve import loops, proposals, skills
from holdfast.close.improve import record as improve_record
from holdfast.close.improve import skills as improve_plan
from holdfast.close.improve import snag as arming
from holdfast.close.improve.edits import own_lines
from holdfast.close.improve.record import APPLIED, NOTED, PROPOSED, UNDONE, WAITING, Record, with_state
from holdfast.errors import HoldfastError, NotSaved, UsageError
from holdfast.model import Flag
from holdfast.vault import frontmatter, notes, reviewing
from holdfast.vault.index import EVIDENCE
from holdfast.vault.merge import merge
from holdfast.vault.writing import Writer, writing

if TYPE_CHECKING:
    from collections.abc import Sequence


UNPLANNED = "this machine has planned no such edit"


def apply_pending(vault: str, state: str, now: float) -> list[loops.Loop]:
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


def learned(vault: str, path: str, now: float) -> loops.Loop | None:
    """A snag whose note a person has accepted: it is armed where it names a call, and its loop closes. None where the
    note tells of no snag."""
    note = notes.read(vault, path)
    if isinstance(note, notes.Broken) or note.kind != "feedback" or not note.sources or note.when:
        return None
    ident, lines = note.sources[0], tuple(own_lines(note.body))
    snag = arming.parsed(Flag(ident, 0.0, "", "", note.project, "snag", " ".join(lines)))
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
    plan = improve_plan.find_plan(record.id)
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


def _why_not_made(plan: skills.Plan, text: str) -> str:
    if text != plan.before:
        return "the file was changed after the edit was planned"
    return "" if skills.may_edit() else "the permission to edit skills was taken back"


def _tell(state: str, loop: loops.Loop, now: float) -> None:
    from holdfast.close.improve.closing import told

    try:
        notices.leave(state, proposals.notice_name(loop.id), told(loop), now, project=loop.project)
        ledger.append(state, "improve", now, loop=loop.id, became=loop.state, path=loop.where, project=loop.project)
    except (OSError, NotSaved):
        return  # the record says it durably


def decide(
    vault: str,
    now: float,
    project: str | None,
    *,
    keep: Sequence[str] = (),
    accept: Sequence[str] = (),
    reject: Sequence[str] = (),
    by: gate.Asker,
) -> list[reviewing.Reviewed]:
    """Carry out what a person decided. Raises NotFound, UsageError, before anything is written as far as it can."""
    state = home.state(vault)
    mine = {wanted: proposals.find(state, wanted, project) for wanted in (*accept, *reject)}
    yes, no = ([one for one in words if not mine[one]] for words in (accept, reject))
    done = reviewing.decide(vault, now, project, keep=keep, accept=yes, reject=no, by=by)
    for one in done:
        if one.action == "accept":
            learned(vault, one.now_at, now)
    for wanted in dict.fromkeys((*accept, *reject)):
        found = mine[wanted]
        if found:
            carry_out = proposals.accept if wanted in accept else proposals.reject
            done.append(carry_out(vault, state, found.id, now, by=by))
    return done


@dataclass(frozen=True)
class Undone:
    """One edit that was taken back: the loop, the commit that did it, and what was changed by it."""

    loop: loops.Loop
    commit: str
    paths: tuple[str, ...]


def undo(vault: str, state: str, wanted: str, now: float, *, by: gate.Asker) -> Undone:
    """Take back exactly one snag's edit, as a commit of its own. Raises NotFound, UsageError, HoldfastError."""
    gate.require(by, gate.Change(gate.ARMED, gate.LIFTED), "Taking an edit back")
    loop = loops.find(vault, state, now, wanted)
    record = improve_record.find(vault, loop.id)
    if not record:
        raise UsageError(
            f"The snag {loop.id} has changed nothing yet, so nothing was taken back. It {loops.SAID[loop.state]}."
        )
    if record.is_of_skill and record.state == APPLIED and record.machine not in ("", platform.machine()):
        raise UsageError(
            f"{record.file} lies on the machine {record.machine}; nothing was changed. Take it back there, then sync."
        )
    if record.state == UNDONE:
        raise UsageError(f"The edit of {loop.id} was taken back before; nothing was changed.")
    with writing(vault, now) as writer:
        texts, planned_on = _without(writer, record)
        changed = _restore_skill(record) if record.is_of_skill and record.state in (APPLIED, WAITING) else ""
        paths = (*texts, *([changed] if changed else []))
        texts[record.path] = improve_record.render(with_state(record, UNDONE, "a person took it back"))
        subject = f"undo a snag: {notes.title(record.wrong)}"
        applied = writer.commit(subject, texts, cause="undo", by=by, planned_on=planned_on)
        skipped = [path for path in texts if path in applied.skipped]
    if skipped:
        raise HoldfastError(f"{skipped[0]} was edited at this very moment; the edit was kept. Run it again.")
    proposals.withdraw(state, [record.id])
    improve_plan.drop(record.id)
    notices.remove(state, proposals.notice_name(record.id), record.project)
    return Undone(loops.of_record(with_state(record, UNDONE)), applied.commit, paths)


def _without(writer: Writer, record: Record) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """The notes without what this snag brought to them, and what that is planned on."""
    held = [record.note]
    if record.file and not record.is_of_skill and record.state == APPLIED:
        held.append(record.file)
    texts: dict[str, str | None] = {}
    planned_on: dict[str, str | None] = {}
    for path in dict.fromkeys(held):
        text = writer.read(path)
        if text is None:
            continue
        lines = record.lines if path == record.note else record.added
        after = (
            _unwritten(text, record) if record.whole and path == record.note else _cleared(path, text, record, lines)
        )
        if after != text:
            texts[path], planned_on[path] = after, text
    return texts, planned_on


def _unwritten(text: str, record: Record) -> str:
    """A rewrite taken back, with what was changed since."""
    try:
        before, after = improve_record.sides(record.patch)
    except ValueError as error:
        raise UsageError(
            f"{record.path} does not have both texts of {record.note} ({error}); nothing was changed. Edit it by hand: "
            "`holdfast history` has it as it was."
        ) from error
    merged = merge(record.note, base=after, ours=text, theirs=before)
    if merged.conflict or merged.text is None:
        raise UsageError(
            f"{record.note} was changed again where this snag changed it; nothing was changed. Edit it by hand: "
            f"{record.path} has the difference."
        )
    return merged.text


def _cleared(path: str, text: str, record: Record, lines: tuple[str, ...]) -> str | None:
    """The note without the snag's lines, id and `when`; None, no note at all, where it said nothing else."""
    try:
        document = frontmatter.parse(text)
    except frontmatter.Unparsable as error:
        raise UsageError(f"{path} cannot be read ({error}); nothing was changed. Mend it in an editor.") from error
    sources = [str(one) for one in document.fields.get("sources") or [] if str(one) != record.id]
    body = _dropped(document.body, lines)
    is_made = record.made and path == record.note
    others = [one for one in sources if one not in record.answers.split(",")]
    if own_lines(document.body) and not own_lines(body):
        return None  # nothing that it said is left
    changes: dict[str, Any] = {"sources": sources}
    is_own = record.when and path == record.note and document.fields.get("when") == record.when
    if is_own and not (is_made and others):  # what else the note says still waits for those calls
        changes["when"] = record.was
    head = text[: len(text) - len(document.body)]
    try:
        return frontmatter.edit(frontmatter.parse(head + body), changes)
    except frontmatter.Unparsable as error:
        raise UsageError(f"{path} cannot be changed in place ({error}); nothing was changed.") from error


def _dropped(body: str, lines: tuple[str, ...]) -> str:
    """A body without these lines, and without the blank line that came with each."""
    words, heading, proof = body.partition(f"\n\n{EVIDENCE}\n")
    kept = words.split("\n")
    for line in lines:
        at = next((nth for nth, one in enumerate(kept) if one.rstrip() == line), -1)
        if at < 0:
            continue
        del kept[at]
        if at and not kept[at - 1].strip() and (at == len(kept) or not kept[at].strip()):
            del kept[at - 1]
    return "\n".join(kept) + heading + proof


def _restore_skill(record: Record) -> str:
    """The skill's file without the edit; "" where it does not have it. Raises UsageError where both changed it."""
    plan = improve_plan.find_plan(record.id)
    if not plan:
        _refuse_unplanned(record)
        return ""
    skill = improve_plan.skill_of(plan)
    if not skill:
        return ""
    text = skill.text
    bare = skills.without_lines(text, plan.lines)
    if text == bare:
        return ""
    if text == plan.after:
        wanted: str | None = plan.before
    else:
        wanted = bare if bare == plan.before else skills.merged(plan.after, text, plan.before)
    if wanted is None:
        raise UsageError(
            f"{plan.path} was changed again where this snag changed it; nothing was changed. Take it back by hand: "
            f"{record.path} has the reverse patch."
        )
    if not skills.write(skill.path, text, wanted):
        raise HoldfastError(f"{plan.path} was edited at this very moment; the edit was kept. Run it again.")
    return plan.path


def _refuse_unplanned(record: Record) -> None:
    """What this machine has not planned it does not take out of a file either; once it is out, the rest can go."""
    found = skills.look(record.file, record.top)
    if found and skills.without_lines(found.text, record.added) != found.text:
        raise UsageError(
            f"This machine does not know of an edit of {record.file}; nothing was changed. If its lines are unwanted, "
            f"take them out by hand ({record.path} names them), then run it again."
        )

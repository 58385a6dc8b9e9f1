"""One snag's edit is taken back, as a commit of its own, and exactly: the lines that came with it go, what others added
stays. Where a record does not have what that needs, or somebody changed the same words, nothing is changed and said to
be: a person takes it out by hand then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import gate, notices, platform
from holdfast.close.improve import loops, proposals, skills
from holdfast.close.improve import plan as improve_plan
from holdfast.close.improve import record as improve_record
from holdfast.close.improve.edits import own_lines
from holdfast.close.improve.proposals import notice_name
from holdfast.close.improve.record import APPLIED, UNDONE, WAITING, Record, with_state
from holdfast.errors import HoldfastError, UsageError
from holdfast.vault import frontmatter, notes
from holdfast.vault.frontmatter import Unparsable
from holdfast.vault.index import EVIDENCE
from holdfast.vault.merge import merge
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from holdfast.close.improve.loops import Loop
    from holdfast.vault.writing import Writer


@dataclass(frozen=True)
class Undone:
    """One edit that was taken back: the loop, the commit that did it, and what was changed by it."""

    loop: Loop
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
    notices.remove(state, notice_name(record.id), record.project)
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
    except Unparsable as error:
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
    except Unparsable as error:
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
    plan = improve_plan.find(record.id)
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

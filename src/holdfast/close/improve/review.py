"""A person's word on the edits of snags: `holdfast review` decides on notes and proposals, an accepted snag is armed,
and one snag's edit is taken back.

Taking back is a commit of its own, and exact: the lines that came with the edit go, what others added stays. Where a
record does not have what that needs, or somebody changed the same words, nothing is changed and said to be: a person
takes it out by hand then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import gate, home, notices, platform
from holdfast.capture.ids import LENGTH, time_of
from holdfast.close.improve import edit_record, loops, proposals, skills, snags
from holdfast.close.improve.edit_record import APPLIED, NOTED, UNDONE, WAITING, Record
from holdfast.close.improve.note_edits import own_lines
from holdfast.errors import HoldfastError, UsageError
from holdfast.model import Flag
from holdfast.vault import front_matter_edits, history, notes
from holdfast.vault import review as note_review
from holdfast.vault.index import EVIDENCE
from holdfast.vault.merge import merge, sides
from holdfast.vault.transaction import Writer, writing

if TYPE_CHECKING:
    from collections.abc import Sequence


def learned(vault: str, path: str, now: float) -> str:
    """A snag whose note a person has accepted: it is armed where it names a call, and its loop closes. The commit, ""
    where the note tells of no snag."""
    note = notes.read(vault, path)
    if isinstance(note, notes.Broken) or note.kind != "feedback" or not note.sources or note.when:
        return ""
    ident, lines = note.sources[0], tuple(own_lines(note.body))
    snag = snags.parsed(Flag(ident, 0.0, "", "", note.project, "snag", " ".join(lines)))
    if not snag.better or not edit_record.is_id(ident) or edit_record.find(vault, ident):
        return ""
    when = snags.derived(snag)
    project = "" if note.project == notes.GLOBAL else note.project
    known = (ident, APPLIED if when else NOTED, project, time_of(ident) if len(ident) == LENGTH else now)
    record = Record(*known, snag.wrong, snag.better, note=path, made=True, lines=lines, when=when)
    with writing(vault, now) as writer:
        text = writer.read(path)
        texts: dict[str, str | None] = {record.path: edit_record.render(record)}
        if text is not None and when:
            texts[path] = notes.with_fields(text, when=when)
        subject = f"review: learn from {note.name}"
        return writer.commit(subject, texts, cause="review", by=gate.BY_USER, planned_on={path: text}).commit


def decide(
    vault: str,
    now: float,
    project: str | None,
    *,
    keep: Sequence[str] = (),
    accept: Sequence[str] = (),
    reject: Sequence[str] = (),
    by: gate.Asker,
) -> list[note_review.Reviewed]:
    """Carry out what a person decided. Raises NotFound, UsageError, before anything is written as far as it can."""
    state = home.state(vault)
    mine = {wanted: proposals.find(state, wanted, project) for wanted in (*accept, *reject)}
    yes, no = ([one for one in words if not mine[one]] for words in (accept, reject))
    done = []
    for one in note_review.decide(vault, now, project, keep=keep, accept=yes, reject=no, by=by):
        commit = learned(vault, one.now_at, now) if one.action == "accept" else ""
        done.append(replace(one, commits=(*one.commits, commit)) if commit else one)
    for wanted, found in mine.items():
        if found:
            carry_out = proposals.accept if wanted in accept else proposals.reject
            done.append(carry_out(vault, state, found.id, now, by=by))
    return done


def take_back(vault: str, state: str, commits: Sequence[str], ident: str, now: float, *, by: gate.Asker) -> None:
    """Take a decision back: its commits, the last one first, and the edit that it was about waits again. Raises
    NotFound, UsageError."""
    gate.require(by, gate.Change(gate.RULE, gate.LIFTED), "Taking a decision back")
    for commit in reversed(commits):
        history.undo(vault, commit, now, by=by)
    if ident:
        proposals.reopen(state, ident)


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
    record = edit_record.find(vault, loop.id)
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
        changed = skills.take_back(record) if record.is_of_skill and record.state in (APPLIED, WAITING) else ""
        paths = (*texts, *([changed] if changed else []))
        texts[record.path] = edit_record.render(replace(record, state=UNDONE, why="a person took it back"))
        subject = f"undo a snag: {notes.title(record.wrong)}"
        applied = writer.commit(subject, texts, cause="undo", by=by, planned_on=planned_on)
        skipped = [path for path in texts if path in applied.skipped]
    if skipped:
        raise HoldfastError(f"{skipped[0]} was edited at this very moment; the edit was kept. Run it again.")
    proposals.withdraw(state, [record.id])
    skills.drop(record.id)
    notices.remove(state, proposals.notice_name(record.id), record.project)
    return Undone(loops.of_record(replace(record, state=UNDONE, why="")), applied.commit, paths)


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
        if record.whole and path == record.note:
            after: str | None = _unwritten(text, record)
        else:
            after = _cleared(path, text, record, record.lines if path == record.note else record.added)
        if after != text:
            texts[path], planned_on[path] = after, text
    return texts, planned_on


def _unwritten(text: str, record: Record) -> str:
    """A rewrite taken back, with what was changed since."""
    try:
        before, after = sides(record.patch)
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
        document = front_matter_edits.parse(text)
    except front_matter_edits.Unparsable as error:
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
        return front_matter_edits.edit(front_matter_edits.parse(head + body), changes)
    except front_matter_edits.Unparsable as error:
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

"""A person's word on what waits: by the library, as the command line does it, each with a way back.

The way back is an address that names the commits, the edit or the draft; it is undone as it was done, the last first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import drafts
from holdfast.close.improve import proposals
from holdfast.errors import NotFound, UsageError
from holdfast.model import KINDS
from holdfast.page import typed
from holdfast.page.review_card import beside_of
from holdfast.page.review_cards import BESIDE, DRAFT, DUE, EDIT, NOTE
from holdfast.sleep import plan as sleep_plan
from holdfast.vault import edits, journal, notes
from holdfast.vault.index import EVIDENCE

if TYPE_CHECKING:
    from holdfast.close.improve.proposals import Proposal
    from holdfast.memory import Memory

ACCEPT, REJECT = "accept", "reject"


@dataclass(frozen=True)
class Back:
    """The way back: commits, the oldest first; an edit or a draft that waits again; a snag's or a night's step."""

    commits: tuple[str, ...] = ()
    edit: str = ""
    draft: str = ""
    snag: str = ""
    steps: tuple[str, ...] = ()

    def query(self) -> dict[str, str]:
        lists = {"commits": ",".join(self.commits), "steps": ",".join(self.steps)}
        return {**lists, "edit": self.edit, "draft": self.draft, "snag": self.snag}

    def __bool__(self) -> bool:
        return any(self.query().values())


@dataclass(frozen=True)
class Deed:
    said: str
    back: Back = Back()


def decide(memory: Memory, key: str, word: str, text: str | None = None, line: str = "") -> Deed:
    """Accept or reject; with a text, what is accepted says that instead. Raises NotFound, UsageError."""
    kind, _, ident = key.partition(":")
    if word not in (ACCEPT, REJECT):
        raise UsageError("Say accept or reject; nothing was changed.")
    if kind == EDIT:
        return _edit(memory, ident, word, text)
    if kind == DRAFT:
        return _draft(memory, ident, word, text)
    if kind not in (NOTE, BESIDE, DUE) or not isinstance(notes.read(memory.at.vault, ident), notes.Note):
        raise NotFound("It waits no more: somebody has decided on it. Look again.")
    return {NOTE: _note, BESIDE: _beside, DUE: _due}[kind](memory, ident, word, text, line)


def undo(memory: Memory, back: Back) -> None:
    """Raises UsageError where later work stands on it."""
    if back.snag:
        memory.sessions.undo_loop(back.snag)
    for step in back.steps:
        memory.sleep.undo(step)
    memory.notes.take_back_review(back.commits, back.edit)
    if back.draft:
        memory.sessions.reopen_draft(back.draft)


def _note(memory: Memory, path: str, word: str, text: str | None, line: str) -> Deed:
    if word == REJECT:
        (done,) = memory.notes.review(reject=[path], everything=True)
        return Deed("Rejected. The history keeps it.", Back(done.commits))
    first = _reworded(memory, path, text, line)
    (done,) = memory.notes.review(accept=[path], everything=True)
    return Deed(f"Accepted: now {done.now_at}.", Back((*first, *done.commits)))


def _due(memory: Memory, path: str, word: str, text: str | None, line: str) -> Deed:
    if word == REJECT:
        return Deed("Forgotten. The history keeps it.", Back((memory.notes.forget([path]),)))
    first = _reworded(memory, path, text, line)
    (done,) = memory.notes.review(keep=[path], everything=True)
    return Deed("Kept: reviewed today.", Back((*first, *done.commits)))


def _reworded(memory: Memory, path: str, text: str | None, line: str) -> tuple[str, ...]:
    """The commit that gives a note other words, before it is decided on."""
    base = journal.read(memory.at.vault, path)
    if text is None or base is None:
        return ()
    commit = memory.notes.edit(path, reworded(path, base, text, line), base)
    return (commit,) if commit else ()


def reworded(path: str, base: str, text: str, line: str) -> str:
    """A note's file with other words and another line; its proof and every other byte stay. Raises UsageError."""
    note = notes.from_text(path, base)
    if isinstance(note, notes.Broken):
        raise UsageError(f"{path} cannot be read as a note; nothing was changed. Mend it in an editor.")
    head = base[: len(base) - len(note.body)] if base.endswith(note.body) else ""
    if not head:
        raise UsageError(f"{path} cannot be changed in place; nothing was changed. Mend it in an editor.")
    proof = note.body.partition(f"\n\n{EVIDENCE}\n")[2]
    words = typed.as_file(text, note.body).strip()
    body = f"\n{words}\n" + (f"\n{EVIDENCE}\n{proof}" if proof else "")
    changed = head + body
    wanted = " ".join(line.split())
    return notes.with_fields(changed, description=notes.describe(wanted)) if wanted else changed


def _beside(memory: Memory, path: str, word: str, text: str | None, _line: str) -> Deed:
    if word == REJECT:
        return Deed("Yours stays. The history keeps the other.", Back((memory.notes.forget([path]),)))
    ours = beside_of(path)
    base, theirs = journal.read(memory.at.vault, ours), journal.read(memory.at.vault, path)
    if base is None or theirs is None:
        raise NotFound("One of the two versions is gone; nothing was changed. Look again.")
    commit = memory.notes.edit(ours, theirs if text is None else typed.as_file(text, theirs), base)
    commits = (commit, memory.notes.forget([path]))
    return Deed(f"Put into {ours}. The history keeps what it said.", Back(tuple(filter(None, commits))))


def _edit(memory: Memory, ident: str, word: str, text: str | None) -> Deed:
    found = next((one for one in proposals.listing(memory.at.state) if one.id == ident), None)
    if found is None:
        raise NotFound("It waits no more: somebody has decided on it. Look again.")
    if word == REJECT:
        (done,) = memory.notes.review(reject=[ident], everything=True)
        back = Back() if found.kind == proposals.SKILL else Back(done.commits, edit=ident)
        return Deed("Rejected. It is not proposed again.", back)
    if text is not None and found.after is not None and found.kind != proposals.SKILL:
        proposals.leave(memory.at.state, replace(found, after=typed.as_file(text, found.after), diff=""))
    kept = sleep_plan.kept_refusal(memory.at.vault, ident) if found.kind == proposals.SLEEP else None
    (done,) = memory.notes.review(accept=[ident], everything=True)
    steps = tuple(one.id for one in kept.steps) if kept else ()
    return Deed(f"Accepted: {done.path}." if done.now_at else "Accepted.", _way_back(found, done.commits, steps))


def _way_back(one: Proposal, commits: tuple[str, ...], steps: tuple[str, ...]) -> Back:
    if one.kind == proposals.SKILL:
        return Back(snag=one.sources[0] if one.sources else "")
    return Back(steps=steps) if steps else Back(commits, edit=one.id)


def _draft(memory: Memory, ident: str, word: str, text: str | None) -> Deed:
    one = memory.sessions.draft(ident)
    if one.is_settled:
        raise NotFound("It waits no more: somebody has decided on it. Look again.")
    if word == REJECT:
        memory.sessions.settle_draft(one.id)
        return Deed("Let go. `holdfast drafts --all` still has it.", Back(draft=one.id))
    words = one.text if text is None else typed.as_file(text, one.text)
    if one.kind == drafts.HANDOFF:
        handed = memory.sessions.handoff(words, anyway=True)
        said, commit = f"Written: session {handed.number}.", handed.commit
    else:
        kind = "snag" if one.kind == drafts.SNAG else one.given if one.given in KINDS else "knowledge"
        asked = edits.Asked(words, kind, one.project or memory.at.project().id)
        filed = memory.notes.remember(asked)
        said, commit = f"Kept as {filed.path}.", filed.commit
    memory.sessions.settle_draft(one.id)
    return Deed(said, Back((commit,) if commit else (), draft=one.id))

"""A card of the review: one thing that waits, what would change where, whose words it is, and what can be done.

Each is made of what stands on disk when it is shown. A text is cut to what fits a card; the note itself has all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import drafts
from holdfast.close.improve import proposals
from holdfast.errors import TROUBLE
from holdfast.page import diff, origin
from holdfast.sleep import plan as sleep_plan
from holdfast.vault import agent_edits, check_files, handoff_form, journal, lineage, notes, review
from holdfast.vault.index import EVIDENCE

if TYPE_CHECKING:
    from holdfast.capture.drafts import Draft
    from holdfast.close.improve.proposals import Proposal
    from holdfast.memory import Memory
    from holdfast.page.diff import Diff
    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note

LONGEST = 4000  # characters of a text on a card
GROUPS = {
    "quarantine": (
        "From outside text",
        "It would steer your agents, and it did not come from you. Nothing of it is in force.",
    ),
    "unconfirmed": (
        "Orders of yours, heard and not confirmed",
        "They sounded like an order in a prompt. Accepting makes a rule of each.",
    ),
    "proposed": ("Rules that an agent proposes", "They bind once you accept them."),
    "beside": (
        "Two versions of one note",
        "Two machines changed the same lines. Yours stands; the other lies beside it.",
    ),
    "edits": (
        "Edits that wait",
        "A snag, a judge or a night of sleep would change something that is yours to change.",
    ),
    "drafts": ("Held back", "A form was refused, and its words were kept. Accepting writes them as they are."),
    "due": (
        "To look at again",
        "Nobody has looked at these for longer than their kind allows. Keep what is still true.",
    ),
}
FOR_GOOD = "Reject this edit of a skill? It is not proposed again, and that cannot be taken back."
KINDS = {
    proposals.SKILL: "edit of a skill",
    proposals.NOTE: "edit of a note",
    proposals.CLAIM: "a claim that the evidence contradicts",
    proposals.SLEEP: "from a night of sleep",
}


@dataclass(frozen=True)
class Card:
    """`accept` is the word on the button, "" where there is nothing to accept; likewise `reject` and `edit`."""

    key: str
    group: str
    title: str
    kind: str
    whose: str
    becomes: str  # what accepting does, as a sentence
    words: str = ""
    evidence: tuple[str, ...] = ()
    change: Diff = diff.NONE
    path: str = ""  # of a note that can be opened
    time: float = 0.0
    day: str = ""
    accept: str = "Accept"
    reject: str = "Reject"
    can_edit: bool = True
    asks: str = ""  # a question before a rejection that cannot be taken back
    is_cut: bool = False


def group_of(note: Note) -> str:
    return "quarantine" if note.is_quarantined else note.status


def parts(note: Note) -> tuple[str, tuple[str, ...]]:
    """A note's words, and the lines of its proof."""
    said, _, proof = note.body.strip().partition(f"\n\n{EVIDENCE}\n")
    return said, tuple(line.strip().removeprefix("- ") for line in proof.splitlines() if line.strip())


def of_note(memory: Memory, known: Index, key: str, note: Note, _now: float) -> Card:
    said, proof = parts(note)
    group = group_of(note)
    old = str(note.fields.get(agent_edits.REPLACES) or "")
    before = journal.read(memory.at.vault, old) if old in known.known else None
    shown = diff.of(before, journal.read(memory.at.vault, note.path)) if before is not None else diff.NONE
    kind = "rule" if note.status in notes.WAITING and note.kind == "feedback" else note.kind
    folder = notes.FOLDERS.get(kind, kind)
    becomes = (
        f"Accepting puts it in the place of {old}." if before is not None else f"Accepting files it below {folder}/."
    )
    if kind in ("rule", "identity"):
        becomes += " From then on it binds your agents."
    return Card(
        key, group, note.name, note.kind, origin.of_note(memory.at.state, note), becomes, _cut(said), proof[:8], shown,
        note.path, day=note.created, is_cut=len(said) > LONGEST,
    )  # fmt: skip


def beside_of(path: str) -> str:
    """The note that another version lies beside."""
    return check_files.CONFLICT.sub("", path)


def of_beside(memory: Memory, known: Index, key: str, note: Note, _now: float) -> Card:
    ours = beside_of(note.path)
    before = journal.read(memory.at.vault, ours)
    shown = diff.of(before, journal.read(memory.at.vault, note.path))
    has_ours = before is not None and ours in known.known
    return Card(
        key, "beside", note.name, note.kind, "From another machine of yours, by a sync.",
        f"Accepting puts the other version into {ours}. Rejecting keeps yours, and the other goes into the history.",
        "" if has_ours else _cut(note.body), (), shown if has_ours else diff.NONE, note.path, day=note.edited,
        accept="Take theirs" if has_ours else "", reject="Keep mine", can_edit=has_ours,
    )  # fmt: skip


def of_due(memory: Memory, _known: Index, key: str, note: Note, now: float) -> Card:
    said, proof = parts(note)
    late = review.due(note, now)
    days = late.days if late else 0
    why = "Its date cannot be read." if days is None else f"Its time was over {days} day{'s' if days != 1 else ''} ago."
    return Card(
        key, "due", note.name, note.kind, f"{origin.of_note(memory.at.state, note)} {why}",
        "Keeping it says that it is still true today.", _cut(said), proof[:4], diff.NONE, note.path,
        day=note.reviewed or note.created, accept="Keep", reject="Forget", is_cut=len(said) > LONGEST,
    )  # fmt: skip


def of_edit(vault: str, key: str, one: Proposal) -> Card:
    makes = one.after is not None
    kept = sleep_plan.kept_refusal(vault, one.id) if one.kind == proposals.SLEEP else None
    becomes = (
        f"Accepting makes this change in {one.path}." if makes else "Nothing is written: you only say that you know."
    )
    if kept is not None and kept.steps:
        makes, becomes = True, "Accepting makes the change that the night held back."
    is_skill = one.kind == proposals.SKILL
    return Card(
        key, "edits", one.path or KINDS.get(one.kind, one.kind), KINDS.get(one.kind, one.kind), _sentence(one.why),
        becomes, "", (), diff.of_patch(one.diff), "" if is_skill else one.path, one.time,
        accept="Accept" if makes else "I know", can_edit=one.after is not None and not is_skill,
        asks=FOR_GOOD if is_skill else "",
    )  # fmt: skip


def of_draft(key: str, one: Draft) -> Card:
    name = drafts.NAMES.get(one.kind, one.kind)
    is_handoff = one.kind == drafts.HANDOFF
    becomes = "Accepting writes it as a handoff, as it is." if is_handoff else "Accepting keeps it as a note."
    used = f" A close has used its words ({one.used})." if one.used else ""
    return Card(
        key, "drafts", f"A {name} that was refused", name,
        f"{origin.of_text(one.origin, one.episode)} Refused: {_sentence(one.why)}{used}", becomes,
        _cut(_as_handoff(one.text) if is_handoff else one.text),
        one.evidence[:8], time=one.time, accept="Write it" if is_handoff else "Keep it",
        reject="Let it go", is_cut=len(one.text) > LONGEST,
    )  # fmt: skip


def _as_handoff(text: str) -> str:
    """A handoff as a person reads it; as it was submitted where it is none."""
    try:
        title, sections = handoff_form.parse(text)
    except TROUBLE:
        return text
    told = [
        f"{lineage.SECTIONS.get(key, key)}:\n" + "\n".join(f"- {item}" for item in items)
        for key, items in sections.items()
    ]
    return "\n".join([title, *told]) if told else text


def _sentence(text: str) -> str:
    said = text.strip()[:1000]
    return said if not said or said[-1] in ".!?)" else f"{said}."


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\u2026"

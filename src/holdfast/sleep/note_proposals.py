"""Proposals about notes: one of several that say the same may go, a description may say more, two subjects may part.

Sleep changes no note: a person decides with `holdfast review`, unless the user has turned `merge_notes` on, which lets
a night mark a note as superseded where another says the very same. Such a note keeps its file and its history. Rules
and identity are left alone. Without a judge only notes that differ in nothing that tells are proposed; a judge may find
more, and its words are checked against the note's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict
from pydantic import Field as Words

from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact
from holdfast.field.thought import DECISION, DISCOVERY, NOTE
from holdfast.model import ORIGINS
from holdfast.sleep import links
from holdfast.sleep.plan import Refusal
from holdfast.vault import journal, notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.close.judge_pool import Court
    from holdfast.field.store import Store
    from holdfast.field.thought import Thought
    from holdfast.judge.seam import Question
    from holdfast.sleep.material import Material

MOST = 20  # of one night
MOST_ASKED = 6  # clusters of notes that one night asks about
JOB = "sleep-note"
LONGEST = 160
TOLD = (
    "You see notes of a memory that lie close together. Propose only what clearly helps: `same` lists groups of "
    "handles of notes that say the same, so that one of them is enough; `descriptions` gives a better one-line "
    "description for a note whose own does not say what the note holds, in the note's own words; `apart` lists handles "
    "of notes that hold two subjects which nobody would look for together. Leave all of them empty where nothing "
    "should change."
)


class Description(BaseModel):
    model_config = ConfigDict(extra="forbid")
    note: str
    text: str = Words(max_length=2 * LONGEST)


class Tidying(BaseModel):
    """The judge's answer about one cluster of notes."""

    model_config = ConfigDict(extra="forbid")
    same: list[list[str]] = Words(default_factory=list, max_length=12)
    descriptions: list[Description] = Words(default_factory=list, max_length=12)
    apart: list[str] = Words(default_factory=list, max_length=12)


@dataclass(frozen=True)
class Proposed:
    """`merged` are notes that a night may supersede by itself where the user wants that; `others` always wait."""

    merged: tuple[Refusal, ...] = ()
    others: tuple[Refusal, ...] = ()


def planned(vault: str, gathered: Material, store: Store, court: Court | None) -> Proposed:
    """A proposal for each note that another makes superfluous, and what a judge would better."""
    merged: dict[str, Refusal] = {}
    for group in links.groups(store, gathered.window, gathered.new):
        merged |= {one.path: one for one in _merges(vault, list(store.thoughts(group).values()))}
    others: dict[str, Refusal] = {}
    for one in _judged(vault, gathered, court) if court else ():
        if one.path not in merged:
            others.setdefault(one.id, one)
    return Proposed(tuple(merged.values())[:MOST], tuple(others.values())[:MOST])


def _merges(vault: str, alike: Sequence[Thought]) -> Iterator[Refusal]:
    known = sorted((one for one in alike if is_note(one)), key=_order)
    for goes in known[1:]:
        before, stays = journal.read(vault, goes.path), known[0]
        note = notes.from_text(goes.path, before) if before is not None else None
        # One that comes back by itself at some calls is the user's to change.
        if before is not None and isinstance(note, notes.Note) and not note.when:
            why = f"{goes.path} says the same as {stays.path}: let that one stand, and this one be superseded"
            after = notes.with_fields(before, status="superseded")
            yield _edit(goes, why, before, after, stays.path)


def is_note(thought: Thought) -> bool:
    """Whether it is a note that a person has as a file, and not an entry of a task."""
    return thought.kind == NOTE and thought.category not in (DECISION, DISCOVERY)


def _order(thought: Thought) -> tuple[int, float, str]:
    trust = ORIGINS.index(thought.origin) if thought.origin in ORIGINS else len(ORIGINS)
    return trust, thought.created, thought.id


def _edit(note: Thought, why: str, before: str, after: str, about: str) -> Refusal:
    ident = f"sleep-n-{digest(f'{note.path} {about}', 20)}"
    return Refusal(ident, note.project, why, "", note.path, before, after, (note.id,))


def _judged(vault: str, gathered: Material, court: Court) -> Iterator[Refusal]:
    found = [
        [gathered.thoughts[one] for one in cluster.members if one in gathered.thoughts] for cluster in gathered.dense
    ]
    listed = [some for some in found if len(some) > 1 and all(map(is_note, some))][:MOST_ASKED]
    answers = court.ask_all([question(some, court.state) for some in listed])
    for some, answer in zip(listed, answers, strict=True):
        if answer is not None:
            yield from _of_answer(vault, {f"n{nth}": one for nth, one in enumerate(some, 1)}, answer)


def question(some: Sequence[Thought], state: str) -> Question[Tidying]:
    from holdfast.judge.reading import Fence, nonce_for
    from holdfast.judge.seam import Question

    about = digest(" ".join(one.id for one in some), 24)
    fence = Fence(nonce_for(state, f"sleep notes {about}"))
    shown = [(redact(one.title)[0], redact(one.text)[0]) for one in some]
    given = "\n".join(fence.around(f"note n{nth}: {title}", text) for nth, (title, text) in enumerate(shown, 1))
    return Question(JOB, f"{TOLD}\n{fence.explained}", given, Tidying, 1200, about)


def _of_answer(vault: str, known: dict[str, Thought], answer: Tidying) -> Iterator[Refusal]:
    for group in answer.same:
        yield from _merges(vault, [known[one] for one in dict.fromkeys(group) if one in known])
    for one in answer.descriptions:
        note, text = known.get(one.note), " ".join(one.text.split())[:LONGEST]
        before = journal.read(vault, note.path) if note and text and _is_borne(note, text) else None
        if note and before is not None:
            why = f"the description of {note.path} would say more of what it holds"
            yield _edit(note, why, before, notes.with_fields(before, description=text), text)
    for handle in dict.fromkeys(answer.apart):
        if handle in known:
            note = known[handle]
            why = f"{note.path} seems to hold two subjects; you may want to make two notes of it"
            yield Refusal(f"sleep-n-{digest(f'{note.path} apart', 20)}", note.project, why, "", sources=(note.id,))


def _is_borne(note: Thought, text: str) -> bool:
    """Whether a description says nothing that the note does not."""
    from holdfast.close.verify.evidence import Evidence
    from holdfast.close.verify.findings import SUPPORTED, check_note, foreign, order, spoken, stems

    findings = check_note(text, [note.text, note.title], Evidence())
    known = [note.text, note.title]
    strange = foreign(text, {stem for one in known for stem in stems(one)}, spoken(known))
    return all(one.verdict == SUPPORTED for one in findings) and not strange and not order(text, (), known, ())

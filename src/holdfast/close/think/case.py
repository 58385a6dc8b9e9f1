"""One piece of work while it is thought about: what is known of its episode, and what is asked about it.

A transcript is read only where the story of its episode is told now. Each question gets only its few lines and the few
notes that it may touch; what is filed already is not asked about again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import episodes, home, once, story
from holdfast.close import salvage, session_record
from holdfast.close.commit import is_loop
from holdfast.close.think import groups
from holdfast.close.verify import evidence, flagged
from holdfast.close.verify.evidence import Evidence
from holdfast.vault import journal, lineage
from holdfast.vault.notes import UNCONFIRMED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.capture.story import Story
    from holdfast.close.salvage import Salvaged
    from holdfast.close.think import lasting
    from holdfast.close.think.consolidate import Given
    from holdfast.close.think.draft import Shown
    from holdfast.close.work import Work
    from holdfast.judge.seam import Question
    from holdfast.model import Flag
    from holdfast.vault.index import Index
    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note


@dataclass
class Case:
    """What is known, what was asked, and, in the same order, what was answered: None where nothing was."""

    work: Work
    known: Index
    evidence: Evidence
    story: Story
    salvaged: Salvaged | None = None  # of one that died
    messages: tuple[str, ...] = ()
    before: Handoff | None = None
    origin: str = ""  # of outside text in its context
    tells: bool = False
    flags: tuple[Flag, ...] = ()  # of the whole episode, those that were filed while it went on included
    given: list[Given] = field(default_factory=list)
    snags: list[tuple[Flag, Sequence[Note]]] = field(default_factory=list)
    shown: Shown | None = None
    said: list[lasting.Shown] = field(default_factory=list)  # by the user
    questions: list[Question[Any]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    doubts: Mapping[str, str] = field(default_factory=dict)  # why flags are unverified, by id


def of(vault: str, work: Work, known: Index) -> Case:
    """What is known of a piece of work."""
    state = home.state(vault)
    told = story.read(state, work.key)
    origin = (once.read(state, work.key, once.TAINT) or "") if work.key else ""
    listed = lineage.names(vault, work.project) if work.tells else []
    if not work.tells or not work.episode or session_record.handoff_of(vault, work.episode, listed):
        found = Evidence(flags=tuple(flag.text for flag in work.flags))
        return Case(work, known, found, told, origin=origin, doubts=_doubts(vault, work, known, told))
    flags = (*session_record.filed_before(vault, work, listed), *work.flags)
    found = evidence.gather(salvage.begun(work.episode), told, flags, work.folder)
    read = salvage.salvage(work.episode, told, found, origin=origin)
    died = read if work.episode.state == episodes.DIED else None
    newest = lineage.newest_in(vault, listed)
    if newest:  # what was open before is shown to the judge, so it may say it again
        open_ones = (one for key in lineage.OPEN for one in newest[0].items(key))
        found = replace(found, flags=(*found.flags, *open_ones))
    return Case(
        work,
        known,
        found,
        died.story if died else told,
        died,
        read.messages,
        newest[0] if newest else None,
        origin,
        tells=True,
        flags=flags,
        doubts=_doubts(vault, work, known, told),
    )


def _doubts(vault: str, work: Work, known: Index, told: Story) -> dict[str, str]:
    """Why flags of this work are unverified. What the session was told at its start is as good as said in it."""
    mine = [flag for flag in work.flags if flag.origin != "user" and not flag.answers]
    if not mine or not work.episode or not work.episode.transcript:
        return {}
    found = evidence.gather(salvage.begun(work.episode), told, (), work.folder, most=flagged.MOST)
    listed = lineage.names(vault, work.project)
    newest = lineage.newest_in(vault, listed)
    handed = (item for items in newest[0].sections.values() for item in items) if newest else ()
    told_besides = [*handed, *evidence.instructions(work.folder)]
    doubts = flagged.unverified(mine, found, told_besides)
    if not doubts:
        return {}
    # Only where something is in doubt are all notes looked through: each of them can but take a doubt away.
    noted = (note.description for note in known.notes if note.applies_to(work.project) and not note.unverified)
    return flagged.unverified([flag for flag in mine if flag.id in doubts], found, [*noted, *told_besides])


def put_questions(case: Case, vault: str) -> None:
    """One for each group of flags, one for each snag, two for the handoff, one for every so many prompts."""
    from holdfast.close.improve import advice as improve_advice
    from holdfast.close.think import consolidate, draft, lasting, wording
    from holdfast.judge.fencing import Fence, nonce_for

    work, state = case.work, home.state(vault)
    filed = {source for note in case.known.notes for source in note.sources}
    fresh = [flag for flag in work.flags if flag.id not in filed]

    def text_of(note: Note) -> str:
        return journal.text(vault, note.path)

    def body_of(note: Note) -> str:
        return wording.body_of(text_of(note))

    def fence(*ids: str) -> Fence:
        return Fence(nonce_for(state, "\0".join(ids)))

    for group in groups.make([flag for flag in fresh if groups.is_judged(flag)], case.known.notes):
        given = consolidate.given(group, text_of)
        case.given.append(given)
        case.questions.append(consolidate.question(given, fence(*(flag.id for flag in group.flags)), work.key))
    for flag in (one for one in fresh if is_loop(one)):
        near = improve_advice.candidates(flag, case.known.notes, body_of)
        case.snags.append((flag, near))
        case.questions.append(improve_advice.question(flag, near, fence(flag.id)))
    if case.tells and (case.flags or case.story.prompts):
        todos = case.evidence.todos.open
        case.shown = draft.shown(case.story, case.flags, case.messages, todos, case.before, origin=case.origin)
        case.questions += draft.questions(case.shown, fence(work.key, str(len(case.flags))), work.key)
    if work.tells and work.episode:
        waiting = [one for one in case.known.notes if one.status == UNCONFIRMED and one.applies_to(work.project)]
        waiting.sort(key=lambda note: (note.created, note.path), reverse=True)
        case.said = list(lasting.shown(story.typed(state, work.key), waiting))
        case.questions += [lasting.question(one, fence(work.key, *one.prompts), work.key) for one in case.said]

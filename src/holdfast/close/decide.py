"""The decisions on the work of a close, by judges, before anything is written and without any lock.

Every question of a round, of all its episodes, is asked at once. Then the answers are checked, by rule and by a second
question to a judge that did not write them. The result says what to do; carrying it out is idempotent and does not
depend on any judge being there again. Without a judge the same path still reads what a dead session left in its
transcript.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import episodes, home, once, purging, story
from holdfast.close import groups, salvage, session_record
from holdfast.close.commit import is_loop
from holdfast.close.verify import evidence, findings, handoff_check
from holdfast.close.verify.evidence import Evidence
from holdfast.close.work import VERBATIM, Work
from holdfast.vault import index, journal, lineage, stored_index
from holdfast.vault.notes import UNCONFIRMED, Note

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.close.draft import HandoffDraft, Material
    from holdfast.close.improve.advice import Advice
    from holdfast.close.judge_pool import Court
    from holdfast.close.statements import Lasts, Prompts
    from holdfast.judge.seam import Question
    from holdfast.model import Flag


@dataclass
class Case:
    """One piece of work while it is thought about: what is known of it, the questions, and, in the same order, the
    answers, None where there is none."""

    work: Work
    known: index.Index
    evidence: Evidence
    story: story.Story
    salvaged: salvage.Salvaged | None = None  # of one that died
    messages: tuple[str, ...] = ()
    before: lineage.Handoff | None = None
    origin: str = ""  # of outside text in its context
    tells: bool = False
    flags: tuple[Flag, ...] = ()  # of the whole episode, those that were filed while it went on included
    given: list[groups.Given] = field(default_factory=list)
    snags: list[tuple[Flag, Sequence[Note]]] = field(default_factory=list)
    shown: Material | None = None
    said: list[Prompts] = field(default_factory=list)  # by the user
    questions: list[Question[Any]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    doubts: Mapping[str, str] = field(default_factory=dict)  # why flags are unverified, by id


def of(vault: str, work: Work, known: index.Index) -> Case:
    """Gather what is known of a piece of work."""
    state = home.state(vault)
    told = story.read(state, work.key)
    origin = (once.read(state, work.key, once.TAINT) or "") if work.key else ""
    listed = lineage.names(vault, work.project) if work.tells else []
    if not work.tells or not work.episode or session_record.handoff_of(vault, work.episode, listed):
        found = Evidence(flags=tuple(flag.text for flag in work.flags))
        return Case(work, known, found, told, origin=origin, doubts=_doubts(vault, work, known, told, listed))
    flags = (*session_record.filed_before(vault, work, listed), *work.flags)
    found = evidence.gather(salvage.begun(work.episode), told, flags, work.folder)
    read = salvage.salvage(told, found, origin=origin)
    died = read if work.episode.state == episodes.DIED else None
    newest = lineage.newest_in(vault, listed)
    if newest:  # what was open before is shown to the judge, so it may say it again
        open_ones = (one for key in lineage.OPEN for one in newest[0].items(key))
        found = replace(found, flags=(*found.flags, *open_ones))
    made = Case(work, known, found, died.story if died else told, died, read.messages, origin=origin)
    doubts = _doubts(vault, work, known, told, listed)
    return replace(made, before=newest[0] if newest else None, tells=True, flags=flags, doubts=doubts)


def _doubts(vault: str, work: Work, known: index.Index, told: story.Story, listed: list[str]) -> dict[str, str]:
    """Say why flags of this work are unverified. What the session was told at its start is as good as said in it."""
    mine = [flag for flag in work.flags if flag.origin != "user" and not flag.answers]
    if not mine or not work.episode or not work.episode.transcript:
        return {}
    found = evidence.gather(salvage.begun(work.episode), told, (), work.folder, most=findings.MOST_READ)
    newest = lineage.newest_in(vault, listed if work.tells else lineage.names(vault, work.project))
    handed = (item for items in newest[0].sections.values() for item in items) if newest else ()
    told_besides = [*handed, *evidence.instructions(work.folder)]
    doubts = findings.unverified(mine, found, told_besides)
    if not doubts:
        return {}
    # Only where something is in doubt are all notes looked through: each of them can but take a doubt away.
    noted = (note.description for note in known.notes if note.applies_to(work.project) and not note.unverified)
    return findings.unverified([flag for flag in mine if flag.id in doubts], found, [*noted, *told_besides])


def put_questions(case: Case, vault: str) -> None:
    """One for each group of flags, one for each snag, two for the handoff, one for every so many prompts."""
    from holdfast.close import consolidate, draft, statements
    from holdfast.close.improve import advice as improve_advice
    from holdfast.judge.reading import Fence, nonce_for

    work, state = case.work, home.state(vault)
    filed = {source for note in case.known.notes for source in note.sources}
    fresh = [flag for flag in work.flags if flag.id not in filed]

    def text_of(note: Note) -> str:
        return journal.text(vault, note.path)

    def body_of(note: Note) -> str:
        return groups.body_of(text_of(note))

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
        case.said = list(statements.shown(story.typed(state, work.key), waiting))
        case.questions += [statements.question(one, fence(work.key, *one.prompts), work.key) for one in case.said]


@dataclass(frozen=True)
class Deliberated:
    """The plan for one piece of work. Whatever is missing here is done verbatim."""

    by: str = VERBATIM
    decisions: tuple[groups.Decided, ...] = ()
    refused: tuple[groups.Refused, ...] = ()
    advice: Mapping[str, Advice] = field(default_factory=dict)  # by the id of the snag
    handoff: HandoffDraft | None = None
    lasting: tuple[Lasts, ...] = ()  # of what the user said
    heard_by: str = ""  # who was asked about that, where every question had an answer
    story: story.Story | None = None  # with what the transcript added
    salvaged: salvage.Salvaged | None = None
    evidence: Evidence = field(default_factory=Evidence)
    findings: tuple[findings.Finding, ...] = ()  # about the handoff
    in_force: Iterable[Note] = ()  # decisions
    doubts: Mapping[str, str] = field(default_factory=dict)  # why flags are unverified, by id
    jobs: int = 0
    took: float = 0.0
    origin: str = ""  # of outside text in its context
    purges: int = 0  # how many there had been when it was thought
    fell_back: str = ""


def deliberate(court: Court | None, vault: str, work: Sequence[Work]) -> list[Deliberated]:
    """Decide what is to be done, in the order of the work."""
    purges = purging.counted(home.state(vault))
    needs_notes = court is not None or any(one.episode for one in work)
    known = stored_index.current(vault) if needs_notes else index.Index({}, ())
    found = [of(vault, one, known) for one in work]
    if court is None:
        return [replace(_known(one), purges=purges) for one in found]
    court.begin_round()
    began = court.clock()
    for one in found:
        put_questions(one, vault)
    answers = iter(court.ask_all([question for one in found for question in one.questions]))
    for one in found:
        one.answers = [next(answers) for _ in one.questions]
    thoughts = _looked_over(court, vault, found, [_judged(court, one) for one in found])
    took = court.clock() - began
    return [replace(one, took=took, purges=purges) for one in thoughts]


def _known(case: Case) -> Deliberated:
    """The result without asking anybody."""
    decisions = handoff_check.InForce(case.known, case.work.project) if case.tells else ()
    known = Deliberated(story=case.story, salvaged=case.salvaged, evidence=case.evidence, in_force=decisions)
    return replace(known, origin=case.origin, doubts=case.doubts)


def _judged(court: Court, case: Case) -> Deliberated:
    """The usable parts of the answers; the others are kept for a person."""
    from holdfast.close import draft, statements
    from holdfast.close.improve import advice as improve_advice

    answers = iter(case.answers)
    decisions, refused = _decided(case, [next(answers) for _ in case.given])
    advice = {}
    for (flag, near), answer in zip(case.snags, [next(answers) for _ in case.snags], strict=True):
        advised = improve_advice.considered(answer, near, flag, court.state) if answer is not None else None
        if advised:
            advice[flag.id] = advised
    drafted = None
    if case.shown:
        about, pending = next(answers), next(answers)
        if about or pending:
            drafted = draft.drafted(case.shown, about, pending, f"{lineage.JUDGED}{court.by}")
    said = [next(answers) for _ in case.said]
    lasts = [
        one
        for shown, answer in zip(case.said, said, strict=True)
        if answer is not None
        for one in statements.accepted(answer, shown)
    ]
    is_whole = all(answer is not None for answer in case.answers)
    return replace(
        _known(case),
        by=court.by if any(answer is not None for answer in case.answers) else VERBATIM,
        decisions=tuple(decisions),
        refused=tuple(refused),
        advice=advice,
        handoff=drafted,
        lasting=tuple(lasts),
        heard_by=court.by if said and all(answer is not None for answer in said) else "",
        jobs=len(case.answers),
        fell_back="" if is_whole else court.why or "the judge gave no answer",
    )


def _decided(case: Case, answers: Sequence[Any]) -> tuple[list[groups.Decided], list[groups.Refused]]:
    """The decisions that may be carried out: within what was given, and saying nothing that the flags do not."""
    from holdfast.close import consolidate

    decisions: list[groups.Decided] = []
    refused: list[groups.Refused] = []
    for given, answer in zip(case.given, answers, strict=True):
        if answer is None:
            continue
        good, bad = consolidate.accepted(answer, given)
        sound, unsound = handoff_check.sound(handoff_check.amending(good, given), case.evidence)
        decisions += sound
        refused += [*bad, *unsound]
    return decisions, refused


def _looked_over(court: Court, vault: str, found: Sequence[Case], thoughts: Sequence[Deliberated]) -> list[Deliberated]:
    """The handoffs, by rule and then by a judge that did not write them, all of them at once."""
    from holdfast.close import draft
    from holdfast.judge.reading import Fence, nonce_for

    state = home.state(vault)
    checks = [_findings(case, thought) for case, thought in zip(found, thoughts, strict=True)]
    asked: list[tuple[int, Question[Any]]] = []
    for at, (case, doubted) in enumerate(zip(found, checks, strict=True)):
        if doubted and case.evidence.spoken:
            fence = Fence(nonce_for(state, f"verify {case.work.key} {len(doubted)}"))
            asked.append((at, draft.second_question(doubted, case.evidence, fence, about=case.work.key)))
    for (at, _), answer in zip(asked, court.ask_all([one for _, one in asked]), strict=True):
        if answer is not None:
            checks[at] = draft.combined(checks[at], answer, found[at].evidence)
    marked = []
    for thought, doubted in zip(thoughts, checks, strict=True):
        wrong = tuple(one for one in doubted if one.verdict != findings.SUPPORTED)
        drafted = handoff_check.marked(thought.handoff, wrong) if thought.handoff else None
        marked.append(replace(thought, handoff=drafted, findings=wrong))
    return marked


def _findings(case: Case, thought: Deliberated) -> list[findings.Finding]:
    """Check the handoff by rule. Without a transcript, what the judge was shown is all the evidence that there is."""
    if not thought.handoff:
        return []
    claims = handoff_check.claims_of(thought.handoff)
    shown = tuple(case.shown.texts.values()) if case.shown else ()
    if thought.evidence.spoken:
        found = findings.verify(claims, thought.evidence, thought.in_force)
    else:
        found = [replace(findings.check_note(one.text, shown, Evidence())[0], claim=one) for one in claims]
    asked = replace(thought.evidence, asked=thought.evidence.asked or case.story.prompts)
    return findings.borne_out(found, asked, shown, case.flags)

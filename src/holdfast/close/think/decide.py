"""What judges make of the work of a close, before anything is written and without any lock.

Every question of a round, of all its episodes, is asked at once (think/case puts them). Then what came back is checked,
by rule and by a second question to a judge that did not write it. The result says what to do; carrying it out is
idempotent and does not depend on any judge being there again. Without a judge the same path still reads what a dead
session left in its transcript.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, purging
from holdfast.close.think import case as cases
from holdfast.close.verify import checking
from holdfast.close.verify import findings as verify
from holdfast.close.verify.evidence import Evidence
from holdfast.close.work import VERBATIM
from holdfast.vault import index, lineage, stored_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.capture.story import Story
    from holdfast.close.improve.advice import Advice
    from holdfast.close.salvage import Salvaged
    from holdfast.close.think.case import Case
    from holdfast.close.think.consolidate import Decided, Refused
    from holdfast.close.think.draft import Draft
    from holdfast.close.think.judge_pool import Court
    from holdfast.close.think.lasting import Lasts
    from holdfast.close.verify.findings import Finding
    from holdfast.close.work import Work
    from holdfast.judge.seam import Question
    from holdfast.vault.notes import Note


@dataclass(frozen=True)
class Deliberated:
    """What is to be done with one piece of work. Whatever is missing here is done verbatim."""

    by: str = VERBATIM
    decisions: tuple[Decided, ...] = ()
    refused: tuple[Refused, ...] = ()
    advice: Mapping[str, Advice] = field(default_factory=dict)  # by the id of the snag
    handoff: Draft | None = None
    lasting: tuple[Lasts, ...] = ()  # of what the user said
    heard_by: str = ""  # who was asked about that, where every question had an answer
    story: Story | None = None  # with what the transcript added
    salvaged: Salvaged | None = None
    evidence: Evidence = field(default_factory=Evidence)
    findings: tuple[Finding, ...] = ()  # about the handoff
    in_force: Iterable[Note] = ()  # decisions
    doubts: Mapping[str, str] = field(default_factory=dict)  # why flags are unverified, by id
    jobs: int = 0
    took: float = 0.0
    origin: str = ""  # of outside text in its context
    purges: int = 0  # how many there had been when it was thought
    fell_back: str = ""


def deliberate(court: Court | None, vault: str, work: Sequence[Work]) -> list[Deliberated]:
    """What is to be done, in the order of the work."""
    purges = purging.counted(home.state(vault))
    needs_notes = court is not None or any(one.episode for one in work)
    known = stored_index.current(vault) if needs_notes else index.Index({}, ())
    found = [cases.of(vault, one, known) for one in work]
    if court is None:
        return [replace(_known(one), purges=purges) for one in found]
    court.begin_round()
    began = court.clock()
    for one in found:
        cases.put_questions(one, vault)
    answers = iter(court.ask_all([question for one in found for question in one.questions]))
    for one in found:
        one.answers = [next(answers) for _ in one.questions]
    thoughts = _looked_over(court, vault, found, [_judged(court, one) for one in found])
    took = court.clock() - began
    return [replace(one, took=took, purges=purges) for one in thoughts]


def _known(case: Case) -> Deliberated:
    """What is known without asking anybody."""
    decisions = checking.InForce(case.known, case.work.project) if case.tells else ()
    return Deliberated(
        story=case.story,
        salvaged=case.salvaged,
        evidence=case.evidence,
        in_force=decisions,
        origin=case.origin,
        doubts=case.doubts,
    )


def _judged(court: Court, case: Case) -> Deliberated:
    """What may be used of the answers; what may not is kept for a person."""
    from holdfast.close.improve import closing as improve
    from holdfast.close.think import draft, lasting

    answers = iter(case.answers)
    decisions, refused = _decided(case, [next(answers) for _ in case.given])
    advice = {}
    for (flag, near), answer in zip(case.snags, [next(answers) for _ in case.snags], strict=True):
        place = improve.Place(court.state)
        advised = improve.considered(answer, near, flag, place) if answer is not None else None
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
        for one in lasting.accepted(answer, shown)
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


def _decided(case: Case, answers: Sequence[Any]) -> tuple[list[Decided], list[Refused]]:
    """The decisions that may be carried out: within what was given, and saying nothing that the flags do not."""
    from holdfast.close.think import consolidate

    decisions: list[Decided] = []
    refused: list[Refused] = []
    for given, answer in zip(case.given, answers, strict=True):
        if answer is None:
            continue
        good, bad = consolidate.accepted(answer, given)
        sound, unsound = checking.sound(checking.amending(good, given), case.evidence)
        decisions += sound
        refused += [*bad, *unsound]
    return decisions, refused


def _looked_over(court: Court, vault: str, found: Sequence[Case], thoughts: Sequence[Deliberated]) -> list[Deliberated]:
    """The handoffs, by rule and then by a judge that did not write them, all of them at once."""
    from holdfast.close.verify import second
    from holdfast.judge.fencing import Fence, nonce_for

    state = home.state(vault)
    checks = [_findings(case, thought) for case, thought in zip(found, thoughts, strict=True)]
    asked: list[tuple[int, Question[Any]]] = []
    for at, (case, findings) in enumerate(zip(found, checks, strict=True)):
        if findings and case.evidence.spoken:
            fence = Fence(nonce_for(state, f"verify {case.work.key} {len(findings)}"))
            asked.append((at, second.question(findings, case.evidence, fence, about=case.work.key)))
    for (at, _), answer in zip(asked, court.ask_all([one for _, one in asked]), strict=True):
        if answer is not None:
            checks[at] = second.combined(checks[at], answer, found[at].evidence)
    return [_marked(thought, findings) for thought, findings in zip(thoughts, checks, strict=True)]


def _findings(case: Case, thought: Deliberated) -> list[Finding]:
    """By rule. Where there is no transcript, what the judge was shown is all the evidence that there is."""
    if not thought.handoff:
        return []
    claims = checking.claims_of(thought.handoff)
    shown = tuple(case.shown.texts.values()) if case.shown else ()
    if thought.evidence.spoken:
        found = verify.verify(claims, thought.evidence, thought.in_force)
    else:
        found = [replace(verify.check_note(one.text, shown, Evidence())[0], claim=one) for one in claims]
    asked = replace(thought.evidence, asked=thought.evidence.asked or case.story.prompts)
    return verify.borne_out(found, asked, shown, case.flags)


def _marked(thought: Deliberated, findings: Sequence[Finding]) -> Deliberated:
    wrong = tuple(one for one in findings if one.verdict != verify.SUPPORTED)
    drafted = checking.marked(thought.handoff, wrong) if thought.handoff else None
    return replace(thought, handoff=drafted, findings=wrong)

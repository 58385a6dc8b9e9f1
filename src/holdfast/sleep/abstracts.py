"""Abstracts of a night: each subject is put to the judge, and what it answers is checked before anything is made of it.

Where the judge does not answer, or its abstract is refused, the sources' own lines stand instead, so a night without a
judge or with a bad one loses nothing. A refused abstract waits for a person, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.judge.reading import Fence, nonce_for
from holdfast.sleep import abstract, consolidation, disputes
from holdfast.sleep.abstract_check import Abstract, Rejected, checked
from holdfast.sleep.plan import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.close.judge_pool import Court
    from holdfast.field.store import Store
    from holdfast.sleep.abstract import AbstractAnswer
    from holdfast.sleep.consolidation import Subject
    from holdfast.sleep.trial import Change


@dataclass(frozen=True)
class Heard:
    """A subject with the judge's answer, None where there is none, and with the abstract that the checks made of it."""

    subject: Subject
    answer: AbstractAnswer | None = None
    looked: Abstract | Rejected | None = None


def heard(subjects: Sequence[Subject], court: Court | None) -> list[Heard]:
    """The subjects as the judge has put them, checked."""
    answers = _asked(subjects, court) if court else [None] * len(subjects)
    return [
        Heard(subject, answer, checked(subject.sources, answer) if answer is not None else None)
        for subject, answer in zip(subjects, answers, strict=True)
    ]


def changes(
    store: Store, told: Sequence[Heard], by: str, night: str, now: float, successors: Mapping[str, str]
) -> tuple[list[Change], list[Refusal]]:
    """One change for each subject, by the judge's words or by the sources' own; and what was refused of the judge's.
    `successors` has, for thoughts that no longer hold, what took their place tonight: no summary is made of them, save
    where the judge knew both."""
    found: list[Change] = []
    refused: list[Refusal] = []
    for one in told:
        if one.answer is not None and one.answer.apart:
            continue  # the judge says that these are not about one subject
        subject, looked = one.subject, one.looked
        outdated = {each for each in _ids(subject) if successors.get(each, each) not in _ids(subject)}
        made: Change | None
        if isinstance(looked, Abstract) and not outdated:
            pairs, same = looked.supersedes, looked.same
            made = consolidation.change(store, subject, looked.text, night, now, by=by, supersedes=pairs, same=same)
        else:
            old = dict(looked.supersedes) if isinstance(looked, Abstract) else {}
            found += disputes.changes(store, old, {one.id: one for one in subject.sources}, night, now)
            left = consolidation.without(store, subject, {**old, **successors})
            made = consolidation.of_own_lines(store, left, night, now) if left else None
        found += [made] if made else []
        if isinstance(looked, Rejected) and one.answer is not None:
            refused.append(_refusal(subject, looked, one.answer))
    return found, refused


def _ids(subject: Subject) -> set[str]:
    return {one.id for one in subject.sources}


def _asked(subjects: Sequence[Subject], court: Court) -> list[AbstractAnswer | None]:
    """The judge's answers; None for a subject that is too large to be shown, or that it did not answer."""
    shown = [one for one in subjects if abstract.fits(one.sources)]
    fences = [Fence(nonce_for(court.state, f"sleep {one.id}")) for one in shown]
    pairs = zip(shown, fences, strict=True)
    answers = court.ask_all([abstract.question(one.sources, fence, one.id) for one, fence in pairs])
    known = {one.id: answer for one, answer in zip(shown, answers, strict=True)}
    return [known.get(one.id) for one in subjects]


def _refusal(subject: Subject, looked: Rejected, answer: AbstractAnswer) -> Refusal:
    ids = tuple(one.id for one in subject.sources)
    said = "\n".join(f"+{one.text}" for one in answer.sentences)
    why = f"the judge's abstract was not used: {looked.why}"
    return Refusal(f"sleep-{subject.id}-judge", subject.sources[0].project, why, said, sources=ids)

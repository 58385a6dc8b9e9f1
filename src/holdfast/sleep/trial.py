"""The trial: what a night would change is tried in a shadow of the index, and only what costs no recall is done.

The shadow is a transaction that is never committed: readers go on with the index as it is, and a kill leaves nothing
behind. A change is refused where a question that decides loses what it wants, or where a source can no longer be found
by its own description; it becomes a proposal with its figures. The figure that is told comes from the questions that
decide nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.field import embedding
from holdfast.field.embedders import NoVectors
from holdfast.field.steps import LINKED, SUPERSEDED, marks
from holdfast.sleep import replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from holdfast.field.handle import Field
    from holdfast.field.steps import Step
    from holdfast.field.thought import Thought
    from holdfast.sleep.replay import Replay

SHADOW = "@shadow"
ROUNDS = 4
PATIENCE = 30.0
MOST_HELD = 150  # questions that only report
NOISE = (
    0.01  # of the questions may lose an answer at the edge through no change in particular: more texts, other counts
)


@dataclass(frozen=True)
class Change:
    """One thing that a night would do, whole or not at all: the thoughts that it makes, and its steps. `carried` are
    the sources that all of its thoughts' words bear."""

    id: str
    thoughts: tuple[Thought, ...]
    steps: tuple[Step, ...]
    carried: tuple[str, ...] = ()
    project: str = ""


@dataclass(frozen=True)
class Figures:
    """Recall in the first ten before and after, on questions that decided nothing; how many there were."""

    before: float = 1.0
    after: float = 1.0
    questions: int = 0
    deciding: int = 0

    def as_record(self) -> dict[str, Any]:
        named = {"before": round(self.before, 4), "after": round(self.after, 4)}
        return {**named, "questions": self.questions, "deciding": self.deciding}


@dataclass(frozen=True)
class Tried:
    """The ids of changes that may be made, the reasons why the others may not, and the figures."""

    passed: tuple[str, ...]
    refused: Mapping[str, str]
    figures: Figures


@contextmanager
def shadow(field: Field, changes: Sequence[Change]) -> Iterator[None]:
    """The field as it would be with these changes, for as long as this lasts. Raises Busy."""
    try:
        with field.store.writing(PATIENCE):
            thoughts = [one for change in changes for one in change.thoughts]
            made = [mark for change in changes for step in change.steps for mark in marks(step)]
            field.store.take(SHADOW, "", thoughts)
            field.store.mark(SHADOW, "", made, anew=False)
            _embed(field)
            yield
            raise _Over
    except _Over:
        return


class _Over(Exception):
    """No error: it takes the shadow away."""


def _embed(field: Field) -> None:
    asker = field.asker()
    if asker is not None:
        try:
            embedding.give(field, asker)
        except NoVectors:
            return  # then words alone decide, as they would for a question


def tried(
    field: Field, changes: Sequence[Change], questions: Sequence[Replay], rest: Callable[[], None] = lambda: None
) -> Tried:
    """Try changes together and leave out, round by round, those that cost something. `rest` is called before each
    question and may raise, which takes the shadow away. Raises Busy."""
    deciding = [one for one in questions if one.decides]
    held = _spread([one for one in questions if not one.decides], MOST_HELD)
    before = replay.asked(field, deciding, rest=rest)
    after: dict[Replay, tuple[str, ...]] = {}
    left, refused = list(changes), dict[str, str]()
    for nth in range(ROUNDS):
        rest()
        if not left:
            break
        out = [one for one in changes if one.id in refused]
        again = [one for one in deciding if one not in after or any(_touches(each, one, after[one]) for each in out)]
        with shadow(field, left):
            after |= zip(again, replay.asked(field, again, rest=rest), strict=True)
        guilty = _guilty(left, deciding, before, [after[one] for one in deciding])
        if not guilty:
            break
        refused |= guilty if nth < ROUNDS - 1 else dict.fromkeys((one.id for one in left), _why(guilty))
        left = [one for one in left if one.id not in refused]
    rest()
    was = replay.asked(field, held, rest=rest)
    with shadow(field, left):
        is_now = replay.asked(field, held, rest=rest)
    after_all = replay.recall(held, is_now, substitutes(left))
    figures = Figures(replay.recall(held, was), after_all, len(held), len(deciding))
    return Tried(tuple(one.id for one in left), refused, figures)


def _spread(questions: Sequence[Replay], most: int) -> list[Replay]:
    """So many of them, evenly from all."""
    count = min(most, len(questions))
    return [questions[at * len(questions) // count] for at in range(count)]


def substitutes(changes: Sequence[Change]) -> replay.Substitutes:
    """The thoughts that answer instead of others once these changes are made."""
    same: dict[str, set[str]] = {}
    carriers: dict[str, set[str]] = {}
    for change in changes:
        for step in change.steps:
            if step.kind == LINKED:  # any of those that one stands for answers for the others, whichever is found
                group = same.setdefault(step.by, {step.by})
                group.update(step.ids)
                same.update(dict.fromkeys(step.ids, group))
            for one in step.ids if step.kind == SUPERSEDED else ():
                carriers.setdefault(one, set()).add(step.by)
        for one in change.carried:
            carriers.setdefault(one, set()).update(made.id for made in change.thoughts)
    return replay.Substitutes(same, carriers)


def _guilty(
    changes: Sequence[Change],
    questions: Sequence[Replay],
    before: Sequence[Sequence[str]],
    after: Sequence[Sequence[str]],
) -> dict[str, str]:
    """The changes by which a question lost what it wants, each with the reason."""
    instead = substitutes(changes)
    found: dict[str, str] = {}
    nobodys = 0
    for one, was, now in zip(questions, before, after, strict=True):
        for want in one.wants:
            is_found = instead.find(one, want, now)
            nobodys -= is_found and want not in was
            if is_found or want not in was:
                continue
            blamed = [change for change in changes if _touches(change, one, now)]
            nobodys += not blamed
            for change in blamed:
                found.setdefault(change.id, _lost(one, want))
    if nobodys > NOISE * len(questions):
        why = f"with all of them {nobodys} questions more lose what they want than gain it"
        return dict.fromkeys((one.id for one in changes), why) | found
    return found


def _touches(change: Change, question: Replay, now: Sequence[str]) -> bool:
    """Whether a change is about what a question wants, or made something that answers it."""
    named = {one for step in change.steps for one in (*step.ids, step.by)}
    return not named.isdisjoint(question.wants) or any(one.id in now for one in change.thoughts)


def _lost(question: Replay, want: str) -> str:
    how = "its own description" if question.source else f'"{question.query[:80]}"'
    return f"with it {want} is no longer among the first {replay.DEPTH} answers to {how}"


def _why(guilty: Mapping[str, str]) -> str:
    return next(iter(guilty.values()))

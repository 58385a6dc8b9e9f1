"""Contradictions of a night that no abstract settles: likely pairs are put to the judge, and the newer one stands.

A dense cluster hides no contradiction: pairs in one whose abstract was refused, that was too large to be shown or that
waits for another night are asked about here. Only pairs within an abstract that was accepted are not: its judge was
asked for contradictions already. Of a value that changed twice, both older ones point at the newest. Repetitions of a
thought go with it. Without a judge nothing is superseded. A note is never outdated by a night, since a person may have
edited it after the day that it names: the contradiction waits for a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from holdfast.close import groups
from holdfast.field.steps import LINKED, SUPERSEDED, UNDONE, Step, step_id
from holdfast.sleep import contradictions, near_pairs, pair_question
from holdfast.sleep.pair_record import Record
from holdfast.sleep.passages import Source
from holdfast.sleep.plan import Refusal
from holdfast.sleep.trial import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.close.judge_pool import Court
    from holdfast.field.store import Store
    from holdfast.field.thought import Thought
    from holdfast.sleep.material import Material
    from holdfast.sleep.near_pairs import Pair

MOST = 160  # pairs that one night asks about; the others wait
LONGEST = 400  # characters of a text that waits for a person
WHY = "they cannot both hold, and this one is newer"


@dataclass(frozen=True)
class Disputed:
    """The changes of a night, what waits for a person, and the record of the pairs; None where no judge was there."""

    changes: tuple[Change, ...] = ()
    refused: tuple[Refusal, ...] = ()
    record: Record | None = None

    @property
    def successors(self) -> dict[str, str]:
        """For each thought that is outdated the one that stands."""
        return {old: step.by for change in self.changes for step in change.steps for old in step.ids}


def planned(
    store: Store,
    material: Material,
    linked: Iterable[Change],
    abstracted: Sequence[Sequence[str]],
    before: Record,
    court: Court | None,
    night: str,
    now: float,
) -> Disputed:
    """`linked` are tonight's links, `abstracted` the sources of each abstract that was accepted, `before` the record of
    the nights before."""
    if court is None:
        return Disputed()
    tonight = [(one, step.by) for change in linked for step in change.steps for one in step.ids]
    window = [one.id for one in material.window.seen]
    known = store.thoughts(window)
    stands = near_pairs.standing(store.marks(LINKED, window), tonight, known)
    new = {stands.get(one, one) for one in material.new} | {one for pair in before.waiting for one in pair}
    listed = near_pairs.likely({one: each for one, each in known.items() if one not in stands}, material.window, new)
    within = {frozenset(pair) for sources in abstracted for pair in combinations(sources, 2)}
    left = [one for one in _unasked(store, listed, before) if frozenset(one.ids) not in within]
    batches = pair_question.batches(left[:MOST])
    answers = court.ask_all([pair_question.question(one, court.state) for one in batches])
    heard = [(batch, answer) for batch, answer in zip(batches, answers, strict=True) if answer is not None]
    asked = [one for batch, _ in heard for one in batch]
    done = {one.ids for one in asked}
    asked += [one for one in listed if frozenset(one.ids) in within]
    record = Record(
        tuple((*one.ids, pair_question.key_of(one)) for one in asked),
        tuple(one.ids for one in left if one.ids not in done),
    )
    said = [one for batch, answer in heard for one in pair_question.named(batch, answer)]
    settled = _outdated([one for one in said if not one.clash.is_persons], stands, known)
    outdated = {old: new.id for old, new in settled.items()}
    refused = tuple(_refusal(one) for one in said if one.clash.is_persons)
    return Disputed(tuple(changes(store, outdated, known, night, now)), refused, record)


def _unasked(store: Store, listed: Sequence[Pair], before: Record) -> list[Pair]:
    """Without those that a judge was asked about, and those that a person took back."""
    names = {one.ids: step_id(SUPERSEDED, one.ids[:1], one.ids[1]) for one in listed}
    undone, keys = store.marks(UNDONE, names.values()), before.keys
    return [one for one in listed if names[one.ids] not in undone and pair_question.key_of(one) not in keys]


def _outdated(said: Sequence[Pair], stands: Mapping[str, str], known: Mapping[str, Thought]) -> dict[str, Thought]:
    """For each thought that no longer holds the newest of those that contradict it; repetitions go with it."""
    fellows: dict[str, list[Thought]] = {}
    for one, centre in stands.items():
        fellows.setdefault(centre, []).extend([known[one]] if one in known else [])
    best: dict[str, Thought] = {}
    for pair in said:
        sides = [[one, *fellows.get(one.id, ())] for one in (pair.older, pair.newer)]
        sides.sort(key=lambda side: max(map(_age, side)))
        for old in sides[0]:
            able = [one for one in sides[1] if _age(one) > _age(old) and _settles(one, old)]
            if able:
                best[old.id] = max(*able, best.get(old.id, able[0]), key=_age)
    return best


def _settles(newer: Thought, older: Thought) -> bool:
    clash = contradictions.settled(Source(older.id, older), Source(newer.id, newer))
    return clash is not None and not clash.is_persons


def _age(one: Thought) -> tuple[float, str]:
    return one.created, one.id


def changes(
    store: Store, outdated: Mapping[str, str], known: Mapping[str, Thought], night: str, now: float
) -> Iterator[Change]:
    """One for each outdated thought, so that each can be refused and taken back alone; without those that a person took
    back."""
    named = {step_id(SUPERSEDED, (old,), new): (old, new) for old, new in sorted(outdated.items())}
    undone = store.marks(UNDONE, named)
    for ident, (old, new) in named.items():
        if ident not in undone:
            step = Step(ident, now, SUPERSEDED, (old,), new, night=night, why=WHY)
            yield Change(ident, (), (step,), project=known[new].project)


def _refusal(pair: Pair) -> Refusal:
    why = f"{pair.older.path} and a newer thought cannot both hold; edit or forget the one that is wrong"
    shown = f"-{groups.line(pair.older.text, LONGEST)}\n+{groups.line(pair.newer.text, LONGEST)}"
    return Refusal(f"sleep-{pair_question.key_of(pair)}", pair.older.project, why, shown, sources=pair.ids)

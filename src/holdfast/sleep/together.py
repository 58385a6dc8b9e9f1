"""The part of a night that puts together: links, contradictions and summaries, all of them tried before they count.

The order matters. Abstracts are asked for first, because their judge names contradictions within a cluster; then the
pairs that no abstract has settled; then summaries are made, and none of a thought whose place another took tonight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.field.steps import SUPERSEDED
from holdfast.sleep import abstracts, disputes, links, replay, trial
from holdfast.sleep.abstract_check import Abstract
from holdfast.sleep.plan import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.close.judge_pool import Court
    from holdfast.field.handle import Field
    from holdfast.field.store import Store
    from holdfast.sleep.consolidation import Subject
    from holdfast.sleep.material import Material
    from holdfast.sleep.pair_record import Record
    from holdfast.sleep.replay import Replay
    from holdfast.sleep.trial import Change, Figures, Tried


@dataclass(frozen=True)
class Together:
    """The changes that passed the trial, what waits for a person, the figures, and the pairs that were asked about."""

    changes: tuple[Change, ...]
    refused: tuple[Refusal, ...]
    figures: Figures
    pairs: Record | None = None


def planned(
    field: Field,
    court: Court | None,
    gathered: Material,
    subjects: Sequence[Subject],
    asked: Sequence[Replay],
    pairs: Record,
    night: str,
    now: float,
    rest: Callable[[], None],
) -> Together:
    """Raises Busy, and what `rest` raises."""
    store = field.store
    linked = links.changes(store, gathered, night, now)
    told = abstracts.heard(subjects, court)
    rest()
    within = [one.looked.sources for one in told if isinstance(one.looked, Abstract)]
    disputed = disputes.planned(store, gathered, linked, within, pairs, court, night, now)
    rest()
    by = court.by if court else ""
    summaries, refused = abstracts.changes(store, told, by, night, now, disputed.successors)
    settled = {old for old, _ in _superseded(summaries)}
    contradicted = [one for one in disputed.changes if settled.isdisjoint(one.steps[0].ids)]
    changes = [*linked, *contradicted, *summaries]
    wanted = {one for change in summaries for made in change.thoughts for one in made.sources}
    wanted.update(one for pair in _superseded(contradicted) for one in pair)
    # Of those that say the same the first and the last are asked for: any of them answers for the others.
    wanted.update(one for change in linked for step in change.steps for one in (step.by, step.ids[-1]))
    questions = [*asked, *replay.of_sources(store.thoughts(sorted(wanted)).values())]
    found = trial.tried(field, changes, questions, rest) if changes else trial.Tried((), {}, trial.Figures())
    refused += [*disputed.refused, *(_refusal(store, one, found) for one in changes if one.id in found.refused)]
    passed = tuple(one for one in changes if one.id in found.passed)
    return Together(passed, tuple(refused), found.figures, disputed.record)


def _superseded(changes: Sequence[Change]) -> list[tuple[str, str]]:
    steps = (step for change in changes for step in change.steps if step.kind == SUPERSEDED)
    return [(old, step.by) for step in steps for old in step.ids]


def _refusal(store: Store, change: Change, found: Tried) -> Refusal:
    said = [f"+{line}" for one in change.thoughts for line in one.text.splitlines()]
    pairs = [] if said else _superseded([change])
    known = store.thoughts({one for pair in pairs for one in pair})
    said += [f"{mark}{known[one].text}" for pair in pairs for mark, one in zip("-+", pair, strict=True) if one in known]
    shown, why, figures = "\n".join(said) or change.steps[0].why, found.refused[change.id], found.figures
    told = f"{why} (recall {figures.before:.1%} without, {figures.after:.1%} with what was done instead)"
    sources = tuple(dict.fromkeys((*(one for step in change.steps for one in step.ids), *(new for _, new in pairs))))
    ident = f"sleep-{change.id}"
    return Refusal(ident, change.project, told, shown, sources=sources, thoughts=change.thoughts, steps=change.steps)

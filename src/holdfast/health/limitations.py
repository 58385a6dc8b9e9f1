"""Limitations that were measured, each with the command that takes the next rung because of it.

Nothing is offered because it exists: a limitation counts from a few cases on, out of real records (questions, closes,
reminders, notes), and says how many. Where none is measured, nothing is offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture.marks import PATIENCE
from holdfast.field.embedders import WORDLLAMA
from holdfast.health.trigger_yield import KINDS
from holdfast.text import folding
from holdfast.text.layout import many
from holdfast.vault import review

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.evidence import Evidence

LEAST = 3  # cases; fewer may be chance
SHARE = 0.1  # of the questions, that found nothing
STRICT = '`mode = "strict"` in .state/config.toml lets the end of a turn ask once more'


@dataclass(frozen=True)
class Limitation:
    rung: str
    measured: str
    command: str


def measured(seen: Evidence) -> Iterator[Limitation]:
    """The limitations, from the lowest rung up."""
    yield from _unfiled(seen)
    yield from _without_handoff(seen)
    yield from _unanswered(seen, "Week 1", "context pressure", "under context pressure")
    yield from _unanswered(seen, "Month 1", "post-task", "after finished work")
    yield from _not_reviewed(seen)
    yield from _found_nothing(seen)
    yield from _said_twice(seen)


def _unfiled(seen: Evidence) -> Iterator[Limitation]:
    if seen.waiting:
        yield Limitation(
            "Day 1", f"{many(seen.waiting, 'request')} of the user not filed yet", "`holdfast close --all`"
        )


def _without_handoff(seen: Evidence) -> Iterator[Limitation]:
    """Sessions that had done something and are over for longer than a close takes."""
    over = {key for key, when in seen.tally.ended.items() if seen.now - when > PATIENCE}
    left = over - seen.tally.handed
    if len(left) >= LEAST:
        said = f"{len(left)} of {many(len(over), 'session')} ended without a handoff"
        yield Limitation("Week 1", said, "`holdfast close --all`")


def _unanswered(seen: Evidence, rung: str, trigger: str, where: str) -> Iterator[Limitation]:
    """Reminders of which more than half got neither a flag nor a "nothing" in their turn."""
    rows = [row for row in seen.rows if row.kind in KINDS[trigger]]
    said, ignored = sum(row.injected for row in rows), sum(row.ignored for row in rows)
    if ignored >= LEAST and 2 * ignored > said:
        yield Limitation(rung, f"{ignored} of {many(said, 'reminder')} {where} got no answer", STRICT)


def _not_reviewed(seen: Evidence) -> Iterator[Limitation]:
    late = sum(review.due(one, seen.now) is not None for one in seen.notes)
    if late >= LEAST:
        said = f"{late} of {many(len(seen.notes), 'note')} were not looked at for longer than their kind allows"
        yield Limitation("Month 1", said, "`holdfast review --all`")


def _found_nothing(seen: Evidence) -> Iterator[Limitation]:
    """Questions without an answer. A model that reads meaning better may find one; beyond those there is no rung."""
    asked = seen.facts.asked if seen.facts else ()
    empty = sum(not one.ids for one in asked)
    model = seen.facts.model if seen.facts else ""
    if empty < LEAST or empty < SHARE * len(asked) or model not in ("", WORDLLAMA):
        return
    better = "`holdfast embed onnx`, a larger model" if model else "`holdfast embed wordllama`"
    yield Limitation("Month 3+", f"{empty} of {many(len(asked), 'question')} found nothing in the notes", better)


def _said_twice(seen: Evidence) -> Iterator[Limitation]:
    """Notes of one project that say the same words, in whatever order; after a sleep only those that are newer."""
    slept = str(seen.tally.nights[-1].get("night") or "")[:10] if seen.tally.nights else ""
    groups: dict[tuple[str, frozenset[str]], list[str]] = {}
    for note in seen.notes:
        words = folding.words(note.description)
        if len(words - folding.MARKS) >= folding.FEWEST:
            groups.setdefault((note.project, words), []).append(note.edited or note.created)
    twice = sum(len(days) - 1 for days in groups.values() if len(days) > 1 and max(days) >= slept)
    if twice >= LEAST:
        said = f"{many(len(seen.notes), 'note')}, {twice} said twice: sleep is due"
        yield Limitation("Month 6+", said, "`holdfast sleep`")

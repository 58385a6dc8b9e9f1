"""The archive: thoughts at the floor that nobody has read for a long time and nothing refers to are put away.

Nothing moves and nothing is rewritten: a step says that a thought is put away, and another fetches it back exactly as
it was. Searches pass it by unless they ask for it. Notes are never put away; neither is the source of another thought,
one that a note, decision or task names, nor one that came less than the configured days ago. A night looks only at
those whose time came since the night before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast import pheromone
from holdfast.errors import NotFound
from holdfast.field import steps
from holdfast.field.steps import ARCHIVED, RESTORED, UNDONE, Step, step_id
from holdfast.field.store import Scope
from holdfast.field.thought import ORIGINAL, REFINEMENT, unread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.store import Store

DAYS = 90.0
DAY = 86400.0
OWN = (ORIGINAL, REFINEMENT)
NAMED = 5  # thoughts that are looked at for the id of another


def candidates(store: Store, since: float, now: float, days: float = DAYS) -> list[str]:
    """The thoughts to put away in a night; `since` is the night before."""
    idle = store.idle(since - days * DAY if since else -1.0, now - days * DAY)
    known = store.thoughts(idle)
    read, made, away = store.traffic(known, whole=False), store.made_of(known), store.archived(known)
    return [
        one
        for one, thought in sorted(known.items())
        if thought.kind in OWN
        and not thought.path
        and not thought.superseded_by
        and one not in away
        and one not in made
        and read.get(one, unread(thought)).weight_at(now) <= pheromone.FLOOR
        and not _is_named(store, one)
    ]


def unwanted(vault: str, ids: Sequence[str], now: float, days: float = DAYS) -> list[str]:
    """Those of them that nobody has fetched back within the time that makes a thought old, on any machine: whoever
    fetched one wanted it."""
    known = steps.everything(vault) if ids else []
    undone = {one.by: one.time for one in known if one.kind == UNDONE}
    kept = {one for step in known if step.kind == RESTORED and step.time > now - days * DAY for one in step.ids}
    for step in known:
        if step.kind == ARCHIVED and undone.get(step.id, 0.0) > now - days * DAY:
            kept.update(step.ids)
    return [one for one in ids if one not in kept]


def _is_named(store: Store, ident: str) -> bool:
    """Whether the text of another thought, a note, decision or task names it."""
    return any(hit.id != ident for hit in store.lexical((ident.lower(),), Scope(archived=True), NAMED))


def step(ids: Sequence[str], night: str, now: float) -> list[Step]:
    why = "at the floor, unread, and nothing refers to it"
    return [Step(step_id(ARCHIVED, ids, night), now, ARCHIVED, tuple(ids), night=night, why=why)] if ids else []


def restoring(vault: str, store: Store, ids: Sequence[str], now: float) -> Step:
    """The step that fetches thoughts back; not older than the one that put them away, whatever the clock says. Raises
    NotFound."""
    away = store.archived(ids)
    missing = [one for one in ids if one not in away]
    if missing:
        raise NotFound(
            f'"{missing[0][:60]}" is not in the archive; nothing was changed. `holdfast recall --archived` finds it.'
        )
    put = [one.time for one in steps.everything(vault) if one.kind == ARCHIVED and not away.isdisjoint(one.ids)]
    when = max(now, *put)
    return Step(step_id(RESTORED, ids, repr(when)), when, RESTORED, tuple(ids))

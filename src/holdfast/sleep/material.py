"""The material of a night: what was written or read since the last one, and its clusters with the weeks before.

The window of those weeks is a copy for speed, and the store is the truth: thoughts that the window lacks, because it
was lost or because they got their vectors only now, are new to the night.

Thoughts, facts, lessons and decisions are material. Rules and identity bind and are never put in other words; handoffs
and prompts have lives of their own; a note that waits for somebody's word is not put together with what holds. What
another took the place of, or the archive holds, sleeps already. Thoughts of two projects or spaces, and trusted and
outside ones, are never put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.field import sources
from holdfast.field.thought import unread
from holdfast.model import TRUSTED
from holdfast.sleep import clusters, plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.field.handle import Field
    from holdfast.field.store import Store
    from holdfast.field.thought import Thought
    from holdfast.sleep.clusters import Cluster, Window

MOST = 20_000  # in one night; the rest waits for the next
EVERYTHING = 1 << 60


@dataclass(frozen=True)
class Material:
    """`fresh` has the time of all that the night deals with, `new` the ids among them that are material; `thoughts` are
    those of the window that are in a living cluster."""

    fresh: Mapping[str, float]
    new: frozenset[str]
    window: Window
    found: Sequence[Cluster]
    thoughts: Mapping[str, Thought]

    @property
    def dense(self) -> list[Cluster]:
        """The clusters that are to be looked at: dense, and with something new in them."""
        return [one for one in self.found if one.is_dense and not self.new.isdisjoint(one.members)]


def cells(vault: str, now: float) -> dict[str, str]:
    """The living cluster that each thought was in when the last night left them, by the cluster's centre."""
    return clusters.cells(clusters.clusters(clusters.load(plan.window(vault)), now))


def is_material(thought: Thought) -> bool:
    return thought.is_slept_on and not thought.superseded_by and not sources.is_waiting(thought)


def group(thought: Thought) -> str:
    """The place within which thoughts may be put together."""
    trust = "own" if thought.origin in TRUSTED else "outside"
    return "\x1f".join((thought.project, thought.space, trust))


def gather(field: Field, window: Window, now: float) -> Material:
    """The material of the night of this time, and the window as it is with it."""
    store = field.store
    waiting = store.fresh(now, EVERYTHING)
    fresh = dict(waiting[:MOST])
    missed = _missed(store, window, {one for one, _ in waiting}, now)
    known = {**_wanted(store, fresh), **missed}
    vectors = store.vectors(known)
    last = store.traffic(missed, whole=False)
    times = {**{one: last.get(one, unread(thought)).last_accessed for one, thought in missed.items()}, **fresh}
    seen = [clusters.Seen(one, times[one], group(thought)) for one, thought in known.items()]
    gone = _gone(store, window)
    after = clusters.advanced(window, seen, vectors, store.serving(), now, gone)
    found = clusters.clusters(after, now)
    members = [member for one in found for member in one.members]
    new = frozenset(one for one in known if one in fresh or one in vectors)
    return Material(fresh, new, after, found, store.thoughts(members))


def _missed(store: Store, window: Window, waiting: set[str], now: float) -> dict[str, Thought]:
    """The material of these weeks that is neither in the window nor waits for a night."""
    held = {one.id for one in window.seen} if window.model == store.serving() else set()
    lately = store.idle(now - clusters.HORIZON, now)
    return _wanted(store, [one for one in lately if one not in held and one not in waiting][-MOST:])


def _wanted(store: Store, ids: Iterable[str]) -> dict[str, Thought]:
    known = store.thoughts(ids)
    away = store.archived(known)
    return {one: thought for one, thought in known.items() if one not in away and is_material(thought)}


def _gone(store: Store, window: Window) -> list[str]:
    """Those of the window that were withdrawn, superseded, put away or moved since."""
    known = _wanted(store, [one.id for one in window.seen])
    return [one.id for one in window.seen if one.id not in known or group(known[one.id]) != one.group]

"""Near-duplicates: thoughts that say the same in nearly the same words are linked, and none of them is touched.

Two are alike that share most of their words and differ in nothing that tells: no number, name, sign or negation. The
group stands behind its centre: what the user or agent said before outside text, what was read most, then the oldest. A
question gets the first of a group in its place, and the others after everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.field import words
from holdfast.field.steps import LINKED, UNDONE, Step, step_id
from holdfast.field.thought import unread
from holdfast.model import TRUSTED
from holdfast.sleep.trial import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.field.store import Store
    from holdfast.field.thought import Thought
    from holdfast.sleep.clusters import Window
    from holdfast.sleep.material import Material

NEAR = 0.8  # cosine from which on two texts may say the same
ALIKE = 0.8  # and the share of words that they have in common then


def changes(store: Store, material: Material, night: str, now: float) -> list[Change]:
    """A link for each pair in which something is new, that is not linked yet and that nobody has taken back."""
    found = []
    for group in groups(store, material.window, material.new):
        known = store.thoughts(group)
        before = store.marks(LINKED, group)
        centre = _centre(store, known, before)
        wanted = [one for one in sorted(group) if one != centre and centre not in before.get(one, {})]
        names = {one: step_id(LINKED, (one,), centre) for one in wanted}
        undone = store.marks(UNDONE, names.values())
        why = f"{len(group)} thoughts say the same"
        made = [
            Step(name, now, LINKED, (one,), centre, night=night, why=why)
            for one, name in names.items()
            if name not in undone
        ]
        if made:
            name = step_id(LINKED, [one.id for one in made])
            found.append(Change(name, (), tuple(made), project=known[centre].project))
    return found


def groups(store: Store, window: Window, new: Iterable[str]) -> list[list[str]]:
    """Ids of texts that are each alike with one of them, each group with something new in it, in order."""
    fresh = set(new)
    pairs = {
        (min(one, other), max(one, other))
        for one, listed in window.near.items()
        for cosine, other in listed
        if -cosine >= NEAR and (one in fresh or other in fresh)
    }
    texts = store.texts({one for pair in pairs for one in pair})
    root: dict[str, str] = {}

    def find(one: str) -> str:
        while root.setdefault(one, one) != one:
            one = root[one]
        return one

    for one, other in sorted(pairs):
        if one in texts and other in texts and words.are_alike(texts[one], texts[other], ALIKE):
            first, second = sorted((find(one), find(other)))
            root[second] = first
    joined: dict[str, list[str]] = {}
    for one in sorted(root):
        joined.setdefault(find(one), []).append(one)
    return [group for some in joined.values() for group in _around_one(store, some, texts)]


def _around_one(store: Store, joined: list[str], texts: Mapping[str, str]) -> list[list[str]]:
    """Groups in which each is alike with the centre: two may both be like a third and yet differ from each other."""
    found, left = list[list[str]](), joined
    while len(left) > 1:
        known = store.thoughts(left)
        centre = _centre(store, known, store.marks(LINKED, left)) if known else left[0]
        like = [one for one in left if one != centre and words.are_alike(texts[one], texts[centre], ALIKE)]
        found += [[centre, *like]] if like else []
        left = [one for one in left if one != centre and one not in like]
    return found


def _centre(store: Store, known: Mapping[str, Thought], before: Mapping[str, Mapping[str, float]]) -> str:
    """The one that stands for a group: the centre of before where there was one."""
    former = sorted({other for others in before.values() for other in others} & known.keys())
    read = store.traffic(known, whole=False)

    def order(one: str) -> tuple[bool, int, float, str]:
        thought = known[one]
        count = read.get(one, unread(thought)).access_count
        return thought.origin not in TRUSTED, -count, thought.created, one

    return former[0] if former else min(known, key=order)

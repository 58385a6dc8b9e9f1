"""Make the store anew from what is true: notes, handoffs, tasks, thoughts and the traffic log.

All of it happens in one transaction, so whoever searches meanwhile sees the field as it was, and a kill leaves it so.
Vectors follow in steps; until they are there search goes by words. A file that cannot even be opened was taken away by
then (field/sqlite/schema). Nothing that was acknowledged is in the store alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from holdfast.errors import Busy
from holdfast.field import indexing
from holdfast.field.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.field.indexing import Synced
    from holdfast.field.opening import Field

PATIENCE = 60.0
T = TypeVar("T")


@dataclass(frozen=True)
class Rebuilt:
    """What the field is made of now, and what in its logs was no record."""

    thoughts: int
    embedded: int
    broken: int


def rebuild(field: Field, progress: Callable[[int], None] = lambda _: None) -> Rebuilt:
    """Raises Busy. A store that is broken is taken away first."""
    try:
        done = _anew(field, progress)
    except Damaged:
        field.store.discard()
        done = _anew(field, progress)
    embedded = indexing.embed(field, progress=progress)
    return Rebuilt(field.store.count(), embedded, len(done.broken))


def _anew(field: Field, progress: Callable[[int], None]) -> Synced:
    with field.store.writing(PATIENCE):
        field.store.clear()
        return indexing.take_in(field, thorough=True, progress=progress)


def synced(field: Field) -> Synced:
    """Up to date, whatever the file is like: one that turns out broken in use is made anew."""
    try:
        return indexing.sync(field)
    except Busy:
        return indexing.Synced()
    except Damaged:
        field.store.discard()
        return indexing.sync(field)


def looked(field: Field, look: Callable[[], T]) -> T:
    """A look at the store, up to date; pages of the file that only turn out broken now are made anew, and it looks
    again."""
    synced(field)
    try:
        return look()
    except Damaged:
        field.store.discard()
        indexing.sync(field)
        return look()

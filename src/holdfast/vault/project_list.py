"""The projects of a vault: their ids, the keys that they are found by, and how much there is of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import home, project_merges, projects, queue
from holdfast.errors import HoldfastError
from holdfast.vault import index, lineage

if TYPE_CHECKING:
    from holdfast.model import Project


@dataclass(frozen=True)
class Listed:
    """One project. `waiting` are flags that are not filed yet, `here` says that it is the one of this folder, `merged`
    are the ids of projects that are part of it now, and `clash` says where merges contradict each other."""

    id: str
    slug: str
    keys: tuple[str, ...]
    notes: int
    handoffs: int
    waiting: int
    here: bool
    merged: tuple[str, ...] = ()
    clash: str = ""


def listed(vault: str, here: Project, now: float) -> list[Listed]:
    """By id. Raises HoldfastError where projects.toml cannot be read."""
    found, trouble = projects.listed(vault)
    if trouble:
        raise HoldfastError(trouble)
    notes = Counter(note.project for note in index.load(vault, keep=False).notes if note.is_active)
    merged, clashes = project_merges.read(vault)
    flags = (one.flag.project for one in queue.read(f"{home.state(vault)}/queue", now).entries)
    waiting = Counter(merged.get(one, one) for one in flags)
    keys_of = {ident: keys for ident, _, keys in found}
    listed = []
    for ident, slug, _ in found:
        if ident in merged:
            continue
        ids = project_merges.family(merged, ident)
        keys = tuple(key for one in ids for key in keys_of.get(one, ()))
        counts = (notes[ident], len(lineage.names(vault, ident)), waiting[ident])
        listed.append(Listed(ident, slug, keys, *counts, ident == here.id, ids[1:], clashes.get(ident, "")))
    return listed

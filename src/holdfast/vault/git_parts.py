"""The parts of a repository that can be damaged, and one that is, as a clause of a sentence."""

from __future__ import annotations

from dataclasses import dataclass

GONE, REPLACED, FOLDERS, CONFIG, HEAD, PACKED, REFS, BRANCH = (
    *("gone", "replaced", "folders", "config", "HEAD", "packed-refs", "refs", "branch"),
)
INDEX, OBJECTS, PACKS, GRAPH, LOST, UNSEEN = "index", "objects", "packs", "graph", "lost", "unseen"


@dataclass(frozen=True)
class Damage:
    """One part that is damaged, as a clause. `is_lost`: nothing that is left can make it anew. `goes_on`: the vault
    can be written all the same. `idents` are the objects that are lost, where all of them are versions of files."""

    part: str
    what: str
    is_lost: bool = False
    goes_on: bool = False
    idents: tuple[str, ...] = ()

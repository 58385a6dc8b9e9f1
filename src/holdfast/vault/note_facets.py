"""What a note is looked up by: its words, its sources, its places in the map and in a brief.

One set of facets for each note, worked out when it is read, so that the stored index (vault/stored_index) finds the few
notes that a change needs without loading the others. Keys are texts whose order is the order they are shown in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import alike, quoting
from holdfast.vault import brain, note_order, notes, said

if TYPE_CHECKING:
    from holdfast.vault.index import Known
    from holdfast.vault.notes import Note

ALWAYS, SAID, OTHER, NONE = "always", "said", "other", ""  # the shelf of a brief that a note stands on
NOWHERE = -1  # in no group of the map


@dataclass(frozen=True)
class Facets:
    """`fold` is the path without case, `group` and `name` its place in the map, `shelf` and `key` that in a brief.
    `waits`: for a person's word. `words` are those of a text that the user may say again (capture/alike)."""

    fold: str
    digest: str = ""
    project: str = ""
    group: int = NOWHERE
    name: str = ""
    shelf: str = NONE
    key: str = ""
    is_active: bool = False
    waits: bool = False
    called: frozenset[str] = frozenset()
    sources: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    armed: tuple[str, ...] = ()


def of(one: Known) -> Facets:
    note = one.note
    shelf = shelf_of(note)
    return Facets(
        fold=note.path.casefold(),
        digest=one.digest,
        project=note.project,
        group=brain.group_of(note),
        name=note.name.casefold(),
        shelf=shelf,
        key=_key(note, shelf),
        is_active=note.is_active,
        waits=waits(note),
        called=names_of(note),
        sources=note.sources,
        words=alike.words(note.description) if is_repeated(note) else frozenset(),
        armed=one.armed,
    )


def names_of(note: Note) -> frozenset[str]:
    """All that a note may be called: its path, its name, its file's name, without case."""
    stem = quoting.stem(note.path)
    called = (note.path, note.path.removesuffix(".md"), note.name, stem, notes.slug(note.name, 200))
    return frozenset(name.casefold() for name in called)


def shelf_of(note: Note) -> str:
    if note.is_beside:
        return NONE
    if said.is_said(note):
        return SAID
    if note.is_active or note.status == notes.PROPOSED:
        return ALWAYS if note.is_always_on else OTHER
    return NONE


def _key(note: Note, shelf: str) -> str:
    """Of what always applies the lowest comes first; of the others the highest."""
    if shelf == ALWAYS:
        return f"{int(note.kind != 'identity')}{int(note.project != notes.GLOBAL)}"
    if shelf == SAID:
        return "\0".join(said.newest_first(note))
    if shelf == OTHER:
        return "\0".join((str(9 - note_order.authority(note)), *note_order.edited(note)))
    return ""


def waits(note: Note) -> bool:
    """Whether it binds only after a person said yes."""
    return note.path.startswith(f"{notes.QUARANTINE}/") or note.status in notes.WAITING


def is_repeated(note: Note) -> bool:
    """Whether the user may say it again: their own words, and rules, in force or not yet confirmed."""
    is_theirs = note.origin == "user" or note.kind in ("rule", "identity") or bool(note.fields.get("said"))
    return is_theirs and (note.is_active or note.status == notes.UNCONFIRMED)

"""All that a page tells of one note beside its words: plain facts, links both ways, when it comes back, its changes."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from holdfast.model import TRUSTED
from holdfast.page import diff, origin
from holdfast.vault import anchors, armed, armed_file, history
from holdfast.vault.git import Repository

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.memory import Memory
    from holdfast.vault.history import Entry
    from holdfast.vault.index import Index, Known
    from holdfast.vault.notes import Note

OURS = ("kind", "status", "project", "created", "edited", "reviewed", "origin", "policy")
HIDDEN = (
    *OURS,
    "name",
    "description",
    "sources",
    "supersedes",
    "anchors",
    "when",
    "session",
    "unverified",
    "came_from",
)
CHANGES = 20
MOST_LINKED = 50
PLACES = {"holds": ("good", "holds"), "changed": ("warn", "changed since"), "gone": ("bad", "gone")}


@dataclass(frozen=True)
class Linked:
    """Another note, and how the two are tied."""

    path: str
    name: str
    how: str


@dataclass(frozen=True)
class Place:
    """A place in a project that the note was true of."""

    place: str
    colour: str
    said: str


def others(note: Note) -> list[tuple[str, str]]:
    """Front matter that is not ours, as text."""
    return [(key, str(said)) for key, said in note.fields.items() if key not in HIDDEN and said not in (None, "")]


def places(memory: Memory, note: Note) -> list[Place]:
    here = memory.at.project()
    root = here.root if note.project in ("global", *here.ids) else ""
    found = []
    for one in filter(None, map(anchors.read, note.anchors)):
        colour, said = PLACES.get(anchors.holds(root, one), ("", "cannot be checked here"))
        found.append(Place(one.place, colour, f"{said} (was true at {one.commit})" if one.commit else said))
    return found


def comes_back(known: Known | None) -> tuple[str, str]:
    """At which tool calls it comes back by itself, and a sentence on what it does there; "" where at none."""
    if known is None or not known.note.is_active or known.note.origin not in TRUSTED:
        return "", ""  # an outsider's words do not choose when they are heard
    note = known.note
    if note.when and armed.problems_of(note.when):
        return "", ""
    if note.when:
        stops = armed_file.policy(note, None)
        calls = armed.said(note.when)
    elif note.when is None and known.named:
        stops = armed_file.policy(note, known.named)
        calls = armed.said(known.named["forbidden"] if stops else known.named.get("named") or known.named["forbidden"])
    else:
        return "", ""
    does = {"never": "It stops these calls", "ask": "You are asked before these calls"}
    return calls, does.get(stops, "It is shown to the agent before these calls")


def links(known: Index, path: str) -> tuple[list[Linked], list[Linked]]:
    """The notes that it names, and those that name it."""
    me = known.known.get(path)
    to = _named(known, me) if me else {}
    back: dict[str, str] = {}
    for other, one in known.known.items():
        if other != path and (how := _named(known, one).get(path)):
            back[other] = {"replaces": "replaced by"}.get(how, how)
    return _linked(known, to), _linked(known, back)


def _named(known: Index, one: Known) -> dict[str, str]:
    found: dict[str, str] = {}
    folder = posixpath.dirname(one.note.path)
    for target, _ in one.links:
        full = posixpath.normpath(posixpath.join(folder, unquote(target)))
        if full in known.known:
            found[full] = "link"
    for old in one.note.supersedes:
        full = old if old in known.known else f"{old}.md"
        if full in known.known:
            found[full] = "replaces"
    return found


def _linked(known: Index, found: Mapping[str, str]) -> list[Linked]:
    return [Linked(path, known.known[path].note.name, how) for path, how in list(found.items())[:MOST_LINKED]]


def changes(vault: str, path: str) -> list[Entry]:
    """The newest changes of a note, also under its former names, and also when it is gone."""
    return history.changes(vault, path, CHANGES)


def change(vault: str, commit: str, path: str) -> diff.Diff:
    """The part of one change that is about a note, also where that moved it here."""
    repository = Repository(vault)
    entry = history.find(repository, commit)
    parents = repository.text("rev-list", "--parents", "-n1", entry.commit).split()[1:]
    before, after = _text(repository, parents[0] if parents else "", path), _text(repository, entry.commit, path)
    if (before is None) != (after is None):  # moved within the change: the other side has another name
        for other in entry.files:
            if other == path or not other.endswith(".md") or other == "BRAIN.md":
                continue
            was = _text(repository, parents[0] if parents else "", other)
            now = _text(repository, entry.commit, other)
            if before is None and was is not None and now is None:
                before = was
            elif after is None and now is not None and was is None:
                after = now
    return diff.of(before, after)


def _text(repository: Repository, commit: str, path: str) -> str | None:
    raw = repository.content(commit, path) if commit else None
    return None if raw is None else raw.decode("utf-8", "replace")


def whose(state: str, note: Note) -> str:
    return origin.of_note(state, note)

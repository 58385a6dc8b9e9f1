"""Findings between notes: links that lead nowhere, names that stand twice, the map, and what supersedes what.

A link within code is an example, not a link.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import unquote

from holdfast.vault import note_facets
from holdfast.vault.check_notes import Finding, Names, front_of, line_of
from holdfast.vault.index import LINK
from holdfast.vault.notes import GLOBAL, Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

WIKI = re.compile(r"(?<!!)\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
CODE = re.compile(
    r"^(?P<fence>[ \t]*(?:`{3,}|~{3,})).*?(?:^(?P=fence)[`~]*[ \t]*$|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE
)


def broken_links(
    note: Note, links: Iterable[tuple[str, int]], text: str, names: Names, is_file: Callable[[str], bool]
) -> Iterator[Finding]:
    """Links in a note's body that lead nowhere. `links` are those that the index saw."""
    suspect = any(_trouble(note.path, target, names, is_file) for target, _ in links)
    if not suspect and "[[" not in text:
        return
    prose = CODE.sub(_blank, text)
    for found in LINK.finditer(prose):
        trouble = _trouble(note.path, found[1], names, is_file)
        if trouble:
            yield _broken(note.path, prose, found, trouble, note.project)
    for found in WIKI.finditer(prose, len(front_of(text))):
        if not names.has(found[1]):
            trouble = f'there is no note "{found[1].strip()}"', "name one that exists, or take the link out"
            yield _broken(note.path, prose, found, trouble, note.project)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _trouble(path: str, target: str, names: Names, is_file: Callable[[str], bool]) -> tuple[str, str] | None:
    """The reason why a link leads nowhere, and a remedy."""
    if "://" in target or target.startswith("mailto:"):
        return None
    wanted = unquote(target)
    full = posixpath.normpath(posixpath.join(posixpath.dirname(path), wanted))
    if full.startswith(("/", "../")):
        return f"the link to {target} leaves the vault", "link to a note, or say the path in words"
    if full in names.paths or is_file(full):
        return None
    if wanted in names.paths:
        nearer = posixpath.relpath(wanted, posixpath.dirname(path) or ".")
        return f"the link to {target} leads nowhere from here", f"write it as {nearer}"
    return f"the link to {target} leads nowhere", "link to a note that exists, or take the link out"


def _broken(path: str, text: str, found: re.Match[str], trouble: tuple[str, str], project: str) -> Finding:
    line = text.count("\n", 0, found.start()) + 1
    return Finding(path, line, "broken-link", trouble[0], trouble[1], project=project)


def duplicates(listed: Iterable[Note]) -> Iterator[Finding]:
    """Names that two notes of one project share; those that were superseded or wait in quarantine do not count."""
    first: dict[tuple[str, str], Note] = {}
    for note in sorted(listed, key=lambda note: note.path):
        if note.status == "superseded" or note.is_quarantined:
            continue
        other = first.setdefault((note.project, note.name.casefold()), note)
        if other is not note:
            what = f'the name "{note.name}" is also that of {other.path}'
            fix = "give one of them another name, or merge them"
            yield Finding(note.path, 1, "duplicate-name", what, fix, project=note.project)


def the_map(text: str | None, listed: list[Note], is_file: Callable[[str], bool]) -> Iterator[Finding]:
    """Findings about BRAIN.md. A vault without notes needs none."""
    renew = "`holdfast check --fix` writes it anew"
    if text is None:
        if any(note.is_active for note in listed):
            yield Finding(note_facets.PATH, 1, "map", "the map is missing", renew, can_fix=True)
        return
    begin = text.find(note_facets.BEGIN)
    end = text.find(note_facets.END, begin) if begin >= 0 else -1
    at = text.count("\n", 0, max(begin, 0)) + 1
    if not note_facets.is_current(text, listed):
        yield Finding(note_facets.PATH, at, "map", "the map is out of date", renew, can_fix=True, level="warning")
    count = text.count("\n") + (not text.endswith("\n"))
    if count > note_facets.MOST_LINES:
        what = f"it has {count} lines; a start reads at most {note_facets.MOST_LINES}"
        fix = "move some of your own words into notes"
        yield Finding(note_facets.PATH, note_facets.MOST_LINES + 1, "map-long", what, fix)
    names = Names.of(listed)
    prose = CODE.sub(_blank, text)
    for found in LINK.finditer(prose):
        trouble = _trouble(note_facets.PATH, found[1], names, is_file)
        if trouble and begin <= found.start() < end:
            line = text.count("\n", 0, found.start()) + 1
            what = f"the map names {found[1]}, which is gone"
            yield Finding(note_facets.PATH, line, "missing", what, renew, can_fix=True)
        elif trouble:
            yield _broken(note_facets.PATH, prose, found, trouble, GLOBAL)


def chains(listed: list[Note], names: Names, text_of: Callable[[str], str]) -> Iterator[Finding]:
    """Findings about supersession: missing ends, loops, forks, and superseded notes that still count."""
    edges: dict[str, list[Note]] = {}
    by_path = {note.path: note for note in listed}
    newer: dict[str, list[Note]] = defaultdict(list)
    for note in listed:
        for wanted in note.supersedes:
            found = names.named(wanted, note)
            others = [one for one in found if one.path != note.path] or found
            if not others:
                yield _not_there(note, wanted, text_of(note.path))
            for one in others[:1]:
                edges.setdefault(note.path, []).append(one)
                newer[one.path].append(note)
    looping: set[str] = set()
    for loop in _loops(edges):
        looping.update(loop)
        note = by_path[min(loop)]
        rest = ", ".join(sorted(loop)[1:])
        what = f"it and {rest} supersede each other" if rest else "it supersedes itself"
        at = line_of(text_of(note.path), "supersedes")
        yield Finding(note.path, at, "loop", what, "take `supersedes` out of the one that counts", project=note.project)
    for path, all_newer in newer.items():
        note = by_path[path]
        active = [one for one in all_newer if one.is_active and one.path not in looping]
        if len(active) > 1:
            what = f"{' and '.join(sorted(one.path for one in active))} both supersede it"
            fix = "merge the newer ones, or let one supersede the other"
            yield Finding(path, 1, "fork", what, fix, project=note.project)
        if active and note.is_active and path not in looping:
            at = line_of(text_of(path), "status")
            what = f"{active[0].path} supersedes it, yet it is still active"
            fix = "`holdfast check --fix` sets its status to superseded"
            yield Finding(path, at, "still-active", what, fix, can_fix=True, project=note.project)


def unfounded(note: Note, names: Names, text: str) -> Iterator[Finding]:
    """Notes that this one says it supersedes, and that are not there."""
    for wanted in note.supersedes:
        if not names.named(wanted, note):
            yield _not_there(note, wanted, text)


def _not_there(note: Note, wanted: str, text: str) -> Finding:
    what, fix = f"it supersedes {wanted}, which is not there", "name a note that exists, or take it out"
    return Finding(note.path, line_of(text, "supersedes"), "missing", what, fix, project=note.project)


def _loops(edges: dict[str, list[Note]]) -> Iterator[tuple[str, ...]]:
    """Every loop once, found on a walk that keeps its own trail: a long chain must not exhaust the stack."""
    done: set[str] = set()
    for start in edges:
        trail: list[str] = []
        on_trail: dict[str, int] = {}
        steps: list[tuple[str, int]] = [(start, 0)]
        while steps:
            path, nth = steps.pop()
            if nth == 0:
                if path in done:
                    continue
                on_trail[path] = len(trail)
                trail.append(path)
            targets = edges.get(path, [])
            if nth == len(targets):
                done.add(path)
                del on_trail[trail.pop()]
                continue
            steps.append((path, nth + 1))
            target = targets[nth].path
            if target in on_trail:
                yield tuple(trail[on_trail[target] :])
            else:
                steps.append((target, 0))

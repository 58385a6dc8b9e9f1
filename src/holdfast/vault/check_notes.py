"""Findings about notes: the keys, words, dates, `when` and anchors of one, and between notes links, names that stand
twice, the map, and what supersedes what.

A link within code is an example, not a link. A note is named by its path, its name or its file's name.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from holdfast.model import ORIGINS
from holdfast.vault import anchors, armed, note_facets, notes, review
from holdfast.vault.index import LINK
from holdfast.vault.notes import FOLDERS, GLOBAL, POLICIES, QUARANTINE, REQUIRED, STATUSES, Note

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from holdfast.vault.index import Index

Level = Literal["error", "warning"]
WIKI = re.compile(r"(?<!!)\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
CODE = re.compile(
    r"^(?P<fence>[ \t]*(?:`{3,}|~{3,})).*?(?:^(?P=fence)[`~]*[ \t]*$|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE
)
FIXABLE = ("kind", "status", "created", "edited", "reviewed")
DATES = ("created", "edited", "reviewed")


@dataclass(frozen=True)
class Finding:
    """One thing to mend. `project` is whose it is; `can_fix` says that `check --fix` does it."""

    path: str
    line: int
    code: str
    what: str
    fix: str
    can_fix: bool = False
    level: Level = "error"
    project: str = GLOBAL

    def as_record(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("path", "line", "code", "level", "what", "fix", "can_fix")}


@dataclass(frozen=True)
class Report:
    """All that was found, by path and line, how much was looked at, and what was mended on the way."""

    findings: tuple[Finding, ...]
    checked: int
    elsewhere: int = 0
    fixed: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Warnings are advice: what is only old is not wrong."""
        return all(finding.level == "warning" for finding in self.findings)

    def of(self, *ids: str) -> Report:
        """The findings of one project and of what is global; the rest is only counted."""
        mine = tuple(one for one in self.findings if one.project in (GLOBAL, *ids))
        return replace(self, findings=mine, elsewhere=len(self.findings) - len(mine))


def of_note(note: Note, text: str, now: float, root: str) -> Iterator[Finding]:
    """Everything that is wrong with a note; `root` is its project's folder where that is at hand."""
    yield from _keys(note, text)
    yield from _words(note, text)
    yield from _dates(note, text, now)
    for problem in armed.problems_of(note.when) if note.when else ():
        fix = f"`holdfast arm {note.path} …` with other conditions, or `holdfast disarm {note.path}`"
        yield Finding(note.path, line_of(text, "when"), "when", problem.rstrip("."), fix, project=note.project)
    yield from _anchors(note, text, root)
    if note.is_quarantined:
        what = f"{note.name} waits in quarantine for a person's word"
        fix = f"`holdfast review --accept {note.path}` or `--reject {note.path}`"
        yield Finding(note.path, 1, "quarantined", what, fix, level="warning", project=note.project)


def line_of(text: str, key: str) -> int:
    """The line that a key stands on; 1 where it is missing. Every finding asks, so it must cost less than parsing."""
    found = re.search(rf"""^["']?{re.escape(key)}["']?\s*:""", front_of(text), re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def front_of(text: str) -> str:
    """The front matter, as far as a glance tells."""
    return text[: max(0, text.find("\n---", 3))]


def _keys(note: Note, text: str) -> Iterator[Finding]:
    for key in REQUIRED:
        value = note.fields.get(key)
        is_there = value is not None and value != "" and not isinstance(value, (list, dict))
        if key == "description":
            is_there = is_there and _says_description(note, text)
        if is_there:
            continue
        can_fix = key in FIXABLE and (key != "kind" or not note.is_quarantined)
        fix = "`holdfast check --fix` adds it" if can_fix else f"write a line `{key}: …` into the front matter"
        what = f"{key} is missing" if key not in note.fields or key == "description" else f"{key} is empty or a list"
        yield Finding(note.path, line_of(text, key), "missing-key", what, fix, can_fix, project=note.project)


def _says_description(note: Note, text: str) -> bool:
    """The index fills in a description from the body, so only the file can tell."""
    if re.search(r"^description\s*:\s*[^\s#]", front_of(text), re.MULTILINE):
        return True
    found = notes.from_text(note.path, text)
    return isinstance(found, Note) and bool(found.fields.get("description"))


def _words(note: Note, text: str) -> Iterator[Finding]:
    checks = (
        ("kind", note.kind, tuple(FOLDERS)),
        ("status", note.status, STATUSES),
        ("policy", note.policy or POLICIES[0], POLICIES),
        ("origin", note.origin, ORIGINS),
    )
    for key, word, known in checks:
        if word not in known:
            what, fix = f"{key} is {word}, which means nothing here", f"one of {', '.join(known)}"
            yield Finding(note.path, line_of(text, key), f"unknown-{key}", what, fix, project=note.project)
    folder = note.path.partition("/")[0]
    wanted = FOLDERS.get(note.kind)
    if wanted and folder not in (wanted, QUARANTINE):
        what = f"it is a note of kind {note.kind} in the folder {folder}"
        fix = f"move it to {wanted}/, or change its kind"
        yield Finding(note.path, line_of(text, "kind"), "kind-folder", what, fix, project=note.project)


def _dates(note: Note, text: str, now: float) -> Iterator[Finding]:
    for key in DATES:
        value = str(getattr(note, key))
        if value and review.day_of(value) is None:
            what, fix = f"{key} is {value}, which is no date", "write it as 2026-01-31"
            yield Finding(note.path, line_of(text, key), "bad-date", what, fix, project=note.project)
    late = review.due(note, now)
    if late and late.days is not None:
        what = f"not reviewed since {note.reviewed or note.edited or note.created}, {late.days} days too long"
        fix = f"read it, then `holdfast review --keep {note.path}`, or change it"
        yield Finding(note.path, line_of(text, "reviewed"), "stale", what, fix, level="warning", project=note.project)


def _anchors(note: Note, text: str, root: str) -> Iterator[Finding]:
    for value in note.anchors:
        anchor = anchors.read(value)
        at = line_of(text, "anchors")
        if anchor is None:
            what, fix = f"the anchor {value} is none", "write it as src/a.py, src/a.py:12-15 or src/a.py#name"
            yield Finding(note.path, at, "bad-anchor", what, fix, project=note.project)
        elif root and note.is_active:
            state = anchors.holds(root, anchor)
            if state in ("changed", "gone"):
                fix = "see whether the note is still true, then renew or remove the anchor"
                what = anchors.sentence(anchor, state)
                yield Finding(note.path, at, "anchor", what, fix, level="warning", project=note.project)


@dataclass(frozen=True)
class Names:
    """Every note by all that it may be called."""

    paths: Container[str]
    known: dict[str, list[Note]]

    @classmethod
    def of(cls, listed: Iterable[Note]) -> Names:
        every, known = list(listed), defaultdict[str, list[Note]](list)
        for note in every:
            for name in note_facets.names_of(note):
                known[name].append(note)
        return cls(frozenset(note.path for note in every), known)

    def called(self, wanted: str) -> list[Note]:
        return self.known.get(wanted.casefold(), [])

    def has(self, wanted: str) -> bool:
        """True if anything is called so, in whatever project: a link reads, it claims nothing."""
        return bool(self.called(wanted.strip().removeprefix("./")))

    def named(self, wanted: str, near: Note) -> list[Note]:
        """The notes that a note means by a name: a path is one note, a name is looked for in its own scope."""
        found = self.called(wanted.strip().removeprefix("./"))
        exact = [note for note in found if wanted.strip().removesuffix(".md") == note.path.removesuffix(".md")]
        return exact or [note for note in found if note.project in (near.project, GLOBAL) or near.project == GLOBAL]


class IndexNames(Names):
    """The same, asked of the index for one name at a time."""

    def __init__(self, index: Index) -> None:
        super().__init__(index.known, {})
        object.__setattr__(self, "called", index.called)


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

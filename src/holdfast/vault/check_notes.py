"""Findings about one note: its keys, words, dates, `when` and anchors; and the names that a note may be called by.

A note is named by its path, its name or its file's name. All that is found makes a report, which a person reads by path
and line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from holdfast.model import ORIGINS
from holdfast.vault import anchors, armed, note_facets, notes, review
from holdfast.vault.notes import FOLDERS, GLOBAL, POLICIES, QUARANTINE, REQUIRED, STATUSES, Note

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from holdfast.vault.index import Index

Level = Literal["error", "warning"]
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

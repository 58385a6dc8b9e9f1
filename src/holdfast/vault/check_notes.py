"""What can be wrong with one note by itself: its keys, its words, its dates, its `when` and its anchors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.model import ORIGINS
from holdfast.vault import anchors, armed, notes, reviewing
from holdfast.vault.findings import Finding
from holdfast.vault.notes import FOLDERS, POLICIES, QUARANTINE, REQUIRED, STATUSES, Note

if TYPE_CHECKING:
    from collections.abc import Iterator

FIXABLE = ("kind", "status", "created", "edited", "reviewed")
DATES = ("created", "edited", "reviewed")


def of_note(note: Note, text: str, now: float, root: str) -> Iterator[Finding]:
    """Everything that is wrong with a note; `root` is its project's folder where that is at hand."""
    yield from _keys(note, text)
    yield from _words(note, text)
    yield from _dates(note, text, now)
    yield from _when(note, text)
    yield from _anchors(note, text, root)
    if reviewing.is_quarantined(note):
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
        can_fix = key in FIXABLE and (key != "kind" or not reviewing.is_quarantined(note))
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
        if value and reviewing.day_of(value) is None:
            what, fix = f"{key} is {value}, which is no date", "write it as 2026-01-31"
            yield Finding(note.path, line_of(text, key), "bad-date", what, fix, project=note.project)
    late = reviewing.due(note, now)
    if late and late.days is not None:
        what = f"not reviewed since {note.reviewed or note.edited or note.created}, {late.days} days too long"
        fix = f"read it, then `holdfast review --keep {note.path}`, or change it"
        yield Finding(note.path, line_of(text, "reviewed"), "stale", what, fix, level="warning", project=note.project)


def _when(note: Note, text: str) -> Iterator[Finding]:
    if not note.when:
        return
    for problem in armed.problems(note.when):
        fix = f"`holdfast arm {note.path} …` with other conditions, or `holdfast disarm {note.path}`"
        yield Finding(note.path, line_of(text, "when"), "when", problem.rstrip("."), fix, project=note.project)


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

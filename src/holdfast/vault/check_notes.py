"""What can be wrong with one note by itself: its keys, its words, its dates, its `when` and its anchors.

What a check finds: where, what, and how to mend it.

What a check finds about task memory: pages that cannot be read, places in a log that are no records.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from holdfast.capture import log, platform
from holdfast.model import ORIGINS
from holdfast.tasks import page, page_file, record
from holdfast.vault import anchors, armed, journal, notes, reviewing
from holdfast.vault.notes import FOLDERS, GLOBAL, POLICIES, QUARANTINE, REQUIRED, STATUSES, Note

if TYPE_CHECKING:
    from collections.abc import Iterator


Level = Literal["error", "warning"]


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
        names = ("path", "line", "code", "level", "what", "fix", "can_fix")
        return {name: getattr(self, name) for name in names}


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
        """What concerns one project and what is global; the rest is only counted."""
        mine = tuple(one for one in self.findings if one.project in (GLOBAL, *ids))
        return replace(self, findings=mine, elsewhere=len(self.findings) - len(mine))


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
    for problem in armed.problems_of(note.when):
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


MEND = "mend the line; or move the page out of tasks/, and it is written anew from the log"


def check_tasks(vault: str) -> Iterator[Finding]:
    for task in record.open_tasks(vault):
        project = GLOBAL
        for path, _ in record.logs(vault, task):
            try:
                found = record.read(vault, path)
            except OSError as error:
                fix = "make it readable; the other logs count all the same"
                yield Finding(path, 1, "task-log", f"it cannot be read ({error.strerror})", fix)
                continue
            project = next((one.project for one in found.entries if one.project), project)
            yield from (_broken(path, one, project) for one in found.broken)
        yield from _page(vault, task, project)
    yield from _left_behind(vault)
    for task, path in record.finished(vault):
        try:
            yield from (_broken(path, one, GLOBAL) for one in record.read(vault, path).broken)
        except OSError as error:
            yield Finding(
                path, 1, "task-log", f"the log of {task} cannot be read ({error.strerror})", "make it readable"
            )


def _left_behind(vault: str) -> Iterator[Finding]:
    """Pages that could not be read when their tasks were archived, so nothing that was written into them is there."""
    working = record.open_tasks(vault)
    for task, _ in record.finished(vault):
        if task not in working and record.PAGE in platform.names(record.folder(vault, task)):
            path = f"{record.FOLDER}/{task}/{record.PAGE}"
            what = "its task is over, and what was written into it is not in the archive"
            fix = f"flag what should be kept of it, and move it out of {record.FOLDER}/"
            yield Finding(path, 1, "task-page", what, fix, level="warning")


def _broken(path: str, one: log.Found, project: str) -> Finding:
    what = "the beginning of a record whose writer died" if one.what == log.TORN else "damage"
    place = f"bytes {one.start} to {one.end}"
    fix = "nothing need be done: every record around it counts, and nobody was told that this was saved"
    if one.what != log.TORN:
        fix = "compare it with the history (`git log -p` in the vault); every record around it counts"
    level = "warning" if one.what == log.TORN else "error"
    return Finding(path, 1, "task-log", f"{what} at {place}", fix, level=level, project=project)  # type: ignore[arg-type]


def _page(vault: str, task: str, project: str) -> Iterator[Finding]:
    path = f"{record.FOLDER}/{task}/{record.PAGE}"
    try:
        text = (journal.content(vault, path) or b"").decode("utf-8")
    except UnicodeDecodeError:
        yield Finding(path, 1, "task-page", "it is no UTF-8 text, so it is left as it is", MEND, project=project)
        return
    except OSError as error:
        yield Finding(path, 1, "task-page", f"it cannot be read ({error.strerror})", MEND, project=project)
        return
    if not text and not platform.names(f"{vault}/{record.FOLDER}/{task}").count(record.PAGE):
        fix = f"`holdfast task show {task}`, or any checkpoint, writes it"
        yield Finding(path, 1, "task-page", "the page is missing", fix, level="warning", project=project)
        return
    if text and not page.is_edited(text):
        return
    try:
        page_file.read_edits(text, "", lambda _: None)
    except page_file.Unreadable as why:
        what = f"it cannot be read, so it is left as it is ({why.why})"
        yield Finding(path, max(1, why.number), "task-page", what, MEND, project=project)

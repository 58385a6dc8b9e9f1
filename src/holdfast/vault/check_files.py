"""Findings file by file: links, copies that a conflict left, handoffs, task memory, a change that was cut short; and a
file that has changed, whatever it is. Each is only read, and a broken one hides no other.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.capture import home, log, platform
from holdfast.capture.quoting import BESIDE_NAME
from holdfast.tasks import page, page_file, record
from holdfast.vault import front_matter_edits, journal, note_facets
from holdfast.vault.check_links import broken_links, the_map, unfounded
from holdfast.vault.check_notes import Finding, IndexNames, Level, of_note
from holdfast.vault.front_matter_edits import Unparsable
from holdfast.vault.index import is_note_path
from holdfast.vault.index_rows import StoredIndex
from holdfast.vault.notes import FOLDERS, GLOBAL, LARGEST, QUARANTINE, Broken
from holdfast.vault.transaction import is_being_written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.vault.index import Index

CONFLICT = re.compile(re.escape(BESIDE_NAME) + r"[^/.]+(?=\.[^/.]+$|$)")  # as `sync` names the other side's version
NOTE_FOLDERS = (*FOLDERS.values(), QUARANTINE)
MEND = "mend the line; or move the page out of tasks/, and it is written anew from the log"


def of_broken(broken: Broken) -> Finding:
    if broken.reason.startswith("it is a link"):
        return _link(broken.path)
    fix = "mend it in an editor; it is kept, and not loaded until then"
    return Finding(broken.path, broken.line, "unparsable", broken.reason, fix)


def _link(path: str) -> Finding:
    fix = "put the file itself there, or take the link away"
    return Finding(path, 1, "link", "it is a link, and links in the vault are not followed", fix)


def of_files(vault: str, under: str, known: Index) -> Iterator[Finding]:
    """Findings of a walk: links, copies that a conflict left, handoffs that cannot be read."""
    found: list[os.DirEntry[str]] = []
    with suppress(OSError), os.scandir(f"{vault}/{under}") as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        path = f"{under}{entry.name}"
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            if path.partition("/")[0] in (*NOTE_FOLDERS, note_facets.PATH):
                yield _link(path)
        elif entry.is_dir(follow_symlinks=False):
            yield from of_files(vault, f"{path}/", known)
        elif CONFLICT.search(path):
            yield of_conflict(path, known)
        elif path.startswith("lineage/") and path.endswith(".md"):
            yield from of_handoff(vault, path)


def of_conflict(path: str, known: Index) -> Finding:
    ours = CONFLICT.sub("", path)
    fix = f"take over from it into {ours} what is right, then delete this copy"
    project = known.known[path].note.project if path in known.known else GLOBAL
    what = f"both sides changed {ours}; this is the other side's version"
    return Finding(path, 1, "conflict", what, fix, project=project)


def of_handoff(vault: str, path: str) -> Iterator[Finding]:
    """A handoff belongs to the project whose folder it lies in."""
    project = path.split("/")[1] if path.count("/") > 1 else GLOBAL
    fix = "mend its front matter in an editor; the other handoffs are not touched by it"
    try:
        if os.lstat(f"{vault}/{path}").st_size > LARGEST:
            raise Unparsable(1, f"a handoff of more than {LARGEST:,} bytes is not read")
        front_matter_edits.parse((journal.content(vault, path) or b"").decode("utf-8"))
    except Unparsable as error:
        yield Finding(path, error.line, "lineage", error.reason, fix, project=project)
    except UnicodeDecodeError:
        yield Finding(path, 1, "lineage", "it is not UTF-8", fix, project=project)
    except OSError as error:
        yield Finding(path, 1, "lineage", f"it cannot be read ({error.strerror})", fix, project=project)


def of_changed(vault: str, path: str, now: float, roots: Mapping[str, str], known: Index) -> Iterator[Finding]:
    """Findings about one file that has changed, whatever it is."""
    if path == note_facets.PATH:
        if not os.path.lexists(f"{vault}/{path}") and any(known.on_map(group, 1)[1] for group in range(3)):
            yield from the_map(None, known.active(), lambda _: False)
        return
    if path.startswith("lineage/") and path.endswith(".md") and os.path.isfile(f"{vault}/{path}"):
        yield from of_handoff(vault, path)
        return
    if not is_note_path(path):
        return
    if CONFLICT.search(path):
        if os.path.lexists(f"{vault}/{path}"):
            yield of_conflict(path, known)
        return
    one = known.known.get(path)
    if one is None:
        among = (known.one(path),) if isinstance(known, StoredIndex) else known.broken
        yield from (of_broken(one) for one in among if isinstance(one, Broken) and one.path == path)
        return
    text = journal.text(vault, path)
    names = IndexNames(known)
    yield from of_note(one.note, text, now, roots.get(one.note.project, ""))
    yield from broken_links(one.note, one.links, text, names, lambda other: os.path.isfile(f"{vault}/{other}"))
    yield from unfounded(one.note, names, text)


def of_unfinished(vault: str) -> Iterator[Finding]:
    """A change that was cut short; not one that a living writer is busy with."""
    folder = f"{home.state(vault)}/writing"
    for name in platform.names(folder):
        path = f".state/writing/{name}"
        if name == "journal" and not is_being_written(vault):
            fix = "`holdfast check --fix`, or any change to the vault, finishes it"
            yield Finding(path, 1, "unfinished", "a change was cut short", fix, can_fix=True, level="warning")
        elif name.startswith("journal.unreadable-"):
            what = "a change was cut short and its journal cannot be read"
            fix = "look whether `holdfast history` has it; the file can then be put away"
            yield Finding(path, 1, "unfinished", what, fix)


def of_tasks(vault: str) -> Iterator[Finding]:
    """Findings about task memory: pages that cannot be read, places in a log that are no records."""
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
            yield from (_broken_record(path, one, project) for one in found.broken)
        yield from _page(vault, task, project)
    yield from _left_behind(vault)
    for task, path in record.finished(vault):
        try:
            yield from (_broken_record(path, one, GLOBAL) for one in record.read(vault, path).broken)
        except OSError as error:
            what = f"the log of {task} cannot be read ({error.strerror})"
            yield Finding(path, 1, "task-log", what, "make it readable")


def _left_behind(vault: str) -> Iterator[Finding]:
    """Pages that could not be read when their tasks were archived, so nothing that was written into them is there."""
    working = record.open_tasks(vault)
    for task, _ in record.finished(vault):
        if task not in working and record.PAGE in platform.names(record.folder(vault, task)):
            path = f"{record.FOLDER}/{task}/{record.PAGE}"
            what = "its task is over, and what was written into it is not in the archive"
            fix = f"flag what should be kept of it, and move it out of {record.FOLDER}/"
            yield Finding(path, 1, "task-page", what, fix, level="warning")


def _broken_record(path: str, one: log.Found, project: str) -> Finding:
    level: Level = "error"
    what = "damage"
    fix = "compare it with the history (`git log -p` in the vault); every record around it counts"
    if one.what == log.TORN:
        what, level = "the beginning of a record whose writer died", "warning"
        fix = "nothing need be done: every record around it counts, and nobody was told that this was saved"
    place = f"bytes {one.start} to {one.end}"
    return Finding(path, 1, "task-log", f"{what} at {place}", fix, level=level, project=project)


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

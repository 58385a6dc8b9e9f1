"""Check: everything about a vault that a person should mend, each with its place and how.

Nothing is ever too broken to be looked at. A note is opened once; the rest comes from the index, so that ten thousand
of them take seconds, and after a close only the files that changed since the last check are looked at. `fix` does what
is safe: it adds what a file's date and folder say, marks as superseded what an active note supersedes, and draws the
map anew; each sort is one commit, so one `undo`.
"""

from __future__ import annotations

import datetime
import os
import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, gate, home, log, platform, same_project
from holdfast.capture.quoting import BESIDE_NAME
from holdfast.errors import GitFailed, UsageError
from holdfast.tasks import page, page_file, record
from holdfast.vault import check_notes, front_matter_edits, index, journal, note_facets, notes
from holdfast.vault.check_notes import FIXABLE, Finding, IndexNames, Level, Names, Report, broken_links, of_note
from holdfast.vault.front_matter_edits import Unparsable
from holdfast.vault.git import Repository
from holdfast.vault.index import is_note_path
from holdfast.vault.index_rows import StoredIndex
from holdfast.vault.notes import FOLDERS, GLOBAL, LARGEST, QUARANTINE, Broken
from holdfast.vault.transaction import is_being_written, writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note
    from holdfast.vault.transaction import Writer

CONFLICT = re.compile(re.escape(BESIDE_NAME) + r"[^/.]+(?=\.[^/.]+$|$)")  # as `sync` names the other side's version
NOTE_FOLDERS = (*FOLDERS.values(), QUARANTINE)
VERSION = 1
LARGEST_RECORD = 4 << 20
A_WEEK = 7 * 86400.0
NAMED = "\0name"  # behind a path: its note has the name of another
MEND = "mend the line; or move the page out of tasks/, and it is written anew from the log"


def check(
    vault: str, now: float, roots: Mapping[str, str] | None = None, progress: Callable[[int], None] = lambda _: None
) -> Report:
    """All findings of a vault. `roots` are the folders of projects at hand, by id: anchors are looked for there."""
    known = index.load(vault, progress)
    settled = {path: one for path, one in known.known.items() if not CONFLICT.search(path)}
    listed = [one.note for one in settled.values()]
    names = Names.of(listed)

    def is_file(path: str) -> bool:
        return os.path.isfile(f"{vault}/{path}")

    def text_of(path: str) -> str:
        return journal.text(vault, path)

    findings = [of_broken(one) for one in known.broken if not CONFLICT.search(one.path)]
    for path, one in settled.items():
        text = text_of(path)
        findings += of_note(one.note, text, now, (roots or {}).get(one.note.project, ""))
        findings += broken_links(one.note, one.links, text, names, is_file)
    findings += check_notes.duplicates(listed)
    findings += check_notes.chains(listed, names, text_of)
    findings += check_notes.the_map(journal.read(vault, note_facets.PATH), known.notes, is_file)
    findings += _files(vault, "", known)
    findings += _tasks(vault)
    findings += _unfinished(vault)
    found = tuple(sorted(set(findings), key=lambda one: (one.path, one.line, one.code, one.what)))
    return Report(found, len(known.known) + len(known.broken))


def of_broken(broken: Broken) -> Finding:
    if broken.reason.startswith("it is a link"):
        return _link(broken.path)
    fix = "mend it in an editor; it is kept, and not loaded until then"
    return Finding(broken.path, broken.line, "unparsable", broken.reason, fix)


def _link(path: str) -> Finding:
    fix = "put the file itself there, or take the link away"
    return Finding(path, 1, "link", "it is a link, and links in the vault are not followed", fix)


def _files(vault: str, under: str, known: index.Index) -> Iterator[Finding]:
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
            yield from _files(vault, f"{path}/", known)
        elif CONFLICT.search(path):
            yield of_conflict(path, known)
        elif path.startswith("lineage/") and path.endswith(".md"):
            yield from of_handoff(vault, path)


def of_conflict(path: str, known: index.Index) -> Finding:
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


def _unfinished(vault: str) -> Iterator[Finding]:
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


def fix(vault: str, now: float, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Do what is safe about these findings; returns those it took on. Raises Busy, GitFailed."""
    wanted = [one for one in findings if one.can_fix]
    if not wanted:
        return ()
    with writing(vault, now) as writer:
        lacking = sorted({one.path for one in wanted if one.code == "missing-key"})
        _rewrite(writer, "check: add missing keys", {path: _added(writer, path) for path in lacking})
        old = sorted({one.path for one in wanted if one.code == "still-active"})
        _rewrite(writer, "check: mark as superseded", {path: {"status": "superseded"} for path in old})
        writer.commit("check: draw the map anew", {}, cause="check", by=gate.BY_UPKEEP)
    return tuple(wanted)


def _added(writer: Writer, path: str) -> dict[str, Any]:
    """The keys that a file's date and folder can tell."""
    found = notes.read(writer.vault, path)
    if isinstance(found, notes.Broken):
        return {}
    changed = os.lstat(f"{writer.vault}/{path}").st_mtime
    day = datetime.datetime.fromtimestamp(changed, datetime.UTC).date().isoformat()
    told = {**dict.fromkeys(FIXABLE, day), "status": "active", "kind": found.kind}
    if path.startswith(f"{QUARANTINE}/"):
        del told["kind"]
    return {key: value for key, value in told.items() if found.fields.get(key) in (None, "")}


def _rewrite(writer: Writer, subject: str, changes: Mapping[str, Mapping[str, Any]]) -> None:
    """Change these fields as one commit. A note that cannot be changed in place keeps its finding."""
    before: dict[str, str | None] = {}
    after: dict[str, str | None] = {}
    for path, fields in changes.items():
        text = writer.read(path)
        if text is not None and fields:
            with suppress(UsageError):
                after[path], before[path] = notes.with_fields(text, **fields), text
    if after:
        writer.commit(f"{subject} ({len(after)})", after, cause="check", by=gate.BY_UPKEEP, planned_on=before)


def check_and_fix(
    vault: str,
    now: float,
    project: str | None,
    roots: Mapping[str, str] | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Mend what is safe of one project's findings (all where none is named), and say what is left."""
    first = check(vault, now, roots, progress)
    taken_on = fix(vault, now, (first if project is None else first.of(*same_project.ids(vault, project))).findings)
    if not taken_on:
        return first
    left = check(vault, now, roots)
    return replace(left, fixed=tuple(one for one in taken_on if one not in left.findings))


def after_close(vault: str, now: float, roots: Mapping[str, str], known: Index, *, is_waited_for: bool = True) -> None:
    """Look at what changed since the last check, at everything where nobody knows what that is. Raises OSError."""
    if not home.format_of(vault):
        return
    head, before = _head(vault), _read(vault)
    since, changed = str(before.get("commit") or ""), None
    with suppress(GitFailed):
        changed = sorted(Repository(vault).differing(since, head)) if since and head else None
    is_due = not is_waited_for and now - float(before.get("whole") or 0) > A_WEEK
    if changed is None or is_due or not isinstance(before.get("errors"), dict):
        whole(vault, check(vault, now, roots), now, head)
        return
    errors = {path: int(count) for path, count in before["errors"].items()}
    for path in changed:
        errors.pop(path, None)
        count = sum(one.level == "error" for one in _of_file(vault, path, now, roots, known))
        if count:
            errors[path] = count
        _note_names(errors, path, known)
    _keep(vault, head, errors, float(before.get("whole") or 0))


def whole(vault: str, report: Report, now: float, head: str | None = None) -> None:
    if not home.format_of(vault):
        return
    head = _head(vault) if head is None else head
    errors = Counter(one.path for one in report.findings if one.level == "error" and one.code != "duplicate-name")
    errors.update(f"{one.path}{NAMED}" for one in report.findings if one.code == "duplicate-name")
    _keep(vault, head, errors, now)


def _head(vault: str) -> str:
    repository = Repository(vault)
    return repository.head() if repository.exists() else ""


def _of_file(vault: str, path: str, now: float, roots: Mapping[str, str], known: Index) -> Iterator[Finding]:
    if path == note_facets.PATH:
        if not os.path.lexists(f"{vault}/{path}") and any(known.on_map(group, 1)[1] for group in range(3)):
            yield from check_notes.the_map(None, known.active(), lambda _: False)
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
    yield from check_notes.unfounded(one.note, names, text)


def _note_names(errors: dict[str, int], path: str, known: Index) -> None:
    """Of notes that share a name with this one, all but the first are wrong."""
    errors.pop(f"{path}{NAMED}", None)
    one = known.known.get(path) if is_note_path(path) else None
    if one is None or not _counts(one.note):
        return
    name, project = one.note.name.casefold(), one.note.project
    same = [note for note in known.called(one.note.name) if note.name.casefold() == name and note.project == project]
    for nth, other in enumerate(sorted(note.path for note in same if _counts(note))):
        if nth:
            errors[f"{other}{NAMED}"] = 1
        else:
            errors.pop(f"{other}{NAMED}", None)


def _counts(note: Note) -> bool:
    return note.status != "superseded" and not note.is_quarantined


def _read(vault: str) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        found = codec.decode(platform.read_file(_place(vault), LARGEST_RECORD))
        if isinstance(found, dict) and found.get("v") == VERSION:
            return found
    return {}


def _keep(vault: str, head: str, errors: Mapping[str, int], checked: float) -> None:
    """Also the number of errors, where the brief finds it."""
    record = {"v": VERSION, "commit": head, "whole": checked, "errors": dict(errors)}
    with suppress(OSError):  # a vault that takes no writes can be looked at all the same
        platform.write_atomic(_place(vault), codec.encode(record), durable=False)
    with suppress(OSError):
        platform.write_atomic(f"{home.state(vault)}/check", b"%d\n" % sum(errors.values()), durable=False)


def _place(vault: str) -> str:
    return f"{home.state(vault)}/check.errors"


def _tasks(vault: str) -> Iterator[Finding]:
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

"""Check: everything about a vault that a person should mend, each with its place and how.

Nothing is ever too broken to be looked at. A note is opened once; the rest comes from the index, so that ten thousand
of them take seconds, and after a close only the files that changed since the last check are looked at. `fix` does what
is safe: it adds what a file's date and folder say, marks as superseded what an active note supersedes, and draws the
map anew; each sort is one commit, so one `undo`.
"""

from __future__ import annotations

import datetime
import os
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, gate, home, platform, same_project
from holdfast.errors import GitFailed, UsageError
from holdfast.vault import check_links, index, journal, note_facets, notes
from holdfast.vault.check_files import CONFLICT, of_broken, of_changed, of_files, of_tasks, of_unfinished
from holdfast.vault.check_notes import FIXABLE, Finding, Names, Report, of_note
from holdfast.vault.git import Repository
from holdfast.vault.index import is_note_path
from holdfast.vault.notes import QUARANTINE
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note
    from holdfast.vault.transaction import Writer

VERSION = 1
RECORD = "check.errors"  # below .state: errors by path, as of which commit
LARGEST_RECORD = 4 << 20
A_WEEK = 7 * 86400.0
NAMED = "\0name"  # behind a path: its note has the name of another


def check(
    vault: str,
    now: float,
    roots: Mapping[str, str] | None = None,
    progress: Callable[[int], None] = lambda _: None,
    known: Index | None = None,
) -> Report:
    """All findings of a vault. `roots` are the folders of projects at hand, by id: anchors are looked for there.
    `known` are the notes at the last commit, where only what is committed counts; else every file is looked at."""
    known = index.load(vault, progress) if known is None else known
    settled = {path: one for path, one in known.known.items() if not CONFLICT.search(path)}
    listed = [one.note for one in settled.values()]
    names = Names.of(listed)
    text_of = partial(journal.text, vault)

    def is_file(path: str) -> bool:
        return os.path.isfile(f"{vault}/{path}")

    findings = [of_broken(one) for one in known.broken if not CONFLICT.search(one.path)]
    for path, one in settled.items():
        text = text_of(path)
        findings += of_note(one.note, text, now, (roots or {}).get(one.note.project, ""))
        findings += check_links.broken_links(one.note, one.links, text, names, is_file)
    findings += check_links.duplicates(listed)
    findings += check_links.chains(listed, names, text_of)
    findings += check_links.the_map(journal.read(vault, note_facets.PATH), known.notes, is_file)
    findings += of_files(vault, "", known)
    findings += of_tasks(vault)
    findings += of_unfinished(vault)
    found = tuple(sorted(set(findings), key=lambda one: (one.path, one.line, one.code, one.what)))
    return Report(found, len(known.known) + len(known.broken))


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
        whole(vault, check(vault, now, roots, known=None if is_due else known), now, head)
        return
    errors = {path: int(count) for path, count in before["errors"].items()}
    for path in changed:
        errors.pop(path, None)
        count = sum(one.level == "error" for one in of_changed(vault, path, now, roots, known))
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
        found = codec.decode(platform.read_file(f"{home.state(vault)}/{RECORD}", LARGEST_RECORD))
        if isinstance(found, dict) and found.get("v") == VERSION:
            return found
    return {}


def _keep(vault: str, head: str, errors: Mapping[str, int], checked: float) -> None:
    """Also the number of errors, where the brief finds it."""
    record = {"v": VERSION, "commit": head, "whole": checked, "errors": dict(errors)}
    with suppress(OSError):  # a vault that takes no writes can be looked at all the same
        platform.write_atomic(f"{home.state(vault)}/{RECORD}", codec.encode(record), durable=False)
    with suppress(OSError):
        platform.write_atomic(f"{home.state(vault)}/check", b"%d\n" % sum(errors.values()), durable=False)

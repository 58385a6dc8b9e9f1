"""The check after a close: of the files that changed since the last one, so that it costs the same of many notes.

`.state/check.errors` has the errors that were found, by file, and the commit that was looked at. What a change does to
other files (a link to a note that went, a chain of notes that supersede each other) is left to the whole check: that of
`holdfast check`, and, where nobody waits for the close, one a week. It begins the list anew. The number of errors is
left where a start finds it.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, platform
from holdfast.vault import brain, check, journal
from holdfast.vault.check_links import IndexNames, broken_links, the_map, unfounded
from holdfast.vault.check_notes import of_note
from holdfast.vault.git import Repository
from holdfast.vault.index import is_note_path
from holdfast.vault.index_rows import StoredIndex
from holdfast.vault.notes import Broken
from holdfast.vault.reviewing import is_quarantined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from holdfast.vault.findings import Finding, Report
    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note

VERSION = 1
LARGEST = 4 << 20
A_WEEK = 7 * 86400.0
NAMED = "\0name"  # behind a path: its note has the name of another


def after_close(vault: str, now: float, roots: Mapping[str, str], known: Index, *, is_waited_for: bool = True) -> None:
    """Look at what changed since the last check, at everything where nobody knows what that is. Raises OSError."""
    if not home.format_of(vault):
        return
    repository = Repository(vault)
    head = repository.head() if repository.exists() else ""
    before = _read(vault)
    changed = _changed(repository, str(before.get("commit") or ""), head)
    is_due = not is_waited_for and now - float(before.get("whole") or 0) > A_WEEK
    if changed is None or is_due or not isinstance(before.get("errors"), dict):
        whole(vault, check.check(vault, now, roots), now, head)
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
    """The whole vault was checked."""
    if not home.format_of(vault):
        return
    if head is None:
        repository = Repository(vault)
        head = repository.head() if repository.exists() else ""
    errors = Counter(one.path for one in report.findings if one.level == "error" and one.code != "duplicate-name")
    errors.update(f"{one.path}{NAMED}" for one in report.findings if one.code == "duplicate-name")
    _keep(vault, head, errors, now)


def _changed(repository: Repository, since: str, head: str) -> list[str] | None:
    if not since or not head:
        return None
    if since == head:
        return []
    done = repository.attempt("diff-tree", "-r", "-z", "--name-only", "--no-renames", since, head)
    if done.returncode:
        return None
    return [name.decode("utf-8", "surrogateescape") for name in done.stdout.split(b"\0") if name]


def _of_file(vault: str, path: str, now: float, roots: Mapping[str, str], known: Index) -> Iterator[Finding]:
    """What is wrong with one file."""
    if path == brain.PATH:
        if not os.path.lexists(f"{vault}/{path}") and any(known.on_map(group, 1)[1] for group in range(3)):
            yield from the_map(None, known.active(), lambda _: False)
        return
    if path.startswith("lineage/") and path.endswith(".md") and os.path.isfile(f"{vault}/{path}"):
        yield from check.of_handoff(vault, path)
        return
    if not is_note_path(path):
        return
    if check.CONFLICT.search(path):
        if os.path.lexists(f"{vault}/{path}"):
            yield check.of_conflict(path, known)
        return
    one = known.known.get(path)
    if one is None:
        yield from (check.of_broken(broken) for broken in _broken(known, path))
        return
    text = journal.text(vault, path)
    names = IndexNames(known)
    yield from of_note(one.note, text, now, roots.get(one.note.project, ""))
    yield from broken_links(one.note, one.links, text, names, lambda other: os.path.isfile(f"{vault}/{other}"))
    yield from unfounded(one.note, names, text)


def _broken(known: Index, path: str) -> Iterator[Broken]:
    found = known.one(path) if isinstance(known, StoredIndex) else None
    among: Iterable[Any] = (found,) if isinstance(known, StoredIndex) else known.broken
    return (one for one in among if isinstance(one, Broken) and one.path == path)


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
    return note.status != "superseded" and not is_quarantined(note)


def _read(vault: str) -> dict[str, Any]:
    try:
        found = codec.decode(platform.read_file(_place(vault), LARGEST))
        return found if isinstance(found, dict) and found.get("v") == VERSION else {}
    except (OSError, ValueError):
        return {}


def _keep(vault: str, head: str, errors: Mapping[str, int], checked: float) -> None:
    record = {"v": VERSION, "commit": head, "whole": checked, "errors": dict(errors)}
    with suppress(OSError):  # a vault that takes no writes can be looked at all the same
        platform.write_atomic(_place(vault), codec.encode(record), durable=False)
    check.keep_count(vault, sum(errors.values()))


def _place(vault: str) -> str:
    return f"{home.state(vault)}/check.errors"

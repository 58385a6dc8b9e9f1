"""What a check finds about task memory: pages that cannot be read, places in a log that are no records.

The log is the truth, so nothing here is lost: a page that cannot be read is left as it is until a person mends it, and
what is damaged in a log is named with its place while the records around it count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import log, platform
from holdfast.tasks import page, reading, record
from holdfast.vault import journal
from holdfast.vault.findings import Finding
from holdfast.vault.notes import GLOBAL

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        reading.read(text, "", lambda _: None)
    except reading.Unreadable as why:
        what = f"it cannot be read, so it is left as it is ({why.why})"
        yield Finding(path, max(1, why.number), "task-page", what, MEND, project=project)

"""One task's page on disk, and the copies that are needed so that a person's hand in it is never lost.

    .state/tasks/pages/<task>.md           the page as we rendered it last: what an edit is compared with
    .state/tasks/pages/<task>.coming.md    the same, of a rendering that is being put in place
    .state/tasks/pages/<task>.fresh        our rendering before the two change places, and what stood there after it

Promise: a page is replaced in one step, and what it displaced is looked at before it goes. Whatever kills us, one of
these has what a person saved.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.tasks import page, reading, record

LARGEST = 1 << 20  # bytes of a page that a person may make of it


def put(vault: str, task: str, data: bytes, before: bytes | None) -> bool:
    """The new page in the place of the one that was read; False where somebody saved in between: their text lies
    aside then, and is believed next."""
    path, fresh = record.page_path(vault, task), fresh_path(vault, task)
    platform.remove(fresh)
    # Its bytes are synced, or a crash could leave an empty page, which nobody may overwrite; its name need not be.
    half = f"{fresh}.tmp"
    platform.remove(half)
    platform.write_synced(half, data)
    posix.rename(half, fresh)  # so what lies there is never half of a page
    try:
        if before is None:
            posix.link(fresh, path)
        elif not platform.exchange(fresh, path):
            posix.rename(fresh, path)
            return True
    except FileExistsError:
        platform.remove(fresh)
        return False
    except FileNotFoundError:
        return False
    if before is not None and not is_still(fresh, before):
        return False
    platform.remove(fresh)
    return True


def read(vault: str, task: str) -> bytes | None:
    """Raises Unreadable."""
    if platform.is_behind_link(vault, f"{record.FOLDER}/{task}"):
        raise reading.Unreadable(0, "it lies behind a link")
    try:
        return content(record.page_path(vault, task))
    except OSError as error:
        raise reading.Unreadable(0, error.strerror or "it cannot be read") from error


def base_of(vault: str, task: str, text: str) -> str:
    """The rendering of ours that a page began as: the last one, or one that was being put in place when we were
    killed. "" where it was neither."""
    _, said = page.seal_of(text)
    for path in (base_path(vault, task), coming_path(vault, task)):
        base = (content(path) or b"").decode("utf-8", "replace")
        if said and page.seal_of(base)[1] == said:
            return base
    return ""


def keep_base(vault: str, task: str, raw: bytes) -> None:
    """A rendering that was put in place by somebody who was then killed: the next one must not take its name."""
    base = base_of(vault, task, raw.decode("utf-8", "replace")).encode("utf-8", "replace")
    if base and not is_still(base_path(vault, task), base):
        posix.rename(coming_path(vault, task), base_path(vault, task))


def base_path(vault: str, task: str) -> str:
    return f"{record.own(vault)}/pages/{task}.md"


def coming_path(vault: str, task: str) -> str:
    return f"{record.own(vault)}/pages/{task}.coming.md"


def fresh_path(vault: str, task: str) -> str:
    return f"{record.own(vault)}/pages/{task}.fresh"


def content(path: str) -> bytes | None:
    """A file of ours or a person's; None where there is none. Raises OSError for what is no file, or too large."""
    try:
        return platform.read_regular(path, LARGEST)
    except FileNotFoundError:
        return None


def is_still(path: str, data: bytes) -> bool:
    try:
        return content(path) == data
    except OSError:
        return False


def text_of(raw: bytes) -> str:
    """Raises Unreadable."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise reading.Unreadable(0, "it is no UTF-8 text") from None


def give_back(theirs: str, path: str) -> None:
    """A person's page in the place of ours. Whatever they saved meanwhile is newer, and what they mean."""
    try:
        platform.exchange(theirs, path)
    except FileNotFoundError:
        posix.rename(theirs, path)
        return
    try:
        is_ours = not page.is_edited((content(theirs) or b"").decode("utf-8", "replace"))
    except OSError:
        is_ours = False
    if not is_ours:
        platform.exchange(theirs, path)

"""The tasks while their one lock is held: the logs are taken in, a person's edits are believed, pages are rendered.

    with Desk(vault, clock) as desk:
        desk.add(task, entries)

Promise: when `add` returns, the entries are durable; the page and the index follow, and whatever kills us in between,
the next who opens the desk finds the logs ahead of them and catches up. A person may save a page at the same moment:
old and new change places in one step, and what was displaced is looked at before it goes. What of it cannot be read
stays where it is, untouched, and is reported.
"""

from __future__ import annotations

import fcntl
import posix
import time

from holdfast.capture import home, platform
from holdfast.capture.ids import new_id
from holdfast.errors import Busy
from holdfast.model import ORIGINS, value
from holdfast.tasks import boot, page, reading, record, view
from holdfast.tasks import entry as entries
from holdfast.tasks.entry import Entry
from holdfast.tasks.index import Index
from holdfast.tasks.schema import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Self


REFUSALS = (OSError, Refused)  # of a disk, by way of the system or of the index
PATIENCE = 20.0  # seconds that one waits for another
REFUSED = (1, 13, 30)  # EPERM, EACCES, EROFS
TRIES = 5  # to render a page while a person keeps saving it
LARGEST = 1 << 20  # bytes of a page that a person may make of it


@value
class Unread:
    """A page that cannot be read, and why; it is left as it is."""

    task: str
    why: str


class Desk:
    """All tasks of a vault, for one process at a time."""

    def __init__(
        self, vault: str, clock: Callable[[], float], patience: float = PATIENCE, *, only_look: bool = False
    ) -> None:
        self.vault = vault
        self.clock = clock
        self.patience = patience
        self.only_look = only_look
        self.unread: list[Unread] = []
        self.behind = ""  # why something that is derived could not be written; the logs have it all the same
        self._lock = -1
        self._touched: set[str] = set()

    def __enter__(self) -> Self:
        home.refuse_newer(self.vault)
        try:
            platform.make_folders(f"{record.own(self.vault)}/pages")
            self._lock = _lock(f"{record.own(self.vault)}/lock", self.patience)
        except OSError as error:
            if not self.only_look or error.errno not in REFUSED:
                raise
            return self._from_the_logs()
        try:
            self.index = Index(self.vault)
            self._touched |= self.index.catch_up() | self.index.behind()
        except BaseException:
            posix.close(self._lock)
            raise
        return self

    def _from_the_logs(self) -> Self:
        """In a sandbox that may write nothing: the logs say it all, and nothing of it is kept."""
        self.index = Index(self.vault, ":memory:")
        self.index.catch_up()
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        try:
            if not failed:
                self.settle()
        finally:
            self.index.close()
            if self._lock >= 0:
                posix.close(self._lock)

    def now(self, task: str = "") -> float:
        """The time of the next entry: never before that of the last one, so that order in time is order in the log."""
        known = self.index.task(task) if task else None
        # Two milliseconds: an id begins with its time in whole ones, and has to come after the last one's too.
        return max(self.clock(), known.spoke + 0.002) if known else self.clock()

    def add(self, task: str, made: Sequence[Entry]) -> None:
        """Append entries, durably, and take them in. Raises NotSaved."""
        record.append(self.vault, task, made, made[-1].time)
        others = {old for one in made for old in one.supersedes}
        try:
            self._touched |= {task, *self.index.catch_up(), *(self.index.home_of(old) for old in others)} - {""}
        except REFUSALS as error:  # they are durable: whoever looks next takes them in
            self.behind = str(error)

    def make(self, task: str, kind: str, text: str, nth: int = 0, **more: Any) -> Entry:
        when = self.now(task)
        return Entry(new_id(when, nth), when, kind, text, **more)

    def believe(self, task: str) -> None:
        """Take a person's edits of a page into the log, before anything else is said of the task."""
        displaced = self._displaced(task)
        if displaced is not None:
            if self._believe(task, displaced, self._base(task, displaced)):
                platform.remove(self._fresh(task))  # before the page is believed, which may take back what this says
            else:
                self._put_back(task)
        text = self._page(task)
        if text is None:
            return
        base = self._base(task, text)
        if base:
            self._keep_base(task, base)
        self._believe(task, text, base)

    def _keep_base(self, task: str, base: str) -> None:
        """A rendering that was put in place by somebody who was then killed: the next one must not take its name."""
        if base != self._read_base(self._base_path(task)):
            posix.rename(self._coming_path(task), self._base_path(task))

    def _put_back(self, task: str) -> None:
        """What was displaced and cannot be read goes back to where a person left it; our rendering goes."""
        path, fresh = record.page_path(self.vault, task), self._fresh(task)
        text = self._page(task)
        if (text is None or not page.is_edited(text)) and platform.exchange(fresh, path):
            platform.remove(fresh)

    def _believe(self, task: str, text: str, base: str) -> bool:
        """Whether the page could be read."""
        if not page.is_edited(text):
            return True  # a rendering of ours, of whichever machine
        try:
            found = reading.read(text, base, lambda ident: self._find(task, ident))
        except reading.Unreadable as why:
            self._cannot_read(task, str(why))
            return False
        made = self._as_entries(task, found)
        if made:
            self.add(task, made)
        platform.remove(record.hand_path(self.vault, task))
        return True

    def _as_entries(self, task: str, found: reading.Edits) -> list[Entry]:
        """A person's edits as entries. What was believed before, by somebody who was then killed, is not told again."""
        from holdfast.capture.flags import cut

        told: list[tuple[str, str, tuple[str, ...]]] = []
        for kind, text in found.fresh:
            if not any(one.text == text for one in self.index.entries(task, kind, in_force=True, newest=view.MOST)):
                told.append((kind, text, ()))
        for ident, kind, text in found.changed:
            newer = self.index.entry(task, self.index.gone_by(task, ident))
            if not newer or newer.text != text:
                told.append((kind, text, (newer.id if newer else ident,)))
        told += [(entries.WITHDRAW, "", (ident,)) for ident in found.gone if not self.index.gone_by(task, ident)]
        known = self.index.task(task)
        if found.goal and known and found.goal != known.goal:
            told.append((entries.GOAL, found.goal, ()))
        made: list[Entry] = []
        hand = self._hand(task)
        for kind, text, old in told:
            for piece in cut(text) or [""]:
                nth = len(made)
                made.append(self.make(task, kind, piece, nth, origin=hand, supersedes=old if not nth or old else ()))
        return made

    def _hand(self, task: str) -> str:
        """Whose the edits of a page are: a person's, unless the hook has seen an agent make them."""
        try:
            found = platform.read_file(record.hand_path(self.vault, task), 64).decode("utf-8", "replace")
        except OSError:
            return "user"
        return found if found in ORIGINS else ORIGINS[-1]

    def settle(self) -> None:
        """Render what was touched. A page or a disk that refuses it costs freshness; the log has everything."""
        if self._lock < 0:
            return
        try:
            self._settle()
        except REFUSALS as error:
            self.behind = str(error)

    def _settle(self) -> None:
        projects = set()
        touched = sorted(self._touched | self.index.behind())
        for task in touched:
            known = self.index.task(task)
            if known is None:
                continue
            projects.add(known.project)
            if record.logs(self.vault, task):  # else it is in the archive, and what is left of its folder is a person's
                self._render(task)
        self._touched.clear()
        for project in sorted(projects):
            boot.write(self.vault, self.index, project, self.unread)
        unread = {one.task for one in self.unread}
        self.index.rendered(task for task in touched if task not in unread)

    def is_edited(self, task: str) -> bool:
        """Whether a page is not as it was rendered last, or not there: then a look renders it, and else it costs a
        read."""
        text = self._page(task)
        return text is None or text != self._read_base(self._base_path(task)) or self._displaced(task) is not None

    def touch(self, task: str) -> None:
        self._touched.add(task)

    def _render(self, task: str) -> None:
        for _ in range(TRIES):
            self.believe(task)
            if any(one.task == task for one in self.unread):
                return
            known = self.index.task(task)
            before = self._page(task)
            text = page.render(view.gather(self.index, known)) if known else ""
            if text == before or not known:
                return
            data = text.encode("utf-8", "replace")
            platform.write_atomic(self._coming_path(task), data, durable=False)
            if self._put(task, data, before):
                posix.rename(self._coming_path(task), self._base_path(task))
                return

    def _put(self, task: str, data: bytes, before: str | None) -> bool:
        """The new page in the place of the one that was read; False where somebody saved in between: their text lies
        aside then, and is believed next."""
        path, fresh = record.page_path(self.vault, task), self._fresh(task)
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
        displaced = self._displaced(task) if before is not None else None
        if displaced is not None and displaced != before:
            return False
        platform.remove(fresh)
        return True

    def _find(self, task: str, ident: str) -> Entry | None:
        found = self.index.ending(task, ident)
        return found[0] if len(found) == 1 else None

    def _cannot_read(self, task: str, why: str) -> None:
        if not any(one.task == task for one in self.unread):
            self.unread.append(Unread(task, why))

    def _page(self, task: str) -> str | None:
        path = record.page_path(self.vault, task)
        try:
            if platform.is_behind_link(self.vault, f"{record.FOLDER}/{task}"):
                raise OSError(40, "it lies behind a link")
            raw = platform.read_regular(path, LARGEST)
            return raw.decode("utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError:
            self._cannot_read(task, "it is no UTF-8 text")
        except OSError as error:
            self._cannot_read(task, error.strerror or "it cannot be read")
        return None

    def _displaced(self, task: str) -> str | None:
        try:
            return platform.read_regular(self._fresh(task), LARGEST).decode("utf-8", "replace")
        except OSError:
            return None

    def _base(self, task: str, text: str) -> str:
        """The rendering of ours that a page began as: the last one, or one that was being put in place when we were
        killed. "" where it was neither."""
        _, said = page.seal_of(text)
        for path in (self._base_path(task), self._coming_path(task)):
            base = self._read_base(path)
            if said and page.seal_of(base)[1] == said:
                return base
        return ""

    def _read_base(self, path: str) -> str:
        try:
            return platform.read_regular(path).decode("utf-8", "replace")
        except OSError:
            return ""

    def _base_path(self, task: str) -> str:
        return f"{record.own(self.vault)}/pages/{task}.md"

    def _coming_path(self, task: str) -> str:
        return f"{record.own(self.vault)}/pages/{task}.coming.md"

    def _fresh(self, task: str) -> str:
        return f"{record.own(self.vault)}/pages/{task}.fresh"


def is_there(path: str) -> bool:
    try:
        posix.stat(path)
    except OSError:
        return False
    return True


def _lock(path: str, patience: float) -> int:
    fd = posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except BlockingIOError:
            if time.monotonic() >= deadline:
                posix.close(fd)
                raise Busy(
                    "Another holdfast process has held the tasks for too long; nothing was written. "
                    "Run the same command again."
                ) from None
            time.sleep(0.002)

"""One change to the tasks, under their one lock: the logs are taken in, a person's edits believed, pages rendered.

    with Transaction(vault, clock) as work:
        work.add(task, entries)

Promise: when `add` returns, the entries are durable; the page and the index follow, and whatever kills us in between,
the next who opens the work finds the logs ahead of them and catches up. A person may save a page at the same moment:
old and new change places in one step, and what was displaced is looked at before it goes. What of it cannot be read
stays where it is, untouched, and is reported.
"""

from __future__ import annotations

import posix

from holdfast.capture import home, locks, platform
from holdfast.capture.ids import new_id
from holdfast.errors import HoldfastError, NotSaved
from holdfast.model import ORIGINS, value
from holdfast.tasks import boot, page, page_file, record, watch
from holdfast.tasks.index import Index
from holdfast.tasks.queries import Passing, Refused
from holdfast.tasks.record import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Self

REFUSALS = (OSError, Refused)  # of a disk, by way of the system or of the index
PATIENCE = 20.0  # seconds that one waits for another
REFUSED = (1, 13, 28, 30)  # EPERM, EACCES, ENOSPC, EROFS
BUSY = "Another holdfast process has held the tasks for too long; nothing was written. Run the same command again."
TRIES = 5  # to render a page while a person keeps saving it


@value
class Unread:
    """A page that cannot be read, and why; it is left as it is."""

    task: str
    why: str


class Transaction:
    """All tasks of a vault, for one process at a time."""

    def __init__(
        self, vault: str, clock: Callable[[], float], patience: float = PATIENCE, *, only_look: bool = False
    ) -> None:
        self.vault, self.clock, self.patience, self.only_look = vault, clock, patience, only_look
        self.unread: list[Unread] = []
        self.behind = ""  # why something that is derived could not be written; the logs have it all the same
        self._lock = -1
        self._touched: set[str] = set()

    def __enter__(self) -> Self:
        home.refuse_newer(self.vault)
        try:
            platform.make_folders(f"{record.own(self.vault)}/pages")
            self._lock = locks.taken(f"{record.own(self.vault)}/lock", self.patience, BUSY)
        except OSError as error:
            if not self.only_look or error.errno not in REFUSED:
                raise
            return self._from_the_logs()
        try:
            self.index = Index(self.vault)
            self.index.catch_up()
        except BaseException as error:
            posix.close(self._lock)
            self._lock = -1
            if self.only_look and isinstance(error, OSError) and error.errno in REFUSED:
                return self._from_the_logs()
            raise
        return self

    def _from_the_logs(self) -> Self:
        """In a sandbox that may write nothing: the logs say it all, and nothing of it is kept."""
        self.index = Index(self.vault, ":memory:")
        self.index.catch_up()
        return self

    def __exit__(self, failed: object, error: object, *_: object) -> None:
        try:
            if not failed:
                self.settle()
            elif isinstance(error, Refused) and not isinstance(error, Passing):
                self.index.drop()
                raise HoldfastError(
                    f"What is derived of the tasks is damaged ({error}); it is made anew. Run the same command again."
                ) from error
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
        try:
            self.index.catch_up()
        except REFUSALS as error:  # they are durable: whoever looks next takes them in
            self.behind = str(error)

    def make(self, task: str, kind: str, text: str, nth: int = 0, **more: Any) -> Entry:
        when = self.now(task)
        return Entry(new_id(when, nth), when, kind, text, **more)

    def believe(self, task: str) -> bytes | None:
        """Take a person's edits of a page into the log, before anything else is said of the task. Returns the page as
        it was read. What they saved in the moment of a rendering, and cannot be read, is given back its place."""
        fresh = page_file.fresh_path(self.vault, task)
        try:
            self._believe(task, page_file.content(fresh))
            platform.remove(fresh)  # before the page is believed, which may take back what this says
        except (page_file.Unreadable, OSError):
            page_file.give_back(fresh, record.page_path(self.vault, task))
        raw = None
        try:
            raw = page_file.read(self.vault, task)
            page_file.keep_base(self.vault, task, raw or b"")
            self._believe(task, raw)
        except page_file.Unreadable as why:
            if not any(one.task == task for one in self.unread):
                self.unread.append(Unread(task, str(why)))
        platform.remove(fresh)
        return raw

    def _believe(self, task: str, raw: bytes | None) -> None:
        """Raises Unreadable."""
        if raw is None:
            return
        text = page_file.text_of(raw)
        base = page_file.base_of(self.vault, task, text)
        if not page.is_edited(text):
            return  # a rendering of ours, of whichever machine
        made = self._as_entries(task, page_file.read_edits(text, base, lambda ident: self._find(task, ident, base)))
        if made:
            self.add(task, made)
        platform.remove(record.hand_path(self.vault, task))

    def _as_entries(self, task: str, found: page_file.Edits) -> list[Entry]:
        """A person's edits as entries. What was believed before, by somebody who was then killed, is not told again."""
        from holdfast.capture.flags import cut

        told: list[tuple[str, str, tuple[str, ...]]] = []
        for kind, text in found.fresh:
            known = self.index.entries(task, kind, in_force=True, newest=page.MOST)
            there = {one.text for one in known if one.id not in found.gone}
            told += [(kind, piece, ()) for piece in cut(text) if piece not in there]
        for ident, kind, text in found.changed:
            newest, pieces = self._newest(task, ident), cut(text)
            if newest.kind != kind or newest.text not in pieces:
                told += [(kind, piece, (newest.id,)) for piece in pieces]
        told += [(record.WITHDRAW, "", (ident,)) for ident in found.gone if not self.index.gone_by(task, ident)]
        told += [(record.GOAL, piece, ()) for piece in cut(found.goal)[:1] if self._is_new_goal(task, piece, found)]
        try:  # whose edits these are: a person's, unless the hook has seen an agent make them
            hand = platform.read_file(record.hand_path(self.vault, task), 64).decode("utf-8", "replace")
            hand = hand if hand in ORIGINS else ORIGINS[-1]
        except OSError:
            hand = "user"
        return [
            self.make(task, kind, text, nth, origin=hand, supersedes=old) for nth, (kind, text, old) in enumerate(told)
        ]

    def _newest(self, task: str, ident: str) -> Entry:
        """The entry that stands in the place of this one now, of whichever task, after all that superseded it."""
        newest = self.index.entry(task, ident)
        assert newest is not None  # the page's ids were looked up
        seen = {ident}
        while (by := self.index.gone_by(self.index.home_of(newest.id), newest.id)) not in seen:
            seen.add(by)
            newer = self.index.entry(self.index.home_of(by), by)
            if newer is None or newer.kind == record.WITHDRAW:
                break
            newest = newer
        return newest

    def _is_new_goal(self, task: str, goal: str, found: page_file.Edits) -> bool:
        """A page that has become old may only have the goal of then."""
        known = self.index.task(task)
        if not found.is_old:
            return bool(known and goal != known.goal)
        said = self.index.entries(task, record.GOAL, record.STATE)
        return goal not in {one.text for one in said if one.kind == record.GOAL or one.project}

    def settle(self) -> None:
        """Render what was touched. A page or a disk that refuses it costs freshness; the log has everything."""
        if self._lock < 0:
            return
        try:
            self._settle()
        except (NotSaved, *REFUSALS) as error:
            self.behind = str(error)
            if isinstance(error, Refused) and not isinstance(error, Passing):
                self.index.drop()

    def _settle(self) -> None:
        behind, projects = self.index.behind()
        touched = sorted(self._touched | behind)
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
            watch.write(self.vault, self.index, project)
        unread = {one.task for one in self.unread}
        self.index.rendered(task for task in touched if task not in unread)

    def is_edited(self, task: str) -> bool:
        """Whether a page is not as it was rendered last, or not there: then a look renders it."""
        try:
            raw = page_file.read(self.vault, task)
        except page_file.Unreadable:
            return True
        return (
            raw is None
            or raw != page_file.content(page_file.base_path(self.vault, task))
            or platform.is_there(page_file.fresh_path(self.vault, task))
        )

    def touch(self, task: str) -> None:
        self._touched.add(task)

    def look_over(self) -> None:
        """Touch every open task whose page somebody edited, or of which no start is told."""
        for name in record.open_tasks(self.vault):
            known = self.index.task(name)
            is_told = known is not None and (known.is_over or home.has_tasks(home.state(self.vault), known.project))
            if not is_told or self.is_edited(name):
                self.touch(name)

    def _render(self, task: str) -> None:
        for _ in range(TRIES):
            before = self.believe(task)
            known = self.index.task(task)
            if known is None or any(one.task == task for one in self.unread):
                return
            data = page.render(page.gather(self.index, known)).encode("utf-8", "replace")
            if data == before:
                return
            platform.write_atomic(page_file.coming_path(self.vault, task), data, durable=False)
            if page_file.put(self.vault, task, data, before):
                posix.rename(page_file.coming_path(self.vault, task), page_file.base_path(self.vault, task))
                return

    def _find(self, task: str, ident: str, base: str) -> Entry | None:
        """The entry that an id on the page means. Of several that end alike only one was shown."""
        found = self.index.ending(task, ident)
        if len(found) > 1:
            shown = [line for line in base.split("\n") if line.endswith(f" ^{ident.lower()}")]
            found = [one for one in found if any(page.stamp(one.time) in at and one.text in at for at in shown)]
        return found[0] if len(found) == 1 else None

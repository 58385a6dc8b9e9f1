"""The memory that a started host gets, and the record of the sessions that `task run` started.

The memory is what a start in the task's project says (tasks/boot) with the protocol, bounded and fenced: remembered
text is no order. Each session is kept in the task's log, in the ledger, and for the next start. Neither the prompt nor
any argument of the command is kept, only the program's name: secrets may stand in the others. A task that is over gets
no entry more, because an entry would open its archived memory again: then only the ledger has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import episodes, home, ledger, notices, platform
from holdfast.errors import HoldfastError, UsageError
from holdfast.tasks import boot, page, record, states
from holdfast.tasks.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.tasks.index import Index
    from holdfast.tasks.questions import Task
    from holdfast.tasks.record import Entry
    from holdfast.tasks.run.process import Ended


CHARACTERS = 9000
RESERVED = 80  # of them, for what says how much was left out
FENCE, FENCE_ENDS = "<holdfast-memory>", "</holdfast-memory>"


def prefix(vault: str, named: str, clock: Callable[[], float]) -> str:
    """Where the memory is kept, the next step, the decisions in force, where the work stands, what was found out.
    Raises NotFound, UsageError."""
    with Desk(vault, clock) as desk:
        task = states.by_name(desk.index, named)
        desk.believe(task.id)
        unread = next((one.why for one in desk.unread if one.task == task.id), "")
        task = desk.index.task(task.id) or task
        seen = page.gather(desk.index, task, most=boot.MOST, characters=boot.CHARACTERS)
        items, more = boot.items(task, seen, unread)
        newest = last(desk.index, task.id)
    if newest and newest.to == DIED:
        line = f"The session before this one died ({newest.text}): look at the tree before you trust it."
        items.insert(1, (line, "", boot.FIRST))
    head = f"Read {record.page_path(vault, task.id)} first: the memory of task {task.id}, which you go on with."
    foot = states.block("prompt")
    lines, left = _fitting(items, CHARACTERS - len(head) - len(foot) - len(FENCE) - len(FENCE_ENDS) - RESERVED)
    if more + left:
        lines.append(f"({more + left} more: `holdfast task show {task.id}`)")
    return "\n".join([head, FENCE, *lines, FENCE_ENDS, foot])


def _fitting(items: list[tuple[str, str, int]], room: int) -> tuple[list[str], int]:
    """As many as fit, by their rank, in short where they do not fit whole; how many were left out."""
    chosen: dict[int, str] = {}
    for at in sorted(range(len(items)), key=lambda at: items[at][2]):
        text, short, _ = items[at]
        fits = next((one for one in (_escaped(text), _escaped(short)) if one and len(one) < room), None)
        if fits:
            chosen[at] = fits
            room -= len(fits) + 1
    return [chosen[at] for at in sorted(chosen)], len(items) - len(chosen)


def _escaped(text: str) -> str:
    """What is remembered cannot close the fence or open another."""
    return re.sub(r"<(?=[\s/!?a-zA-Z]|$)", "&lt;", text)


BEGAN, ENDED, DIED = "began", "ended", "died"  # `to` of an entry of kind RUN
WRITTEN = (*record.SECTIONS, record.FINDING, record.WITHDRAW, record.GOAL)


@dataclass(frozen=True)
class Began:
    """A session that was written down: when, and how many entries the task had then."""

    time: float
    entries: int


@dataclass(frozen=True)
class Session:
    """One session that is over, and what it left."""

    ended: Ended
    wrote: int
    state: str


@dataclass(frozen=True)
class Book:
    """Where the sessions of one run of a task are written down."""

    vault: str
    task: str
    program: str
    origin: str
    clock: Callable[[], float]

    def begin(self) -> Began:
        """Raises UsageError where nobody may work on the task; NotSaved."""
        with Desk(self.vault, self.clock) as desk:
            task = states.by_name(desk.index, self.task)
            refuse(task)
            number = 1 + sum(one.to == BEGAN for one in desk.index.entries(task.id, record.RUN))
            began = self._entry(desk, f"{self.program}, session {number}", BEGAN)
            told = [began]
            if task.state != states.RESUMED and not self._goes_on(task):
                to = states.ACTIVE if task.state == states.STARTED else states.RESUMED
                told.append(desk.make(task.id, record.STATE, "", 1, to=to, origin=self.origin))
            desk.add(task.id, told)
            before = _written(desk.index, task.id)
        self._tell(began, task)
        return Began(began.time, before)

    def end(self, began: Began, ended: Ended) -> Session:
        with Desk(self.vault, self.clock) as desk:
            task = states.by_name(desk.index, self.task)
            wrote = max(0, _written(desk.index, task.id) - began.entries)
            seconds = max(0.0, self.clock() - began.time)
            told = f"{self.program} {ended.how} after {seconds:.0f} s; it wrote {many(wrote, 'entry', 'entries')}"
            one = self._entry(desk, told, DIED if ended.status else ENDED)
            if not task.is_over:
                desk.add(task.id, [one])
        self._tell(one, task, status=ended.status, seconds=round(seconds, 3), wrote=wrote)
        self._leave_word(task, one)
        return Session(ended, wrote, task.state)

    def end_what_was_left(self) -> None:
        """A run before us was killed and its host is gone: its last word is missing, unless it had just said it."""
        with Desk(self.vault, self.clock) as desk:
            task = states.by_name(desk.index, self.task)
            before = last(desk.index, task.id)
            if task.is_over or not before or before.to != BEGAN:
                return
            how = "its runner was killed or the machine went down; how it ended is not known"
            one = self._entry(desk, f"{before.text}: {how}", DIED)
            desk.add(task.id, [one])
        self._tell(one, task)
        self._leave_word(task, one)

    def _entry(self, desk: Desk, text: str, to: str) -> Entry:
        return desk.make(self.task, record.RUN, text, to=to, origin=self.origin)

    def _goes_on(self, task: Task) -> bool:
        """Whether the session that last worked on the task does so still: then nothing was left to be resumed."""
        now = self.clock()
        live = episodes.in_live(home.state(self.vault), now) if task.episode else []
        known = [(one, seen) for one, seen in live if one.key == task.episode and one.state == episodes.OPEN]
        return any(platform.alive(one.process, seen, now) for one, seen in known)

    def _leave_word(self, task: Task, one: Entry) -> None:
        """The next start says that a session died; one that went well takes that back."""
        state, name = home.state(self.vault), f"{record.DEAD}{task.id}"
        if one.to != DIED or task.is_over:
            notices.remove(state, name, task.project)
            return
        line = (
            f"A session of task {task.id} that `task run` started died: {one.text}. Look at the tree before you trust "
            f"its progress; `holdfast task show {task.id}` has what it wrote."
        )
        try:
            notices.leave(state, name, line, one.time, project=task.project, once=True)
        except OSError:
            return  # the log has it

    def _tell(self, one: Entry, task: Task, **more: object) -> None:
        told = {"task": task.id, "entry": one.id, "section": one.kind, "project": task.project, "to": one.to}
        try:
            ledger.append(home.state(self.vault), "task", one.time, **told, program=self.program, **more)
        except (HoldfastError, OSError):
            return  # the log has it


def refuse(task: Task) -> None:
    """Raises UsageError where nobody may work on a task."""
    if task.state in states.OVER:
        kept = f"outputs/{record.FINAL}{task.id}.md"
        raise UsageError(f"Task {task.id} is {task.state}; nothing was started. Its memory is kept in {kept}.")
    if task.state in states.RESTING:
        raise UsageError(
            f"Task {task.id} is {task.state}; nothing was started. Resume it first: `holdfast task resume {task.id}`."
        )


def last(index: Index, task: str) -> Entry | None:
    """The newest word on a run of a task."""
    return next(index.entries(task, record.RUN, newest=1), None)


def many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _written(index: Index, task: str) -> int:
    return sum(index.count(task, kind) for kind in WRITTEN)

"""`task run`: a host is started for a task, with the task's memory before its prompt, and what became of it is kept.

Promise: every session that was started stands in the task's log with how it ended, and one that died says so at the
next start; killed at any point, the next run finds what is missing and records it first. Two never run at once
(tasks/run_process). Sessions follow each other only while they write entries: three in a row without any would go on
costing money, so it stops there.

The memory is what a start in the task's project says (tasks/boot) with the protocol, bounded and fenced: remembered
text is no order. Neither the prompt nor any argument of the command is kept, only the program's name: secrets may stand
in the others. A task that is over gets no entry more, because an entry would open its archived memory again: then only
the ledger has it.
"""

from __future__ import annotations

import re
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.capture import episodes, home, ledger, notices, platform
from holdfast.errors import HoldfastError, UsageError
from holdfast.model import value
from holdfast.tasks import boot, page, record, run_command, run_process, states
from holdfast.tasks.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.capture.flags import Speaker
    from holdfast.tasks.index import Index
    from holdfast.tasks.queries import Task
    from holdfast.tasks.record import Entry
    from holdfast.tasks.run_process import Ended, Signals

SILENT = 3  # sessions in a row that wrote nothing
NOT_COMPLETE = 15  # exit status
CHARACTERS = 9000
RESERVED = 80  # of them, for what says how much was left out
FENCE, FENCE_ENDS = "<holdfast-memory>", "</holdfast-memory>"
BEGAN, ENDED, DIED = "began", "ended", "died"  # `to` of an entry of kind RUN
WRITTEN = (*record.SECTIONS, record.FINDING, record.WITHDRAW, record.GOAL)


@value
class Wish:
    """A command to run for a task. `max_sessions` 0 means one, or 20 of them until the task is complete."""

    task: str
    command: tuple[str, ...]
    max_sessions: int = 0
    until_complete: bool = False

    @property
    def most(self) -> int:
        return self.max_sessions or (states.MOST_SESSIONS if self.until_complete else 1)


@value
class Ran:
    """How it went: how many sessions, the status to exit with, the task's state, and a sentence where one is due."""

    task: str
    sessions: int
    status: int
    state: str
    why: str = ""


@value
class _Start:
    """How each session of one run is started. `said` is what stdin had, where the prompt comes from there."""

    wish: Wish
    cwd: str
    env: Mapping[str, str]
    where: run_command.Insertion | None
    said: bytes | None


def run(vault: str, cwd: str, wish: Wish, speaker: Speaker, clock: Callable[[], float], env: Mapping[str, str]) -> Ran:
    """Run a task's sessions. Raises UsageError, NotFound, Busy: then nothing was started; NotSaved."""
    where = run_command.place(wish.command)
    with Transaction(vault, clock) as work:
        task = states.by_name(work.index, wish.task, speaker.project.id)
    if task.state == states.COMPLETED and wish.until_complete:
        return Ran(task.id, 0, 0, task.state, f"Task {task.id} is completed; nothing was started.")
    refuse(task)
    program = wish.command[0]
    if not shutil.which(program, path=env.get("PATH")):
        what = f"{program} is no program that can be started here (see PATH, which cron keeps short)"
        status = NOT_COMPLETE if wish.until_complete else run_process.CANNOT
        return Ran(task.id, 0, status, task.state, f"{what}; nothing was started.")
    start = _Start(wish, cwd, env, where, _stdin() if where and not where.word else None)
    book = Book(vault, task.id, run_command.program(wish.command), speaker.origin, clock)
    done = silent = 0
    with run_process.held(vault, task.id, clock()) as lock, run_process.Signals() as signals:
        if lock.left:
            book.end_what_was_left()
        while True:
            session = _session(book, start, lock, signals)
            done += 1
            silent = 0 if session.wrote else silent + 1
            why = _stops(book, wish, session, done, silent, signals.got)
            if why is not None:
                return Ran(book.task, done, _status(wish, session, signals.got), session.state, why)


def _stdin() -> bytes:
    """All of stdin. Raises UsageError where nobody has written a prompt."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "The command has no prompt and stdin is a terminal; nothing was started. Write one, or "
            f"{run_command.PLACEHOLDER} where the task's memory belongs."
        )
    return sys.stdin.buffer.read()


def _session(book: Book, start: _Start, lock: run_process.Held, signals: Signals) -> Session:
    memory = prefix(book.vault, book.task, book.clock).replace("\0", "\ufffd")  # which no argument can hold
    began = book.begin()
    command = run_command.put(start.wish.command, start.where, memory)
    path = f"{record.own(book.vault)}/run/{book.task}.memory"
    env = {**start.env, states.VARIABLE: book.task, run_command.VARIABLE: memory, run_command.FILE_VARIABLE: path}
    raw = memory.encode("utf-8", "surrogateescape")
    asked = None if start.said is None else raw + b"\n" + start.said
    try:
        with suppress(OSError):  # the variable has it too
            platform.write_atomic(path, raw, durable=False)
        return book.end(began, run_process.run(command, env, start.cwd, asked, lock.note_host, signals))
    finally:
        platform.remove(path)


def _stops(book: Book, wish: Wish, session: Session, done: int, silent: int, signal: int) -> str | None:
    """Why no other session follows; None where one does, "" where nothing needs to be said."""
    task, state = book.task, session.state
    how = f"{book.program} {session.ended.how}" if session.ended.status else ""
    if signal:
        return f"Stopped by {run_process.name(signal)} in session {done}; task {task} is {state}."
    if state in states.OVER:
        return f"Task {task} is {state} after {many(done, 'session', 'sessions')}."
    if state in states.RESTING:
        return f"Task {task} is {state}; go on with it by `holdfast task resume {task}`."
    if session.ended.status == run_process.CANNOT:
        return f"{how}; task {task} is {state}."
    if done < wish.most and silent < SILENT:
        return None
    if wish.most == 1:
        return f"{how}; task {task} is {state} and can be gone on with." if how else ""
    if silent >= SILENT:
        return (
            f"{SILENT} sessions in a row wrote no entry to task {task}, which is {state}; no other was started: "
            "it would only cost money. See what the host said, and whether it may run `holdfast task checkpoint`."
        )
    return f"{many(done, 'session', 'sessions')} ran, and task {task} is {state}. Run it again to go on."


def _status(wish: Wish, session: Session, signal: int) -> int:
    if signal:
        return 128 + signal
    if wish.until_complete:
        return 0 if session.state == states.COMPLETED else NOT_COMPLETE
    return session.ended.status


def prefix(vault: str, named: str, clock: Callable[[], float]) -> str:
    """The memory for a prompt: where it is kept, the next step, the decisions in force, where the work stands, what was
    found out. Raises NotFound, UsageError."""
    with Transaction(vault, clock) as work:
        task = states.by_name(work.index, named)
        work.believe(task.id)
        unread = next((one.why for one in work.unread if one.task == task.id), "")
        task = work.index.task(task.id) or task
        seen = page.gather(work.index, task, most=boot.MOST, characters=boot.CHARACTERS)
        items, more = boot.items(task, seen, unread)
        newest = last(work.index, task.id)
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
    """As many as fit, by their rank, in short where they do not fit whole; how many were left out. What is remembered
    cannot close the fence or open another."""
    chosen: dict[int, str] = {}
    for at in sorted(range(len(items)), key=lambda at: items[at][2]):
        forms = (re.sub(r"<(?=[\s/!?a-zA-Z]|$)", "&lt;", text) for text in items[at][:2])
        fits = next((one for one in forms if one and len(one) < room), None)
        if fits:
            chosen[at] = fits
            room -= len(fits) + 1
    return [chosen[at] for at in sorted(chosen)], len(items) - len(chosen)


@value
class Began:
    """A session that was written down: when, and how many entries the task had then."""

    time: float
    entries: int


@value
class Session:
    """One session that is over, and what it left."""

    ended: Ended
    wrote: int
    state: str


@value
class Book:
    """The record of the sessions of one run of a task: in the task's log, in the ledger, and for the next start."""

    vault: str
    task: str
    program: str
    origin: str
    clock: Callable[[], float]

    def begin(self) -> Began:
        """Raises UsageError where nobody may work on the task; NotSaved."""
        with Transaction(self.vault, self.clock) as work:
            task = states.by_name(work.index, self.task)
            refuse(task)
            number = 1 + sum(one.to == BEGAN for one in work.index.entries(task.id, record.RUN))
            began = self._entry(work, f"{self.program}, session {number}", BEGAN)
            told = [began]
            if task.state != states.RESUMED and not self._goes_on(task):
                to = states.ACTIVE if task.state == states.STARTED else states.RESUMED
                told.append(work.make(task.id, record.STATE, "", 1, to=to, origin=self.origin))
            work.add(task.id, told)
            before = _written(work.index, task.id)
        self._tell(began, task)
        return Began(began.time, before)

    def end(self, began: Began, ended: Ended) -> Session:
        with Transaction(self.vault, self.clock) as work:
            task = states.by_name(work.index, self.task)
            wrote = max(0, _written(work.index, task.id) - began.entries)
            seconds = max(0.0, self.clock() - began.time)
            told = f"{self.program} {ended.how} after {seconds:.0f} s; it wrote {many(wrote, 'entry', 'entries')}"
            one = self._entry(work, told, DIED if ended.status else ENDED)
            if not task.is_over:
                work.add(task.id, [one])
        self._tell(one, task, status=ended.status, seconds=round(seconds, 3), wrote=wrote)
        self._leave_word(task, one)
        return Session(ended, wrote, task.state)

    def end_what_was_left(self) -> None:
        """A run before us was killed and its host is gone: its last word is missing, unless it had just said it."""
        with Transaction(self.vault, self.clock) as work:
            task = states.by_name(work.index, self.task)
            before = last(work.index, task.id)
            if task.is_over or not before or before.to != BEGAN:
                return
            how = "its runner was killed or the machine went down; how it ended is not known"
            one = self._entry(work, f"{before.text}: {how}", DIED)
            work.add(task.id, [one])
        self._tell(one, task)
        self._leave_word(task, one)

    def _entry(self, work: Transaction, text: str, to: str) -> Entry:
        return work.make(self.task, record.RUN, text, to=to, origin=self.origin)

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
        with suppress(OSError):  # the log has it
            notices.leave(state, name, line, one.time, project=task.project, once=True)

    def _tell(self, one: Entry, task: Task, **more: object) -> None:
        told = {"task": task.id, "entry": one.id, "section": one.kind, "project": task.project, "to": one.to}
        with suppress(HoldfastError, OSError):  # the log has it
            ledger.append(home.state(self.vault), "task", one.time, **told, program=self.program, **more)


def refuse(task: Task) -> None:
    """Raises UsageError where nobody may work on a task."""
    if task.is_over:
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

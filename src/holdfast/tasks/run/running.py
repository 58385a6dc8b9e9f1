"""`task run`: a host is started for a task, with the task's memory before its prompt, and what became of it is kept.

Promise: every session that was started stands in the task's log with how it ended, and one that died says so at the
next start; killed at any point, the next run finds what is missing and records it first (tasks/run/recording). Two
never run at once (tasks/run/lock). Sessions follow each other only while they write entries: three in a row without any
would go on costing money, so it stops there.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.errors import UsageError
from holdfast.tasks import record, states
from holdfast.tasks.desk import Desk
from holdfast.tasks.run import process, recording, words
from holdfast.tasks.run.recording import Book, Session, many, prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.capture.flagging import Speaker
    from holdfast.tasks.run.process import Signals

__all__ = ["NOT_COMPLETE", "SILENT", "Ran", "Wish", "prefix", "run"]
SILENT = 3  # sessions in a row that wrote nothing
NOT_COMPLETE = 15  # exit status


@dataclass(frozen=True)
class Wish:
    """What is to be run for which task. `max_sessions` 0 means one, or 20 of them until the task is complete."""

    task: str
    command: tuple[str, ...]
    max_sessions: int = 0
    until_complete: bool = False

    @property
    def most(self) -> int:
        return self.max_sessions or (states.MOST_SESSIONS if self.until_complete else 1)


@dataclass(frozen=True)
class Ran:
    """How it went: how many sessions, the status to exit with, the task's state, and a sentence where one is due."""

    task: str
    sessions: int
    status: int
    state: str
    why: str = ""


@dataclass(frozen=True)
class _Start:
    """How each session of one run is started. `said` is what stdin had, where the prompt comes from there."""

    wish: Wish
    cwd: str
    env: Mapping[str, str]
    where: words.Place | None
    said: bytes | None


def run(vault: str, cwd: str, wish: Wish, speaker: Speaker, clock: Callable[[], float], env: Mapping[str, str]) -> Ran:
    """Run a task's sessions. Raises UsageError, NotFound, Busy: then nothing was started; NotSaved."""
    where = words.place(wish.command)
    with Desk(vault, clock) as desk:
        task = states.by_name(desk.index, wish.task, speaker.project.id)
    if task.state == states.COMPLETED and wish.until_complete:
        return Ran(task.id, 0, 0, task.state, f"Task {task.id} is completed; nothing was started.")
    recording.refuse(task)
    program = wish.command[0]
    if not shutil.which(program, path=env.get("PATH")):
        why = (
            f"{program} is no program that can be started here (see PATH, which cron keeps short); nothing was started."
        )
        return Ran(task.id, 0, NOT_COMPLETE if wish.until_complete else process.CANNOT, task.state, why)
    start = _Start(wish, cwd, env, where, _stdin() if where and not where.word else None)
    book = Book(vault, task.id, words.program(wish.command), speaker.origin, clock)
    with process.held(vault, task.id, clock()) as lock, process.Signals() as signals:
        if lock.left:
            book.end_what_was_left()
        return _sessions(book, start, lock, signals)


def _stdin() -> bytes:
    """All of it. Raises UsageError where nobody has written a prompt."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "The command has no prompt and stdin is a terminal; nothing was started. Write one, or "
            f"{words.PLACEHOLDER} where the task's memory belongs."
        )
    return sys.stdin.buffer.read()


def _sessions(book: Book, start: _Start, lock: process.Held, signals: Signals) -> Ran:
    done = silent = 0
    while True:
        session = _session(book, start, lock, signals)
        done += 1
        silent = 0 if session.wrote else silent + 1
        why = _stops(book, start.wish, session, done, silent, signals.got)
        if why is not None:
            return Ran(book.task, done, _status(start.wish, session, signals.got), session.state, why)


def _session(book: Book, start: _Start, lock: process.Held, signals: Signals) -> Session:
    memory = prefix(book.vault, book.task, book.clock).replace("\0", "\ufffd")  # which no argument can hold
    began = book.begin()
    command = words.put(start.wish.command, start.where, memory)
    path = f"{record.own(book.vault)}/run/{book.task}.memory"
    env = {**start.env, states.VARIABLE: book.task, words.VARIABLE: memory, words.FILE_VARIABLE: path}
    raw = memory.encode("utf-8", "surrogateescape")
    asked = None if start.said is None else raw + b"\n" + start.said
    try:
        with suppress(OSError):  # the variable has it too
            platform.write_atomic(path, raw, durable=False)
        return book.end(began, process.run(command, env, start.cwd, asked, lock.note_host, signals))
    finally:
        platform.remove(path)


def _stops(book: Book, wish: Wish, session: Session, done: int, silent: int, signal: int) -> str | None:
    """Why no other session follows; None where one does, "" where nothing needs to be said."""
    task, state = book.task, session.state
    how = f"{book.program} {session.ended.how}" if session.ended.status else ""
    if signal:
        return f"Stopped by {process.name(signal)} in session {done}; task {task} is {state}."
    if state in states.OVER:
        return f"Task {task} is {state} after {many(done, 'session', 'sessions')}."
    if state in states.RESTING:
        return f"Task {task} is {state}; go on with it by `holdfast task resume {task}`."
    if session.ended.status == process.CANNOT:
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

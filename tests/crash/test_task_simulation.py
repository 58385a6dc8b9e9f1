"""A long task over sessions that are killed at random, with task memory and without it: what is done twice, what never.

A session is a process of its own that does what the protocol says: it asks for the next unit, looks at what is there if
that unit was begun, says that it begins, works, and says that it is done. Work is a real effect that happens again
if it is done again: a line at the end of the unit's file. SIGKILL falls after so many units, before a random effect of
the next one: an effect of the checkpoint, or of the work. In the second half a person edits the page between sessions.

Without memory the same sessions get as much done before they are killed; they know the list of units, and begin at the
first. HOLDFAST_SEED plays a run again.
"""

from __future__ import annotations

import json
import os
import random
import signal
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.cli import fast
from holdfast.tasks import record

from .support import NAME, SEED, count, dice
from .support_effects import Effects, in_a_child, put_in_place
from .support_task import Desktop, edit, texts_of, wrong_with

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.crash

UNITS, SESSIONS = {"short": (120, 12), "full": (500, 40)}[NAME]
EFFECTS = 80  # of one unit with its checkpoints, about: a blow behind the last of them falls in the next
OF_WORK = 3


class Plan(Effects):
    """Counts no effects until so many units are done; then kills before number `at`."""

    def __init__(self, after: int, at: int) -> None:
        super().__init__(0)
        self.after = after
        self.due = at

    def begin(self, unit: int) -> None:
        """A session begins its unit number so many."""
        if unit == self.after:
            self.done, self.at = 0, self.due


@dataclass(frozen=True)
class Blow:
    """When a session is killed: after so many units, and how far into the next one; None: never."""

    units: int
    share: float

    def plan(self, effects: int) -> Plan:
        return Plan(self.units, 1 + int(self.share * effects))


@dataclass
class Work:
    """The units' own files. A unit is whole when its file says so, and done as often as it says so."""

    folder: Path
    effects: Plan

    def path(self, unit: int) -> Path:
        return self.folder / f"unit-{unit:03d}"

    def is_whole(self, unit: int) -> bool:
        path = self.path(unit)
        return path.exists() and path.read_text().endswith("done\n")

    def do(self, unit: int) -> None:
        for line in ("begun\n", "half\n", "done\n"):
            fd = self.effects.open(str(self.path(unit)), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            self.effects.write(fd, line.encode())
            os.close(fd)


@dataclass
class Session:
    """One session with memory, inside its own process."""

    desk: Desktop
    work: Work
    chance: random.Random
    answers: Path = field(init=False)

    def __post_init__(self) -> None:
        self.answers = self.desk.base / "answer"

    def ask(self, *words: str) -> tuple[int, str]:
        """Type a command; its status and its answer."""
        to = os.open(self.answers, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(to, 1)
        os.close(to)
        return fast.run(["task", *words], self.desk.env, 0), self.answers.read_text()

    def checkpoint(self, section: str, text: str) -> None:
        status, _ = self.ask("checkpoint", f"--{section}", text)
        assert status == 0, text

    def run(self) -> int:
        """Work until nothing is left; how many units were worked on."""
        os.chdir(self.desk.folder)
        done = 0
        while True:
            self.work.effects.begin(done)
            status, answer = self.ask("next", "--json")
            if status:
                return done
            told = json.loads(answer)
            assert told["unit"], f"no unit is left, and the next step is {told['next']!r}"
            unit = int(told["unit"].rpartition(" ")[2])
            assert f"{unit:03d}" in told["next"], f"the next step is {told['next']!r} and the next unit {unit}"
            if not (told["begun"] and self.work.is_whole(unit)):
                self.checkpoint(record.PROGRESS, f"IN_PROGRESS: unit {unit:03d}")
                self.work.do(unit)
                done += 1
            self.checkpoint(record.PROGRESS, f"COMPLETED: unit {unit:03d}")
            self.say_more(unit)

    def say_more(self, unit: int) -> None:
        more = self.chance.random()
        if more < 0.1 and unit < UNITS:
            self.checkpoint(record.NEXT, f"begin with unit {unit + 1:03d}")
        elif more < 0.3:
            self.checkpoint(record.DISCOVERY, f"unit {unit:03d} has no date")
        elif more < 0.35:
            self.checkpoint(record.DECISION, f"DO NOT touch reports/{unit:03d}.csv because others read it")


@dataclass
class Person:
    """Somebody who edits session_memory.md between sessions."""

    chance: random.Random
    written: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)

    def edit(self, page: Path) -> None:
        text = page.read_text()
        shown = [one for one in self.written if f"{one} ^" in text and one not in self.withdrawn]
        agents = [line for line in text.split("\n") if "has no date ^" in line]
        shown += [line.partition(" — ")[2].rpartition(" ^")[0] for line in agents]
        old = self.chance.choice(shown) if shown and self.chance.random() < 0.5 else ""
        new = f"A person saw thing {len(self.written)} of it."
        edit(page, add=new, withdraw=old)
        self.written.append(new)
        self.withdrawn += [old] if old else []

    def wrong_with(self, shown: Sequence[str]) -> list[str]:
        lost = [one for one in self.written if one not in self.withdrawn and shown.count(one) != 1]
        return [f"lost or doubled: {lost}"] * bool(lost) + [
            f"withdrawn and back: {one}" for one in self.withdrawn if one in shown
        ]


def blows(chance: random.Random) -> list[Blow]:
    """All sessions but the last are killed, after about as many units as leave something for the last."""
    most = int(1.6 * UNITS / SESSIONS)
    return [Blow(chance.randint(0, most), chance.random()) for _ in range(SESSIONS - 1)]


def a_session(desk: Desktop, blow: Blow | None, nth: int, folder: Path) -> int | None:
    """One session in a process of its own; how many units it worked on, None where it was killed."""
    effects = blow.plan(EFFECTS) if blow else Plan(-1, 0)
    counted = desk.base / "counted"

    def work() -> None:
        put_in_place(effects, pytest.MonkeyPatch())
        session = Session(desk, Work(folder, effects), random.Random(f"{SEED} session {nth}"))
        try:
            counted.write_text(str(session.run()))
        except BaseException:
            traceback.print_exc()  # this process ends without a word
            raise

    return None if in_a_child(work) == signal.SIGKILL else int(counted.read_text())


def without_memory(folder: Path, lengths: Sequence[Blow], last: int) -> None:
    """The same sessions, as long, that know nothing of each other."""
    for blow in [*lengths, Blow(last, 2.0)]:
        effects = Plan(blow.units, 1 + int(blow.share * OF_WORK * 2)) if blow.share <= 1 else Plan(-1, 0)

        def work(effects: Plan = effects, most: int = blow.units) -> None:
            own = Work(folder, effects)
            for unit in range(1, min(UNITS, most + (effects.after >= 0)) + 1):
                effects.begin(unit - 1)
                own.do(unit)

        in_a_child(work)


def times_done(folder: Path) -> Counter[int]:
    """How often each unit was done."""
    found: Counter[int] = Counter()
    for path in folder.iterdir():
        found[int(path.name.rpartition("-")[2])] = path.read_text().count("done\n")
    return found


def numbers(done: Counter[int]) -> dict[str, Any]:
    return {
        "units": UNITS,
        "sessions": SESSIONS,
        "done_twice": sum(times > 1 for times in done.values()),
        "never_done": sum(done[unit] == 0 for unit in range(1, UNITS + 1)),
        "times_too_many": sum(max(0, times - 1) for times in done.values()),
    }


def test_a_task_over_killed_sessions_does_every_unit_once_with_memory(memory_path: Path) -> None:
    chance = dice("task simulation")
    desk = Desktop(memory_path, units=f"units 001-{UNITS:03d}")
    with_it, without_it = memory_path / "with", memory_path / "without"
    with_it.mkdir()
    without_it.mkdir()
    person = Person(chance)
    killed, worked = 0, None
    lengths = blows(chance)
    for nth, blow in enumerate(lengths):
        worked = a_session(desk, blow, nth, with_it)
        killed += worked is None
        if nth >= SESSIONS // 2:
            person.edit(desk.page)
    worked = a_session(desk, None, SESSIONS, with_it)
    assert worked is not None
    done = times_done(with_it)
    assert done == dict.fromkeys(range(1, UNITS + 1), 1), f"HOLDFAST_SEED={SEED}: {numbers(done)}"
    shown = texts_of(desk.shown())
    assert not person.wrong_with(shown), f"HOLDFAST_SEED={SEED}: {person.wrong_with(shown)}"
    assert desk.command("is-done", f"units 001-{UNITS:03d}")[0] == 0
    assert list(wrong_with(desk)) == []
    assert killed >= SESSIONS // 2, "too few were killed for this to say anything"

    without_memory(without_it, lengths, worked)
    count("with task memory", killed=killed, **numbers(done), edits=len(person.written) + len(person.withdrawn))
    forgetful = numbers(times_done(without_it))
    count("without", **forgetful)
    assert forgetful["done_twice"] > 0, "work that is done again is not seen"

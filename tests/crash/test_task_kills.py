"""A task's memory under kill -9, and with eight agents at once.

Every entry that was acknowledged is there afterwards, once; a person's edits of session_memory.md are believed, once;
the page is sealed, or is after the next look; and the index can be taken away at any moment: what is made anew from the
logs says the same. The victim's effects on the disk are counted in its own process, so it is killed before each of
them; those of SQLite are not ours to count, so strace kills there, and a clock kills anywhere.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from holdfast.capture import platform
from holdfast.cli import fast
from holdfast.memory import Memory
from holdfast.model import replace
from holdfast.tasks import record

from . import support_strace
from .support import NAME, SOURCE, count, dice, run
from .support_effects import Effects, forked, in_a_child, put_in_place
from .support_task import (
    OLD,
    PERSONS,
    TASK,
    TEXT,
    Desktop,
    a_desktop,
    edit,
    fast_command,
    module_command,
    texts_of,
    traced,
    wrong_after,
    wrong_with,
)

pytestmark = pytest.mark.crash

AGENTS, EACH = 8, 500
KILLS = {"short": 40, "full": 600}[NAME]
CALLS = ("pwrite64", "renameat2", "link", "unlink", "fdatasync", "fsync", "rename")


def agent(desk: Desktop, nth: int, how_many: int, first: int = 0) -> None:
    """In a forked process: checkpoint after checkpoint, each answer into a file of its own."""
    os.chdir(desk.folder)
    to = os.open(desk.base / f"said{nth}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(to, 1)
    for number in range(first, first + how_many):
        status = fast.run(["task", "checkpoint", "--json", "--discovery", f"agent {nth} found {number}"], desk.env, 0)
        if status:
            os._exit(status)


def acknowledged(desk: Desktop) -> dict[str, str]:
    """The ids and texts of everything that agents were told is saved."""
    found: dict[str, str] = {}
    for path in sorted(desk.base.glob("said*")):
        *lines, rest = path.read_text().split("\n")
        assert rest == "", "an answer is one small write: it cannot be cut"
        told = [json.loads(line)["entry"] for line in lines]
        found |= {one["id"]: one["text"] for one in told}
    return found


def test_eight_agents_checkpoint_one_task_at_once_and_no_entry_is_lost(tmp_path: Path, memory_path: Path) -> None:
    desk = Desktop(tmp_path if NAME == "full" else memory_path)
    children = [forked(partial(agent, desk, nth, EACH)) for nth in range(AGENTS)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * AGENTS
    said = acknowledged(desk)
    assert len(said) == AGENTS * EACH
    assert set(said.values()) == {f"agent {nth} found {number}" for nth in range(AGENTS) for number in range(EACH)}

    seen = desk.shown()
    listed = [one for one in seen.discoveries.entries if one.id in said]
    assert {one.id: one.text for one in listed} == said
    assert len(listed) == len(said) == len(seen.discoveries.entries)
    written = [one.id for one in desk.in_logs() if one.id in said]
    assert [one.id for one in listed] == written, "the order of time is not the order in which they were written"
    assert [one.time for one in listed] == sorted({one.time for one in listed})
    for nth in range(AGENTS):
        own = [one.text for one in listed if one.text.startswith(f"agent {nth} ")]
        assert own == [f"agent {nth} found {number}" for number in range(EACH)]
    assert desk.broken() == []
    assert list(wrong_with(desk)) == []
    on_page = [one for one in desk.page.read_text().split("\n") if " found " in one]
    assert [one.partition(" — ")[2].rpartition(" ^")[0] for one in on_page] == [one.text for one in listed[-150:]]
    whole = run(module_command("show", TASK, "--all"), desk.vault, extra={"PYTHONPATH": str(SOURCE)}).stdout
    assert [f"{one.partition(' — ')[2].rpartition(' ^')[0]}" for one in whole.split("\n") if "Z — agent " in one] == [
        one.text for one in listed
    ]
    count("agents at once", agents=AGENTS, entries=len(listed), lost=len(said.keys() - {one.id for one in listed}))


def test_eight_real_commands_at_once_are_all_saved(tmp_path: Path) -> None:
    desk = Desktop(tmp_path)
    each = 3
    env = {**desk.env, "PYTHONPATH": str(SOURCE)}

    def command(nth: int, number: int) -> list[str]:
        return module_command("checkpoint", "--json", "--discovery", f"command {nth} found {number}")

    said = {}
    for number in range(each):
        commands = [
            subprocess.Popen(command(nth, number), cwd=desk.folder, env=env, stdout=subprocess.PIPE)
            for nth in range(AGENTS)
        ]
        for one in commands:
            answer, _ = one.communicate(timeout=60)
            assert one.returncode == 0
            made = json.loads(answer)["entry"]
            said[made["id"]] = made["text"]
    assert {one.id: one.text for one in desk.shown().discoveries.entries} == said
    assert len(said) == AGENTS * each
    assert list(wrong_with(desk)) == []
    count("agents at once", as_commands=len(said))


def test_a_checkpoint_killed_before_any_of_its_effects_loses_and_doubles_nothing(memory_path: Path) -> None:
    desk = a_desktop(memory_path)
    said = desk.base / "said"
    wrong: list[str] = []
    at = 0
    while True:
        at += 1
        said.write_text("")

        def work(at: int = at) -> None:
            os.chdir(desk.folder)
            to = os.open(said, os.O_WRONLY)
            os.dup2(to, 1)
            put_in_place(Effects(at), pytest.MonkeyPatch())
            assert fast.run(["task", "checkpoint", "--json", "--discovery", TEXT], desk.env, 0) == 0

        is_killed = in_a_child(work) == signal.SIGKILL
        answer = said.read_text()
        wrong += [f"killed before effect {at}: {what}" for what in wrong_after(desk, answer)]
        count("killed checkpoints", before_each_effect=is_killed, acknowledged=bool(answer), lost=0)
        desk.put_back()
        if not is_killed:
            break
    assert at > 20
    assert not wrong, "\n".join(wrong)


def test_a_person_who_edits_the_page_that_a_killed_checkpoint_left_is_believed(memory_path: Path) -> None:
    """The page may be new or old, and what we know of it too: a line that was taken out stays out."""
    desk = Desktop(memory_path)
    for text in (OLD, "another discovery"):
        desk.say(record.DISCOVERY, text)
    desk.keep()
    wrong: list[str] = []
    at = 0
    is_killed = True
    while is_killed:
        at += 1

        def work(at: int = at) -> None:
            os.chdir(desk.folder)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            put_in_place(Effects(at), pytest.MonkeyPatch())
            assert fast.run(["task", "checkpoint", "--json", "--discovery", TEXT], desk.env, 0) == 0

        is_killed = in_a_child(work) == signal.SIGKILL
        edit(desk.page, add=PERSONS, withdraw=OLD)
        seen = texts_of(desk.shown())
        if seen.count(PERSONS) != 1 or OLD in seen:
            wrong.append(f"edited after a kill before effect {at}: {seen}")
        count("killed checkpoints", edited_after=1)
        desk.put_back()
    assert at > 20
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("is_readable", [True, False])
def test_what_a_person_saves_in_the_moment_of_a_rendering_is_kept(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, is_readable: bool
) -> None:
    desk = Desktop(memory_path)
    desk.say(record.DISCOVERY, OLD)
    real = platform.exchange
    unreadable = "## Notes of mine\n\nwithout any order\n"
    saved = False

    def exchange(one: str, other: str) -> bool:
        nonlocal saved
        if not saved:
            saved = True
            edit(desk.page, add=PERSONS) if is_readable else desk.page.write_text(unreadable)
        return real(one, other)

    monkeypatch.setattr(platform, "exchange", exchange)
    desk.say(record.DISCOVERY, TEXT)
    assert saved
    assert {OLD, TEXT} <= set(texts_of(desk.shown()))
    if is_readable:
        assert texts_of(desk.shown()).count(PERSONS) == 1
    else:
        assert desk.page.read_text() == unreadable


def test_a_checkpoint_killed_in_any_call_of_sqlite_or_ours_loses_and_doubles_nothing(
    tmp_path: Path, strace: str
) -> None:
    desk = a_desktop(tmp_path)
    command = fast_command("checkpoint", "--json", "--discovery", TEXT)
    points = traced(desk, strace, command, CALLS)
    chance = dice("killed in calls")
    wrong: list[str] = []
    for name, nth in chance.sample(points, len(points) if NAME == "full" else min(len(points), 8)):
        injection = f"{name}:signal=KILL:when={nth}"
        done, _ = support_strace.record(strace, desk.vault, (name,), command, injections=[injection])
        assert done.returncode in (-9, 137), done
        wrong += [f"killed in {name} {nth}: {what}" for what in wrong_after(desk, done.stdout)]
        count("killed checkpoints", in_calls=1)
        desk.put_back()
    assert not wrong, "\n".join(wrong)


def test_agents_killed_at_random_moments_keep_what_was_acknowledged_and_what_a_person_wrote(
    tmp_path: Path, memory_path: Path
) -> None:
    for which, base in (("disk", tmp_path), ("memory", memory_path)):
        desk = Desktop(base)
        chance = dice(f"task kills {which}")
        persons: set[str] = set()
        withdrawn: set[str] = set()
        for nth in range(KILLS // 2):
            child = forked(partial(agent, desk, nth, 1000))
            pid_fd = os.pidfd_open(child)
            select.select([pid_fd], [], [], chance.uniform(0.0, 0.06))
            os.kill(child, signal.SIGKILL)
            assert os.waitpid(child, 0)[1] == signal.SIGKILL
            os.close(pid_fd)
            if chance.random() < 0.5:
                # Only what the page shows with an id is known to be an entry that somebody can take back.
                known = [one for one in sorted(persons - withdrawn) if f"{one} ^" in desk.page.read_text()]
                old = chance.choice(known) if known and nth % 3 == 0 else ""
                edit(desk.page, add=f"person line {nth}.", withdraw=old)
                persons.add(f"person line {nth}.")
                withdrawn |= {old} - {""}
        said = acknowledged(desk)
        assert list(wrong_with(desk)) == []
        listed = {one.id: one.text for one in desk.shown().discoveries.entries}
        assert said.items() <= listed.items(), f"lost: {sorted(said.keys() - listed.keys())[:5]}"
        texts = list(listed.values())
        assert len(texts) == len(set(texts)), "something is there twice"
        assert {one for one in texts if one.startswith("person")} == persons - withdrawn
        count(
            "killed checkpoints",
            at_random=KILLS // 2,
            acknowledged=len(said),
            lost=len(said.keys() - listed.keys()),
            edits_of_a_person=len(persons) + len(withdrawn),
        )


def test_after_a_clock_was_set_back_the_later_word_on_a_unit_still_holds(memory_path: Path) -> None:
    """A machine that crashed may come up with an older time."""
    desk = Desktop(memory_path)
    set_back = time.time() - 3600.0
    desk.memory = Memory(replace(desk.memory.at, clock=lambda: set_back))
    units = [f"batch_{nth}" for nth in range(8)]
    for unit in units:
        desk.say(record.PROGRESS, f"IN_PROGRESS: {unit}/orders.json")
        desk.say(record.PROGRESS, f"COMPLETED: {unit}/")
    seen = [desk.memory.tasks.is_done(f"{unit}/orders.json") for unit in units]
    assert seen == [True] * len(units)
    ids = [one.id for one in desk.shown().progress.entries]
    assert ids == sorted(ids)

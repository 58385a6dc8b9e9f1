"""Sleep that nobody asked for: started behind a close and by an idle server where it is due, and never against the
user's word."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from field_support import NOW, Room
from hook_support import Home, Terminal, wait_until

from holdfast.capture import config, episodes, home
from holdfast.capture.episodes import Episode
from holdfast.errors import Busy
from holdfast.memory import Memory
from holdfast.serve import sleep_watch
from holdfast.serve.service import Serving
from holdfast.sleep import trigger, turn

HOUR = 3600.0
MANY = 3
ENOUGH = f"least = {MANY}"


@pytest.fixture
def room(fresh: Home) -> Iterator[Room]:
    """A field with as many thoughts as sleep waits for, all of an hour ago."""
    made = Room(str(fresh.vault), meaning=False)
    made.now = NOW - HOUR
    for nth in range(MANY):
        made.think(f"order {nth} is kept in table {nth}")
    made.now = NOW
    write_settings(fresh, ENOUGH)
    yield made
    made.close()


@pytest.fixture
def sleeper(fresh: Home) -> Path:
    """The file that a started sleep writes its words to, in place of a night."""
    script, answer = fresh.folder / "python", fresh.folder / "answer"
    words = '"$HOLDFAST_HOME $HOLDFAST_CHILD $*"'
    script.write_text(f"#!/bin/sh\necho {words} > {answer}.tmp && mv {answer}.tmp {answer}\n")
    script.chmod(0o755)
    fresh.more.update(HOLDFAST_CLOSE="", HOLDFAST_PYTHON=str(script))
    return answer


def started(fresh: Home, **env: str) -> int:
    return trigger.start_if_due(str(fresh.vault), {**fresh.env, **env}, NOW)


def write_settings(fresh: Home, text: str) -> None:
    Path(config.path_of(fresh.state)).write_text(f"[sleep]\n{text}\n")


# --- the figures


def rest(room: Room) -> None:
    """A night has dealt with everything until now."""
    with room.field.store.writing():
        room.field.store.rested(dict(room.field.store.fresh(room.now, 100)))


def test_thoughts_that_were_written_or_read_since_the_last_sleep_are_counted_once(fresh: Home, room: Room) -> None:
    found = trigger.figures(str(fresh.vault), NOW)
    assert (found.volume, found.oldest) == (MANY, HOUR)
    rest(room)
    assert trigger.figures(str(fresh.vault), NOW + 9).volume == 0
    room.now = NOW + HOUR
    room.read("table 1", most=1)
    room.now = NOW + 2 * HOUR
    room.think("a new one, which is read at once")
    room.read("new one", most=1)
    found = trigger.figures(str(fresh.vault), NOW + 3 * HOUR)
    assert (found.volume, found.oldest) == (2, 2 * HOUR)


@pytest.mark.parametrize("what", ["missing", "garbage"])
def test_an_index_that_cannot_be_looked_at_has_nothing_to_sleep_over(fresh: Home, what: str) -> None:
    home.make_vault(str(fresh.vault))
    if what == "garbage":
        Path(f"{fresh.state}/field.db").write_bytes(b"no database at all" * 100)
    assert trigger.figures(str(fresh.vault), NOW).volume == 0
    assert not trigger.look(str(fresh.vault), fresh.env, NOW).is_due
    assert not Path(f"{fresh.state}/field.db-wal").exists()


def test_thoughts_from_before_a_clock_was_set_back_are_no_older_than_now(fresh: Home, room: Room) -> None:
    found = trigger.figures(str(fresh.vault), NOW - 365 * 24 * HOUR)
    assert found.volume == MANY
    assert "the oldest for 0 seconds" in trigger.look(str(fresh.vault), fresh.env, NOW - 365 * 24 * HOUR).why


# --- the start


def test_a_sleep_that_is_due_is_started_as_the_command_itself(fresh: Home, room: Room, sleeper: Path) -> None:
    pid = started(fresh)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    said = sleeper.read_text().split()
    assert said[:2] == [str(fresh.vault), "1"]
    assert said[-2:] == ["sleep", "--if-due"]
    assert turn.looked(fresh.state) == (NOW, trigger.look(str(fresh.vault), fresh.env, NOW).why)


@pytest.mark.parametrize(
    "env",
    [
        *({"HOLDFAST_SLEEP": word} for word in ("off", "OFF", "0", "no", "false")),
        {"HOLDFAST_CLOSE": "off"},
        {"HOLDFAST_CLOSE": "wait"},
        {"HOLDFAST": "off"},
    ],
)
def test_the_environment_keeps_sleep_from_starting(fresh: Home, room: Room, sleeper: Path, env: dict[str, str]) -> None:
    assert started(fresh, **env) == 0
    assert turn.looked(fresh.state) == (0.0, ""), "not even looked"


@pytest.mark.parametrize("text", ["auto = false", "enabled = false", "least = 4", "idle_minutes = 100000"])
def test_the_users_settings_keep_sleep_from_starting(fresh: Home, room: Room, sleeper: Path, text: str) -> None:
    assert trigger.look(str(fresh.vault), fresh.env, NOW).is_due
    write_settings(fresh, text if "least" in text else f"{ENOUGH}\n{text}")
    episodes.open_episode(fresh.state, Episode("generic", "s", 1, "app-1", "/app", NOW - 20 * HOUR))
    assert started(fresh) == 0


def test_no_sleep_is_started_while_a_session_speaks(fresh: Home, room: Room, sleeper: Path) -> None:
    one = episodes.open_episode(fresh.state, Episode("generic", "s", 1, "app-1", "/app", NOW - 60))
    assert started(fresh) == 0
    episodes.leave(fresh.state, one)
    pid = started(fresh)
    assert pid
    os.waitpid(pid, 0)


def test_no_second_sleep_is_started_beside_the_first(fresh: Home, room: Room, sleeper: Path) -> None:
    with turn.taken(fresh.state, NOW):
        assert started(fresh) == 0


def test_no_sleep_is_started_for_a_vault_that_is_not_there(fresh: Home, sleeper: Path) -> None:
    assert started(fresh) == 0
    assert fresh.files() == []


def test_a_pause_holds_for_sleep_too(fresh: Home, room: Room, sleeper: Path) -> None:
    Path(home.paused_path(str(fresh.vault))).touch()
    assert started(fresh) == 0


@pytest.mark.slow
def test_a_close_in_the_background_starts_the_sleep_that_is_due(fresh: Home, room: Room, sleeper: Path) -> None:
    memory = Memory.open(str(fresh.vault), str(fresh.project), lambda: NOW, fresh.env)
    memory.sessions.close_in_background()
    wait_until("sleep was started", sleeper.exists, 30.0)
    assert sleeper.read_text().split()[-2:] == ["sleep", "--if-due"]


@pytest.mark.slow
def test_a_close_while_its_session_goes_on_starts_none(fresh: Home, room: Room, sleeper: Path) -> None:
    episodes.open_episode(fresh.state, Episode("generic", "s", 1, "app-1", "/app", NOW - 60))
    memory = Memory.open(str(fresh.vault), str(fresh.project), lambda: NOW, fresh.env)
    memory.sessions.close_in_background(fresh.project_id())
    assert turn.looked(fresh.state) == (0.0, "")


@pytest.mark.slow
def test_a_sleep_that_nobody_asked_for_makes_way_for_another_without_an_error(
    fresh: Home, terminal: Terminal, room: Room
) -> None:
    room.close()
    with turn.taken(fresh.state, NOW):
        done = terminal("sleep", "--if-due")
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith("not now: This vault sleeps already, in process")
        assert terminal("sleep").status == Busy.exit_status, "whoever asks for one is told so"
    assert fresh.errors() == []


def test_asking_makes_no_vault(fresh: Home, terminal: Terminal) -> None:
    done = terminal("sleep", "--due")
    assert (done.status, done.out) == (1, "no: Nothing was written or read since the last sleep.\n")
    assert fresh.files() == []


@pytest.mark.slow
def test_the_command_that_was_started_runs_as_the_user_would_run_it(fresh: Home, room: Room) -> None:
    """The words that a trigger hands over reach the command line; what goes wrong there is in the ledger."""
    room.close()
    fresh.real = True
    done = fresh.fast("sleep", "--no-such-option")
    assert done.status == 1
    (error,) = fresh.errors()
    assert "--no-such-option" in error or '"sleep"' in error


# --- the server


def watch(fresh: Home, looks: int, between: Callable[[], None] = lambda: None) -> None:
    """So many looks of a server, without a wait; `between` two of them something may come about."""

    async def run() -> None:
        seen, done = 0, asyncio.Event()

        async def pause(seconds: float) -> None:
            nonlocal seen
            assert seconds == sleep_watch.EVERY
            if seen:
                await asyncio.to_thread(between)
            seen += 1
            if seen > looks:
                done.set()
                await asyncio.Event().wait()

        serving = Serving(str(fresh.vault), str(fresh.project), fresh.env, lambda: NOW)
        async with sleep_watch.watching(serving, pause):
            await asyncio.wait_for(done.wait(), 60.0)

    asyncio.run(run())


def children() -> list[str]:
    """Our processes, whichever thread started them: the kernel lists them by thread."""
    return [pid for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()]


def ended() -> list[str]:
    """Children of ours that are over and were not asked after."""
    return [pid for pid in children() if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"]


@pytest.mark.slow
def test_an_idle_server_starts_each_sleep_that_is_due_and_leaves_no_dead_process_behind(
    fresh: Home, room: Room, sleeper: Path
) -> None:
    begun = []

    def is_over() -> None:
        wait_until("sleep was started", sleeper.exists, 30.0)
        begun.append(sleeper.read_text().split()[-2:])
        sleeper.unlink()
        wait_until("it is over", lambda: len(ended()) > before, 30.0)

    before = len(ended())
    watch(fresh, 3, is_over)
    assert begun == [["sleep", "--if-due"]] * 3
    assert len(ended()) <= before + 1


@pytest.mark.slow
def test_a_server_starts_no_second_sleep_while_its_first_begins(fresh: Home, room: Room, sleeper: Path) -> None:
    slow = Path(fresh.more["HOLDFAST_PYTHON"])
    slow.write_text(f"#!/bin/sh\necho . >> {sleeper}\nexec sleep 300\n")
    watch(fresh, 5, lambda: wait_until("sleep was started", sleeper.exists, 30.0))
    assert sleeper.read_text() == ".\n"
    for pid in children():
        if Path(f"/proc/{pid}/cmdline").read_bytes() == b"sleep\x00300\x00":
            os.kill(int(pid), signal.SIGKILL)
            os.waitpid(int(pid), 0)

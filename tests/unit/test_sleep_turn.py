"""One sleep at a time, which stops when a session starts or speaks, and leaves word of when it was."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hook_support import SOURCE

from holdfast.capture import episodes
from holdfast.capture.episodes import Episode
from holdfast.errors import Busy
from holdfast.sleep import turn
from holdfast.sleep.due import Due

NOW = 1_800_000_000.0
SLEEPER = """
import sys
from holdfast.sleep import turn
with turn.taken(sys.argv[1], 1.0):
    print("asleep", flush=True)
    sys.stdin.read()
"""


def opened(state: str, session: str = "s", at: float = NOW) -> Episode:
    return episodes.open_episode(state, Episode("generic", session, 1, "app-1", "/app", at))


def test_a_second_sleep_is_told_of_the_first_and_changes_nothing(state: str) -> None:
    with turn.taken(state, NOW):
        assert turn.is_taken(state)
        told = rf"in process {os.getpid()} since 2027-01-15 08:00 UTC; nothing was changed"
        with pytest.raises(Busy, match=told), turn.taken(state, NOW + 1):
            raise AssertionError("both sleep")
        assert turn.is_taken(state)
    assert not turn.is_taken(state)
    with turn.taken(state, NOW + 2):
        assert turn.is_taken(state)


@pytest.mark.slow
def test_a_sleep_that_was_killed_keeps_nobody_from_the_next(state: str) -> None:
    command = [sys.executable, "-c", SLEEPER, state]
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as sleeper:
        assert sleeper.stdout
        assert sleeper.stdout.readline() == b"asleep\n"
        assert turn.is_taken(state)
        with pytest.raises(Busy), turn.taken(state, NOW):
            pass
        sleeper.kill()
        sleeper.wait()
    with turn.taken(state, NOW):
        assert turn.is_taken(state)


def test_a_night_that_fails_gives_its_turn_back(state: str) -> None:
    with pytest.raises(RuntimeError), turn.taken(state, NOW):
        raise RuntimeError
    assert not turn.is_taken(state)


def test_nothing_interrupts_a_night_in_which_nobody_speaks(state: str) -> None:
    opened(state, "open for hours")
    with turn.taken(state, NOW + 1) as before:
        assert not turn.is_interrupted(state, before)


def test_a_session_that_starts_interrupts_a_night(state: str) -> None:
    with turn.taken(state, NOW) as before:
        opened(state)
        assert turn.is_interrupted(state, before)


@pytest.mark.parametrize("later", [5.0, -86400.0])
def test_a_session_that_speaks_interrupts_a_night_whatever_the_clock_says(state: str, later: float) -> None:
    one = opened(state)
    with turn.taken(state, NOW) as before:
        episodes.touch(state, one, NOW + later)
        assert turn.is_interrupted(state, before)


def test_a_session_that_ends_does_not_interrupt_a_night(state: str) -> None:
    one = opened(state)
    with turn.taken(state, NOW) as before:
        episodes.leave(state, one)
        assert not turn.is_interrupted(state, before)


def test_a_look_is_noted_for_the_doctor(state: str) -> None:
    assert turn.looked(state) == (0.0, "")
    turn.note_look(state, NOW, Due(False, "Nothing was written."))
    assert turn.looked(state) == (NOW, "Nothing was written.")
    assert os.stat(turn.path_of(state, "looked")).st_mode & 0o777 == 0o600

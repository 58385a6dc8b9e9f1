"""When sleep is due: by volume or age, and never while somebody works; a clock that jumps makes nothing due."""

from __future__ import annotations

import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture import episodes, platform
from holdfast.capture.episodes import Episode
from holdfast.model import Process, replace
from holdfast.sleep.due import Due, Figures, Settings, due, idleness, is_active, settings

NOW = 1_800_000_000.0
MINUTE, HOUR = 60.0, 3600.0
HERE = platform.process(os.getpid())
USUAL = Settings()


def opened(state: str, session: str, last: float, process: Process | None = HERE) -> Episode:
    made = Episode("generic", session, 1, "app-1", "/app", NOW - HOUR, process=process)
    episodes.open_episode(state, made)
    episodes.touch(state, made, last)
    return made


@pytest.mark.parametrize(
    ("figures", "is_due"),
    [
        (Figures(40, 0.0), True),
        (Figures(39, 47.9 * HOUR), False),
        (Figures(1, 48 * HOUR), True),
        (Figures(0, 480 * HOUR), False),
        (Figures(40, 0.0, 20 * MINUTE), True),
        (Figures(40, 480 * HOUR, 19.9 * MINUTE), False),
    ],
)
def test_sleep_is_due_by_volume_or_age_once_it_is_quiet(figures: Figures, is_due: bool) -> None:
    assert due(figures, USUAL).is_due is is_due


def test_the_reason_is_one_sentence_with_the_figures() -> None:
    assert due(Figures(52, 3 * HOUR), USUAL) == Due(
        True, "52 thoughts are unprocessed, the oldest for 3 hours; 40 are enough, and no session is open."
    )
    assert due(Figures(1, 49 * HOUR, HOUR), USUAL).why == (
        "1 thought is unprocessed, the oldest for 2 days; 48 hours are enough, and a session spoke 1 hour ago."
    )
    assert due(Figures(7, HOUR), USUAL).why == (
        "7 thoughts are unprocessed, the oldest for 1 hour; sleep waits for 40 of them, or for 48 hours."
    )
    assert due(Figures(52, HOUR, 3 * MINUTE), USUAL).why == (
        "A session spoke 3 minutes ago, and sleep waits for 20 minutes of quiet; 52 thoughts are unprocessed, "
        "the oldest for 1 hour."
    )
    assert due(Figures(0, 0.0), USUAL).why == "Nothing was written or read since the last sleep."


def test_a_clock_that_was_set_back_makes_no_age_and_no_quiet() -> None:
    assert not due(Figures(39, -9e9), USUAL).is_due
    assert "the oldest for 0 seconds" in due(Figures(39, -9e9), USUAL).why
    assert not due(Figures(400, HOUR, -5.0), USUAL).is_due
    assert not due(Figures(39, math.nan), USUAL).is_due


def test_sleep_that_is_switched_off_is_never_due() -> None:
    found = due(Figures(10_000, 1e6), Settings(enabled=False))
    assert (found.is_due, "enabled = false" in found.why) == (False, True)


@given(
    st.integers(-5, 10**9),
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(allow_nan=True, allow_infinity=True),
    st.builds(Settings, least=st.floats(0, 1e9), oldest_hours=st.floats(0, 1e6), idle_minutes=st.floats(0, 1e6)),
)
def test_any_figures_have_one_answer_and_one_sentence(
    volume: int, oldest: float, idle: float, wanted: Settings
) -> None:
    found = due(Figures(volume, oldest, idle), wanted)
    assert found == due(Figures(volume, oldest, idle), wanted)
    assert found.why.endswith(".")
    assert "\n" not in found.why
    assert not (found.is_due and volume <= 0)


# --- settings


def test_without_settings_the_defaults_hold() -> None:
    assert settings({}) == Settings(True, True, 40, 48, 20, 0.25)


def test_settings_are_the_users_own() -> None:
    given = {"enabled": False, "auto": False, "least": 5, "oldest_hours": 1.5, "idle_minutes": 0, "share": 1}
    assert settings({"sleep": given}) == Settings(False, False, 5, 1.5, 0, 1.0)
    more = settings({"sleep": {"archive_days": 30, "merge_notes": True}})
    assert (more.archive_days, more.merge_notes) == (30, True)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("least", "many"),
        ("least", -1),
        ("least", True),
        ("oldest_hours", math.inf),
        ("idle_minutes", math.nan),
        ("enabled", "yes"),
        ("auto", 1),
    ],
)
def test_a_setting_that_is_not_understood_leaves_its_default_and_is_named(name: str, said: object) -> None:
    found = settings({"sleep": {name: said}})
    assert getattr(found, name) == getattr(USUAL, name)
    assert found.problem.startswith(f"{name} under [sleep] in config.toml is not understood")


def test_a_share_that_is_not_understood_is_none() -> None:
    found = settings({"sleep": {"share": 1.5}})
    assert (found.share, found.problem[:5]) == (0.0, "share")


# --- idleness


def test_a_machine_without_an_open_session_is_idle_without_end(state: str) -> None:
    assert idleness(state, NOW) == math.inf
    one = opened(state, "s", NOW)
    episodes.leave(state, episodes.end_episode(state, one, episodes.ENDED, "logout", NOW))
    assert idleness(state, NOW) == math.inf


def test_the_session_that_spoke_last_tells_how_long_it_is_quiet(state: str) -> None:
    opened(state, "one", NOW - HOUR)
    opened(state, "two", NOW - 5 * MINUTE)
    assert idleness(state, NOW) == 5 * MINUTE
    assert is_active(state, NOW, USUAL)
    assert not is_active(state, NOW + 15 * MINUTE, USUAL)


def test_a_session_whose_process_is_gone_keeps_nobody_awake(state: str) -> None:
    assert HERE
    opened(state, "dead", NOW - 1, replace(HERE, start=HERE.start + 1))
    assert idleness(state, NOW) == math.inf


def test_a_moment_in_the_future_counts_as_now(state: str) -> None:
    opened(state, "s", NOW + 30 * 24 * HOUR)
    assert idleness(state, NOW) == 0.0

"""Whether sleep is due: a pure function of three figures, and the settings that it is held against.

The figures are the unprocessed volume, the age of the oldest of it, and how long no session of this machine has spoken.
Whoever asks gets the same answer for the same figures, at any time: the command, a close, the server, the timer. A
clock that was set back makes no age negative and nothing due: time that nobody can vouch for counts as none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import config as settings_file
from holdfast.capture import episodes, platform
from holdfast.close import meter
from holdfast.text.layout import age, many

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTION = "sleep"
SWITCHES = ("enabled", "auto", "merge_notes")
HOUR, MINUTE = 3600.0, 60.0
LONGEST = 1e10  # seconds that an age is told of; more is no time at all


@dataclass(frozen=True)
class Figures:
    """`volume`: thoughts written or read since the last sleep. `oldest`: seconds since the first of them came. `idle`:
    seconds since the last moment of any open session on this machine, infinite where none is open."""

    volume: int
    oldest: float
    idle: float = math.inf


@dataclass(frozen=True)
class Settings:
    """The table [sleep] of this machine's config.toml. `enabled` is sleep at all, `auto` sleep that starts by itself,
    `share` its part of each daily cap; a night puts away what is at the floor and unread for `archive_days`, and merges
    notes by itself only with `merge_notes`. `problem` names the first entry that is not understood, whose default
    holds."""

    enabled: bool = True
    auto: bool = True
    least: float = 40
    oldest_hours: float = 48
    idle_minutes: float = 20
    share: float = meter.SHARE
    archive_days: float = 90
    merge_notes: bool = False
    problem: str = ""


NUMBERS = ("least", "oldest_hours", "idle_minutes", "archive_days")


@dataclass(frozen=True)
class Due:
    """The answer, and one sentence with the figures behind it."""

    is_due: bool
    why: str


def settings(config: Mapping[str, Any]) -> Settings:
    """The user's settings for sleep, each by its default where there is none or something that cannot be meant."""
    table = settings_file.section(config, SECTION)
    given: dict[str, Any] = {}
    share, problem = meter.share(config)
    for name in (*NUMBERS, *SWITCHES):
        if name not in table:
            continue
        said = table[name]
        is_switch = name in SWITCHES
        if isinstance(said, bool) if is_switch else _is_number(said):
            given[name] = said
        else:
            meant = "true or false" if is_switch else "a number from 0 up"
            problem = problem or f"{name} under [sleep] in config.toml is not understood: it is {meant}"
    return Settings(share=share, problem=problem, **given)


def _is_number(said: object) -> bool:
    return type(said) in (int, float) and 0 <= said < math.inf  # type: ignore[operator]


def due(figures: Figures, wanted: Settings) -> Due:
    """Due where nobody works, and enough is unprocessed or some of it for long."""
    idle, oldest = _sane(figures.idle), min(_sane(figures.oldest), LONGEST)
    are = "is" if figures.volume == 1 else "are"
    waiting = f"{many(figures.volume, 'thought')} {are} unprocessed, the oldest for {age(oldest)}"
    quiet = "no session is open" if math.isinf(idle) else f"a session spoke {age(idle)} ago"
    if not wanted.enabled:
        return Due(False, "Sleep is switched off: enabled = false under [sleep] in config.toml.")
    if figures.volume <= 0:
        return Due(False, "Nothing was written or read since the last sleep.")
    if idle < wanted.idle_minutes * MINUTE:
        asked = f"sleep waits for {wanted.idle_minutes:g} minutes of quiet"
        return Due(False, f"{quiet[0].upper()}{quiet[1:]}, and {asked}; {waiting}.")
    if figures.volume >= wanted.least:
        return Due(True, f"{waiting}; {wanted.least:g} are enough, and {quiet}.")
    if oldest >= wanted.oldest_hours * HOUR:
        return Due(True, f"{waiting}; {wanted.oldest_hours:g} hours are enough, and {quiet}.")
    return Due(False, f"{waiting}; sleep waits for {wanted.least:g} of them, or for {wanted.oldest_hours:g} hours.")


def _sane(seconds: float) -> float:
    """An age; one that is negative or no number comes of a clock, and counts as none."""
    return 0.0 if math.isnan(seconds) else max(0.0, seconds)


def idleness(state: str, now: float) -> float:
    """Seconds since the last moment of any session that is open on this machine; infinite where none is. A moment in
    the future, from before a clock was set back, counts as now: the session's next one puts it right."""
    heard = [
        seen
        for episode, seen in episodes.in_live(state, now)
        if episode.state == episodes.OPEN and platform.alive(episode.process, seen, now)
    ]
    return max(0.0, now - max(heard)) if heard else math.inf


def is_active(state: str, now: float, wanted: Settings) -> bool:
    """Whether a session is at work now: one has spoken within the time that sleep waits for."""
    return idleness(state, now) < wanted.idle_minutes * MINUTE

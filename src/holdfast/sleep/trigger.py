"""The start of a sleep that nobody asked for: after a close, and by a server that is idle.

Whoever starts one looks first, so that no process is started for nothing; the process looks again, because a session
may have begun meanwhile. HOLDFAST_SLEEP=off starts none, and neither does HOLDFAST_CLOSE=off, which leaves all
background work to the user. Where a host waits for the close (HOLDFAST_CLOSE=wait) the machine may be gone a moment
later, so no night is begun on it. The timer that `init` offers asks the same question each hour by itself.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from holdfast.capture import background, config, home
from holdfast.errors import HoldfastError
from holdfast.field import handle
from holdfast.sleep import due, turn

if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCH = "HOLDFAST_SLEEP"
COMMAND = ("sleep", "--if-due")


def is_off(env: Mapping[str, str]) -> bool:
    """Whether the environment keeps sleep from starting by itself."""
    return is_switched_off(env) or background.is_off(env) or background.is_waited_for(env)


def is_switched_off(env: Mapping[str, str]) -> bool:
    return env.get(SWITCH, "").lower() in ("off", "0", "no", "false")


def figures(vault: str, now: float) -> due.Figures:
    """The three figures as they are now. Nothing is taken in or changed."""
    volume, oldest = _unslept(handle.path_of(vault))
    return due.Figures(volume, now - oldest, due.idleness(home.state(vault), now))


def _unslept(path: str) -> tuple[int, float]:
    """The number of unprocessed thoughts and the time of the oldest. An index that is missing, damaged or of another
    version has nothing to sleep over, until somebody asks it or makes it anew."""
    from holdfast.field.sqlite.store import SqliteStore

    try:
        store = SqliteStore(path, only_look=True)
        try:
            return store.unslept()
        finally:
            store.close()
    except (HoldfastError, OSError):
        return 0, 0.0


def look(vault: str, env: Mapping[str, str], now: float) -> due.Due:
    """Whether sleep is due, and why; noted for `doctor`, where there is a vault: a look makes none."""
    found = due.due(figures(vault, now), due.settings(config.load(home.machine_state(env))))
    if home.format_of(vault):
        turn.note_look(home.state(vault), now, found)
    return found


def start_if_due(vault: str, env: Mapping[str, str], now: float) -> int:
    """The process of a sleep in the background; 0 where none is due, wanted or possible. The cheap questions come
    first: most closes end at one of them."""
    state = home.state(vault)
    wanted = due.settings(config.load(home.machine_state(env)))
    is_wanted = wanted.enabled and wanted.auto and not is_off(env)
    if not is_wanted or not home.format_of(vault) or home.why_off(env, vault):
        return 0
    if turn.is_taken(state) or due.is_active(state, now, wanted) or not look(vault, env, now).is_due:
        return 0
    try:
        return background.start(vault, {**env, background.PYTHON: _python(env)}, *COMMAND)
    except OSError:
        return 0  # the next close, the server or the timer tries again


def _python(env: Mapping[str, str]) -> str:
    """The interpreter that has our packages: the launcher's word, else the one that runs us."""
    return env.get(background.PYTHON) or sys.executable

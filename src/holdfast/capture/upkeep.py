"""What must happen now and then without anybody asking: old ledger days folded, filed segments archived.

The hook starts it at the end of a session, at most once a day, as a process of its own that the host need not wait for:
a new session, nothing inherited, and the child mark, so that it can never start hooks.
"""

from __future__ import annotations

import posix
import sys

from holdfast.capture import home, platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EVERY = 24 * 3600.0


def run(vault: str, now: float) -> dict[str, int]:
    """Do what is due. Everything in it may be killed and done again."""
    from holdfast.capture import ledger, ledger_history, settle

    state = home.state(vault)
    days = ledger_history.retire(state, now)
    moved = settle.Settlement(f"{state}/queue", clock=lambda: now).archive()
    done = {"ledger_days": len(days), "segments": moved}
    ledger.append(state, "upkeep", now, **done)
    return done


def start_if_due(vault: str, env: Mapping[str, str], now: float) -> bool:
    """Start it in the background if the last time was long ago."""
    stamp = f"{home.state(vault)}/upkeep"
    try:
        if abs(now - posix.stat(stamp).st_mtime) < EVERY:
            return False
    except FileNotFoundError:
        pass
    platform.write_atomic(stamp, b"", durable=False)
    script = __file__.rpartition("/capture/")[0] + "/hook/start.py"
    command = [sys.executable, "-I", "-S", script, "--command", "upkeep"]
    spawn(command, {**env, home.CHILD: "1", "HOLDFAST_HOME": vault})
    return True


def spawn(command: list[str], env: Mapping[str, str]) -> int:
    """A process that outlives us and holds nothing of ours: a held pipe would make the host wait."""
    nowhere = [(posix.POSIX_SPAWN_OPEN, fd, "/dev/null", posix.O_RDWR, 0) for fd in (0, 1, 2)]
    actions = [*nowhere, *((posix.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable())]
    return posix.posix_spawn(command[0], command, dict(env), file_actions=actions, setsid=True)


def _inheritable() -> list[int]:
    """What the host left open for us beyond the three: it must not live on in a child."""
    found = []
    for name in platform.names("/proc/self/fd") or platform.names("/dev/fd"):
        try:
            if int(name) > 2 and posix.get_inheritable(int(name)):
                found.append(int(name))
        except (OSError, ValueError):
            continue  # the one that listing itself had open
    return found

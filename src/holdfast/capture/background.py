"""Work that a hook hands to a process of its own, which the host need not wait for.

HOLDFAST_CLOSE=off starts no close and makes no brief: then whoever set it runs `holdfast close` themselves (cron, CI).
The child carries HOLDFAST_CHILD, so that nothing it starts can ever call our hooks. It runs the interpreter that has
our packages, which the launcher names in HOLDFAST_PYTHON; without that, our own, with the packages beside us.
"""

from __future__ import annotations

import posix
import sys

from holdfast.capture import home, platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCH = "HOLDFAST_CLOSE"
PYTHON = "HOLDFAST_PYTHON"


def is_off(env: Mapping[str, str]) -> bool:
    return env.get(SWITCH, "").lower() in ("off", "0", "no", "false")


def start(vault: str, env: Mapping[str, str], *words: str) -> int:
    """Run one of our internal commands detached; returns its pid."""
    script = __file__.rpartition("/capture/")[0] + "/hook/start.py"
    python = env.get(PYTHON, "")
    own = [python, "-I"] if python.startswith("/") and _may_run(python) else [sys.executable, "-I", "-S"]
    return spawn([*own, script, "--command", *words], {**env, home.CHILD: "1", "HOLDFAST_HOME": vault})


def _may_run(path: str) -> bool:
    try:
        return bool(posix.access(path, posix.X_OK))
    except (OSError, ValueError):
        return False


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

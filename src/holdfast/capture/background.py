"""Work that a hook hands to a process of its own, which the host need not wait for.

HOLDFAST_CLOSE=off starts no close and makes no brief: then whoever set it runs `holdfast close` themselves (cron,
CI). HOLDFAST_CLOSE=wait has the end of a session wait for its close: in a container that is gone a moment later
nobody else would do it. The child prints to .state/background.log, which stays small. It carries HOLDFAST_CHILD, so
that nothing it starts can ever call our hooks. It runs the interpreter that has our packages, which the launcher names
in HOLDFAST_PYTHON; without that, our own, with the packages beside us.

Upkeep runs once a day without anybody asking: old ledger days are folded, filed segments archived.
"""

from __future__ import annotations

import posix
import sys

from holdfast.capture import home, platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture import losses

SWITCH = "HOLDFAST_CLOSE"
PYTHON = "HOLDFAST_PYTHON"
LONGEST_WAIT = 300  # seconds for a close that is waited for
LARGEST_LOG = 1 << 20


def is_off(env: Mapping[str, str]) -> bool:
    return env.get(SWITCH, "").lower() in ("off", "0", "no", "false")


def is_waited_for(env: Mapping[str, str]) -> bool:
    return env.get(SWITCH, "").lower() == "wait"


def wait(pid: int) -> bool:
    """Wait until the child is done; False where we were not patient enough for it, or it failed."""
    import _signal  # type: ignore[import-not-found,unused-ignore]

    def give_up(*_: object) -> None:
        raise TimeoutError(f"the close took more than {LONGEST_WAIT} s")

    before = _signal.signal(_signal.SIGALRM, give_up)
    left = _signal.alarm(LONGEST_WAIT)
    try:
        return posix.waitstatus_to_exitcode(posix.waitpid(pid, 0)[1]) == 0
    except OSError:
        return False
    finally:
        _signal.alarm(0)
        _signal.signal(_signal.SIGALRM, before)
        _signal.alarm(left)  # the hook's own patience goes on where it was


def start(vault: str, env: Mapping[str, str], *words: str) -> int:
    """Run one of our internal commands detached; returns its pid."""
    script = __file__.rpartition("/capture/")[0] + "/hook/start.py"
    python = env.get(PYTHON, "")
    own = [python, "-I"] if python.startswith("/") and _may_run(python) else [sys.executable, "-I", "-S"]
    command = [*own, script, "--command", *words]
    users = home.machine_state(env).removesuffix("/.state")
    return spawn(command, {**env, home.CHILD: "1", home.OWN: users, "HOLDFAST_HOME": vault}, _log_of(vault))


def _log_of(vault: str) -> str:
    """The file that a child prints to; one that has grown is begun anew, keeping the one before."""
    path = f"{home.state(vault)}/background.log"
    try:
        if posix.stat(path).st_size > LARGEST_LOG:
            posix.rename(path, f"{path}.before")
    except OSError:
        pass
    try:
        posix.close(platform.opened(path, posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND))
    except OSError:
        return "/dev/null"
    return path


def _may_run(path: str) -> bool:
    try:
        return bool(posix.access(path, posix.X_OK))
    except (OSError, ValueError):
        return False


def spawn(command: list[str], env: Mapping[str, str], log: str = "/dev/null") -> int:
    """Start a process that outlives us and holds nothing of ours: a held pipe would make the host wait."""
    opened = [(posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0)]
    how = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND
    opened += [(posix.POSIX_SPAWN_OPEN, fd, log, how, 0o600) for fd in (1, 2)]
    actions = [*opened, *((posix.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable())]
    return posix.posix_spawn(command[0], command, dict(env), file_actions=actions, setsid=True)


def _inheritable() -> list[int]:
    """The descriptors that the host left open for us beyond the three: they must not live on in a child."""
    found = []
    for name in platform.names("/proc/self/fd") or platform.names("/dev/fd"):
        try:
            if int(name) > 2 and posix.get_inheritable(int(name)):
                found.append(int(name))
        except (OSError, ValueError):
            continue  # the one that listing itself had open
    return found


EVERY = 24 * 3600.0


def run(vault: str, now: float) -> dict[str, int]:
    """Do what is due. Everything in it may be killed and done again."""
    from holdfast.capture import ledger, losses, once, settle

    state = home.state(vault)
    days = ledger.retire(state, now)
    moved = settle.Settlement(f"{state}/queue", clock=lambda: now).archive()
    done = {"ledger_days": len(days), "segments": moved, "courses": once.sweep(state, now)}
    ledger.append(state, "upkeep", now, **done, **losses.counted(state, _reconcile(vault, now)))
    return done


def _reconcile(vault: str, now: float) -> losses.Losses:
    """Look for losses; the next starts say what is missing."""
    from holdfast.capture import losses, notices

    found = losses.account(vault, now)
    if found.is_whole:
        notices.remove(home.state(vault), losses.NOTICE)
    else:
        line = f"{found.sentence()}; everything else is kept. `holdfast doctor` says what to do."
        notices.leave(home.state(vault), losses.NOTICE, line[:1].upper() + line[1:], now)
    return found


def start_if_due(vault: str, env: Mapping[str, str], now: float) -> bool:
    """Start it in the background if the last time was long ago."""
    stamp = f"{home.state(vault)}/upkeep"
    if abs(now - platform.modified(stamp)) < EVERY:
        return False
    platform.write_atomic(stamp, b"", durable=False)
    start(vault, env, "upkeep")
    return True

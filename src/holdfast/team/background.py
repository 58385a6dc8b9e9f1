"""A shipment in a process of its own, behind all else on the machine: at most one in some seconds, and nobody waits for
it. What is unsent meanwhile is named by `holdfast team`."""

from __future__ import annotations

import posix
import sys
import time
from typing import TYPE_CHECKING

from holdfast.capture import background, config, home, ledger, locks, platform
from holdfast.errors import Busy, HoldfastError
from holdfast.team import asking, shipping
from holdfast.team.acknowledged import folder
from holdfast.team.settings import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.field.handle import Field
    from holdfast.team.settings import Settings

EVERY = 10.0  # seconds between two starts
STARTED, WAITING = "started", "waiting"  # when one was started last, and the lock of one that waits
BEHIND = 10
PROGRAM = "import sys; sys.path.append(sys.argv[1]); from holdfast.team import background as it; it.main()"


def start_if_due(vault: str, env: Mapping[str, str], now: float, *, soon: bool = False) -> int:
    """The pid of a shipment that was started; 0 where none is due, wanted or possible. Within some seconds after
    another it waits for the end of these, so that the last word is sent too; meanwhile no third is started."""
    settings = load(env, vault)
    if not settings.dsn or not (settings.projects or shipping.withdrawals(vault)):
        return 0
    if background.is_off(env) or asking.away_since(vault, now):
        return 0
    delay = 0.0 if soon else wait(vault, now)
    if delay and locks.is_held(f"{folder(vault)}/{WAITING}"):
        return 0
    users = home.machine_state(env).removesuffix("/.state")
    given = {**env, home.CHILD: "1", home.OWN: users, "HOLDFAST_HOME": vault}
    command = [sys.executable, "-I", "-c", PROGRAM, __file__.rpartition("/holdfast/")[0], f"{delay:.1f}"]
    try:
        platform.make_folders(folder(vault))
        return background.spawn(command, given, f"{home.state(vault)}/background.log")
    except OSError:
        return 0


def wait(vault: str, now: float) -> float:
    """Seconds until the next shipment is due."""
    since = now - platform.modified(f"{folder(vault)}/{STARTED}")
    return EVERY - since if 0 <= since < EVERY else 0.0


def main(sleep: Callable[[float], None] = time.sleep) -> None:
    """The process. Nobody sees its stderr, so the ledger is told what went wrong; a server that is away is no fault."""
    posix.nice(BEHIND)
    env = platform.environ()
    vault = home.vault(env)
    try:
        delay = float(sys.argv[2])
        if delay:
            with locks.held(f"{folder(vault)}/{WAITING}", wait=False):
                sleep(delay)
        platform.write_atomic(f"{folder(vault)}/{STARTED}", b"", durable=False)
        work(vault, env)
    except Busy:
        return  # another one waits, and sends this too
    except Exception as error:
        said = ledger.short(f"{type(error).__name__}: {error}", 500)
        ledger.append(home.state(vault), "error", time.time(), event="team", error=said)


def work(vault: str, env: Mapping[str, str], clock: Callable[[], float] = time.time) -> bool:
    """Send once; whether that could be done. Another that is at it, or a server that is away, is left to the next."""
    try:
        now(vault, env, clock)
    except Busy as error:
        if type(error) is not Busy:  # Away, and not another shipment
            asking.note_away(vault, clock())
        return False
    return True


def now(
    vault: str,
    env: Mapping[str, str],
    clock: Callable[[], float] = time.time,
    progress: Callable[[int], None] = lambda _: None,
    settings: Settings | None = None,
) -> shipping.Shipment:
    """Send to every team. Raises Away, Refused, Busy."""
    from holdfast.field.postgres.connection import Server

    found = settings or load(env, vault)
    server = Server(found.dsn)
    try:
        with opened(vault, env, clock) as field:
            return shipping.everything(field, server, found, progress=progress)
    finally:
        server.close()


def opened(vault: str, env: Mapping[str, str], clock: Callable[[], float] = time.time) -> Field:
    """The vault's own field, with the embedder of this machine's settings. Raises NewerFormat, Busy, Damaged."""
    from holdfast.field import embedders, handle

    state = home.machine_state(env)
    try:
        wishes = embedders.settings(config.load(state))
        embedder = embedders.at_hand(wishes, env)
    except HoldfastError:
        embedder = None  # a setting that cannot be used is doctor's to name; search goes by words
    return handle.opened(vault, embedder, clock, embedders.Former(state, env))

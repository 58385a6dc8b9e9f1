"""The judge that this machine's config names, ready for a close; none where the user chose none.

Only the config in the user's own vault is asked: one that a repository brings cannot name an endpoint. A choice that
cannot be understood does not stop the close: it says so at the next start, and files verbatim.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.capture import config as machine
from holdfast.capture import home, notices
from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.clock import Clock
    from holdfast.close.think.judge_pool import Court

MOST_WORKERS = 64


def court(
    vault: str,
    env: Mapping[str, str],
    clock: Clock,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Court | None:
    """None: everything is filed verbatim."""
    state = home.state(vault)
    own = home.machine_state(env)
    config = machine.load(own)
    chosen = machine.section(config, "judge")
    if not chosen.get("name") or chosen.get("name") == "verbatim":
        return None
    from holdfast.close.spend.budget import Budget
    from holdfast.close.think.judge_pool import TIMEOUT, WORKERS, Court
    from holdfast.judge import choice

    try:
        judge = choice.chosen(config, env)
    except HoldfastError as error:
        notices.leave(state, notices.JUDGE, f"WARNING: {error} Until then everything is filed verbatim.", clock())
        return None
    if judge is None:
        return None
    workers = int(machine.number(chosen, "workers", WORKERS))
    return Court(
        judge,
        Budget(own, config, clock, env, ledger=state),
        state,
        workers=max(1, min(workers, MOST_WORKERS)),
        timeout=max(1.0, machine.number(chosen, "timeout", TIMEOUT)),
        now=clock,
        progress=progress,
    )


@contextmanager
def ending_well() -> Iterator[None]:
    """While a close runs, SIGTERM ends it as Ctrl-C does: what was claimed is given back, and no judge works on for
    nobody."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise SystemExit(143)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""The judge that this machine's config names, ready for a close; none where the user chose none.

Only the config in the user's own vault is asked: one that a repository brings cannot name an endpoint. A choice that
cannot be understood does not stop the close: it says so at the next start, and files verbatim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import config as machine
from holdfast.capture import home, notices
from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.clock import Clock
    from holdfast.close.court import Court

MOST_WORKERS = 64


def court(
    vault: str,
    env: Mapping[str, str],
    clock: Clock,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Court | None:
    """None: everything is filed verbatim."""
    state = home.state(vault)
    config = machine.load(home.state(home.own_vault(env)))
    chosen = machine.section(config, "judge")
    if not chosen.get("name") or chosen.get("name") == "verbatim":
        return None
    from holdfast.close.aftermath import JUDGE
    from holdfast.close.budget import Budget
    from holdfast.close.court import TIMEOUT, WORKERS, Court
    from holdfast.judge import choice

    try:
        judge = choice.chosen(config, env)
    except HoldfastError as error:
        notices.leave(state, JUDGE, f"WARNING: {error} Until then everything is filed verbatim.", clock())
        return None
    if judge is None:
        return None
    workers = int(machine.number(chosen, "workers", WORKERS))
    return Court(
        judge,
        Budget(state, config, clock, env),
        state,
        workers=max(1, min(workers, MOST_WORKERS)),
        timeout=max(1.0, machine.number(chosen, "timeout", TIMEOUT)),
        now=clock,
        progress=progress,
    )

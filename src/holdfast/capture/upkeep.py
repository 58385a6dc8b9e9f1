"""What must happen now and then without anybody asking: old ledger days folded, filed segments archived.

The hook starts it at the end of a session, at most once a day, in the background (capture/background).
"""

from __future__ import annotations

import posix

from holdfast.capture import background, home, platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture import acknowledged

EVERY = 24 * 3600.0


def run(vault: str, now: float) -> dict[str, int]:
    """Do what is due. Everything in it may be killed and done again."""
    from holdfast.capture import acknowledged, ledger, ledger_history, once, settle

    state = home.state(vault)
    days = ledger_history.retire(state, now)
    moved = settle.Settlement(f"{state}/queue", clock=lambda: now).archive()
    done = {"ledger_days": len(days), "segments": moved, "courses": once.sweep(state, now)}
    ledger.append(state, "upkeep", now, **done, **acknowledged.counted(state, _reconcile(vault, now)))
    return done


def _reconcile(vault: str, now: float) -> acknowledged.Account:
    """Hold what was acknowledged against what is there; the next starts say what is missing."""
    from holdfast.capture import acknowledged, notices

    found = acknowledged.account(vault, now)
    if found.is_whole:
        notices.remove(home.state(vault), acknowledged.NOTICE)
    else:
        line = f"{found.sentence()}; everything else is kept. `holdfast doctor` says what to do."
        notices.leave(home.state(vault), acknowledged.NOTICE, line[:1].upper() + line[1:], now)
    return found


def start_if_due(vault: str, env: Mapping[str, str], now: float) -> bool:
    """Start it in the background if the last time was long ago."""
    stamp = f"{home.state(vault)}/upkeep"
    try:
        if abs(now - posix.stat(stamp).st_mtime) < EVERY:
            return False
    except FileNotFoundError:
        pass
    platform.write_atomic(stamp, b"", durable=False)
    background.start(vault, env, "upkeep")
    return True

"""What is written of a choice: [judge] in this machine's settings (holdfast/settings.py writes it)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast import settings
from holdfast.judge.choice import TIMEOUT, VERBATIM, WORKERS

if TYPE_CHECKING:
    from holdfast.judge.choice import Settings

SECTION = "judge"
NAMES = ("name", "model", "url", "key_env", "workers", "timeout")


def as_table(wanted: Settings) -> dict[str, Any]:
    """What is written for a choice: the name, and what differs from the defaults."""
    made: dict[str, Any] = {"name": wanted.name}
    if wanted.name != VERBATIM:
        made |= {name: getattr(wanted, name) for name in ("model", "url", "key_env") if getattr(wanted, name)}
    if wanted.workers != WORKERS:
        made["workers"] = wanted.workers
    if wanted.timeout != TIMEOUT:
        made["timeout"] = wanted.timeout
    return made


def edited(text: str, wanted: Settings) -> str:
    """The settings with this choice. What [judge] had of another judge goes; every comment stays. Raises ValueError."""
    return settings.edited(text, SECTION, as_table(wanted), NAMES)


def write(state: str, wanted: Settings) -> str:
    """Put the choice down and return the path. Raises HoldfastError where the file cannot be read or written."""
    return settings.write(state, SECTION, as_table(wanted), NAMES)

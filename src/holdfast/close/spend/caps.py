"""What a day (UTC) may take: [spend] in .state/config.toml.

    [spend]
    tokens_per_day = 2_000_000   # this is the default; 0 allows nothing, "none" takes the cap away
    money_per_day = 1.50         # no cap by default

The default is some hundred closes: enough for a day's work, and 300 times less than the 649 million tokens that an
unattended peer was seen to burn. A cap that cannot be understood allows nothing: a slip of the pen must not cost money.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import config as settings
from holdfast.close.spend import spending

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.close.spend.spending import Day

DEFAULT_TOKENS = 2_000_000
NO_CAP = "none"
NAMES = ("tokens_per_day", "money_per_day")
MOST = 10**12  # tokens or money that anybody can mean; a server may answer with any number


@dataclass(frozen=True)
class Caps:
    """What a day may take; None is no cap. `money` is in millionths."""

    tokens: int | None = DEFAULT_TOKENS
    money: int | None = None
    problem: str = ""


@dataclass(frozen=True)
class Standing:
    """Where the caps of a day stand. None where there is no cap."""

    caps: Caps
    today: Day

    @property
    def tokens_left(self) -> int | None:
        return None if self.caps.tokens is None else max(0, self.caps.tokens - self.today.total.tokens)

    @property
    def money_left(self) -> int | None:
        return None if self.caps.money is None else max(0, self.caps.money - self.today.total.money)


def caps(config: Mapping[str, Any]) -> Caps:
    """What the user set, or what holds where nothing is set."""
    given = {"tokens_per_day": DEFAULT_TOKENS, "money_per_day": NO_CAP, **settings.section(config, "spend")}
    unclear = [name for name, found in given.items() if name not in NAMES or not _is_clear(found)]
    if unclear:
        problem = f"{unclear[0]} under [spend] in config.toml is not understood: {' and '.join(NAMES)} are numbers"
        return Caps(0, 0, f'{problem} from 0 up, or "{NO_CAP}"')
    tokens, money = (None if given[name] == NO_CAP else min(given[name], MOST) for name in NAMES)
    return Caps(None if tokens is None else int(tokens), None if money is None else round(money * 1e6))


def _is_clear(found: object) -> bool:
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return found == NO_CAP
    return 0 <= found < math.inf


def standing(state: str, config: Mapping[str, Any], now: float) -> Standing:
    """Today's caps and what was spent so far."""
    return Standing(caps(config), spending.load(state, spending.day_of(now)))


def amount(millionths: int) -> str:
    """Money as people write it; small amounts not as nothing."""
    found = millionths / 1e6
    return f"{found:,.2f}" if not found or found >= 0.995 else f"{found:.4f}"

"""Faults that a failing command left for starts to tell, until one works."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast.capture import faults
from holdfast.doctor.checks import bad, good

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

TRIED_AGAIN = (faults.CLOSE, faults.UNWRITABLE, faults.HISTORY)  # a close that works ends them
LOOKED_AT = (faults.OBJECTS, faults.VERSIONS)  # of a history that is written all the same: `history` judges it anew


def check_faults(place: Place) -> Iterator[Check]:
    """One check for each that stands, the worst first."""
    found = [one for one in faults.standing(place.state) if one.name not in LOOKED_AT]
    for one in found:
        since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(one.since))
        why = f" ({one.detail})" if one.detail else ""
        fix = f"`{one.command}`; a close that works ends it"
        yield bad("faults", f"since {since}, {one.what}{why}", fix, can_fix=one.name in TRIED_AGAIN)
    if not found:
        yield good("faults", "no command has failed for good")

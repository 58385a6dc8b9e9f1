"""Snags that changed nothing: an improvement that waits is a note, not a loop, and somebody has to say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.close.improve import loops
from holdfast.doctor.checks import age, bad, first_of, good, many, note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

LIST = "`holdfast loops --all` lists them; `holdfast review` decides on what waits for you"


def check_loops(place: Place) -> Iterator[Check]:
    """Open loops, and those that more than two closes have passed by."""
    now = place.clock()
    found = loops.waiting(place.vault, place.state, now)
    late = [one for one in found if one.is_late]
    if late:
        said = first_of([f'"{one.wrong[:60]}" ({loops.SAID[one.state]})' for one in late], 2)
        yield bad("loops", f"{many(len(late), 'snag')} changed nothing in {late[0].closes} closes: {said}", LIST)
    elif found:
        oldest = age(now - min(one.time for one in found))
        yield note("loops", f"{many(len(found), 'snag')} to be turned into an edit, the oldest since {oldest}", LIST)
    else:
        yield good("loops", "every snag has become an edit")

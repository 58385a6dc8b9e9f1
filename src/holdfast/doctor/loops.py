"""Snags that changed nothing: an improvement that waits is a note, not a loop, and somebody has to say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.close.improve import loops
from holdfast.doctor.checks import bad, good, note
from holdfast.text.phrases import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

ARM = "`holdfast loops` lists them; `holdfast arm NOTE` says when one should come back"
LIST = "`holdfast loops --all` lists them; `holdfast review` decides on what waits for you"


def check_loops(place: Place) -> Iterator[Check]:
    """Open loops, those that more than two closes have passed by, and those that nothing brings back."""
    now = place.clock()
    everything = loops.listing(place.vault, place.state, now)
    found = [one for one in everything.open if one.state in loops.PENDING]
    late = [one for one in found if one.is_late]
    unwired = [one for one in everything.open if one.state not in loops.PENDING]
    if late:
        said = first_of([f'"{one.wrong[:60]}" ({loops.SAID[one.state]})' for one in late], 2)
        yield bad("loops", f"{many(len(late), 'snag')} changed nothing in {late[0].closes} closes: {said}", LIST)
    elif found:
        oldest = age(now - min(one.time for one in found))
        yield note("loops", f"{many(len(found), 'snag')} to be turned into an edit, the oldest since {oldest}", LIST)
    elif unwired:
        said = first_of([f'"{one.wrong[:60]}" ({loops.SAID[one.state]})' for one in unwired], 2)
        yield note("loops", f"{many(len(unwired), 'snag')} still open: {said}", ARM)
    else:
        yield good("loops", "every snag has become an edit")

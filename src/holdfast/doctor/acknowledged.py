"""What was acknowledged is there: the ledger, the queue and the vault held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import acknowledged
from holdfast.doctor.checks import bad, good
from holdfast.text.phrases import first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

NAME = "acknowledged"


def check_acknowledged(place: Place) -> Iterator[Check]:
    found = acknowledged.account(place.vault, place.clock())
    if found.is_whole:
        yield good(NAME, f"{many(found.known, 'flag')} in the ledger, each in the queue or filed")
        return
    named = f": {first_of(list(found.flags))}" if found.flags else ""
    fix = (
        "put .state/queue and .state/ledger back from a backup of this machine, if there is one; "
        "`holdfast queue --set-aside` notes what stays lost and ends this alarm"
    )
    yield bad(NAME, f"{found.sentence()}{named}; everything else is kept", fix)

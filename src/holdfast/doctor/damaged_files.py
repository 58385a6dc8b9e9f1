"""Files of the memory that a failing disk, a power loss or a wrong move has damaged, and their way back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.doctor.checks import MEND, bad, first_of, good, many
from holdfast.vault import damage
from holdfast.vault.git import Repository
from holdfast.vault.writing import locked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

PATIENCE = 10.0
NAME = "memory-files"


def check_damaged(place: Place) -> Iterator[Check]:
    repository = Repository(place.vault)
    if not os.path.isdir(place.vault) or not repository.exists():
        return
    found = damage.find(repository)
    if not found:
        yield good(NAME, "every file of the memory can be read and is whole")
        return
    named = first_of([f"{one.path} {one.why}" for one in found])
    shut = [one for one in found if one.why == damage.UNREADABLE]
    fix = f"{MEND} brings back what the history has, and keeps the damaged file beside"
    if len(shut) == len(found):
        fix = f"{MEND} opens what is yours; another user's file is theirs to give back"
    meant = "; if you removed it yourself, say so with a commit in the vault" if _is_gone(found) else ""
    yield bad(NAME, f"{many(len(found), 'file')} damaged: {named}", f"{fix}{meant}", can_fix=True)


def _is_gone(found: list[damage.Damage]) -> bool:
    return any(one.why == damage.GONE for one in found)


def mend_damaged(place: Place) -> str:
    with locked(place.vault, PATIENCE) as repository:
        done = list(damage.restore(repository, damage.find(repository)))
        damage.lift_fault(repository)
        return "; ".join(done) or "found nothing damaged any more"

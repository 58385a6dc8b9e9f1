"""Files of the memory that a failing disk, a power loss or a wrong move has damaged, and their way back."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import gate
from holdfast.doctor.checks import MEND, bad, good, note
from holdfast.doctor.checks import lost as lost_check
from holdfast.errors import GitFailed
from holdfast.text.phrases import first_of, many
from holdfast.vault import accepted_loss, damage
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
    try:
        found = damage.find(repository)
        lost = [one for one in found if damage.is_lost(repository, one)]
    except GitFailed:
        yield note(NAME, "looked at once the history can be read again, which knows how each file was")
        return
    if not found:
        yield good(NAME, "every file of the memory can be read and is whole")
        return
    named = first_of([f"{one.path} {one.why}" for one in found])
    if lost:
        gone = first_of([one.path for one in lost])
        fix = f"{MEND} keeps what is left of it in .state/{damage.ASIDE}, brings back the rest, and ends this alarm"
        what = f"{many(len(found), 'file')} damaged: {named}; the history has no whole version of {gone}"
        yield replace(lost_check(NAME, what, fix), can_fix=True)
        return
    shut = [one for one in found if one.why == damage.UNREADABLE]
    fix = f"{MEND} brings back what the history has, and keeps the damaged file beside"
    if len(shut) == len(found):
        fix = f"{MEND} opens what is yours; another user's file is theirs to give back"
    meant = "; if you removed it yourself, say so with a commit in the vault" if _is_gone(found) else ""
    yield bad(NAME, f"{many(len(found), 'file')} damaged: {named}", f"{fix}{meant}", can_fix=True)


def _is_gone(found: list[damage.Damage]) -> bool:
    return any(one.why == damage.GONE for one in found)


def mend_damaged(place: Place) -> str:
    may_accept = gate.decide(gate.asker(place.env, place.cwd, place.vault), gate.Change(gate.HISTORY, gate.LIFTED))
    with locked(place.vault, PATIENCE) as repository:
        found = damage.find(repository)
        if may_accept == gate.APPLY:  # the user has been told, and their own word lets it go
            gone = [one.path for one in found if damage.is_lost(repository, one)]
            accepted_loss.accept_unreadable(repository, gone)
        done = list(damage.restore(repository, found))
        damage.lift_fault(repository)
        return "; ".join(done) or "found nothing damaged any more"

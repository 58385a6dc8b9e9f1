"""The field's index: there, readable, sound, up to date, with the vectors of the chosen embedder.

All of it is derived: what fails here costs answers, never memory. So a missing or late index is advice, since the next
question makes or mends it; one that is broken, or passed over what it should have, is a failure. The file itself is
looked at in whole, for at most two seconds: it takes 0.01 s with 10,000 thoughts, 0.13 s with 100,000.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import config, home, platform
from holdfast.doctor.checks import MEND, bad, good, note, reason
from holdfast.errors import HoldfastError
from holdfast.field import coverage, records
from holdfast.field.coverage import DAMAGED, MISSING, NEWER, READY, UNREADABLE
from holdfast.text.phrases import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place
    from holdfast.field.coverage import Coverage

NAME = "field"
REBUILD = f"{MEND} or `holdfast rebuild` makes it anew from the vault"
NEXT = "the next question or close sees to it, and so does `holdfast rebuild`"


def check_field(place: Place) -> Iterator[Check]:
    """The index against the vault, vectors, and what in the logs of thoughts was no record."""
    if not os.path.isdir(place.state):
        return
    model, problem = _chosen(place)
    found = coverage.look(place.vault, model=model, deep=True)
    yield _broken(found) or _behind(found, place.clock()) or _well(found)
    yield from _vectors(found, model, problem)
    yield from _aside(place)


def _chosen(place: Place) -> tuple[str, str]:
    """The name of the embedder that the settings of this machine want, or why there is none."""
    from holdfast.field.embed import choice

    try:
        made = choice.chosen(config.load(home.machine_state(place.env)), place.env)
        return (made.name, "") if made else ("", "")
    except HoldfastError as error:
        return "", reason(error)


def _broken(found: Coverage) -> Check | None:
    """No index that can be used, or one that is not sound."""
    if found.state == NEWER:
        return bad(NAME, found.why, "upgrade holdfast on this machine")
    if found.state == UNREADABLE:
        return note(NAME, f"it could not be looked at: {found.why}", "look again; if it stays so, mend what it names")
    if found.state == DAMAGED:
        return bad(NAME, "the index cannot be read; nothing that is remembered is lost", REBUILD, can_fix=True)
    if found.flaw:
        return bad(NAME, f"the index is damaged ({found.flaw[:200]})", REBUILD, can_fix=True)
    if found.state == READY:
        return None
    if not found.places:
        return good(NAME, "nothing to index yet")
    what = "there is no index yet" if found.state == MISSING else "the index was made by another holdfast"
    return note(NAME, f"{what}; {many(found.places, 'place')} of the vault to take in", NEXT)


def _behind(found: Coverage, now: float) -> Check | None:
    if not found.behind:
        return None
    passed = [one.place for one in found.behind if one.was_passed]
    if passed:
        what = f"the index has looked since, and has not as they stand in the vault: {first_of(sorted(passed))}"
        return bad(NAME, what, REBUILD, can_fix=True)
    late = f", the oldest change {age(now - found.oldest)} ago" if found.oldest else ""
    return note(NAME, f"{len(found.behind):,} of {many(found.places, 'place')} to take in{late}", NEXT)


def _well(found: Coverage) -> Check:
    sound = "" if found.flaw == "" else "; its file was too large to be looked at in whole"
    return good(NAME, f"{many(found.thoughts, 'thought')}, all of the vault as it is now{sound}")


def _vectors(found: Coverage, model: str, problem: str) -> Iterator[Check]:
    if problem:
        yield note("vectors", f"search goes by words alone: {problem}", "mend [embed] in .state/config.toml")
    elif found.state != READY:
        return
    elif not model:
        yield good("vectors", "none are wanted: search goes by words alone")
    elif found.lacking:
        what = f"{found.lacking:,} of {many(found.thoughts, 'thought')} have none of {model}: found by words alone"
        yield note("vectors", what, f"{NEXT}; where it stays so, the embedder cannot be reached")
    else:
        yield good("vectors", f"of {model}, for all of them")


def _aside(place: Place) -> Iterator[Check]:
    """What of the logs of thoughts was no record is copied there as it is read; the log keeps it too."""
    pieces = len(platform.names(f"{records.own(place.vault)}/broken"))
    if pieces:
        what = f"{many(pieces, 'piece')} of the logs of thoughts was no record, and was set aside"
        yield note("thoughts-damage", what, "look at .state/thoughts/broken in the vault; the rest is read as ever")

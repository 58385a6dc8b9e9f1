"""The field's index against the vault: for the doctor as it is now, for the audit by the sessions of a period.

All of it is derived: what fails here costs answers, never memory. So a missing or late index is advice, since the next
question makes or mends it; one that is broken, or passed over what it should have, is a failure. What the index has of
a note is asked by its flags: one that a person edited since is no skip of the session's.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import config, home, platform
from holdfast.capture.marks import PATIENCE
from holdfast.errors import HoldfastError
from holdfast.field import coverage, traffic
from holdfast.field.coverage import DAMAGED, MISSING, NEWER, OUTDATED, READY, UNREADABLE
from holdfast.health.finding import KNOW, MEND, Finding, bad, good, note, reason
from holdfast.text.layout import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from holdfast.field.coverage import Behind, Coverage
    from holdfast.health.finding import Place
    from holdfast.health.period import Told

BY_HAND = "`holdfast rebuild` makes it anew from the vault"
NAME = "field"
REBUILD = f"{MEND} or {BY_HAND}"
NEXT = "the next question or close sees to it, and so does `holdfast rebuild`"
NEXT_LOOK = "the next `holdfast recall` or close {}, and so does `holdfast rebuild`"
FIXES = {
    MISSING: NEXT_LOOK.format("makes it from the vault"),
    OUTDATED: NEXT_LOOK.format("brings it up"),
    DAMAGED: BY_HAND,
    NEWER: "upgrade holdfast on this machine",
}
SAID = {
    MISSING: "the field has no index",
    OUTDATED: "the field's index was made by another holdfast",
    DAMAGED: "the field's index cannot be read",
    NEWER: "the field's index was made by a newer holdfast, so what is in it cannot be told",
}


def check_field(place: Place) -> Iterator[Finding]:
    """The index against the vault, vectors, and what in the logs of thoughts was no record."""
    if not os.path.isdir(place.state):
        return
    model, problem = _chosen(place)
    found = coverage.look(place.vault, model=model, deep=True)
    yield _broken(found) or _behind(found, place.clock())
    yield from _vectors(found, model, problem)
    yield from _aside(place)


def _chosen(place: Place) -> tuple[str, str]:
    """The name of the embedder that the settings of this machine want, or why there is none."""
    from holdfast.field import embedders

    try:
        made = embedders.chosen(config.load(home.machine_state(place.env)), place.env)
        return (made.name, "") if made else ("", "")
    except HoldfastError as error:
        return "", reason(error)


def _broken(found: Coverage) -> Finding | None:
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


def _behind(found: Coverage, now: float) -> Finding:
    if not found.behind:
        sound = "" if found.flaw == "" else "; its file was too large to be looked at in whole"
        return good(NAME, f"{many(found.thoughts, 'thought')}, all of the vault as it is now{sound}")
    passed = [one.place for one in found.behind if one.was_passed]
    if passed:
        what = f"the index has looked since, and has not as they stand in the vault: {first_of(sorted(passed))}"
        return bad(NAME, what, REBUILD, can_fix=True)
    late = f", the oldest change {age(now - found.oldest)} ago" if found.oldest else ""
    return note(NAME, f"{len(found.behind):,} of {many(found.places, 'place')} to take in{late}", NEXT)


def _vectors(found: Coverage, model: str, problem: str) -> list[Finding]:
    if problem:
        return [note("vectors", f"search goes by words alone: {problem}", "mend [embed] in .state/config.toml")]
    if found.state != READY:
        return []
    if not model:
        return [good("vectors", "none are wanted: search goes by words alone")]
    if found.lacking:
        what = f"{found.lacking:,} of {many(found.thoughts, 'thought')} have none of {model}: found by words alone"
        return [note("vectors", what, f"{NEXT}; where it stays so, the embedder cannot be reached")]
    return [good("vectors", f"of {model}, for all of them")]


def _aside(place: Place) -> Iterator[Finding]:
    """Parts of the logs of thoughts that are no records are copied there as they are read; the log keeps them too."""
    pieces = len(platform.names(f"{traffic.own(place.vault)}/broken"))
    if pieces:
        what = f"{many(pieces, 'piece')} of the logs of thoughts was no record, and was set aside"
        yield note("thoughts-damage", what, "look at .state/thoughts/broken in the vault; the rest is read as ever")


def look(place: Place, told: Told, drained: Set[str]) -> tuple[int | None, list[Finding]]:
    """Of how many of the drained sessions all is indexed, None where that cannot be told; and what is not."""
    found, now = coverage.look(place.vault, since=told.period.since), place.clock()
    if found.state == UNREADABLE:
        fix = "look again; `holdfast doctor` says more where it stays so"
        return None, [Finding("not-looked-at", "the field", found.why, fix, level=KNOW)]
    if found.state == NEWER:
        return None, [Finding("not-indexed", "", SAID[NEWER], FIXES[NEWER])]
    left, others = _whose(found.behind, told, drained)
    late = {key: ones for key, ones in left.items() if now - min(one.since for one in ones) > PATIENCE}
    count = len(drained) - len(left)
    if found.state in SAID:
        return count, _all_of_it(found, len(late))
    return count, [*(_not_indexed(key, late[key], now) for key in sorted(late)), *_of_no_session(others, now)]


def _whose(behind: Sequence[Behind], told: Told, drained: Set[str]) -> tuple[dict[str, list[Behind]], list[Behind]]:
    """Files not indexed, by drained session, and those of no session that was seen. Those of a session that goes on or
    is not drained are said with that one."""
    found: dict[str, list[Behind]] = {}
    others = []
    for one in behind:
        keys = one.sessions | {told.flags[source] for source in one.sources if source in told.flags}
        for key in keys & drained:
            found.setdefault(key, []).append(one)
        if not keys & told.seen.keys():
            others.append(one)
    return found, others


def _all_of_it(found: Coverage, sessions: int) -> list[Finding]:
    """An index that has nothing: one finding, however many sessions it concerns."""
    if not sessions and found.state != DAMAGED:
        return []
    what = f"; recall finds nothing of {many(sessions, 'session')} of this period" if sessions else ""
    return [Finding("not-indexed", "", f"{SAID[found.state]}{what}", FIXES[found.state], max(1, sessions))]


def _not_indexed(key: str, left: Sequence[Behind], now: float) -> Finding:
    since = min(one.since for one in left)
    names = sorted(one.place for one in left)
    why = f"not in the index as it stands in the vault, for {age(now - since)}: {first_of(names)}"
    return Finding("not-indexed", key, why, _fix(left), len(left), since)


def _fix(left: Sequence[Behind]) -> str:
    """A file that was there when the index last looked at everything is not taken in by another such look."""
    return BY_HAND if any(one.was_passed for one in left) else NEXT_LOOK.format("takes it in")


def _of_no_session(others: Sequence[Behind], now: float) -> Iterator[Finding]:
    """Changes that no session of the period made, such as a person's edit: only how many, of whatever project."""
    passed = [one for one in others if one.was_passed]
    if passed:
        why = f"the index has looked since, and has {many(len(passed), 'file')} not as it stands in the vault"
        yield Finding("not-indexed", "", why, BY_HAND, len(passed), min(one.since for one in passed))
    late = [one for one in others if not one.was_passed and one.since and now - one.since > PATIENCE]
    if late:
        since = min(one.since for one in late)
        why = f"{many(len(late), 'other change')} to the vault, the oldest {age(now - since)} ago, not in the index yet"
        yield Finding("index-behind", "", why, _fix(late), len(late), since, KNOW)


def mend_field(place: Place) -> str:
    from holdfast.memory import Memory

    made = Memory.open(place.vault, place.cwd, place.clock, place.env).field.rebuild()
    return f"made the index anew: {many(made.thoughts, 'thought')}"

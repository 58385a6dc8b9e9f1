"""Sessions indexed: whether what each closed and drained session gave the vault is in the field's index now.

A session's are the notes that a flag of it stands in, its handoff, and what it decided and discovered in tasks. What
the index has of a note is asked by its flags: one that a person edited since is no skip of the session's. A session
that gave the vault nothing has nothing to be indexed. Nothing is taken in by looking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.audit.findings import INDEX_BEHIND, NOT_INDEXED, NOT_LOOKED_AT, Finding
from holdfast.capture.marks import PATIENCE
from holdfast.field import coverage
from holdfast.field.coverage import DAMAGED, MISSING, NEWER, OUTDATED, UNREADABLE
from holdfast.text.phrases import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from holdfast.audit.period import Told
    from holdfast.doctor.checks import Place
    from holdfast.field.comparing import Behind
    from holdfast.field.coverage import Coverage

REBUILD = "`holdfast rebuild` makes it anew from the vault"
NEXT = "the next `holdfast recall` or close {}, and so does `holdfast rebuild`"
FIXES = {
    MISSING: NEXT.format("makes it from the vault"),
    OUTDATED: NEXT.format("brings it up"),
    DAMAGED: REBUILD,
    NEWER: "upgrade holdfast on this machine",
}
SAID = {
    MISSING: "the field has no index",
    OUTDATED: "the field's index was made by another holdfast",
    DAMAGED: "the field's index cannot be read",
    NEWER: "the field's index was made by a newer holdfast, so what is in it cannot be told",
}


@dataclass(frozen=True)
class Indexed:
    """Of how many of the drained sessions all is indexed; None where that cannot be told."""

    count: int | None
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()


def look(place: Place, told: Told, drained: Set[str]) -> Indexed:
    found = coverage.look(place.vault, since=told.period.since)
    if found.state == UNREADABLE:
        fix = "look again; `holdfast doctor` says more where it stays so"
        return Indexed(None, notes=(Finding(NOT_LOOKED_AT, "the field", found.why, fix),))
    if found.state == NEWER:
        return Indexed(None, (Finding(NOT_INDEXED, "", SAID[NEWER], FIXES[NEWER]),))
    left, others = _whose(found.behind, told, drained)
    late = {key: ones for key, ones in left.items() if place.clock() - min(one.since for one in ones) > PATIENCE}
    count = len(drained) - len(left)
    if found.state in SAID:
        return Indexed(count, tuple(_all_of_it(found, len(late))))
    findings = [_not_indexed(key, ones, place.clock()) for key, ones in sorted(late.items())]
    return Indexed(count, (*findings, *_passed(others)), tuple(_others(others, place.clock())))


def _whose(behind: Sequence[Behind], told: Told, drained: Set[str]) -> tuple[dict[str, list[Behind]], list[Behind]]:
    """What of each drained session is not indexed, and what is of no session that was seen. What is of one that goes on
    or is not drained is said with that one."""
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
    return [Finding(NOT_INDEXED, "", f"{SAID[found.state]}{what}", FIXES[found.state], max(1, sessions))]


def _not_indexed(key: str, left: Sequence[Behind], now: float) -> Finding:
    since = min(one.since for one in left)
    names = sorted(one.place for one in left)
    why = f"not in the index as it stands in the vault, for {age(now - since)}: {first_of(names)}"
    return Finding(NOT_INDEXED, key, why, _fix(left), len(left), since)


def _fix(left: Sequence[Behind]) -> str:
    """What was there when the index last looked at everything is not taken in by another look of that kind."""
    return REBUILD if any(one.was_passed for one in left) else NEXT.format("takes it in")


def _passed(others: Sequence[Behind]) -> list[Finding]:
    passed = [one for one in others if one.was_passed]
    if not passed:
        return []
    why = f"the index has looked since, and has {many(len(passed), 'file')} not as it stands in the vault"
    return [Finding(NOT_INDEXED, "", why, REBUILD, len(passed), min(one.since for one in passed))]


def _others(others: Sequence[Behind], now: float) -> list[Finding]:
    """What no session of the period gave, such as a person's edit: only how much it is, of whatever project."""
    late = [one for one in others if not one.was_passed and one.since and now - one.since > PATIENCE]
    if not late:
        return []
    since = min(one.since for one in late)
    why = f"{many(len(late), 'other change')} to the vault, the oldest {age(now - since)} ago, not in the index yet"
    return [Finding(INDEX_BEHIND, "", why, _fix(late), len(late), since)]

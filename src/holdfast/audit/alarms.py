"""Each thing that is not as it should be, as a finding: what failed, what went unanswered, what closed badly.

Each part is looked at for itself: one that breaks is a finding and hides no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.audit import firing
from holdfast.audit import indexed as indexing
from holdfast.audit.findings import (
    ERROR,
    FAILED,
    FELL_BACK,
    INLINE,
    LOOP,
    NO_ANSWER,
    NO_SNAPSHOT,
    QUEUE,
    VAULT,
    Finding,
)
from holdfast.audit.firing import Fired
from holdfast.audit.indexed import Indexed
from holdfast.doctor.acknowledged import check_acknowledged
from holdfast.doctor.capture import check_queue
from holdfast.doctor.checks import reason
from holdfast.doctor.faults import check_faults
from holdfast.doctor.history import check_history
from holdfast.doctor.vault import check_folders, check_locks, check_space
from holdfast.text.phrases import age, many

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from holdfast.audit.closes import Close
    from holdfast.audit.inline import Looked
    from holdfast.audit.period import Period, Told
    from holdfast.close.improve.loops import Loops
    from holdfast.doctor.checks import Place


def fired(place: Place, told: Told) -> Fired:
    """Sessions that no hook saw."""
    try:
        return firing.look(place, told)
    except Exception as error:
        return Fired((_broken("hooks", error),))


def indexed(place: Place, told: Told, drained: Set[str]) -> Indexed:
    """Sessions of which something is not in the index."""
    try:
        return indexing.look(place, told, drained)
    except Exception as error:
        return Indexed(None, (_broken("the field", error),))


def _broken(name: str, error: Exception) -> Finding:
    why = f"{name} could not be looked at ({type(error).__name__}: {reason(error)})"
    return Finding(ERROR, name, why, "mend what it names, then run `holdfast audit` again")


def errors(told: Told, now: float) -> Iterator[Finding]:
    own = told.own_errors()
    for (host, event, error), (count, last) in sorted(own.kept.items(), key=lambda item: -item[1][1]):
        who = " ".join(part for part in (host, event) if part) or "the ledger"
        often = f"{many(count, 'time')}, last {age(now - last)} ago" if last else many(count, "time")
        yield Finding(ERROR, who, f"{error} ({often})", "`holdfast log --kind error` shows each", count, last)
    if own.left_out:
        why = f"{many(own.left_out, 'more error')} of other kinds"
        yield Finding(ERROR, "", why, "`holdfast log --kind error` shows each", own.left_out)


def in_queue(place: Place) -> list[Finding]:
    """What the doctor says of the whole queue: a flag that waits too long need not be of any session."""
    try:
        every = (*check_queue(place), *check_acknowledged(place))
        found = [one for one in every if not one.ok and one.name in QUEUE]
    except Exception as error:
        return [_broken("the queue", error)]
    return [Finding(one.name, "", one.detail, one.fix) for one in found]


def in_vault(place: Place) -> list[Finding]:
    """What the doctor says of the vault itself: nothing is well that nothing can be filed in."""
    found: list[Finding] = []
    for look in (check_space, check_faults, check_folders, check_locks, check_history):
        try:
            found += [Finding(VAULT, one.name, one.detail, one.fix) for one in look(place) if not one.ok]
        except Exception as error:
            found.append(_broken("the vault", error))
    return found


def boundaries(told: Told, now: float) -> Iterator[Finding]:
    for host, count, since in told.boundaries.in_a_row(told.period.takes):
        why = (
            f"the last {count} nudges, since {age(now - since)}, got no answer: no flag, no word that there is nothing"
        )
        fix = (
            f"`holdfast doctor --agent {host}` looks whether the agent may run `holdfast flag`; "
            '`mode = "strict"` in config.toml lets the end of a turn ask once more'
        )
        yield Finding(NO_ANSWER, host, why, fix, count, since)
    for key, when, why in told.boundaries.unwritten:
        if key in told.own():
            said = f"a compaction went on without a snapshot ({why or 'nobody said why'})"
            yield Finding(NO_SNAPSHOT, key, said, "`holdfast doctor` looks at the disk and the vault", last=when)


def closes(told: Told, looked: Looked) -> Iterator[Finding]:
    takes = told.period.takes
    for one in told.closes.failed(takes):
        fix = "everything waits as before; `holdfast close` tries again"
        if "`holdfast doctor" in one.error:
            fix = "everything waits as before, and `holdfast close` files it once that is done"
        yield Finding(FAILED, one.episode, one.error, fix, last=one.when)
    reasons: dict[str, list[Close]] = {}
    for one in told.closes.fallen_back(takes):
        reasons.setdefault(one.fell_back, []).append(one)
    for why, fallen in reasons.items():
        said = f"{many(len(fallen), 'close')} filed verbatim what was meant for the judge: {why}"
        fix = "`holdfast doctor` probes the judge, `holdfast spend` shows the caps; a later close consolidates it"
        yield Finding(FELL_BACK, fallen[-1].episode, said, fix, len(fallen), fallen[-1].when)
    for found in looked.found:
        on = f" on {found.model}" if found.model else ""
        cost = f"{many(found.responses, 'response')}, {found.tokens:,} tokens{on}"
        said = f"it wrote its memory itself, over its whole context: {cost}"
        fix = (
            "an instruction asks for it, most likely in CLAUDE.md, AGENTS.md or a skill: take that out; "
            "a flag is one line, and the close does the rest in the background"
        )
        yield Finding(INLINE, found.episode, said, fix)


def loops(place: Place, asked: Period) -> tuple[Loops, list[Finding]]:
    """Every loop of the period's project, and those that closes have passed by."""
    from holdfast.close.improve import loops as known

    try:
        found = known.listing(place.vault, place.state, place.clock(), asked.project or None)
    except Exception as error:  # a vault that cannot be read is no reason to say nothing of the rest
        why = f"the loops could not be looked at ({type(error).__name__}: {reason(error)})"
        return known.Loops((), ()), [Finding(LOOP, "", why, "`holdfast check` says what is wrong in the vault")]
    late = [
        Finding(
            LOOP,
            one.id,
            f'"{one.wrong[:120]}" {known.SAID[one.state]}; {many(one.closes, "close")} went by',
            "`holdfast loops` lists them, `holdfast review` decides what waits",
            last=one.time,
        )
        for one in found.open
        if one.is_late
    ]
    return found, late

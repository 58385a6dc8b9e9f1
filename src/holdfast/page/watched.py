"""The ledger as this server has read it already, and what part of it a visit asks about."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from holdfast.capture import episodes, ledger
from holdfast.health import receipts, unseen_sessions
from holdfast.health.finding import Place
from holdfast.health.ledger_days import Calendar
from holdfast.health.week import Week, period

if TYPE_CHECKING:
    from holdfast.health.finding import Finding
    from holdfast.health.period import Period
    from holdfast.health.receipts import Receipts
    from holdfast.page.visit import Visit

LOOK_EVERY = 300.0  # seconds
CLOSED_WITHIN = 7 * ledger.DAY  # of a session's end its close is looked for


@cache
def week_of(state: str) -> Week:
    """The week of a ledger, read once by this process and then read on."""
    return Week(state)


@cache
def calendar_of(state: str) -> Calendar:
    return Calendar(state)


def projects_of(visit: Visit) -> tuple[str, ...]:
    """The ids that are shown; none named for all projects."""
    return () if visit.everything else visit.memory.at.project().ids


def asked_of(visit: Visit) -> Period:
    return period(visit.server.vault, visit.server.clock(), "" if visit.everything else visit.memory.at.project().id)


def place_of(visit: Visit) -> Place:
    at = visit.memory.at
    return Place(visit.server.vault, at.cwd, at.env, clock=visit.server.clock)


def days_of(state: str, session: str, now: float) -> tuple[str, str]:
    """The first and the last day on which the ledger can tell of a session; "" where that is not known."""
    host, _, name = session.partition("/")
    first, last = episodes.numbered(state, host, name, 1), episodes.latest(state, host, name)
    if not session or first is None or last is None:
        return "", ""
    until = last.closed + CLOSED_WITHIN if last.closed else now + CLOSED_WITHIN
    return ledger.day_of(first.opened), ledger.day_of(until)


@cache
def _unseen(state: str) -> dict[tuple[str, int], tuple[Finding, ...]]:  # noqa: ARG001
    """Looks at a ledger, by project and time."""
    return {}


def unseen_of(visit: Visit) -> tuple[Finding, ...]:
    """Sessions that no hook saw, looked for once in a while: that reads transcripts."""
    now, asked = visit.server.clock(), asked_of(visit)
    known, wanted = _unseen(visit.server.state), (asked.project, int(now // LOOK_EVERY))
    if wanted not in known:
        with week_of(visit.server.state).upto(now) as (whole, _):
            told = replace(whole, period=asked, seen=dict(whole.seen), heard=dict(whole.heard))
        found = tuple(unseen_sessions.look(place_of(visit), told))
        for old in [one for one in known if one[1] != wanted[1]]:
            known.pop(old, None)
        known[wanted] = found
    return known[wanted]


def receipts_of(visit: Visit) -> Receipts:
    """The receipts of this week."""
    with week_of(visit.server.state).upto(visit.server.clock()) as (_, tally):
        return receipts.count(visit.server.vault, asked_of(visit), tally)

"""The ledger as this server has read it already, and what part of it a visit asks about."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from holdfast.health import receipts
from holdfast.health.finding import Place
from holdfast.health.ledger_days import Calendar
from holdfast.health.week import Week, period

if TYPE_CHECKING:
    from holdfast.health.period import Period
    from holdfast.health.receipts import Receipts
    from holdfast.page.visit import Visit


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


def receipts_of(visit: Visit) -> Receipts:
    """What memory did this week."""
    with week_of(visit.server.state).upto(visit.server.clock()) as (_, tally):
        return receipts.count(visit.server.vault, asked_of(visit), tally)

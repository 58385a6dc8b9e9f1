"""The team: what is unsent and since when, and the state of its database. A server that is away costs others' view of
this machine, never its memory, so that is advice; a role that sees too much, or a schema that nobody here can use, is a
failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.errors import Busy, HoldfastError
from holdfast.health.finding import bad, good, note, reason
from holdfast.team import background, settings, shipping
from holdfast.text.layout import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.field.postgres.hosts import Host
    from holdfast.field.postgres.people import Me
    from holdfast.health.finding import Finding, Place
    from holdfast.team.settings import Settings

NAME = "team"
PATIENCE = 3.0
ALLOWED_LAG = 16 << 20  # bytes: one segment of the log
LONG = 7 * 86400.0  # unsent for so long it is more than a server that is down for the night
SYNC = "`holdfast team sync` sends it now and says what stands in the way"


def check_team(place: Place) -> Iterator[Finding]:
    """Nothing where this machine has joined no team."""
    found = settings.load(place.env, place.vault)
    if found.dsn:
        yield from _unsent(place, found)
        yield from _database(found)


def _unsent(place: Place, found: Settings) -> Iterator[Finding]:
    from holdfast.field import intake

    with background.opened(place.vault, place.env, place.clock) as field:
        intake.synced(field)
        each = [shipping.unsent(field, found, share) for share in found.shares]
    now = place.clock()
    for one in each:
        what = f"{one.share.project} with {one.share.team}"
        if one.purged:
            yield note("team-unsent", f"a purge in {what} has not reached the team's field", SYNC)
        if not one.count:
            yield good("team-unsent", f"{what}: all of it is sent")
            continue
        since = f", the oldest {age(now - one.oldest)} old" if one.oldest else ""
        told = f"{what}: {many(one.count, 'record')} unsent{since}; all of it is kept here"
        is_long = bool(one.oldest) and now - one.oldest > LONG
        yield bad("team-unsent", told, SYNC) if is_long else note("team-unsent", told, SYNC)
    for share in shipping.withdrawals(place.vault):
        yield note("team-unsent", f"{share.project} is not withdrawn from {share.team} yet", SYNC)


def _database(found: Settings) -> Iterator[Finding]:
    from holdfast.field.postgres import hosts, people, schema
    from holdfast.field.postgres.connection import Server

    try:
        server = Server(found.dsn, budget=PATIENCE)
        try:
            schema.check(server)
            me = people.me(server)
            each = hosts.look(server) if "," in found.dsn else []
        finally:
            server.close()
    except Busy as error:
        yield note(NAME, reason(error), "bring the server back; until then this machine's own index answers")
        return
    except HoldfastError as error:
        fix = "do what it says, or `holdfast team join DSN` with another address"
        yield bad(NAME, settings.masked(reason(error)), fix)
        return
    yield from _role(found, me)
    yield from _hosts(each)
    yield good(NAME, f"{me.person}, a member of {', '.join(me.teams) or 'no team'}, at {settings.masked(found.dsn)}")


def _role(found: Settings, me: Me) -> Iterator[Finding]:
    if me.excess:
        what = f"the role {me.role} {' and '.join(me.excess)}: more than a person's role should"
        yield bad("team-role", what, "`holdfast team add TEAM PERSON` makes one, and `holdfast team join DSN` takes it")
    lost = sorted({share.team for share in found.shares} - set(me.teams))
    if lost:
        what = f"{me.person} is no member of {first_of(lost)}, so nothing can be sent there or read"
        yield bad("team-role", what, "ask the owner for `holdfast team add`, or `holdfast unshare` the project")


def _hosts(each: Sequence[Host]) -> Iterator[Finding]:
    """Standbys: one that is behind by much would lose with the primary what only that one has."""
    for host in each:
        if host.role == "away":
            yield note("team-standby", f"{host.name} does not answer", "bring it back, or take it out of the address")
        elif host.behind > ALLOWED_LAG:
            what = f"the standby {host.name} is {host.behind:,} bytes behind, its last change {age(host.lag)} old"
            yield bad(
                "team-standby", what, "look at its log; before it has caught up it cannot take over without a loss"
            )

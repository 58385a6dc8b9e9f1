"""The team: what is unsent and since when, and the state of its database. A server that is away costs others' view of
this machine, never its memory, so that is advice; a role that sees too much, or a schema that nobody here can use, is a
failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.errors import Busy, HoldfastError
from holdfast.health.finding import bad, good, note, reason
from holdfast.team import background, settings, shipping, standing
from holdfast.text.layout import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.finding import Finding, Place
    from holdfast.team.settings import Settings
    from holdfast.team.standing import Standing

NAME = "team"
PATIENCE = 3.0
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
    from holdfast.field.postgres.connection import Server

    try:
        server = Server(found.dsn, budget=PATIENCE)
        try:
            seen = standing.look(server)
        finally:
            server.close()
    except Busy as error:
        yield note(NAME, reason(error), "bring the server back; until then this machine's own index answers")
        return
    except HoldfastError as error:
        yield bad(
            NAME, settings.masked(reason(error)), "do what it says, or `holdfast team join DSN` with another address"
        )
        return
    yield from _seen(found, seen)


def _seen(found: Settings, seen: Standing) -> Iterator[Finding]:
    role = seen.role
    if role.rights:
        what = f"the role {role.person} is {' and '.join(role.rights)}: a person's role should be neither"
        yield bad("team-role", what, "`holdfast team add TEAM PERSON` makes one, and `holdfast team join DSN` takes it")
    lost = sorted({share.team for share in found.shares} - set(role.teams))
    if lost:
        what = f"{role.person} is no member of {first_of(lost)}, so nothing can be sent there or read"
        yield bad(
            "team-role", what, "ask the database's owner for `holdfast team add`, or `holdfast unshare` the project"
        )
    if not seen.has_vectors:
        yield bad(NAME, "the database has no pgvector", "its owner runs CREATE EXTENSION vector")
    for host, lacks in seen.behind():
        what = f"the standby {host.name} is {lacks >> 20:,} MB behind, its last change {age(host.age)} old"
        yield bad(
            "team-standby", what, "look at its log; what was acknowledged by the primary alone would be lost with it"
        )
    for host in seen.hosts:
        if host.trouble:
            what = f"{host.name} cannot be reached ({settings.masked(host.trouble)})"
            yield note("team-standby", what, "bring it back, or take it out of the address")
    yield good(
        NAME, f"{role.person}, a member of {', '.join(role.teams) or 'no team'}, at {settings.masked(found.dsn)}"
    )

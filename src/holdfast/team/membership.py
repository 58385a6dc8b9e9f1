"""Who a DSN makes this machine in a team's database: looked at before anything is written down or sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.field.postgres.connection import Server
    from holdfast.field.postgres.people import Me


def joinable(server: Server) -> Me:
    """The person of an address, fit for a machine. Raises Refused, Away."""
    from holdfast.field.postgres import people, schema
    from holdfast.field.postgres.connection import Refused

    schema.check(server)
    found = people.me(server)
    if found.excess:
        raise Refused(
            f"The role {found.role} {' and '.join(found.excess)}, so it could see more than a person's; nothing was "
            "changed. Use the address that `holdfast team add TEAM PERSON` printed."
        )
    if not found.teams:
        raise Refused(
            f"{found.person} is a member of no team in this database; nothing was changed. Its owner runs "
            f"`holdfast team add TEAM {found.person}`."
        )
    return found

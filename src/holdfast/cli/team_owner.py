"""The team on the command line, for the owner of its database: prepare it, add and remove people, list them.

An owner's address is never kept on this machine: --dsn or HOLDFAST_TEAM_OWNER gives it.
"""

from __future__ import annotations

import os
from typing import Annotated

from holdfast.capture import gate
from holdfast.cli import output
from holdfast.cli.command import Argument, Json, Option
from holdfast.cli.team import Dsn, connected, given_dsn
from holdfast.errors import UsageError
from holdfast.memory import Memory
from holdfast.team import settings as team_settings

OWNER = "HOLDFAST_TEAM_OWNER"
OwnerDsn = Annotated[str, Option("--dsn", metavar="DSN", help=f"Of the database's owner, else ${OWNER}.")]


def _owner(dsn: str) -> str:
    found = given_dsn(dsn) or os.environ.get(OWNER, "")
    if not found:
        raise UsageError(
            "Whose database is meant is not said; nothing was changed. Say --dsn DSN with its owner's address, or set "
            f"{OWNER}."
        )
    return found


def prepare(dsn: Dsn, json: Json = False) -> None:
    """Prepare a PostgreSQL database for teams, as its owner: its tables, in numbered steps. Again does no harm."""
    from holdfast.field.postgres import schema

    gate.require(Memory.open().at.asker(), gate.Change(gate.SETTING), "Preparing a team's database")
    with connected(given_dsn(dsn)) as server:
        number = schema.prepare(server)
    line = f"The database is prepared (step {number}). Next: `holdfast team add TEAM PERSON --dsn DSN` for each person."
    output.answer({"schema": number}, (line,), json=json)


def add(
    team: Annotated[str, Argument(help="Its name; made if there is none.")],
    person: Annotated[str, Argument(help="Becomes a role of the database.")],
    dsn: OwnerDsn = "",
    json: Json = False,
) -> None:
    """Add a person to a team, as the database's owner, and print the address for their machine, once."""
    from holdfast.field.postgres import people

    gate.require(Memory.open().at.asker(), gate.Change(gate.SETTING), "Adding a person to a team")
    owner = _owner(dsn)
    with connected(owner) as server:
        people.add_team(server, team)
        password = people.add_person(server, person)
        people.join(server, team, person)
    address = people.address_of(owner, people.role(person), password) if password else ""
    lines = [f"{person} is a member of {team}."]
    if address:
        lines += [
            f"Give them this address, which is shown only now: {address}",
            "They run `holdfast team join DSN` with it.",
        ]
    else:
        lines.append("They had an address already, and it stays as it is.")
    output.answer({"team": team, "person": person, "dsn": address}, lines, json=json)


def remove(
    team: Annotated[str, Argument(help="Its name.")],
    person: Annotated[str, Argument(help="The member.")],
    dsn: OwnerDsn = "",
    json: Json = False,
) -> None:
    """Take a person out of a team, as the database's owner. What they shared stays; they see and write nothing more."""
    from holdfast.field.postgres import people

    gate.require(Memory.open().at.asker(), gate.Change(gate.SETTING), "Removing a person from a team")
    with connected(_owner(dsn)) as server:
        people.leave(server, team, person)
    line = f"{person} is no longer a member of {team}; what they shared stays until it is withdrawn."
    output.answer({"team": team, "person": person}, (line,), json=json)


def list_teams(dsn: OwnerDsn = "", json: Json = False) -> None:
    """List your teams; with an owner's address all teams of the database and their members."""
    memory = Memory.open()
    if dsn or os.environ.get(OWNER):
        from holdfast.field.postgres import people

        with connected(_owner(dsn)) as server:
            found = {str(one): [str(who) for who in people.members(server, str(one))] for one in people.teams(server)}
        lines = [f"{output.plain(one)}: {output.plain(', '.join(who)) or 'nobody'}" for one, who in found.items()]
        output.answer({"teams": found}, lines or ("There is no team yet.",), json=json)
        return
    from holdfast.field.postgres import people

    settings = team_settings.joined(memory.at.env, memory.at.vault)
    with connected(settings.dsn) as server:
        role = people.me(server)
    listed = [f"{output.plain(one)}: {settings.person} is a member" for one in role.teams]
    output.answer({"teams": {one: [settings.person] for one in role.teams}}, listed or ("None.",), json=json)

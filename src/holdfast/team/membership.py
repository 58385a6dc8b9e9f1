"""Who a DSN makes this machine in a team's database: looked at before anything is written down or sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.field.postgres.connection import Server

ROLE = "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"


@dataclass(frozen=True)
class Role:
    """A role of the database, the teams it is a member of, and the rights that a person should not have."""

    person: str
    teams: tuple[str, ...]
    rights: tuple[str, ...] = ()


def role_of(server: Server) -> Role:
    """Raises Away, Refused."""
    with server.owner() as db:
        person, *rights = db.execute(ROLE).fetchone()
        titles = ("a superuser", "exempt from row-level security", "allowed to make roles", "allowed to make databases")
        found = db.execute("SELECT name FROM holdfast.member WHERE person = current_user ORDER BY name").fetchall()
        has = tuple(title for title, is_so in zip(titles, rights, strict=True) if is_so)
        return Role(str(person), tuple(str(row[0]) for row in found), has)


def joinable(server: Server) -> Role:
    """The role, fit for a person's machine. Raises Refused, Away."""
    from holdfast.field.postgres import schema
    from holdfast.field.postgres.connection import Refused

    schema.check(server)
    found = role_of(server)
    mighty = found.rights[:1]
    if mighty and mighty[0] in ("a superuser", "exempt from row-level security"):
        raise Refused(
            f"The role {found.person} is {mighty[0]}, so it would see every team; nothing was changed. Use the address "
            "that `holdfast team add TEAM PERSON` printed."
        )
    if not found.teams:
        raise Refused(
            f"{found.person} is a member of no team in this database; nothing was changed. Its owner runs "
            f"`holdfast team add TEAM {found.person}`."
        )
    return found


def address_for(owner: str, person: str, password: str) -> str:
    """The address of the same database for another person."""
    from urllib.parse import quote, urlencode

    from psycopg import conninfo

    given = {name: str(said) for name, said in conninfo.conninfo_to_dict(owner).items() if said is not None}
    for name in ("user", "password", "application_name", "passfile"):
        given.pop(name, None)
    hosts, ports = given.pop("host", "").split(","), given.pop("port", "").split(",")
    database = given.pop("dbname", "")
    ports += ports[-1:] * (len(hosts) - len(ports))
    if any(one.startswith("/") for one in hosts):  # a socket's folder does not fit before the slash
        where = ""
        given = {"host": ",".join(hosts), **({"port": ",".join(ports)} if any(ports) else {}), **given}
    else:
        where = ",".join(f"{host}:{port}" if port else host for host, port in zip(hosts, ports, strict=False))
    more = f"?{urlencode(given)}" if given else ""
    return f"postgresql://{quote(person, safe='')}:{quote(password, safe='')}@{where}/{quote(database, safe='')}{more}"

"""Teams and their people, in the database that they share.

A person is a role of PostgreSQL, `hf_ada`, so the database itself knows who asks: it shows a person the rows of their
teams, and lets nobody sign a row as somebody else. A server has a role of its own, `hf_server`, which may look up
tokens (serve_tokens) and take on a person's role for one transaction; it inherits nothing and is in no team.

All but `me` need the DSN of the database's owner. Each is one transaction.
"""

from __future__ import annotations

import re
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.errors import NotFound, UsageError
from holdfast.field.postgres.connection import Refused
from holdfast.field.postgres.schema import PEOPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.field.postgres.connection import Server

PREFIX = "hf_"
SERVER = f"{PREFIX}server"  # the role of `holdfast serve --store`
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
LOCK = 0x48665065  # of whoever changes people
EXCESS = "SELECT rolsuper, rolbypassrls, rolcreaterole, rolreplication FROM pg_roles WHERE rolname = %s"
RIGHTS = ("is a superuser", "bypasses row-level security", "may create roles", "may replicate")


@dataclass(frozen=True)
class Me:
    """The person of a DSN, their teams, and the rights that nobody should have who only shares thoughts."""

    person: str
    role: str
    teams: tuple[str, ...]
    excess: tuple[str, ...] = ()


def role(person: str) -> str:
    """The role of a person. Raises UsageError."""
    if not NAME.fullmatch(person) or f"{PREFIX}{person}" == SERVER:
        raise UsageError(
            f'"{person[:60]}" is no name of a person; nothing was changed. A name has 1 to 40 letters of a-z, digits, '
            '- and _, and is not "server".'
        )
    return f"{PREFIX}{person}"


def name_of(role: str) -> str:
    """The person of a role; a role of another kind is known by its own name."""
    return role.removeprefix(PREFIX)


def address_of(dsn: str, user: str, password: str) -> str:
    """The DSN of another role of the same database, as a URL."""
    from urllib.parse import quote, urlencode

    from psycopg import conninfo

    given = {name: str(said) for name, said in conninfo.conninfo_to_dict(dsn).items()}
    for name in ("user", "password", "passfile"):
        given.pop(name, None)
    name, host, port = given.pop("dbname", ""), given.pop("host", ""), given.pop("port", "")
    hosts, ports = host.split(","), port.split(",")
    if host.startswith("/") or not host or (len(ports) not in (1, len(hosts))):
        given.update({key: said for key, said in (("host", host), ("port", port)) if said})
        where = ""
    else:
        paired = zip(hosts, ports if len(ports) == len(hosts) else ports * len(hosts), strict=True)
        where = ",".join(f"{one}:{at}" if at else one for one, at in paired)
    more = f"?{urlencode(given)}" if given else ""
    return f"postgresql://{quote(user)}:{quote(password, safe='')}@{where}/{quote(name, safe='')}{more}"


def add_team(server: Server, team: str) -> bool:
    """Whether it is new. Raises UsageError, Refused, Away."""
    if not NAME.fullmatch(team):
        raise UsageError(
            f'"{team[:60]}" is no name of a team; nothing was changed. A name has 1 to 40 letters of a-z, digits, - '
            "and _."
        )
    with owned(server) as db:
        made = db.execute("INSERT INTO holdfast.team (name) VALUES (%s) ON CONFLICT DO NOTHING", (team,))
        return bool(made.rowcount)


def add_person(server: Server, person: str) -> str:
    """The password of a new person, shown once; "" where the person is known already. Raises UsageError, Refused."""
    wanted = role(person)
    with owned(server) as db:
        _alone(db)
        if _is_role(db, wanted):
            _refuse_excess(db, wanted)
            made = ""
        else:
            made = secrets.token_urlsafe(24)
            _run(db, "CREATE ROLE {} LOGIN INHERIT", wanted)
            _give_password(db, wanted, made)
        # Rights within the policies come by inheritance of this one grant; it cannot be taken on as a role.
        _run(db, "GRANT {} TO {} WITH INHERIT TRUE, SET FALSE", PEOPLE, wanted)
        _make_server_role(db)
        _run(db, "GRANT {} TO {} WITH INHERIT FALSE, SET TRUE", wanted, SERVER)
        return made


def add_server(server: Server) -> str:
    """Let servers in, with a new password for their role. Raises Refused, Away."""
    with owned(server) as db:
        _alone(db)
        _make_server_role(db)
        _refuse_excess(db, SERVER)
        for one in _all_people(db):
            _run(db, "GRANT {} TO {} WITH INHERIT FALSE, SET TRUE", one, SERVER)
        made = secrets.token_urlsafe(24)
        _run(db, "ALTER ROLE {} LOGIN", SERVER)
        _give_password(db, SERVER, made)
        return made


def join(server: Server, team: str, person: str) -> None:
    """Raises NotFound, UsageError, Refused."""
    wanted = role(person)
    with owned(server) as db:
        if not _is_role(db, wanted):
            raise _unknown(person)
        done = db.execute(
            "INSERT INTO holdfast.member (team, name, person) SELECT code, name, %s FROM holdfast.team WHERE name = %s "
            "ON CONFLICT DO NOTHING",
            (wanted, team),
        )
        if not done.rowcount:
            refuse_no_team(db, team)


def leave(server: Server, team: str, person: str) -> None:
    """From now on the person sees nothing of the team, and their tokens for it count no more. What they brought stays.
    Raises NotFound, UsageError, Refused."""
    wanted = role(person)
    with owned(server) as db:
        refuse_no_team(db, team)
        if not db.execute("DELETE FROM holdfast.member WHERE name = %s AND person = %s", (team, wanted)).rowcount:
            raise NotFound(f"{person} is not in {team}; nothing was changed.")
        db.execute(
            "UPDATE holdfast.token SET revoked = now() WHERE team = %s AND person = %s AND revoked IS NULL",
            (team, wanted),
        )


def teams(server: Server) -> list[str]:
    with owned(server) as db:
        return [row[0] for row in db.execute("SELECT name FROM holdfast.team ORDER BY name")]


def members(server: Server, team: str) -> list[str]:
    """The people of a team by name. Raises NotFound."""
    with owned(server) as db:
        refuse_no_team(db, team)
        rows = db.execute("SELECT person FROM holdfast.member WHERE name = %s ORDER BY person", (team,))
        return [name_of(row[0]) for row in rows]


def me(server: Server) -> Me:
    """Whose DSN this is. Raises Refused, Away."""
    with owned(server) as db:
        own = db.execute("SELECT current_user::text").fetchone()[0]
        rows = db.execute("SELECT name FROM holdfast.member WHERE person = current_user ORDER BY name").fetchall()
        return Me(name_of(own), own, tuple(row[0] for row in rows), _excess(db, own))


@contextmanager
def owned(server: Server) -> Iterator[Any]:
    """One transaction of the owner."""
    with server.owner() as db, db.transaction():
        yield db


def _alone(db: Any) -> None:
    db.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))


def _run(db: Any, statement: str, *names: str) -> None:
    from psycopg import sql

    db.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _give_password(db: Any, wanted: str, made: str) -> None:
    """As a digest that is made here: the password itself stands in no log of the server."""
    digest = db.pgconn.encrypt_password(made.encode(), wanted.encode(), b"scram-sha-256").decode()
    from psycopg import sql

    db.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(wanted), sql.Literal(digest)))


def _make_server_role(db: Any) -> None:
    if not _is_role(db, SERVER):
        _run(db, "CREATE ROLE {} NOLOGIN NOINHERIT", SERVER)
    _run(db, "GRANT USAGE ON SCHEMA holdfast TO {}", SERVER)
    _run(db, "GRANT SELECT ON holdfast.meta, holdfast.token TO {}", SERVER)
    _run(db, "GRANT UPDATE (used) ON holdfast.token TO {}", SERVER)


def _is_role(db: Any, wanted: str) -> bool:
    return db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (wanted,)).fetchone() is not None


def _all_people(db: Any) -> list[str]:
    rows = db.execute(
        "SELECT m.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member "
        "JOIN pg_roles p ON p.oid = a.roleid WHERE p.rolname = %s AND starts_with(m.rolname, %s) AND m.rolname <> %s",
        (PEOPLE, PREFIX, SERVER),
    ).fetchall()
    return sorted({row[0] for row in rows})


def _excess(db: Any, wanted: str) -> tuple[str, ...]:
    row = db.execute(EXCESS, (wanted,)).fetchone()
    return tuple(said for said, has in zip(RIGHTS, row, strict=True) if has) if row else ()


def _refuse_excess(db: Any, wanted: str) -> None:
    """A role of that name may have been there before, for something else."""
    if excess := _excess(db, wanted):
        raise Refused(
            f"The role {wanted} {' and '.join(excess)}, so no policy would bind it; nothing was changed. Take that "
            "from it, or choose another name."
        )


def refuse_no_team(db: Any, team: str) -> None:
    if not db.execute("SELECT 1 FROM holdfast.team WHERE name = %s", (team,)).fetchone():
        raise NotFound(
            f'There is no team "{team[:60]}"; nothing was changed. `holdfast team add TEAM PERSON` makes one.'
        )


def _unknown(person: str) -> NotFound:
    return NotFound(f"{person} is nobody here; nothing was changed. `holdfast team add TEAM PERSON` adds them.")

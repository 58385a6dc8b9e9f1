"""The state of a team's database, as far as a person may look: its schema, this role's rights, and each host of the
address with how far it is behind the one that takes writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.team import membership

if TYPE_CHECKING:
    from holdfast.field.postgres.connection import Server
    from holdfast.team.membership import Role

PATIENCE = 3  # seconds for one host
ALLOWED_LAG = 16 << 20  # bytes of the log: one segment
HOST = (
    "SELECT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() "
    "END - '0/0'::pg_lsn, extract(epoch FROM now() - pg_last_xact_replay_timestamp())"
)


@dataclass(frozen=True)
class Host:
    """One host: a standby or the primary, how many bytes of the log it has, and the age of what it replayed last."""

    name: str
    is_standby: bool = False
    place: int = 0
    age: float = 0.0
    trouble: str = ""


@dataclass(frozen=True)
class Standing:
    role: Role
    has_vectors: bool
    hosts: tuple[Host, ...]

    def behind(self) -> list[tuple[Host, int]]:
        """Standbys that are behind by more than they may, with the bytes that they lack."""
        end = max((one.place for one in self.hosts if not one.is_standby), default=0)
        return [(one, end - one.place) for one in self.hosts if one.is_standby and end - one.place > ALLOWED_LAG]


def look(server: Server) -> Standing:
    """Raises Refused for a schema of another holdfast or none, Away."""
    from holdfast.field.postgres import schema

    schema.check(server)
    with server.owner() as db:
        vectors = db.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone()
    return Standing(membership.role_of(server), bool(vectors), tuple(_hosts(server.dsn)))


def _hosts(dsn: str) -> list[Host]:
    """Each host of an address by itself; nothing to compare where it names one."""
    from psycopg import conninfo

    given: dict[str, Any] = dict(conninfo.conninfo_to_dict(dsn))
    names = str(given.get("host") or "").split(",")
    if len(names) < 2:
        return []
    ports = str(given.get("port") or "5432").split(",")
    ports += ports[-1:] * (len(names) - len(ports))
    return [_host({**given, "host": name, "port": port}) for name, port in zip(names, ports, strict=False)]


def _host(given: dict[str, Any]) -> Host:
    import psycopg

    name = f"{given['host']}:{given['port']}"
    given = {**given, "target_session_attrs": "any", "connect_timeout": PATIENCE}
    try:
        with psycopg.connect(**given, autocommit=True) as db:
            row = db.execute(HOST).fetchone()
    except psycopg.Error as error:
        return Host(name, trouble=" ".join(str(error).split())[:120])
    is_standby, place, age = row or (False, 0, 0.0)
    return Host(name, bool(is_standby), int(place or 0), float(age or 0.0))

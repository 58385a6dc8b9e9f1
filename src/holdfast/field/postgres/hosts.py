"""The servers that a DSN names: which one is written to, which follow it, and how far behind they are.

Each is asked by itself, since the one that is written to tells a role of ours little of the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.field.postgres.connection import Server

PRIMARY, STANDBY, AWAY = "primary", "standby", "away"
PATIENCE = 2  # seconds for each
ASKED = """SELECT pg_is_in_recovery(),
  (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END) - '0/0'::pg_lsn,
  coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0)::float8"""


@dataclass(frozen=True)
class Host:
    """`behind` is in bytes of the primary's log that a standby has not applied, `lag` in seconds since it last did
    while there are such."""

    name: str
    role: str
    behind: int = 0
    lag: float = 0.0


def look(server: Server) -> list[Host]:
    """All servers in the order of the DSN; whoever does not answer is away."""
    found = [(_asked(where), where["name"]) for where in _wheres(server.dsn)]
    written = max((int(at) for (role, at, _), _ in found if role == PRIMARY), default=0)
    made = []
    for (role, at, since), name in found:
        behind = max(0, written - int(at)) if role == STANDBY and written else 0
        made.append(replace(Host(name, role), behind=behind, lag=round(float(since), 3) if behind else 0.0))
    return made


def _asked(where: dict[str, Any]) -> tuple[str, int, float]:
    import psycopg
    from psycopg import conninfo

    from holdfast.field.postgres.waking import Waking

    given = {**where["given"], "target_session_attrs": "any", "connect_timeout": PATIENCE}
    try:
        with Waking.connect(conninfo.make_conninfo("", **given), autocommit=True) as db:
            row = db.execute(ASKED).fetchone()
    except psycopg.Error:
        return AWAY, 0, 0.0
    assert row
    return STANDBY if row[0] else PRIMARY, int(row[1]), float(row[2])


def _wheres(dsn: str) -> Iterator[dict[str, Any]]:
    from psycopg import conninfo

    given = conninfo.conninfo_to_dict(dsn)
    hosts = str(given.get("host", "")).split(",")
    ports = str(given.get("port", "5432")).split(",")
    for at, host in enumerate(hosts):
        port = ports[at] if len(ports) == len(hosts) else ports[0]
        one = {**given, "port": port, **({"host": host} if host else {})}
        # A socket is named by its folder, which is nobody's business who asks over HTTP.
        yield {"given": one, "name": f"local:{port}" if host.startswith("/") or not host else f"{host}:{port}"}

"""The tokens of servers, in the database: every replica knows them, and one that is revoked counts nowhere at once.

Only a digest is kept, so a token is shown once. It says which person's role its caller has, in which team; a name for
the agent that holds it makes that one a contributor of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.errors import NotFound, UsageError
from holdfast.field.postgres.people import NAME, name_of, owned, refuse_no_team, role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.postgres.connection import Server


@dataclass(frozen=True)
class Token:
    """A token of a server: the name of an agent, whose it is, and in which team. Times in seconds, 0.0 for never."""

    name: str
    person: str
    team: str
    made: float = 0.0
    used: float = 0.0
    revoked: float = 0.0

    @property
    def agent(self) -> str:
        """The contributor that its thoughts and readings are of."""
        return f"{self.person}:{self.name}"


def add(server: Server, name: str, person: str, team: str, secret_digest: bytes) -> None:
    """A token of a member, which its owner alone knows. Raises UsageError, NotFound, Refused."""
    wanted = role(person)
    if not NAME.fullmatch(name):
        raise UsageError(
            f'"{name[:60]}" is no name for a token; nothing was made. A name has 1 to 40 letters of a-z, digits, - '
            "and _."
        )
    with owned(server) as db:
        refuse_no_team(db, team)
        if not db.execute("SELECT 1 FROM holdfast.member WHERE name = %s AND person = %s", (team, wanted)).fetchone():
            raise NotFound(
                f"{person} is not in {team}; nothing was made. `holdfast team add {team} {person}` adds them."
            )
        # A name that was revoked is free again; the row of a token that counts is left alone.
        db.execute("DELETE FROM holdfast.token WHERE name = %s AND revoked IS NOT NULL", (name,))
        made = db.execute(
            "INSERT INTO holdfast.token (digest, name, person, team) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (secret_digest, name, wanted, team),
        )
        if not made.rowcount:
            raise UsageError(
                f"There is a token named {name} already; nothing was made. Revoke it first, or name another."
            )


AGE = "extract(epoch FROM t.{})::float8"
KEPT = f"""SELECT t.name, t.person, t.team, {AGE.format("made")}, coalesce({AGE.format("used")}, 0),
  coalesce({AGE.format("revoked")}, 0) FROM holdfast.token t"""
COUNTS = f"""{KEPT.replace(" FROM holdfast", ", t.used IS NULL OR t.used < now() - interval '1 minute' FROM holdfast")}
  WHERE t.digest = %s AND t.revoked IS NULL"""
USED = "UPDATE holdfast.token SET used = now() WHERE digest = %s AND revoked IS NULL"


def found(server: Server, secret_digest: bytes) -> Token | None:
    """The token of this digest, if it counts; that it was used is noted to the minute. With a server's own DSN: it is
    asked at each request, so one that is revoked counts nowhere from then on. Raises Away, Refused."""
    with server.transaction("") as db:
        row = db.execute(COUNTS, (secret_digest,)).fetchone()
        if row is None:
            return None
        if row[-1]:
            db.execute("SET LOCAL synchronous_commit = off")  # a time of use that a crash loses is no loss
            db.execute(USED, (secret_digest,))
        return _token(row[:-1])


def listed(server: Server) -> list[Token]:
    """All of them, with those that were revoked."""
    with owned(server) as db:
        return [_token(row) for row in db.execute(f"{KEPT} ORDER BY t.name").fetchall()]


def revoke(server: Server, name: str) -> None:
    """From the next request on, at every server. Raises NotFound."""
    with owned(server) as db:
        done = db.execute("UPDATE holdfast.token SET revoked = now() WHERE name = %s AND revoked IS NULL", (name,))
        if not done.rowcount:
            raise NotFound(f'No token that counts is named "{name[:60]}"; nothing was changed.')


def _token(row: Sequence[Any]) -> Token:
    name, person, *rest = row
    return Token(name, name_of(person), *rest)

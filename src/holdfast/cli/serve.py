"""`holdfast serve`: the memory over HTTP, on this machine only."""

from __future__ import annotations

import importlib.util
import os
import time
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import gate, platform
from holdfast.cli import output
from holdfast.cli.command import Argument, Json, Option
from holdfast.errors import UsageError
from holdfast.memory import Memory
from holdfast.serve import process, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.field.postgres.connection import Server
    from holdfast.field.postgres.serve_tokens import Token

NEEDED = ("fastapi", "uvicorn", "prometheus_client")


def serve(
    host: Annotated[str, Option("--host", help="127.0.0.1, localhost or ::1.")] = "127.0.0.1",
    port: Annotated[int, Option("--port", help="0 is any that is free.")] = process.PORT,
    socket: Annotated[str, Option("--socket", help="The path of a unix socket, instead of a port.")] = "",
    health_age: Annotated[
        float | None,
        Option("--health-age", least=0, help="Seconds a flag may wait until /health fails; a day if not said."),
    ] = None,
    new_token: Annotated[
        str, Option("--new-token", metavar="NAME", help="Print a token for an agent of this name, and end.")
    ] = "",
    everything: Annotated[
        bool, Option("--all", help="With --new-token: it may ask for all projects, not only this one.")
    ] = False,
    revoke: Annotated[str, Option("--revoke", metavar="NAME", help="End the token of this name.")] = "",
    store: Annotated[
        str, Option("--store", metavar="DSN", help="Serve a team's PostgreSQL database instead of a vault.")
    ] = "",
    name: Annotated[
        list[str] | None,
        Option("--name", metavar="HOST", help="Another Host to answer to: that of a proxy before it, with its port."),
    ] = None,
) -> None:
    """Answer think, retrieve, highways and every view over HTTP, until a signal comes."""
    if store:
        if new_token or revoke:
            raise UsageError("Tokens of a team are made by `holdfast serve token`; nothing was done.")
        _refuse_without_the_extra()
        wish = process.Wish(host, port, socket, health_age, tuple(name or ()), store)
        env = dict(os.environ)
        process.serve_team(platform.working_folder(env), env, wish, _tell_team)
        return
    memory = Memory.open()
    if revoke:
        tokens.revoke(memory.at.state, revoke, by=memory.at.asker())
        output.echo(f"The token of {revoke} counts no more.")
    if new_token:
        made = tokens.add(memory.at.state, new_token, memory.at.project(), by=memory.at.asker(), everything=everything)
        output.echo(made)
    if revoke or new_token:
        return
    _refuse_without_the_extra()
    wish = process.Wish(host, port, socket, health_age, tuple(name or ()))
    process.serve(memory.at.vault, memory.at.cwd, memory.at.env, wish, lambda one: _tell(one, memory.at.state))


def _tell(one: process.Running, state: str) -> None:
    output.echo(f"Serving on {one.address}; the token is in {state}/{tokens.OWN}. Ctrl-C ends it.")


def _tell_team(one: process.Running) -> None:
    output.echo(f"Serving on {one.address} for a team; `holdfast serve token` makes tokens. Ctrl-C ends it.")


def _refuse_without_the_extra() -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{missing[0]} is not installed; nothing was started. Install the extra: holdfast[serve].")


OWNER = "HOLDFAST_TEAM_OWNER"
Store = Annotated[str, Option("--store", metavar="DSN", help=f"The database, as its owner; else ${OWNER}.")]


def token(
    what: Annotated[str, Argument(metavar="add|list|revoke", help="What to do.")],
    name: Annotated[str, Argument(metavar="[NAME]", help="The name of the token: that of an agent.")] = "",
    store: Store = "",
    person: Annotated[str, Option("--person", help="Whose it is.")] = "",
    team: Annotated[str, Option("--team", help="In which team; may be left out where the person is in one.")] = "",
    json: Json = False,
) -> None:
    """The tokens of a team's servers. One is shown once; the database keeps a digest. A token that is revoked counts at
    no server from then on."""
    if what not in ("add", "list", "revoke") or (what != "list" and not name):
        raise UsageError("Say add NAME, list or revoke NAME; nothing was done.")
    with _database(store) as (server, _):
        from holdfast.field.postgres import serve_tokens

        if what == "add":
            made = tokens.new_token()
            serve_tokens.add(server, name, person, team or _only_team(server, person), team_digest(made))
            output.echo(made)
        elif what == "revoke":
            serve_tokens.revoke(server, name)
            output.echo(f"The token of {name} counts no more, at any server.")
        else:
            _list(serve_tokens.listed(server), as_json=json)


def address(store: Store = "") -> None:
    """Print the address for `holdfast serve --store`, with a new password: the one before counts no more."""
    with _database(store) as (server, dsn):
        from holdfast.field.postgres import people

        output.echo(people.address_of(dsn, people.SERVER, people.add_server(server)))


def team_digest(made: str) -> bytes:
    import hashlib

    return hashlib.sha256(made.encode("utf-8", "surrogateescape")).digest()


@contextmanager
def _database(given: str) -> Iterator[tuple[Server, str]]:
    """The database and its owner's DSN. Raises Refused for an agent: tokens let somebody in."""
    gate.require(Memory.open().at.asker(), gate.Change(gate.TOKEN), "Letting somebody in")
    dsn = given or os.environ.get(OWNER, "")
    if not dsn:
        raise UsageError(f"Say which database with --store DSN, or set {OWNER}; nothing was done.")
    from holdfast.field.postgres import schema
    from holdfast.field.postgres.connection import Server

    server = Server(dsn)
    try:
        schema.check(server)
        yield server, dsn
    finally:
        server.close()


def _only_team(server: Server, person: str) -> str:
    from holdfast.field.postgres import people

    mine = [one for one in people.teams(server) if person in people.members(server, one)]
    if len(mine) != 1:
        raise UsageError(f"{person or 'Nobody'} is in {len(mine)} teams; nothing was made. Say --person and --team.")
    return mine[0]


def _list(found: Sequence[Token], *, as_json: bool) -> None:
    if as_json:
        output.as_json([asdict(one) for one in found])
        return
    for one in found:
        used = f"last used {_when(one.used)}" if one.used else "never used"
        ended = f", revoked {_when(one.revoked)}" if one.revoked else ""
        output.echo(f"{one.name}  {one.person} in {one.team}  made {_when(one.made)}, {used}{ended}")
    if not found:
        output.echo("There are no tokens.")


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(seconds))

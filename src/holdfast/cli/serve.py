"""`holdfast serve` and `holdfast page`: the memory over HTTP and in a browser, on this machine only."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import gate, platform
from holdfast.cli import output
from holdfast.cli.command import Argument, Json, Option
from holdfast.errors import UsageError
from holdfast.memory import Memory
from holdfast.page import sign_in
from holdfast.serve import process, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.field.postgres.connection import Server
    from holdfast.field.postgres.serve_tokens import Token

NEEDED = ("fastapi", "uvicorn", "prometheus_client", "jinja2", "markdown_it", "nh3")


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
    open_: Annotated[bool, Option("--open", help="Open the page in a browser, signed in.")] = False,
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
    if open_ and socket:
        raise UsageError("A browser cannot open a unix socket; nothing was started. Leave out --socket, or --open.")
    link = sign_in.make_link(memory.at.state, memory.at.clock(), by=memory.at.asker()) if open_ else ""

    def tell(one: process.Running) -> None:
        _tell(one, memory.at.state)
        if link:
            show_page(one, link)

    process.serve(memory.at.vault, memory.at.cwd, memory.at.env, wish, tell)


def page(
    read_only: Annotated[bool, Option("--read-only", help="A page that may only look.")] = False,
    no_browser: Annotated[bool, Option("--no-browser", help="Print the address, and open nothing.")] = False,
    port: Annotated[int, Option("--port", help="Where to serve, if no server runs yet; 0 is any that is free.")] = (
        process.PORT
    ),
) -> None:
    """Open the page in a browser: what is remembered, what happened, what waits for you. A server is started if none
    runs; Ctrl-C ends it."""
    _refuse_without_the_extra()
    memory = Memory.open()
    running = process.found(memory.at.state)
    if running:
        refuse_a_socket(running)
    link = sign_in.make_link(memory.at.state, memory.at.clock(), by=memory.at.asker(), read_only=read_only)
    if running:
        show_page(running, link, opens=not no_browser)
        return

    def tell(one: process.Running) -> None:
        show_page(one, link, opens=not no_browser)
        output.echo("Ctrl-C ends the server; the vault and its hooks go on without it.")

    wish = process.Wish(port=port)
    process.serve(memory.at.vault, memory.at.cwd, memory.at.env, wish, tell)


def refuse_a_socket(one: process.Running) -> None:
    """Raises UsageError."""
    if not one.address.startswith("http"):
        raise UsageError(
            f"The server answers on {one.address}, which a browser cannot open; nothing was opened. "
            "End it, and run `holdfast page`."
        )


def show_page(one: process.Running, link: str, *, opens: bool = True) -> None:
    """Say the address of the page, and open it where there is a screen."""
    address = f"{one.address}/page/today#link={link}"
    output.echo(f"The page: {address}\nIt signs in once, within ten minutes.")
    if opens and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
        import webbrowser

        webbrowser.open(address)
    else:
        port = one.address.rpartition(":")[2]
        output.echo(f"From another machine: ssh -L {port}:127.0.0.1:{port} to this one, then open the address there.")


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

"""`holdfast serve`: the memory over HTTP, on this machine only."""

from __future__ import annotations

import importlib.util
from typing import Annotated

from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.errors import UsageError
from holdfast.memory import Memory
from holdfast.serve import process, tokens

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
) -> None:
    """Answer think, retrieve, highways and every view over HTTP, until a signal comes."""
    memory = Memory.open()
    if revoke:
        tokens.revoke(memory.at.state, revoke, by=memory.at.asker())
        output.echo(f"The token of {revoke} counts no more.")
    if new_token:
        made = tokens.add(memory.at.state, new_token, memory.at.project(), by=memory.at.asker(), everything=everything)
        output.echo(made)
    if revoke or new_token:
        return
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{missing[0]} is not installed; nothing was started. Install the extra: holdfast[serve].")
    wish = process.Wish(host, port, socket, health_age)
    process.serve(memory.at.vault, memory.at.cwd, memory.at.env, wish, lambda one: _tell(one, memory.at.state))


def _tell(one: process.Running, state: str) -> None:
    output.echo(f"Serving on {one.address}; the token is in {state}/{tokens.OWN}. Ctrl-C ends it.")

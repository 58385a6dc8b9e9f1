"""`holdfast boot`: the brief, and nothing else."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli import show
from holdfast.memory import Memory


def boot(json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Print exactly what the next start in this folder gets."""
    reply = Memory.here().boot()
    if json:
        show.as_json({"text": reply.text, "characters": len(reply.text), "carried": list(reply.carried)})
    elif reply.text:
        typer.echo(reply.text)

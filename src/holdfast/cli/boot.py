"""`holdfast boot`: the brief, and nothing else."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from holdfast.capture import home
from holdfast.cli import show
from holdfast.hook import brief
from holdfast.memory import Memory


def boot(json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Print exactly what the next start in this folder gets."""
    memory = Memory.here()
    off = home.why_off(os.environ, memory.vault)
    if not off and memory.project().off:
        off = "this project's .holdfast.toml says off = true"
    reply = brief.said_off(off) if off else memory.boot()
    if json:
        show.as_json({"text": reply.text, "characters": len(reply.text), "carried": list(reply.carried)})
    elif reply.text:
        typer.echo(reply.text)

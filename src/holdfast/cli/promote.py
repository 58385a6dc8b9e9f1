"""`holdfast promote`: a durable fact leaves the handoff and becomes a note."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli import show
from holdfast.memory import Memory
from holdfast.vault import gate

STEERING = ("rule", "feedback", "identity")


def promote(
    item: Annotated[str, typer.Argument(help="Some words of the item, or its number. Without it: the list.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="Kind of the note; by default what its section says.")] = "",
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Move an item of the newest handoff into a note of its own, leaving a link."""
    memory = Memory.here()
    if not item:
        path, items = memory.promotable()
        if json:
            show.as_json({"handoff": path, "items": [{"section": section, "text": text} for section, text in items]})
            return
        for number, (section, text) in enumerate(items, 1):
            typer.echo(f"{number}  [{section}] {text}")
        if not items:
            typer.echo("Nothing in the newest handoff waits to be promoted." if path else "There is no handoff yet.")
        return
    if kind in STEERING:
        gate.require(memory.asker(), gate.Change(gate.RULE), f"Making a {kind} of what a handoff says")
    filed, path = memory.promote(item, kind)
    if json:
        show.as_json({"path": filed.path, "handoff": path, "commit": filed.commit, "was_there": filed.was_there})
        return
    typer.echo(f"promoted to {filed.path}; {path} links to it")
    for change in filed.changes:
        typer.echo(f"note: {change}")

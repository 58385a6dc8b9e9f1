"""`holdfast promote`: a durable fact leaves the handoff and becomes a note."""

from __future__ import annotations

from typing import Annotated

from holdfast.capture import gate
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory

STEERING = ("rule", "feedback", "identity")


def promote(
    item: Annotated[str, Argument(help="Some words of the item, or its number. Without it: the list.")] = "",
    kind: Annotated[str, Option("--kind", help="Kind of the note; by default what its section says.")] = "",
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Move an item of the newest handoff into a note of its own, leaving a link."""
    memory = Memory.here()
    if not item:
        path, items = memory.promotable()
        if json:
            output.as_json({"handoff": path, "items": [{"section": section, "text": text} for section, text in items]})
            return
        for number, (section, text) in enumerate(items, 1):
            output.echo(f"{number}  [{section}] {text}")
        if not items:
            output.echo("Nothing in the newest handoff waits to be promoted." if path else "There is no handoff yet.")
        return
    if kind in STEERING:
        gate.require(memory.asker(), gate.Change(gate.RULE), f"Making a {kind} of what a handoff says")
    filed, path = memory.promote(item, kind)
    if json:
        output.as_json({"path": filed.path, "handoff": path, "commit": filed.commit, "was_there": filed.was_there})
        return
    output.echo(f"promoted to {filed.path}; {path} links to it")
    for change in filed.changes:
        output.echo(f"note: {change}")

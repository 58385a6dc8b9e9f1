"""`holdfast prompts`: what the user typed, in their own words."""

from __future__ import annotations

from typing import Annotated

from holdfast.capture import quoting
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory

LONGEST = 160


def prompts(
    words: Annotated[list[str] | None, Argument(help="Only those with all of these words.")] = None,
    most: Annotated[int, Option("--most", least=1, help="How many, the newest.")] = 20,
    full: Annotated[bool, Option("--full", help="Whole, with what the agent had said before each.")] = False,
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """List what you typed to the agents in this project, the newest first. Secrets were removed."""
    found = Memory.here().prompts(words or [], most, everything=everything)
    if json:
        output.as_json({"prompts": [one.as_record() for one in found]})
        return
    for one in found:
        place = f"{one.path or 'not closed yet'}, {one.number}"
        if not full:
            text = quoting.shortened(" ".join(output.plain(one.text).split()), LONGEST)
            output.echo(f"{one.time[:16]}  {text}  ({place})")
            continue
        output.echo(f"{one.time} ({place})")
        for line in one.before.split("\n") if one.before else ():
            output.echo(f"  > {output.plain(line)}".rstrip())
        for line in one.text.split("\n"):
            output.echo(f"    {output.plain(line)}".rstrip())
    if not found:
        output.echo("You typed nothing like that here." if words else "Nothing that you typed is kept here yet.")

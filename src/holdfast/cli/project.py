"""`holdfast project`: which projects the vault knows, by which keys, and what there is of each."""

from __future__ import annotations

from typing import Annotated

from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory

MOVE = "to move a note, change `project:` in its file to"


def list_(json: Annotated[bool, Option("--json", help="As JSON.")] = False) -> None:
    """List every project with the keys that it is found by, and what there is of it."""
    memory = Memory.here()
    found = memory.projects()
    if json:
        output.as_json({"projects": [dict(one.__dict__) for one in found]})
        return
    if not found:
        output.echo("No project is known yet: the first flag or session in a folder makes one.")
    for one in found:
        counts = [(one.notes, "note"), (one.handoffs, "handoff"), (one.waiting, "flag")]
        said = [f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts]
        output.echo(f"{output.plain(one.id)}{' (here)' if one.here else ''}: {', '.join(said)} waiting")
        for key in one.keys:
            output.echo(f"    {output.plain(key)}")
        for ident in one.merged:
            output.echo(f"    merged into it: {output.plain(ident)}")
        if one.clash:
            output.echo(f"    {output.plain(one.clash)}.")


def merge(
    other: Annotated[str, Argument(help="The project that becomes part of another: its id, name or a key.")],
    into: Annotated[str, Argument(help="The project that stays; without it the one of this folder.")] = "",
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Make two projects one, so that each of their folders shows the memory of both. Nothing is rewritten."""
    done = Memory.here().merge_projects(other, into)
    if json:
        output.as_json(dict(done.__dict__))
        return
    gone, kept = output.plain(done.project), output.plain(done.into)
    output.echo(f"merged {gone} into {kept}: both folders show the memory of both, and what is new goes to {kept}")
    output.echo(f"`holdfast project split {gone}` takes it back.")


def split(
    key: Annotated[str, Argument(help="A key as `project list` has it, a folder, or a project that was merged.")],
    name: Annotated[str, Option("--as", help="What the new project is called.")] = "",
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Take a key out of its project, so that it is one of its own from now on; or take a merge back."""
    done = Memory.here().split_project(key, name)
    if json:
        output.as_json({**done.__dict__, "of": list(done.of)})
        return
    fresh, old = output.plain(done.project), output.plain(" and ".join(done.of))
    if not done.key:
        output.echo(f"{fresh} is a project of its own again, with all that was remembered under its id")
        output.echo(f"What was filed since the merge stays with {old}; {MOVE} {fresh}.")
        return
    output.echo(f"{output.plain(done.key)} is project {fresh} from now on")
    output.echo(f"What was remembered so far stays with {old} (`holdfast notes --all` lists it); {MOVE} {fresh}.")

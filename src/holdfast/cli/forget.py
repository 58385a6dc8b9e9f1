"""`holdfast forget`: out of what is loaded, or out of everything."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli import show
from holdfast.errors import NotFound, UsageError
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.purge import Plan


def forget(
    note: Annotated[str, typer.Argument(help="A note's name or path, or words to search for.")],
    everything: Annotated[bool, typer.Option("--all", help="Of all projects, not only this one.")] = False,
    purge: Annotated[bool, typer.Option("--purge", help="Also from history, queue and ledger, for good.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what is meant, then take it out of the vault. History keeps it, unless --purge."""
    memory = Memory.here()
    found = memory.forgettable(note, everything=everything)
    cut_short = memory.unfinished_purge() if purge and not found else None
    if not found and cut_short is None:
        raise NotFound(f'Nothing has "{note}"; nothing was changed. `holdfast notes` lists what there is (--all too).')
    if not json:
        for one in found:
            typer.echo(f"{one.path}: {one.description}")
    if purge:
        _purge(memory, cut_short or memory.purge_plan([one.path for one in found]), yes=yes, json=json)
        return
    is_named = len(found) == 1 and memory.is_named(found[0], note)
    if not yes and (not is_named or _is_terminal()):
        which = "it" if len(found) == 1 else f"these {len(found)}"
        _ask(f"Forget {which}?", ", or the whole name or path of one note")
    commit = memory.forget([one.path for one in found])
    if json:
        show.as_json({"forgotten": [one.path for one in found], "commit": commit})
    else:
        typer.echo(f"forgotten; `holdfast undo {commit[:10]}` brings it back")


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _ask(question: str, otherwise: str = "") -> None:
    if not _is_terminal():
        raise UsageError(f"{question} Nothing was changed: say --yes{otherwise}.")
    if not typer.confirm(question):
        raise UsageError("Nothing was changed.")


def _purge(memory: Memory, plan: Plan, *, yes: bool, json: bool) -> None:
    """The plan may be one that was cut short: the note is gone then, but not yet all of it."""
    if not json:
        for line in plan.lines():
            typer.echo(line)
    if not yes:
        _ask("Purge it for good, from history too? This cannot be undone.")
    done = memory.purge(plan)
    if json:
        show.as_json({"purged": list(done.paths), "left": list(done.left), "remotes": list(done.remotes)})
        return
    typer.echo("purged" if not done.left else f"purged, but still found in: {', '.join(done.left)}")
    for remote in done.remotes:
        typer.echo(f"not reached: the remote {remote} may still have it")

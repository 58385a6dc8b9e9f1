"""`holdfast forget`: out of what is loaded, or out of everything."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.errors import NotFound, UsageError
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.purge import Plan


def forget(
    note: Annotated[str, Argument(help="A note's name or path, a thought's id, or words to search for.")],
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    purge: Annotated[bool, Option("--purge", help="Also from history, queue and ledger, for good.")] = False,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what is meant, then take it out of the vault. History keeps it, unless --purge."""
    memory = Memory.here()
    found = memory.forgettable(note, everything=everything)
    is_named = len(found) == 1 and memory.is_named(found[0], note)
    thoughts = [] if is_named else memory.forgettable_thoughts(note, everything=everything, withdrawn=purge)
    is_named = is_named or (not found and [one.id for one in thoughts] == [note.strip()])
    cut_short = memory.unfinished_purge() if purge and not found and not thoughts else None
    if not found and not thoughts and cut_short is None:
        raise NotFound(f'Nothing has "{note}"; nothing was changed. `holdfast notes` lists what there is (--all too).')
    if not json:
        for one in found:
            output.echo(f"{one.path}: {one.description}")
        for thought in thoughts:
            output.echo(f"thought {thought.id}: {output.plain(thought.text)}")
    if purge:
        ids = [one.id for one in thoughts]
        _purge(memory, cut_short or memory.purge_plan([one.path for one in found], ids), yes=yes, json=json)
        return
    if not yes and (not is_named or _is_terminal()):
        count = len(found) + len(thoughts)
        which = "it" if count == 1 else f"these {count}"
        or_one = ", or the whole name or path of one note" + (", or the id of one thought" if thoughts else "")
        _ask(f"Forget {which}?", or_one)
    commit = memory.forget([one.path for one in found]) if found else ""
    if thoughts:
        memory.forget_thoughts([one.id for one in thoughts])
    if json:
        forgotten = [*(one.path for one in found), *(one.id for one in thoughts)]
        output.as_json({"forgotten": forgotten, "commit": commit})
        return
    if found:
        output.echo(f"forgotten; `holdfast undo {commit[:10]}` brings it back")
    if thoughts:
        output.echo("withdrawn: nothing finds it any more, its log keeps it; `holdfast think` says it anew")


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _ask(question: str, otherwise: str = "") -> None:
    if not _is_terminal():
        raise UsageError(f"{question} Nothing was changed: say --yes{otherwise}.")
    if not output.confirm(question):
        raise UsageError("Nothing was changed.")


def _purge(memory: Memory, plan: Plan, *, yes: bool, json: bool) -> None:
    """The plan may be one that was cut short: the note is gone then, but not yet all of it."""
    if not json:
        for line in plan.lines():
            output.echo(line)
    if not yes:
        _ask("Purge it for good, from history too? This cannot be undone.")
    done = memory.purge(plan)
    if json:
        output.as_json(
            {"purged": [*done.paths, *done.thoughts], "left": list(done.left), "remotes": list(done.remotes)}
        )
        return
    output.echo("purged" if not done.left else f"purged, but still found in: {', '.join(done.left)}")
    for remote in done.remotes:
        output.echo(f"not reached: the remote {remote} may still have it")

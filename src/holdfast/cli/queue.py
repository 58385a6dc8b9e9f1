"""`holdfast queue`: what waits, how long, what is dead; and its retry."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.capture.queue import CLAIMED, DEAD, WAITING, Entry
from holdfast.cli import show
from holdfast.memory import Memory

app = typer.Typer(
    invoke_without_command=True, help="Show the flags that are not filed yet; `queue retry` revives dead ones."
)


@app.callback()
def queue(
    context: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Of all projects, not only this one.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what waits to be filed, how long, and what is dead."""
    if context.invoked_subcommand:
        return
    memory = Memory.here()
    view = memory.queue()
    broken = memory.set_broken_aside(view)
    project = memory.project().id
    mine = [entry for entry in view.entries if everything or entry.flag.project == project]
    elsewhere = len(view.entries) - len(mine)
    now = memory.clock()
    by_state = {state: [entry for entry in mine if entry.state == state] for state in (WAITING, CLAIMED, DEAD)}
    oldest = max((now - entry.flag.time for entry in mine), default=0.0)
    if json:
        lists = {state: [entry.as_record(now) for entry in entries] for state, entries in by_state.items()}
        show.as_json({**lists, "oldest_age_s": round(oldest, 3), "other_projects": elsewhere, "broken": broken})
        return
    if not mine:
        typer.echo(f"Nothing waits{'' if everything else ' in this project'}.")
    for state, entries in by_state.items():
        if entries:
            typer.echo(f"{len(entries)} {state}, the oldest since {show.age(now - entries[0].flag.time)}:")
            for entry in entries:
                _line(entry, now)
    if by_state[DEAD]:
        typer.echo("`holdfast queue retry` lets the dead ones wait again.")
    if elsewhere:
        typer.echo(f"{elsewhere} more in other projects (--all).")
    for path in broken:
        typer.echo(f"not a record, kept for you to look at: {path}")


@app.command()
def retry(
    ids: Annotated[
        list[str] | None, typer.Argument(help="Ids of dead flags, or beginnings of them; all if none.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Let dead flags wait again."""
    revived = Memory.here().retry(ids or None)
    if json:
        show.as_json({"retried": list(revived)})
    else:
        typer.echo(
            f"{len(revived)} flag{'' if len(revived) == 1 else 's'} wait again." if revived else "Nothing is dead."
        )


def _line(entry: Entry, now: float) -> None:
    flag = entry.flag
    times = "tried once" if entry.tries == 1 else f"tried {entry.tries} times"
    ended = entry.error or ("a close has it now" if entry.claim else "that close ended early")
    tried = f", {times}: {ended}" if entry.tries else ""
    typer.echo(f"  {flag.id}  [{flag.kind}] {flag.text}  ({show.age(now - flag.time)}, {flag.origin}{tried})")
    for proof in flag.evidence:
        typer.echo(f"      evidence: {proof}")

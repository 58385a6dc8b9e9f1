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
    set_aside: Annotated[
        bool, typer.Option("--set-aside", help="You have looked at damage and losses: keep copies, end the alarm.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what waits to be filed, how long, and what is dead."""
    if context.invoked_subcommand:
        return
    memory = Memory.here()
    if set_aside:
        _set_aside(memory, json=json)
        return
    view = memory.queue()
    broken = memory.set_broken_aside(view)
    ids = memory.project().ids
    mine = [entry for entry in view.entries if everything or entry.flag.project in ids]
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


def _set_aside(memory: Memory, *, json: bool) -> None:
    copies, missing = memory.set_aside()
    if json:
        named = {"flags": list(missing.flags), "segments": list(missing.segments), "days": list(missing.days)}
        show.as_json({"copies": copies, **named, "unnamed": missing.uncounted})
        return
    for path in copies:
        typer.echo(f"damaged, a copy is kept in {path}")
    for ident in missing.flags:
        typer.echo(f"lost: flag {ident}")
    for name in missing.segments:
        typer.echo(f"missing: .state/queue/live/{name}")
    for day in missing.days:
        typer.echo(f"missing: .state/ledger/{day}.log")
    if not copies and missing.is_whole:
        typer.echo("Nothing is damaged or missing.")
    else:
        typer.echo("Noted: nothing was removed, and starts, doctor and audit no longer warn of these.")


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

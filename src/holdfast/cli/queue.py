"""`holdfast queue`: what waits, how long, what is dead; and its retry."""

from __future__ import annotations

from typing import Annotated

from holdfast.capture.queue import CLAIMED, DEAD, WAITING, Entry
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory


def queue(
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    set_aside: Annotated[
        bool, Option("--set-aside", help="You have looked at damage and losses: keep copies, end the alarm.")
    ] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what waits to be filed, how long, and what is dead; `queue retry` revives dead flags."""
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
        output.as_json({**lists, "oldest_age_s": round(oldest, 3), "other_projects": elsewhere, "broken": broken})
        return
    if not mine:
        output.echo(f"Nothing waits{'' if everything else ' in this project'}.")
    for state, entries in by_state.items():
        if entries:
            output.echo(f"{len(entries)} {state}, the oldest since {output.age(now - entries[0].flag.time)}:")
            for entry in entries:
                _line(entry, now)
    if by_state[DEAD]:
        output.echo("`holdfast queue retry` lets the dead ones wait again.")
    if elsewhere:
        output.echo(f"{elsewhere} more in other projects (--all).")
    for path in broken:
        output.echo(f"not a record, kept for you to look at: {path}")


def _set_aside(memory: Memory, *, json: bool) -> None:
    copies, missing = memory.set_aside()
    if json:
        named = {"flags": list(missing.flags), "segments": list(missing.segments), "days": list(missing.days)}
        output.as_json({"copies": copies, **named, "unnamed": missing.uncounted})
        return
    for path in copies:
        output.echo(f"damaged, a copy is kept in {path}")
    for ident in missing.flags:
        output.echo(f"lost: flag {ident}")
    for name in missing.segments:
        output.echo(f"missing: .state/queue/live/{name}")
    for day in missing.days:
        output.echo(f"missing: .state/ledger/{day}.log")
    if not copies and missing.is_whole:
        output.echo("Nothing is damaged or missing.")
    else:
        output.echo("Noted: nothing was removed, and starts, doctor and audit no longer warn of these.")


def retry(
    ids: Annotated[list[str] | None, Argument(help="Ids of dead flags, or beginnings of them; all if none.")] = None,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Let dead flags wait again."""
    revived = Memory.here().retry(ids or None)
    if json:
        output.as_json({"retried": list(revived)})
    else:
        output.echo(
            f"{len(revived)} flag{'' if len(revived) == 1 else 's'} wait again." if revived else "Nothing is dead."
        )


def _line(entry: Entry, now: float) -> None:
    flag = entry.flag
    times = "tried once" if entry.tries == 1 else f"tried {entry.tries} times"
    ended = entry.error or ("a close has it now" if entry.claim else "that close ended early")
    tried = f", {times}: {ended}" if entry.tries else ""
    output.echo(f"  {flag.id}  [{flag.kind}] {flag.text}  ({output.age(now - flag.time)}, {flag.origin}{tried})")
    for proof in flag.evidence:
        output.echo(f"      evidence: {proof}")

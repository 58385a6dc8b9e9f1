"""`holdfast loops`: every snag and what became of it, and taking one edit back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.close.improve.loops import Loop, Loops


def loops(
    everything: Annotated[bool, Option("--all", help="Of all projects, and every closed one.")] = False,
    undo: Annotated[str, Option("--undo", metavar="ID", help="Take back what one snag changed.")] = "",
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show which snags are wired or proven and which are still open, with their age."""
    memory = Memory.here()
    now = memory.clock()
    if undo:
        done = memory.undo_loop(undo)
        if json:
            output.as_json({"undone": done.loop.as_record(now), "commit": done.commit, "files": list(done.paths)})
        else:
            output.echo(f"taken back: {done.loop.wrong}")
            for path in done.paths:
                output.echo(f"    {path}")
        return
    found = memory.loops(everything=everything)
    if json:
        known = {"open": found.open, "closed": found.closed}
        output.as_json({name: [one.as_record(now) for one in some] for name, some in known.items()})
    else:
        _print(found, now, everything=everything)


NEWEST = 10  # closed ones that are shown unless all are asked for


def _print(found: Loops, now: float, *, everything: bool) -> None:
    from holdfast.close.improve import arming
    from holdfast.close.improve import loops as listed

    if not found.open and not found.closed:
        output.echo('No snag yet. `holdfast snag "what went wrong" --better "the better path"` begins a loop.')
    if found.open:
        output.echo(f"{len(found.open)} open{_stages(found.open)}:")
    for one in found.open:
        late = f", {one.closes} closes ago" if one.closes else ""
        output.echo(f"  {one.id}  {'ALARM ' if one.is_late else ''}{output.age(now - one.time)}{late}: {one.wrong}")
        output.echo(f"      {_where(one)}{listed.SAID[one.state]}{f' ({one.why})' if one.why else ''}")
    shown = found.closed if everything else found.closed[-NEWEST:]
    if found.closed:
        output.echo(f"{len(found.closed)} closed{_stages(found.closed)} (--undo ID takes one back):")
    for one in reversed(shown):
        calls = f", comes back at {arming.subject(one.when)}" if one.when else ""
        output.echo(f"  {one.id}  {output.age(now - one.time)}: {one.wrong}")
        state = (
            f"proven in {one.proven}"
            if one.proven
            else one.stage
            if one.stage == listed.WIRED
            else listed.SAID[one.state]
        )
        output.echo(f"      {_where(one)}{state}{calls}{f' ({one.why})' if one.why else ''}{_again(one)}")
    if len(shown) < len(found.closed):
        output.echo(f"{len(found.closed) - len(shown)} older ones (--all).")


def _stages(some: tuple[Loop, ...]) -> str:
    """How many of each stage, where there is more than one."""
    counts = {stage: sum(one.stage == stage for one in some) for stage in dict.fromkeys(one.stage for one in some)}
    return f", {', '.join(f'{count} {stage}' for stage, count in counts.items())}" if len(counts) > 1 else ""


def _again(one: Loop) -> str:
    return f"; it came again after {one.again[-8:]}" if one.again else ""


def _where(one: Loop) -> str:
    return f"{one.where}: " if one.where else ""

"""Sleep and density by hand: `holdfast sleep` has one night, says whether one is due, tells of the last, and
takes one of its steps back; `holdfast density` says how crowded the field is, and the mode that follows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.cli import output
from holdfast.cli.command import AllProjects, Json, Option
from holdfast.errors import Busy, UsageError
from holdfast.memory import Memory
from holdfast.text.layout import many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.field.steps import Step
    from holdfast.sleep.density import Density
    from holdfast.sleep.night import Slept

SWITCHED_OFF = "sleep does not start by itself here (auto in [sleep], HOLDFAST_SLEEP)."
NONE_YET = "No night yet. `holdfast sleep --due` says whether one is due."


def sleep(
    due: Annotated[bool, Option("--due", help="Only say whether sleep is due, and why; ends with 1 if not.")] = False,
    if_due: Annotated[bool, Option("--if-due", help="Sleep if it is due, and stop when a session begins.")] = False,
    last: Annotated[bool, Option("--last", help="Show the page of the last night.")] = False,
    undo: Annotated[str, Option("--undo", metavar="ID", help="Take back one step of a night.")] = "",
    restore: Annotated[
        list[str] | None,
        Option("--restore", metavar="ID", help="Fetch a thought back that was put away; may be repeated."),
    ] = None,
    verbatim: Annotated[bool, Option("--verbatim", help="Ask no model.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the page of such a night; nothing is changed.")] = False,
    team: Annotated[str, Option("--team", metavar="TEAM", help="The night of a team's shared field instead.")] = "",
    everything: AllProjects = False,
    json: Json = False,
) -> None:
    """Put together what was thought since the last night, test it, and write a page about it."""
    chosen = [
        name for name, given in (("--due", due), ("--last", last), ("--undo", undo), ("--restore", restore)) if given
    ]
    if len(chosen) > 1 or (chosen and (if_due or dry_run or verbatim or team)):
        raise UsageError(f"{chosen[0]} stands alone; nothing was changed. Say one thing.")
    memory = Memory.open()
    if due:
        _say_due(memory, json=json)
    elif last:
        _show_last(memory, everything=everything, json=json)
    elif undo or restore:
        steps = memory.sleep.undo(undo) if undo else (memory.sleep.restore(restore or []),)
        _say_steps(steps, json=json)
    else:
        _sleep(memory, if_due=if_due, verbatim=verbatim, dry_run=dry_run, everything=everything, json=json, team=team)


def _say_due(memory: Memory, *, json: bool) -> None:
    found = memory.sleep.due()
    output.answer(
        {"due": found.is_due, "why": found.why}, [f"{'yes' if found.is_due else 'no'}: {found.why}"], json=json
    )
    if not found.is_due:
        raise SystemExit(1)


def _show_last(memory: Memory, *, everything: bool, json: bool) -> None:
    path, text = memory.sleep.last(everything=everything)
    if json:
        output.as_json({"path": path, "text": text})
    else:
        for line in text.splitlines() or [NONE_YET]:
            indent = " " * (len(line) - len(line.lstrip(" ")))
            output.echo(f"{indent}{output.plain(line)}")


def _say_steps(steps: tuple[Step, ...], *, json: bool) -> None:
    lines = [f"taken back: {one.by}" if one.by else f"fetched back: {', '.join(one.ids)}" for one in steps]
    output.answer({"steps": [{"id": one.id, "of": one.by, "ids": list(one.ids)} for one in steps]}, lines, json=json)


def _sleep(
    memory: Memory, *, if_due: bool, verbatim: bool, dry_run: bool, everything: bool, json: bool, team: str
) -> None:
    """Have a night. One that nobody asked for makes way for a session and for another night, and that is no failure."""
    from holdfast.sleep.night import Disturbed

    if if_due and not team:
        if not memory.sleep.starts_by_itself():
            output.answer({"slept": False, "why": SWITCHED_OFF}, [f"not now: {SWITCHED_OFF}"], json=json)
            return
        found = memory.sleep.due()
        if not found.is_due:
            output.answer({"slept": False, "why": found.why}, [f"not now: {found.why}"], json=json)
            return
    with output.progress("asking the judge", hidden=json or not sys.stderr.isatty()) as bar:
        try:
            done = memory.sleep.run(dry_run=dry_run, verbatim=verbatim, stops=if_due, team=team, progress=bar)
        except (Disturbed, Busy) as error:
            if not if_due:
                raise
            output.answer({"slept": False, "why": str(error)}, [f"not now: {error}"], json=json)
            return
    told = done.page if everything or team else memory.sleep.seen(done.page)
    shown = told.splitlines() if dry_run or team else [done.summary, *_where(done)]
    output.answer(_record(done, dry_run=dry_run), map(output.plain, shown), json=json)


def _where(done: Slept) -> list[str]:
    return [f"The page is {done.path}; `holdfast sleep --last` shows it."] if done.steps or done.refusals else []


def _record(done: Slept, *, dry_run: bool) -> dict[str, Any]:
    steps = [{"id": one.id, "kind": one.kind, "ids": list(one.ids), "by": one.by, "why": one.why} for one in done.steps]
    proposals = [{"id": one.id, "why": one.why, "path": one.path} for one in done.refusals]
    told = {"slept": not dry_run, "night": done.night, "summary": done.summary, "path": done.path}
    return {**told, "commit": done.commit, "steps": steps, "proposals": proposals, "figures": dict(done.figures)}


def density(
    window: Annotated[
        float, Option("--window", metavar="DAYS", help="Instead of that of the settings.", least=0)
    ] = 0.0,
    dry_run: Annotated[bool, Option("--dry-run", help="Only look: the mode stays as it is.")] = False,
    team: Annotated[str, Option("--team", metavar="TEAM", help="Of a team's shared field; only measured.")] = "",
    json: Json = False,
) -> None:
    """Measure how crowded the field is and whether others' traces help; the mode, personal or shared, follows."""
    found = Memory.open().field.density(window, write=not dry_run, team=team)
    output.answer(found.as_record(), _density_lines(found, dry_run=dry_run or bool(team)), json=json)


def _density_lines(found: Density, *, dry_run: bool) -> Iterator[str]:
    changed = f", until now {found.before}" if found.before and found.is_changed else ""
    would = " (it would be; nothing was changed)" if dry_run and found.is_changed else ""
    yield f"mode: {found.mode}{changed}{would}"
    yield f"why:  {output.plain(found.why)}"
    days = many(round(found.window_days), "day") if found.window_days >= 1 else f"{found.window_days:g} days"
    touched = f"{many(found.agents, 'agent')}, {many(found.clusters, 'cluster')} touched in {days}"
    yield f"rho:  {found.rho:.3f} ({touched}); rho_c {found.rho_c:g}"
    lift = found.lift
    if not lift.queries:
        yield "lift: unknown: no logged query led to something that was then used"
        return
    queries = "1 query" if lift.queries == 1 else f"{lift.queries:,} queries"
    yield f"lift: {lift.gain:+.3f} ({lift.low:+.3f} to {lift.high:+.3f}) over {queries}"
    yield f"      mean reciprocal rank {lift.everybody:.3f} by everybody's traces, {lift.own:.3f} by the asker's own"

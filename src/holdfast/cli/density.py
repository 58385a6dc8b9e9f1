"""The density of the field on the command line: how crowded it is, whether others' traces help, and the mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from holdfast.cli import output
from holdfast.cli.command import Json, Option
from holdfast.memory import Memory
from holdfast.text.layout import many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.sleep.density import Density


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
    output.answer(found.as_record(), _lines(found, dry_run=dry_run or bool(team)), json=json)


def _lines(found: Density, *, dry_run: bool) -> Iterator[str]:
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

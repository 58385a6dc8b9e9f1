"""`holdfast audit`: what was written against what ran."""

from __future__ import annotations

import os
from typing import Annotated

from holdfast.capture import home, platform
from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.errors import UsageError


def audit(
    days: Annotated[int | None, Option("--days", least=1, help="The last so many days; 7 by default.")] = None,
    since: Annotated[str, Option("--since", help="From this date on: 2026-01-31, 2026-01-31T15:00.")] = "",
    project: Annotated[str, Option("--project", help="Of this project instead of the one here.")] = "",
    everything: Annotated[bool, Option("--all", help="Of all projects.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Compare what should have run with what did; exit status 1 where the two differ."""
    from holdfast.audit import period, report, telling
    from holdfast.doctor.checks import Place

    if project and everything:
        raise UsageError("Say either --project or --all, not both; nothing was looked at.")
    cwd = platform.working_folder(os.environ)
    place = Place(home.vault(os.environ, cwd), cwd, dict(os.environ))
    wanted = "" if everything else project or report.here(place)
    found = report.audit(place, period.make(place.clock(), days or 0, since, wanted, is_named=bool(project)))
    if json:
        output.as_json(found.as_record())
    else:
        output.echo("\n".join(telling.lines(found)))
    if not found.ok:
        raise SystemExit(1)

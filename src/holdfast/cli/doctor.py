"""`holdfast doctor`: every link probed for real, and the safe part mended with --fix."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.capture import home, platform
from holdfast.cli import show

if TYPE_CHECKING:
    from holdfast.doctor.checks import Report


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is safe: launcher, modes, locks, closes.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    agent: Annotated[list[str] | None, typer.Option("--agent", help="Only this agent; may be repeated.")] = None,
) -> None:
    """Probe every link from your agent to the vault; exit status 1 where one is broken."""
    from holdfast.doctor import examine, hosts
    from holdfast.doctor.checks import Place

    cwd = platform.working_folder(os.environ)
    place = Place(home.vault(os.environ, cwd), cwd, dict(os.environ), hosts.known(tuple(agent or ())))
    report = examine.examine_and_mend(place) if fix else examine.examine(place)
    if json:
        checks = [check.as_record() for check in report.checks]
        show.as_json({"ok": report.ok, "checks": checks, "fixed": list(report.fixed)})
    else:
        _print(report)
    if not report.ok:
        raise typer.Exit(1)


def _print(report: Report) -> None:
    for done in report.fixed:
        typer.echo(f"--fix {done}")
    for check in report.checks:
        name = f"{check.name} ({check.agent})" if check.agent else check.name
        detail = check.detail.removeprefix("note: ")
        typer.echo(f"{check.level:<5} {name:<26} {detail}")
        if check.fix and check.level != "ok":
            typer.echo(f"{'':<32} {check.fix}")
    failed = sum(1 for check in report.checks if not check.ok)
    notes = sum(1 for check in report.checks if check.level == "note")
    said = f"{failed} of {len(report.checks)} checks failed" if failed else f"{len(report.checks)} checks, all is well"
    typer.echo(f"{said}{f'; {notes} to know' if notes else ''}.")

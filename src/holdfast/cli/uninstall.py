"""`holdfast uninstall`: our lines out of the agents' settings, the launcher and the command gone; the vault stays."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from holdfast.capture import home, platform
from holdfast.cli import show
from holdfast.cli.init import agrees
from holdfast.install import removal, telling
from holdfast.vault import gate


def uninstall(
    agent: Annotated[list[str] | None, typer.Option("--agent", help="Only from this agent; may be repeated.")] = None,
    project: Annotated[bool, typer.Option("--project", help="Only from this project's local settings.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON; does not ask.")] = False,
) -> None:
    """Give the agents' settings back as they were. Your vault stays."""
    env, cwd = os.environ, platform.working_folder(os.environ)
    wanted = removal.make(env, cwd, agent or [], "project" if project else "user")
    if not dry_run:
        by = gate.asker(env, cwd, home.own_vault(env))
        gate.require(by, gate.Change(gate.PERMISSION, gate.LIFTED), "Taking the hooks out")
    if json:
        if not dry_run:
            removal.apply(wanted, env)
        show.as_json(telling.uninstall_as_data(wanted, env, written=not dry_run))
        return
    for line in telling.uninstall_lines(wanted, in_full=dry_run):
        typer.echo(line)
    if dry_run:
        return
    if wanted.changes and not yes and not agrees("Remove this?"):
        typer.echo("Nothing was changed.")
        return
    removal.apply(wanted, env)
    for line in telling.stays(env, cwd):
        typer.echo(line)

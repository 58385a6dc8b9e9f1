"""`holdfast uninstall`: our lines out of the agents' settings, the launcher and the command gone; the vault stays."""

from __future__ import annotations

import os
from typing import Annotated

from holdfast.capture import gate, home, platform
from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.cli.init import agrees
from holdfast.install import removal, telling


def uninstall(
    agent: Annotated[list[str] | None, Option("--agent", help="Only from this agent; may be repeated.")] = None,
    project: Annotated[bool, Option("--project", help="Only from this project's local settings.")] = False,
    yes: Annotated[bool, Option("--yes -y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be removed.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON; does not ask.")] = False,
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
        output.as_json(telling.uninstall_as_data(wanted, env, written=not dry_run))
        return
    for line in telling.uninstall_lines(wanted, in_full=dry_run):
        output.echo(line)
    if dry_run:
        return
    if wanted.changes and not yes and not agrees("Remove this?"):
        output.echo("Nothing was changed.")
        return
    removal.apply(wanted, env)
    for line in telling.stays(env, cwd):
        output.echo(line)

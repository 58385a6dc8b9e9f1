"""`holdfast init`: the vault, the launcher, and our lines in the settings of the agents on this machine."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from holdfast.capture import platform
from holdfast.cli import show
from holdfast.install import plan, telling


def init(
    agent: Annotated[list[str] | None, typer.Option("--agent", help="Only this agent; may be repeated.")] = None,
    project: Annotated[bool, typer.Option("--project", help="Only for this project, untracked by git.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON; does not ask.")] = False,
    no_permissions: Annotated[
        bool, typer.Option("--no-permissions", help="Leave it to the agent's own questions whether it may flag.")
    ] = False,
) -> None:
    """Make the vault, and register the hooks in the agents on this machine. Shows the lines first."""
    env, cwd = os.environ, platform.working_folder(os.environ)
    wanted = plan.make(env, cwd, agent or [], "project" if project else "user", permissions=not no_permissions)
    if json:
        if not dry_run:
            plan.apply(wanted, env)
        show.as_json(telling.init_as_data(wanted, env, cwd, written=not dry_run))
        return
    for line in telling.init_lines(wanted, written=not dry_run):
        typer.echo(line)
    if dry_run:
        return
    if wanted.changes and not yes and not agrees("Write this?"):
        typer.echo("Nothing was written.")
        return
    plan.apply(wanted, env)
    for line in telling.next_lines(wanted, env, cwd):
        typer.echo(line)


def agrees(question: str) -> bool:
    """Asks once where somebody can answer; where nobody can, the command itself was the answer."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    return typer.confirm(question, default=True)

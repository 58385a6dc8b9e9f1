"""`holdfast init`: the vault, the launcher, and the line to register."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from holdfast.capture import home
from holdfast.cli import show
from holdfast.errors import HoldfastError
from holdfast.hook.hosts import HOSTS
from holdfast.install import launcher


def init(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Make the vault and the hook's launcher, and print the line that each host registers."""
    vault = home.vault(os.environ)
    path = launcher.launcher_path(os.environ)
    if not dry_run:
        try:
            home.make_vault(vault)
            launcher.write_launcher(os.environ)
        except OSError as error:
            raise HoldfastError(f"{error.filename} cannot be written ({error.strerror}); run init again.") from error
    lines = {host: launcher.registered_line(host, os.environ) for host in HOSTS}
    if json:
        show.as_json({"vault": vault, "launcher": str(path), "register": lines, "written": not dry_run})
        return
    would = "would be " if dry_run else ""
    typer.echo(f"vault     {vault} ({would}ready)")
    typer.echo(f"launcher  {path} ({would}written)")
    typer.echo("Register this command for every hook event of your agent:")
    for host, line in lines.items():
        typer.echo(f"  {host:12} {line}")

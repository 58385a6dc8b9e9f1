"""`holdfast trust`: whether the vault that a repository brings counts."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from holdfast.capture import gate, home, platform
from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.errors import UsageError


def trust(
    remove: Annotated[bool, Option("--remove", help="Take the word back.")] = False,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Use the vault that this repository names in its .holdfast.toml. Until then it is ignored."""
    from holdfast.vault import trust as trusting

    own, cwd = home.vault(os.environ), platform.working_folder(os.environ)
    by = gate.asker(os.environ, cwd, own)
    if not remove:
        gate.require(by, gate.Change(gate.TRUST), "Trusting a repository's vault")
    if remove:
        root = trusting.distrust(own, cwd)
        output.as_json({"root": root, "trusted": False}) if json else output.echo(f"no longer trusted: {root}")
        return
    found = trusting.offer(own, cwd)
    if not found.trusted and not yes:
        output.echo(
            f"{found.root} asks to use its own vault {found.vault}: its notes and rules would steer your agent."
        )
        if not sys.stdin.isatty():
            raise UsageError("Nothing was changed. Read it, then say --yes.")
        if not output.confirm("Trust it on this machine?"):
            raise UsageError("Nothing was changed.")
    found = trusting.trust(own, cwd, by=by)
    if json:
        output.as_json({"root": found.root, "vault": found.vault, "trusted": True})
    else:
        output.echo(f"trusted: {found.root} uses {found.vault}")
    if os.environ.get("HOLDFAST_HOME"):
        output.echo("note: HOLDFAST_HOME is set and goes before it, as long as it is.", err=True)

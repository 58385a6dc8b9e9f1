"""`holdfast export`: the whole vault as one file."""

from __future__ import annotations

from typing import Annotated

from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory


def export(
    file: Annotated[str, Argument(help="The archive to write, for example vault.tar.gz.")],
    force: Annotated[bool, Option("--force", help="Replace a file that is there.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Write notes, history and logs into one archive, which `holdfast import` restores."""
    done = Memory.here().export(file, force=force)
    if json:
        left_out = list(done.left_out)
        output.as_json({"path": done.path, "files": done.files, "bytes": done.size, "left_out": left_out})
        return
    output.echo(f"exported {done.files:,} files to {done.path} ({done.size:,} bytes)")
    for path in done.left_out:
        output.echo(f"left out, because it leads out of the vault: {path}")

"""`holdfast sync`: one vault on several machines."""

from __future__ import annotations

from typing import Annotated

from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.memory import Memory


def sync(
    remote: Annotated[str, Option("--remote", help="A remote's name or address; an address becomes the origin.")] = "",
    dry_run: Annotated[bool, Option("--dry-run", help="Fetch and compare, change and send nothing.")] = False,
    join: Annotated[bool, Option("--join", help="Make one vault of two that began apart.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Take what other machines wrote, and send what this one did."""
    memory = Memory.here()
    done = memory.sync_preview(remote, join=join) if dry_run else memory.sync(remote, join=join)
    if json:
        conflicts = [{"path": one.path, "theirs": one.theirs, "why": one.why} for one in done.conflicts]
        record = {"remote": done.remote, "taken": list(done.taken), "sent": done.sent, "conflicts": conflicts}
        output.as_json({**record, "commit": done.commit, "dry_run": done.dry_run, "origin_was": done.origin_was})
        return
    would = "would be " if done.dry_run else ""
    files, commits = len(done.taken), done.sent
    output.echo(
        f"{done.remote}: {files} file{'' if files == 1 else 's'} {would}taken, {commits} commit"
        f"{'' if commits == 1 else 's'} {would}sent"
    )
    if done.origin_was:
        output.echo(f"origin is now {done.remote} (was {done.origin_was})")
    for path in done.taken:
        output.echo(f"    {path}")
    for one in done.conflicts:
        output.echo(f"CONFLICT {one.path}: {one.why}")
        if one.theirs:
            output.echo(f"    theirs is kept as {one.theirs}; put what you want into {one.path} and remove it")

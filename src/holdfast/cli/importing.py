"""`holdfast import`: agents' instruction files into notes, or an archive into a vault."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.errors import UsageError
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.importing import Item, Proposal

REMARKS = {
    "unchanged": "known already",
    "edited": "changed at the source, but you edited the note since; it was left as it is",
}


def import_(
    paths: Annotated[list[str] | None, Argument(help="Files to import, or one archive of `holdfast export`.")] = None,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
    project: Annotated[
        bool | None,
        Option("--project/--global", help="Where the notes belong; else by file."),
    ] = None,
    as_rules: Annotated[bool, Option("--as-rules", help="As rules of yours, by your own word.")] = False,
    all_hosts: Annotated[bool, Option("--all-hosts", help="Also the files of other agents.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what CLAUDE.md, AGENTS.md and Claude Code's own memory would give, ask, and make notes of it.

    Nothing is changed in those files. A single archive is restored instead, into a vault without notes.
    """
    memory = Memory.here()
    if paths and any(memory.is_archive(path) for path in paths):
        _restore(memory, paths, json=json)
        return
    scope = "" if project is None else "project" if project else "global"
    proposal = memory.propose_import(paths or (), scope=scope, as_rules=as_rules, all_hosts=all_hosts)
    if not json:
        _show(proposal)
    wanted = bool(proposal.to_write())
    if not (wanted and (yes or (not json and _agreed(len(proposal.to_write()))))):
        if json:
            output.as_json(_record(proposal.items, proposal, ""))
        elif wanted:
            output.echo("Nothing was written; --yes writes it.")
        return
    done = memory.import_notes(proposal)
    if json:
        output.as_json(_record(done.items, proposal, done.commit))
        return
    count = sum(item.action in ("new", "changed") and item.path not in done.skipped for item in done.items)
    output.echo(f"imported {count} note{'' if count == 1 else 's'} (commit {done.commit[:10]})")
    for path in done.skipped:
        output.echo(f"left to you, since it was edited at that moment: {path}")


def _restore(memory: Memory, paths: list[str], *, json: bool) -> None:
    if len(paths) > 1:
        raise UsageError("An archive is restored by itself; nothing was changed. Name only the archive.")
    done = memory.restore(paths[0])
    if json:
        output.as_json({"vault": done.vault, "files": done.files, "aside": done.aside})
        return
    output.echo(f"restored {done.files:,} files into {done.vault}")
    if done.aside:
        output.echo(f"the empty vault that was there is kept at {done.aside}")


def _show(proposal: Proposal) -> None:
    for item in proposal.items:
        one = item.candidate
        place = f"{one.file}:{one.first}-{one.last}"
        remark = f"  ({REMARKS[item.action]})" if item.action in REMARKS else ""
        output.echo(f"{item.action:9}  {item.kind:9}  {one.name}  [{one.project}]  {place}{remark}")
        if one.secrets:
            output.echo(f"           secrets will be redacted: {', '.join(one.secrets)}")
    for problem in proposal.problems:
        output.echo(f"note: {problem}")
    if not proposal.items:
        output.echo("There is nothing to import here.")


def _agreed(count: int) -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return output.confirm(f"Write {'this note' if count == 1 else f'these {count} notes'}?")


def _record(items: tuple[Item, ...], proposal: Proposal, commit: str) -> dict[str, Any]:
    listed = [
        {
            "action": item.action,
            "kind": item.kind,
            "name": item.candidate.name,
            "path": item.path,
            "project": item.candidate.project,
            "file": item.candidate.file,
            "first": item.candidate.first,
            "last": item.candidate.last,
            "secrets": list(item.candidate.secrets),
        }
        for item in items
    ]
    return {"items": listed, "problems": list(proposal.problems), "written": bool(commit), "commit": commit}

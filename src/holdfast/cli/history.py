"""`holdfast history` and `holdfast undo`: who wrote what, when and why; and taking one change back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.history import Entry


def history(
    note: Annotated[str, Argument(help="A note, by path or name; also one that is gone. All if none.")] = "",
    count: Annotated[int, Option("--count -n", least=1, help="How many changes, the newest.")] = 20,
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show who wrote what, when and why."""
    found, others = Memory.here().history(note, count, everything=everything)
    if json:
        output.as_json({"changes": [_record(entry) for entry in found], "other_projects": others})
        return
    if not found:
        output.echo("Nothing was changed yet.")
    for entry in found:
        why = f", {entry.cause}" if entry.cause else ""
        output.echo(f"{entry.id}  {output.clock(entry.time)}  {entry.subject}  ({entry.who}{why})")
        for path in entry.files[:10]:
            output.echo(f"    {path}")
        if len(entry.files) > 10:
            output.echo(f"    and {len(entry.files) - 10} more files")
    if others:
        output.echo(f"{others} more in other projects (--all).")


def undo(
    ident: Annotated[str, Argument(metavar="ID", help="A change's id or commit, or the beginning of it.")],
    dry_run: Annotated[bool, Option("--dry-run", help="Show the difference, change nothing.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Take one change back; later work on the same files stays."""
    memory = Memory.here()
    if dry_run:
        plan, difference = memory.undo_preview(ident)
        if json:
            record = {"of": _record(plan.entry), "by": None, "files": sorted(plan.texts), "skipped": []}
            output.as_json({**record, "diff": difference, "dry_run": True})
        else:
            output.echo(f"would undo {plan.entry.id}: {plan.entry.subject}\n{difference}", nl=False)
        return
    done = memory.undo(ident)
    if json:
        record = {"of": _record(done.of), "by": _record(done.by), "files": list(done.by.files)}
        output.as_json({**record, "skipped": list(done.skipped), "dry_run": False})
        return
    output.echo(f"undone {done.of.id}: {done.of.subject}")
    output.echo(f"`holdfast undo {done.by.id}` brings it back.")
    for path in done.skipped:
        output.echo(f"left as it is, because somebody was editing it: {path}")


def _record(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "commit": entry.commit,
        "time": entry.time,
        "who": entry.who,
        "cause": entry.cause,
        "subject": entry.subject,
        "files": list(entry.files),
    }

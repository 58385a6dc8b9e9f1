"""`holdfast arm` and `holdfast disarm`: the tool calls at which a note comes back by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from holdfast.capture import gate
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.arming import Arming

NoteArgument = Annotated[str, Argument(metavar="NOTE", help="A note: its path, name, or a part of it.")]
JsonOption = Annotated[bool, Option("--json", help="As JSON.")]
DryRunOption = Annotated[bool, Option("--dry-run", help="Show it, change nothing.")]


def arm(
    note: NoteArgument,
    tool: Annotated[list[str] | None, Option("--tool", help="One of these tools; * allowed.")] = None,
    word: Annotated[list[str] | None, Option("--word", help="All of these in the tool's input.")] = None,
    path: Annotated[list[str] | None, Option("--path", metavar="GLOB", help="One of these paths.")] = None,
    pattern: Annotated[
        str | None, Option("--pattern", metavar="RE", help="A regular expression in the tool's input.")
    ] = None,
    run: Annotated[list[str] | None, Option("--run", metavar="COMMAND", help="A command, however written.")] = None,
    write: Annotated[list[str] | None, Option("--write", metavar="GLOB", help="A file that is changed.")] = None,
    read: Annotated[list[str] | None, Option("--read", metavar="GLOB", help="A file, read or changed.")] = None,
    package: Annotated[list[str] | None, Option("--package", help="A package, installed or imported.")] = None,
    setting: Annotated[list[str] | None, Option("--setting", metavar="KEY", help="A setting, changed.")] = None,
    json: JsonOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Let a note come back by itself before the tool calls that match; without conditions, those its words name."""
    when = {"tool": tool, "words": word, "paths": path, "pattern": pattern}
    when |= {"runs": run, "writes": write, "opens": read, "packages": package, "settings": setting}
    _print(Memory.here().arm(note, when, dry_run=dry_run), json=json, dry_run=dry_run)


def disarm(note: NoteArgument, json: JsonOption = False, dry_run: DryRunOption = False) -> None:
    """Let a note wait for no tool call any more."""
    memory = Memory.here()
    gate.require(memory.asker(), gate.Change(gate.ARMED, gate.LIFTED), "Disarming a note")
    _print(memory.disarm(note, dry_run=dry_run), json=json, dry_run=dry_run)


def _print(done: Arming, *, json: bool, dry_run: bool) -> None:
    if json:
        output.as_json(
            {
                "path": done.note.path,
                "when": done.when,
                "before": done.before,
                "changed": done.is_changed and not dry_run,
            }
        )
        return
    would = "would be " if dry_run and done.is_changed else "" if done.is_changed else "already "
    if done.when is None:
        output.echo(f"{would}disarmed: {done.note.path}")
        return
    output.echo(f"{would}armed: {done.note.path}")
    for key, value in done.when.items():
        output.echo(f"  {key}: {', '.join(value) if isinstance(value, list) else value}")

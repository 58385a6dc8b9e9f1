"""`holdfast boot`: the brief, and nothing else; with --explain, why it says what it says."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.brief_reasons import Explained, Line


def boot(
    explain: Annotated[
        bool, Option("--explain", help="Why each line is there, what was left out and why, how much room each.")
    ] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Print exactly what the next start in this folder gets."""
    memory = Memory.here()
    if explain:
        found = memory.explain_boot()
        if json:
            output.as_json(asdict(found))
        else:
            _tell(found)
        return
    reply = memory.boot()
    if json:
        output.as_json({"text": reply.text, "characters": len(reply.text), "carried": list(reply.carried)})
    elif reply.text:
        output.echo(reply.text)


def _tell(found: Explained) -> None:
    output.echo(f"{found.characters:,} characters of {found.room:,}")
    for section in found.sections:
        left = f", {section.left_out:,} left out" if section.left_out else ""
        output.echo(f"\n{section.name}: {section.characters:,} characters, {section.shown:,} shown{left}")
        for line in found.lines:
            if line.section == section.name:
                output.echo(f"  {line.text}\n      {_why(line)}")
    if found.left_out:
        output.echo("\nleft out:")
    for line in found.left_out:
        output.echo(f"  {line.section}: {line.text or '…'}\n      {_why(line)}")


def _why(line: Line) -> str:
    age = "" if line.age_days is None else "today" if line.age_days == 0 else f"{line.age_days} days old"
    by = f"by {line.origin}" if line.origin else ""
    use = f"read {line.reads} times, weight {line.weight}" if line.reads else ""
    return "; ".join(part for part in (line.why, line.source, line.authority, by, age, use) if part)

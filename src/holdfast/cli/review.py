"""`holdfast review`: notes that somebody should look at again, those in quarantine, and the word on each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.capture.whereabouts import refuse_agents
from holdfast.cli import show
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.notes import Note
    from holdfast.vault.reviewing import Due, Reviewed, Reviews

SAID = {"keep": "kept", "accept": "accepted", "reject": "rejected"}


def review(
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="NOTE", help="Still true: reviewed today.")
    ] = None,
    accept: Annotated[
        list[str] | None, typer.Option("--accept", metavar="NOTE", help="Out of quarantine, into its folder.")
    ] = None,
    reject: Annotated[
        list[str] | None, typer.Option("--reject", metavar="NOTE", help="Out of quarantine and out of the vault.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Of all projects, not only this one.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show the notes that are due for a review and those in quarantine, or decide on some."""
    memory = Memory.here()
    if accept:
        refuse_agents(memory.env, memory.cwd, memory.vault, "Accepting a note")
    if keep or accept or reject:
        done = memory.review(keep=keep or (), accept=accept or (), reject=reject or (), everything=everything)
        if json:
            show.as_json({"reviewed": [{"action": one.action, "path": one.path, "now_at": one.now_at} for one in done]})
        else:
            for one in done:
                _say(one)
        return
    found = memory.reviews(everything=everything)
    if json:
        due = [{**_record(one.note), "days_over": one.days} for one in found.due]
        waiting = [_record(note) for note in found.quarantined]
        heard = [_record(note) for note in found.unconfirmed]
        show.as_json({"due": due, "quarantined": waiting, "unconfirmed": heard, "other_projects": found.elsewhere})
    else:
        _print(found)


def _record(note: Note) -> dict[str, Any]:
    names = ("path", "name", "description", "kind", "project", "origin", "reviewed")
    return {name: getattr(note, name) for name in names}


def _say(one: Reviewed) -> None:
    where = {"keep": "reviewed today", "accept": f"now {one.now_at}", "reject": "kept in history only"}[one.action]
    typer.echo(f"{SAID[one.action]} {one.path} ({where})")


def _print(found: Reviews) -> None:
    if found.due:
        typer.echo(f"{_count(len(found.due), 'note')} to look at again (--keep NOTE where it is still true):")
    for one in found.due:
        typer.echo(f"  {one.note.path}  {_late(one)}: {one.note.description}")
    if found.quarantined:
        typer.echo(f"{_count(len(found.quarantined), 'note')} in quarantine (--accept NOTE or --reject NOTE):")
    for note in found.quarantined:
        typer.echo(f"  {note.path}  [{note.kind}, from {note.origin}] {note.description}")
    if found.unconfirmed:
        count = _count(len(found.unconfirmed), "order")
        typer.echo(f"{count} of yours, heard and not confirmed (--accept NOTE or --reject NOTE):")
    for note in found.unconfirmed:
        typer.echo(f"  {note.path}  {note.description}")
    if not (found.due or found.quarantined or found.unconfirmed):
        typer.echo("Nothing is due for a review.")
    if found.elsewhere:
        typer.echo(f"{found.elsewhere} more in other projects (--all).")


def _late(one: Due) -> str:
    return "has no date that can be read" if one.days is None else f"{_count(one.days, 'day')} over"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"

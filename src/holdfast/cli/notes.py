"""`holdfast notes` and `holdfast show`: what is remembered, and one piece of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.errors import NotFound
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.notes import Note

FIELDS = (
    "path",
    "name",
    "description",
    "kind",
    "status",
    "project",
    "origin",
    "created",
    "edited",
    "reviewed",
    "policy",
)


def notes(
    words: Annotated[list[str] | None, Argument(help="Only those with all of these words.")] = None,
    kind: Annotated[str, Option("--kind", help="identity, rule, knowledge, feedback or project.")] = "",
    everything: Annotated[bool, Option("--all", help="Of all projects, and those no longer active.")] = False,
    handoffs: Annotated[bool, Option("--handoffs", help="The handoffs of this project instead.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """List the notes of this project and the global ones, or the archive of handoffs."""
    memory = Memory.here()
    if handoffs:
        _handoffs(memory, words or [], json=json)
        return
    known = memory.notes(everything=everything)
    wanted = [word.casefold() for word in words or []]
    found = [note for note in known.notes if _is_wanted(note, kind, wanted, everything=everything)]
    if json:
        rows = [{name: getattr(note, name) for name in FIELDS} for note in found]
        broken = [{"path": one.path, "line": one.line, "reason": one.reason} for one in known.broken]
        output.as_json({"notes": rows, "broken": broken})
        return
    for note in found:
        where = "" if note.project == "global" else f" [{note.project}]"
        state = "" if note.is_active else f" ({note.status if note.status != 'active' else 'quarantine'})"
        output.echo(f"{note.path}{where}{state}: {note.description}")
    if not found:
        output.echo("There is no such note." if wanted or kind else "There are no notes yet.")
    for one in known.broken:
        output.echo(f"{one.path}:{one.line}: not read as a note: {one.reason}", err=True)


def _is_wanted(note: Note, kind: str, words: list[str], *, everything: bool) -> bool:
    text = f"{note.name} {note.description} {note.path}".casefold()
    return kind in ("", note.kind) and (everything or note.is_active) and all(word in text for word in words)


def _handoffs(memory: Memory, words: list[str], *, json: bool) -> None:
    wanted = [word.casefold() for word in words]
    rows = []
    for one, number in memory.handoffs():
        text = " ".join([one.title, *(item for items in one.sections.values() for item in items)]).casefold()
        if all(word in text for word in wanted):
            rows.append(
                {"number": number, "time": one.time, "title": one.title, "branch": one.branch, "path": one.path}
            )
    if json:
        output.as_json({"handoffs": rows})
        return
    for row in rows:
        output.echo(f"session {row['number']}  {row['time']}  {row['title']}  ({row['path']})")
    if not rows:
        output.echo("There is no such handoff." if words else "There are no handoffs yet.")


def show(
    note: Annotated[
        str,
        Argument(help="Its name, path or an unambiguous part; a thought's id; `handoff` for the newest."),
    ],
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Print one note, or the newest handoff, as its file has it; or one thought and where it is from."""
    memory = Memory.here()
    if note == "handoff":
        _newest(memory, json=json)
        return
    try:
        found, text = memory.note(note, everything=everything)
    except NotFound:
        thought = memory.shown_thought(note, everything=everything)
        if thought is None:
            raise
        output.thought(*thought, json=json)
        return
    if json:
        output.as_json({**{name: getattr(found, name) for name in FIELDS}, "text": text})
    else:
        output.echo(f"<!-- {memory.vault}/{found.path} -->")
        output.echo(text.rstrip("\n"))


def _newest(memory: Memory, *, json: bool) -> None:
    found = memory.handoffs(1)
    if not found:
        raise NotFound("This project has no handoff yet.")
    one, number = found[0]
    if json:
        output.as_json({"number": number, **{k: v for k, v in one.__dict__.items() if k != "parents"}})
        return
    output.echo(f"<!-- session {number}, {memory.vault}/{one.path} -->")
    output.echo(memory.text_of(one.path).rstrip("\n"))

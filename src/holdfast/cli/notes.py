"""Notes on the command line: `notes`, `show` and `prompts` look, `promote` makes a note of a handoff's item, `forget`
takes out, `arm` and `disarm` say at which tool calls a note comes back by itself, `loops` which snags became one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import gate, quoting
from holdfast.cli import output
from holdfast.cli.command import AllProjects, Argument, Json, Option, Yes
from holdfast.errors import NotFound
from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.close.improve.loops import Loop, Loops
    from holdfast.vault.armed import Arming
    from holdfast.vault.notes import Note
    from holdfast.vault.prompts import ListedPrompt
    from holdfast.vault.purge_plan import PurgePlan

NEWEST = 10  # closed loops that are shown unless all are asked for
FIELDS = (
    *("path", "name", "description", "kind", "status", "project", "origin", "created", "edited", "reviewed", "policy"),
)


def notes(
    words: Annotated[list[str] | None, Argument(help="Only those with all of these words.")] = None,
    kind: Annotated[str, Option("--kind", help="identity, rule, knowledge, feedback or project.")] = "",
    everything: Annotated[bool, Option("--all", help="Of all projects, and those no longer active.")] = False,
    handoffs: Annotated[bool, Option("--handoffs", help="The handoffs of this project instead.")] = False,
    json: Json = False,
) -> None:
    """List the notes of this project and the global ones, or the archive of handoffs."""
    memory = Memory.open()
    if handoffs:
        _handoffs(memory, words or [], json=json)
        return
    known = memory.notes.index(everything=everything)
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
    for one, number in memory.sessions.handoffs():
        text = " ".join([one.title, *(item for items in one.sections.values() for item in items)]).casefold()
        if all(word in text for word in wanted):
            names = ("time", "title", "branch", "path")
            rows.append({"number": number, **{name: getattr(one, name) for name in names}})
    none = "There is no such handoff." if words else "There are no handoffs yet."
    lines = [f"session {row['number']}  {row['time']}  {row['title']}  ({row['path']})" for row in rows] or [none]
    output.answer({"handoffs": rows}, lines, json=json)


def show(
    note: Annotated[
        str,
        Argument(help="Its name, path or an unambiguous part; a thought's id; `handoff` for the newest."),
    ],
    everything: AllProjects = False,
    json: Json = False,
) -> None:
    """Print one note, or the newest handoff, as its file has it; or one thought and where it is from."""
    memory = Memory.open()
    if note == "handoff":
        _newest(memory, json=json)
        return
    try:
        found, text = memory.notes.show(note, everything=everything)
    except NotFound:
        thought = memory.field.show(note, everything=everything)
        if thought is None:
            raise
        output.thought(*thought, json=json)
        return
    record = {**{name: getattr(found, name) for name in FIELDS}, "text": text}
    output.answer(record, (f"<!-- {memory.at.vault}/{found.path} -->", text.rstrip("\n")), json=json)


def _newest(memory: Memory, *, json: bool) -> None:
    found = memory.sessions.handoffs(1)
    if not found:
        raise NotFound("This project has no handoff yet.")
    one, number = found[0]
    record = {"number": number, **{name: found for name, found in one.__dict__.items() if name != "parents"}}
    head = f"<!-- session {number}, {memory.at.vault}/{one.path} -->"
    output.answer(record, (head, memory.notes.text_of(one.path).rstrip("\n")), json=json)


LONGEST = 160


def prompts(
    words: Annotated[list[str] | None, Argument(help="Only those with all of these words.")] = None,
    most: Annotated[int, Option("--most", least=1, help="How many, the newest.")] = 20,
    full: Annotated[bool, Option("--full", help="Whole, with what the agent had said before each.")] = False,
    everything: AllProjects = False,
    json: Json = False,
) -> None:
    """List what you typed to the agents in this project, the newest first. Secrets were removed."""
    found = Memory.open().sessions.prompts(words or [], most, everything=everything)
    none = "You typed nothing like that here." if words else "Nothing that you typed is kept here yet."
    lines = (line for one in found for line in _prompt_lines(one, full=full)) if found else (none,)
    output.answer({"prompts": [one.as_record() for one in found]}, lines, json=json)


def _prompt_lines(one: ListedPrompt, *, full: bool) -> Iterator[str]:
    place = f"{one.path or 'not closed yet'}, {one.number}"
    if not full:
        text = quoting.shortened(" ".join(output.plain(one.text).split()), LONGEST)
        yield f"{one.time[:16]}  {text}  ({place})"
        return
    yield f"{one.time} ({place})"
    for line in one.before.split("\n") if one.before else ():
        yield f"  > {output.plain(line)}".rstrip()
    for line in one.text.split("\n"):
        yield f"    {output.plain(line)}".rstrip()


STEERING = ("rule", "feedback", "identity")


def promote(
    item: Annotated[str, Argument(help="Some words of the item, or its number. Without it: the list.")] = "",
    kind: Annotated[str, Option("--kind", help="Kind of the note; by default what its section says.")] = "",
    json: Json = False,
) -> None:
    """Move an item of the newest handoff into a note of its own, leaving a link."""
    memory = Memory.open()
    if not item:
        path, items = memory.notes.promotable()
        rows = [{"section": section, "text": text} for section, text in items]
        none = "Nothing in the newest handoff waits to be promoted." if path else "There is no handoff yet."
        lines = [f"{number}  [{section}] {text}" for number, (section, text) in enumerate(items, 1)] or [none]
        output.answer({"handoff": path, "items": rows}, lines, json=json)
        return
    if kind in STEERING:
        gate.require(memory.at.asker(), gate.Change(gate.RULE), f"Making a {kind} of what a handoff says")
    filed, path = memory.notes.promote(item, kind)
    record = {"path": filed.path, "handoff": path, "commit": filed.commit, "was_there": filed.was_there}
    changes = (f"note: {change}" for change in filed.changes)
    output.answer(record, (f"promoted to {filed.path}; {path} links to it", *changes), json=json)


def forget(
    note: Annotated[str, Argument(help="A note's name or path, a thought's id, or words to search for.")],
    everything: AllProjects = False,
    purge: Annotated[bool, Option("--purge", help="Also from history, queue and ledger, for good.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Show what is meant, then take it out of the vault. History keeps it, unless --purge."""
    memory = Memory.open()
    found = memory.notes.forgettable(note, everything=everything)
    is_named = len(found) == 1 and memory.notes.is_named(found[0], note)
    thoughts = [] if is_named else memory.field.forgettable(note, everything=everything, withdrawn=purge)
    is_named = is_named or (not found and [one.id for one in thoughts] == [note.strip()])
    cut_short = memory.notes.unfinished_purge() if purge and not found and not thoughts else None
    if not found and not thoughts and cut_short is None:
        raise NotFound(f'Nothing has "{note}"; nothing was changed. `holdfast notes` lists what there is (--all too).')
    if not json:
        for one in found:
            output.echo(f"{one.path}: {one.description}")
        for thought in thoughts:
            output.echo(f"thought {thought.id}: {output.plain(thought.text)}")
    if purge:
        ids = [one.id for one in thoughts]
        _purge(memory, cut_short or memory.notes.purge_plan([one.path for one in found], ids), yes=yes, json=json)
        return
    if not yes and (not is_named or (sys.stdin is not None and sys.stdin.isatty())):
        count = len(found) + len(thoughts)
        which = "it" if count == 1 else f"these {count}"
        or_one = ", or the whole name or path of one note" + (", or the id of one thought" if thoughts else "")
        output.require_yes(f"Forget {which}?", or_one)
    commit = memory.notes.forget([one.path for one in found]) if found else ""
    if thoughts:
        memory.field.forget([one.id for one in thoughts])
    if json:
        forgotten = [*(one.path for one in found), *(one.id for one in thoughts)]
        output.as_json({"forgotten": forgotten, "commit": commit})
        return
    if found:
        output.echo(f"forgotten; `holdfast undo {commit[:10]}` brings it back")
    if thoughts:
        output.echo("withdrawn: nothing finds it any more, its log keeps it; `holdfast think` says it anew")


def _purge(memory: Memory, plan: PurgePlan, *, yes: bool, json: bool) -> None:
    """The plan may be one that was cut short: the note is gone then, but not yet all of it."""
    if not json:
        output.lines(plan.lines())
    if not yes:
        output.require_yes("Purge it for good, from history too? This cannot be undone.")
    done = memory.notes.purge(plan)
    record = {"purged": [*done.paths, *done.thoughts], "left": list(done.left), "remotes": list(done.remotes)}
    said = "purged" if not done.left else f"purged, but still found in: {', '.join(done.left)}"
    missed = (f"not reached: the remote {remote} may still have it" for remote in done.remotes)
    output.answer(record, (said, *missed), json=json)


NoteArgument = Annotated[str, Argument(metavar="NOTE", help="A note: its path, name, or a part of it.")]
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
    json: Json = False,
    dry_run: DryRunOption = False,
) -> None:
    """Let a note come back by itself before the tool calls that match; without conditions, those its words name."""
    when = {"tool": tool, "words": word, "paths": path, "pattern": pattern}
    when |= {"runs": run, "writes": write, "opens": read, "packages": package, "settings": setting}
    _print(Memory.open().notes.arm(note, when, dry_run=dry_run), json=json, dry_run=dry_run)


def disarm(note: NoteArgument, json: Json = False, dry_run: DryRunOption = False) -> None:
    """Let a note wait for no tool call any more."""
    memory = Memory.open()
    gate.require(memory.at.asker(), gate.Change(gate.ARMED, gate.LIFTED), "Disarming a note")
    _print(memory.notes.disarm(note, dry_run=dry_run), json=json, dry_run=dry_run)


def _print(done: Arming, *, json: bool, dry_run: bool) -> None:
    is_changed = done.is_changed and not dry_run
    record = {"path": done.note.path, "when": done.when, "before": done.before, "changed": is_changed}
    would = "would be " if dry_run and done.is_changed else "" if done.is_changed else "already "
    shown = (
        f"  {key}: {', '.join(value) if isinstance(value, list) else value}" for key, value in (done.when or {}).items()
    )
    output.answer(record, (f"{would}{'dis' if done.when is None else ''}armed: {done.note.path}", *shown), json=json)


def loops(
    everything: Annotated[bool, Option("--all", help="Of all projects, and every closed one.")] = False,
    undo: Annotated[str, Option("--undo", metavar="ID", help="Take back what one snag changed.")] = "",
    json: Json = False,
) -> None:
    """Show which snags are wired or proven and which are still open, with their age."""
    memory = Memory.open()
    now = memory.at.clock()
    if undo:
        done = memory.sessions.undo_loop(undo)
        record = {"undone": done.loop.as_record(now), "commit": done.commit, "files": list(done.paths)}
        output.answer(record, (f"taken back: {done.loop.wrong}", *(f"    {path}" for path in done.paths)), json=json)
        return
    found = memory.sessions.loops(everything=everything)
    known = {"open": found.open, "closed": found.closed}
    listed = {name: [one.as_record(now) for one in some] for name, some in known.items()}
    output.answer(listed, _loop_lines(found, now, everything=everything), json=json)


def _loop_lines(found: Loops, now: float, *, everything: bool) -> Iterator[str]:
    from holdfast.close.improve import loops as listed
    from holdfast.close.improve import snags

    if not found.open and not found.closed:
        yield 'No snag yet. `holdfast snag "what went wrong" --better "the better path"` begins a loop.'
    if found.open:
        yield f"{len(found.open)} open{_stages(found.open)}:"
    for one in found.open:
        late = f", {one.closes} closes ago" if one.closes else ""
        yield f"  {one.id}  {'ALARM ' if one.is_late else ''}{output.age(now - one.time)}{late}: {one.wrong}"
        yield f"      {_where(one)}{listed.SAID[one.state]}{f' ({one.why})' if one.why else ''}"
    shown = found.closed if everything else found.closed[-NEWEST:]
    if found.closed:
        yield f"{len(found.closed)} closed{_stages(found.closed)} (--undo ID takes one back):"
    for one in reversed(shown):
        calls = f", comes back at {snags.subject(one.when)}" if one.when else ""
        again = f"; it came again after {one.again[-8:]}" if one.again else ""
        stage = one.stage if one.stage == listed.WIRED else listed.SAID[one.state]
        state = f"proven in {one.proven}" if one.proven else stage
        yield f"  {one.id}  {output.age(now - one.time)}: {one.wrong}"
        yield f"      {_where(one)}{state}{calls}{f' ({one.why})' if one.why else ''}{again}"
    if len(shown) < len(found.closed):
        yield f"{len(found.closed) - len(shown)} older ones (--all)."


def _stages(some: tuple[Loop, ...]) -> str:
    """How many of each stage, where there is more than one."""
    counts = {stage: sum(one.stage == stage for one in some) for stage in dict.fromkeys(one.stage for one in some)}
    return f", {', '.join(f'{count} {stage}' for stage, count in counts.items())}" if len(counts) > 1 else ""


def _where(one: Loop) -> str:
    return f"{one.where}: " if one.where else ""

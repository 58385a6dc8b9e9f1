"""`holdfast review`: notes that somebody should look at again, those in quarantine, edits that wait for your word, and
that word.

`holdfast loops`: every snag and what became of it, and taking one edit back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from holdfast.capture import gate, once
from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.close.improve import proposals
from holdfast.errors import NotFound
from holdfast.memory import Memory
from holdfast.vault import agent_edits
from holdfast.vault import review as reviews

if TYPE_CHECKING:
    from holdfast.close.improve.loops import Loop, Loops
    from holdfast.close.improve.proposals import Proposal
    from holdfast.vault.notes import Note
    from holdfast.vault.review import Due, Reviewed, Reviews


SHOWN = 6  # lines of an edit in the list
SHORT = 8  # letters of a session's id that are enough to name it
SAID = {"keep": "kept", "accept": "accepted", "reject": "rejected"}


def review(
    keep: Annotated[list[str] | None, Option("--keep", metavar="NOTE", help="Still true: reviewed today.")] = None,
    accept: Annotated[
        list[str] | None, Option("--accept", metavar="NOTE|ID", help="Out of quarantine; or make this edit.")
    ] = None,
    reject: Annotated[
        list[str] | None, Option("--reject", metavar="NOTE|ID", help="Out of the vault; or let this edit be.")
    ] = None,
    accept_session: Annotated[
        str,
        Option("--accept-session", metavar="ID", help="Accept all notes of one session; `last` is the newest."),
    ] = "",
    diff: Annotated[str, Option("--diff", metavar="ID", help="Show one edit that waits, whole.")] = "",
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what is due for a review, what is in quarantine and which edits wait for your word, or decide on some."""
    memory = Memory.open()
    mine = memory.at.project_or_all(everything=everything)
    if accept or accept_session or (reject and any(proposals.find(memory.at.state, one, mine) for one in reject)):
        gate.require(memory.at.asker(), gate.Change(gate.RULE), "Deciding on it")
    if diff:
        _show(_found(memory, diff), json=json)
        return
    if accept_session:
        accept = [*(accept or ()), *(one.path for one in reviews.of_session(memory.at.vault, mine, accept_session))]
    if keep or accept or reject:
        done = memory.notes.review(keep=keep or (), accept=accept or (), reject=reject or (), everything=everything)
        if json:
            output.as_json(
                {"reviewed": [{"action": one.action, "path": one.path, "now_at": one.now_at} for one in done]}
            )
        else:
            for one in done:
                _say(one)
        return
    found = memory.notes.reviews(everything=everything)
    edits = proposals.listing(memory.at.state, mine)
    if json:
        due = [{**_record(one.note), "days_over": one.days} for one in found.due]
        waiting = [_record(note) for note in found.quarantined]
        heard = [_record(note) for note in found.unconfirmed]
        proposed = [_record(note) for note in found.proposed]
        known = {"due": due, "quarantined": waiting, "unconfirmed": heard, "proposed": proposed}
        output.as_json({**known, "other_projects": found.elsewhere, "proposals": [_edit(one) for one in edits]})
    else:
        _print(found, edits, memory.at.state)


def _found(memory: Memory, wanted: str) -> Proposal:
    one = proposals.find(memory.at.state, wanted)
    if not one:
        raise NotFound(f'There is no proposal "{wanted}"; nothing was changed. `holdfast review` lists them.')
    return one


def _show(one: Proposal, *, json: bool) -> None:
    if json:
        output.as_json(_edit(one))
        return
    output.echo(f"{one.id}  [{one.kind}] {one.path}\n{one.why}\n\n{one.diff}", nl=False)


def _edit(one: Proposal) -> dict[str, Any]:
    names = ("id", "time", "project", "kind", "path", "why", "diff")
    return {**{name: getattr(one, name) for name in names}, "sources": list(one.sources)}


def _record(note: Note) -> dict[str, Any]:
    names = ("path", "name", "description", "kind", "project", "origin", "reviewed", "session")
    return {name: getattr(note, name) for name in names}


def _say(one: Reviewed) -> None:
    where = {"keep": "reviewed today", "accept": f"now {one.now_at}", "reject": "kept in history only"}[one.action]
    output.echo(f"{SAID[one.action]} {one.path} ({where})")


def _print(found: Reviews, edits: list[Proposal], state: str) -> None:
    if found.due:
        output.echo(f"{_count(len(found.due), 'note')} to look at again (--keep NOTE where it is still true):")
    for one in found.due:
        output.echo(f"  {one.note.path}  {_late(one)}: {one.note.description}")
    if found.quarantined:
        output.echo(f"{_count(len(found.quarantined), 'note')} in quarantine (--accept NOTE or --reject NOTE):")
    for session, waiting in _by_session(found.quarantined).items():
        if session:
            output.echo(
                f"  of session {session} (--accept-session {session[:SHORT]} for all of it){_cause(state, waiting)}:"
            )
        for note in waiting:
            output.echo(
                f"{'    ' if session else '  '}{note.path}  [{note.kind}, from {note.origin}] {note.description}"
            )
    _print_waiting(found.unconfirmed, "order", "of yours, heard and not confirmed")
    _print_waiting(found.proposed, "rule", "proposed by an agent, not in force")
    _print_by_agents([*found.quarantined, *found.proposed])
    if edits:
        output.echo(f"{_count(len(edits), 'edit')} waiting for your word (--diff ID, --accept ID or --reject ID):")
    for edit in edits:
        output.echo(f"  {edit.id}  [{edit.kind}] {edit.path or 'no file'}: {edit.why}")
        for line in _changed(edit.diff)[:SHOWN]:
            output.echo(f"      {line}")
    if not (found.due or found.quarantined or found.unconfirmed or found.proposed or edits):
        output.echo("Nothing is due for a review.")
    if found.elsewhere:
        output.echo(f"{found.elsewhere} more in other projects (--all).")


def _by_session(waiting: tuple[Note, ...]) -> dict[str, list[Note]]:
    """Those of no known session first."""
    found: dict[str, list[Note]] = {"": []}
    for note in waiting:
        found.setdefault(reviews.session_id(note), []).append(note)
    return found


def _cause(state: str, waiting: list[Note]) -> str:
    """What brought outside text into the session, where this machine knows it."""
    said = (once.read(state, note.session, once.TAINTED_BY) for note in waiting)
    cause = next((one for one in said if one), "")
    return f", outside text came in with `{cause}`" if cause else ""


def _print_waiting(waiting: tuple[Note, ...], what: str, why: str) -> None:
    if waiting:
        output.echo(f"{_count(len(waiting), what)} {why} (--accept NOTE or --reject NOTE):")
    for note in waiting:
        of = reviews.session_id(note)
        output.echo(f"  {note.path}  {note.description}{f' (session {of[:SHORT]})' if of else ''}")


def _print_by_agents(waiting: list[Note]) -> None:
    """Which of them an agent wrote into the vault's files with its own tools, and what they would take the place of."""
    written = [note for note in waiting if note.fields.get(agent_edits.BY_AGENT)]
    if written:
        said = "An agent wrote this one" if len(written) == 1 else f"An agent wrote these {len(written)}"
        output.echo(f"{said} into the vault's files with its own tools; what stood there before holds:")
    for note in written:
        old = note.fields.get(agent_edits.REPLACES)
        output.echo(f"  {note.path}{f', in place of {old}' if old else ''}")


def _changed(diff: str) -> list[str]:
    """The lines that a diff takes and brings, without where they stand."""
    return [line for line in diff.splitlines() if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]


def _late(one: Due) -> str:
    return "has no date that can be read" if one.days is None else f"{_count(one.days, 'day')} over"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def loops(
    everything: Annotated[bool, Option("--all", help="Of all projects, and every closed one.")] = False,
    undo: Annotated[str, Option("--undo", metavar="ID", help="Take back what one snag changed.")] = "",
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show which snags are wired or proven and which are still open, with their age."""
    memory = Memory.open()
    now = memory.at.clock()
    if undo:
        done = memory.sessions.undo_loop(undo)
        if json:
            output.as_json({"undone": done.loop.as_record(now), "commit": done.commit, "files": list(done.paths)})
        else:
            output.echo(f"taken back: {done.loop.wrong}")
            for path in done.paths:
                output.echo(f"    {path}")
        return
    found = memory.sessions.loops(everything=everything)
    if json:
        known = {"open": found.open, "closed": found.closed}
        output.as_json({name: [one.as_record(now) for one in some] for name, some in known.items()})
    else:
        _print_loop(found, now, everything=everything)


NEWEST = 10  # closed ones that are shown unless all are asked for


def _print_loop(found: Loops, now: float, *, everything: bool) -> None:
    from holdfast.close.improve import loops as listed
    from holdfast.close.improve import snags

    if not found.open and not found.closed:
        output.echo('No snag yet. `holdfast snag "what went wrong" --better "the better path"` begins a loop.')
    if found.open:
        output.echo(f"{len(found.open)} open{_stages(found.open)}:")
    for one in found.open:
        late = f", {one.closes} closes ago" if one.closes else ""
        output.echo(f"  {one.id}  {'ALARM ' if one.is_late else ''}{output.age(now - one.time)}{late}: {one.wrong}")
        output.echo(f"      {_where(one)}{listed.SAID[one.state]}{f' ({one.why})' if one.why else ''}")
    shown = found.closed if everything else found.closed[-NEWEST:]
    if found.closed:
        output.echo(f"{len(found.closed)} closed{_stages(found.closed)} (--undo ID takes one back):")
    for one in reversed(shown):
        calls = f", comes back at {snags.subject(one.when)}" if one.when else ""
        output.echo(f"  {one.id}  {output.age(now - one.time)}: {one.wrong}")
        state = (
            f"proven in {one.proven}"
            if one.proven
            else one.stage
            if one.stage == listed.WIRED
            else listed.SAID[one.state]
        )
        output.echo(f"      {_where(one)}{state}{calls}{f' ({one.why})' if one.why else ''}{_again(one)}")
    if len(shown) < len(found.closed):
        output.echo(f"{len(found.closed) - len(shown)} older ones (--all).")


def _stages(some: tuple[Loop, ...]) -> str:
    """How many of each stage, where there is more than one."""
    counts = {stage: sum(one.stage == stage for one in some) for stage in dict.fromkeys(one.stage for one in some)}
    return f", {', '.join(f'{count} {stage}' for stage, count in counts.items())}" if len(counts) > 1 else ""


def _again(one: Loop) -> str:
    return f"; it came again after {one.again[-8:]}" if one.again else ""


def _where(one: Loop) -> str:
    return f"{one.where}: " if one.where else ""

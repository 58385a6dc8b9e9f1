"""`holdfast review` lists what waits for the user's word, and takes it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.capture import gate, once
from holdfast.cli import output
from holdfast.cli.command import AllProjects, Json, Option
from holdfast.close.improve import proposals
from holdfast.errors import NotFound
from holdfast.memory import Memory
from holdfast.vault import agent_edits
from holdfast.vault import review as reviews

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.close.improve.proposals import Proposal
    from holdfast.vault.notes import Note
    from holdfast.vault.review import Reviewed, Reviews

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
    everything: AllProjects = False,
    json: Json = False,
) -> None:
    """Show what is due for a review, what is in quarantine and which edits wait for your word, or decide on some."""
    memory = Memory.open()
    mine = memory.at.project_or_all(everything=everything)
    if accept or accept_session or (reject and any(proposals.find(memory.at.state, one, mine) for one in reject)):
        gate.require(memory.at.asker(), gate.Change(gate.RULE), "Deciding on it")
    if diff:
        one = _found(memory, diff)
        head = f"{one.id}  [{one.kind}] {one.path}\n{one.why}\n"
        output.answer(_edit(one), (head, one.diff.removesuffix("\n")), json=json)
        return
    if accept_session:
        accept = [*(accept or ()), *(one.path for one in reviews.of_session(memory.at.vault, mine, accept_session))]
    if keep or accept or reject:
        done = memory.notes.review(keep=keep or (), accept=accept or (), reject=reject or (), everything=everything)
        rows = [{"action": one.action, "path": one.path, "now_at": one.now_at} for one in done]
        output.answer({"reviewed": rows}, map(_reviewed, done), json=json)
        return
    found = memory.notes.reviews(everything=everything)
    edits = proposals.listing(memory.at.state, mine)
    due = [{**_record(one.note), "days_over": one.days} for one in found.due]
    kinds = {"quarantined": found.quarantined, "unconfirmed": found.unconfirmed, "proposed": found.proposed}
    waiting = {name: [_record(note) for note in some] for name, some in kinds.items()}
    more = {"other_projects": found.elsewhere, "proposals": [_edit(one) for one in edits]}
    output.answer({"due": due, **waiting, **more}, _review_lines(found, edits, memory.at.state), json=json)


def _found(memory: Memory, wanted: str) -> Proposal:
    one = proposals.find(memory.at.state, wanted)
    if not one:
        raise NotFound(f'There is no proposal "{wanted}"; nothing was changed. `holdfast review` lists them.')
    return one


def _edit(one: Proposal) -> dict[str, Any]:
    names = ("id", "time", "project", "kind", "path", "why", "diff")
    return {**{name: getattr(one, name) for name in names}, "sources": list(one.sources)}


def _record(note: Note) -> dict[str, Any]:
    names = ("path", "name", "description", "kind", "project", "origin", "reviewed", "session")
    return {name: getattr(note, name) for name in names}


def _reviewed(one: Reviewed) -> str:
    where = {"keep": "reviewed today", "accept": f"now {one.now_at}", "reject": "kept in history only"}[one.action]
    return f"{SAID[one.action]} {one.path} ({where})"


def _review_lines(found: Reviews, edits: list[Proposal], state: str) -> Iterator[str]:
    if found.due:
        yield f"{output.counted(len(found.due), 'note')} to look at again (--keep NOTE where it is still true):"
    for one in found.due:
        late = "has no date that can be read" if one.days is None else f"{output.counted(one.days, 'day')} over"
        yield f"  {one.note.path}  {late}: {one.note.description}"
    if found.quarantined:
        yield f"{output.counted(len(found.quarantined), 'note')} in quarantine (--accept NOTE or --reject NOTE):"
    for session, waiting in _by_session(found.quarantined).items():
        if session:
            short = session[:SHORT]
            yield f"  of session {session} (--accept-session {short} for all of it){_cause(state, waiting)}:"
        for note in waiting:
            margin = "    " if session else "  "
            yield f"{margin}{note.path}  [{note.kind}, from {note.origin}] {note.description}"
    yield from _waiting_lines(found.unconfirmed, "order", "of yours, heard and not confirmed")
    yield from _waiting_lines(found.proposed, "rule", "proposed by an agent, not in force")
    yield from _lines_by_agents([*found.quarantined, *found.proposed])
    if edits:
        yield f"{output.counted(len(edits), 'edit')} waiting for your word (--diff ID, --accept ID or --reject ID):"
    for edit in edits:
        yield f"  {edit.id}  [{edit.kind}] {edit.path or 'no file'}: {edit.why}"
        changed = (line for line in edit.diff.splitlines() if line[:1] in ("+", "-") and line[:3] not in ("+++", "---"))
        yield from (f"      {line}" for line in islice(changed, SHOWN))
    if not (found.due or found.quarantined or found.unconfirmed or found.proposed or edits):
        yield "Nothing is due for a review."
    if found.elsewhere:
        yield f"{found.elsewhere} more in other projects (--all)."


def _by_session(waiting: tuple[Note, ...]) -> dict[str, list[Note]]:
    """The notes by session, those of no known session first."""
    found: dict[str, list[Note]] = {"": []}
    for note in waiting:
        found.setdefault(reviews.session_id(note), []).append(note)
    return found


def _cause(state: str, waiting: list[Note]) -> str:
    """The tool that brought outside text into the session, where this machine knows it."""
    said = (once.read(state, note.session, once.TAINTED_BY) for note in waiting)
    cause = next((one for one in said if one), "")
    return f", outside text came in with `{cause}`" if cause else ""


def _waiting_lines(waiting: tuple[Note, ...], what: str, why: str) -> Iterator[str]:
    if waiting:
        yield f"{output.counted(len(waiting), what)} {why} (--accept NOTE or --reject NOTE):"
    for note in waiting:
        of = reviews.session_id(note)
        yield f"  {note.path}  {note.description}{f' (session {of[:SHORT]})' if of else ''}"


def _lines_by_agents(waiting: list[Note]) -> Iterator[str]:
    """Those that an agent wrote into the vault's files with its own tools, and what they would take the place of."""
    written = [note for note in waiting if note.fields.get(agent_edits.BY_AGENT)]
    if written:
        said = "An agent wrote this one" if len(written) == 1 else f"An agent wrote these {len(written)}"
        yield f"{said} into the vault's files with its own tools; what stood there before holds:"
    for note in written:
        old = note.fields.get(agent_edits.REPLACES)
        yield f"  {note.path}{f', in place of {old}' if old else ''}"

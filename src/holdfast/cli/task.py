"""`holdfast task`: the memory of long tasks, and a host that is run for one. `checkpoint`, `next` and `is-done` are in
cli/task_fast."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.cli import output
from holdfast.cli.command import Argument, Json, Option
from holdfast.memory import Memory
from holdfast.tasks import page, states
from holdfast.tasks.task_end import ALL, FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.tasks.commands import Saved
    from holdfast.tasks.page import View
    from holdfast.tasks.queries import Task
    from holdfast.tasks.record import Entry
    from holdfast.tasks.task_end import Finished, Offer

Named = Annotated[str, Argument(metavar="[ID]", help="The task; without it the open one of this project.")]
Reason = Annotated[str, Option("--reason", help="Why.")]


def start(
    ident: Annotated[str, Argument(metavar="ID", help="Letters, digits, - and _.")],
    goal: Annotated[list[str], Argument(help="What is to be reached.")],
    units: Annotated[
        list[str] | None, Option("--units", help='What is to be done, such as "files 001-500"; may be repeated.')
    ] = None,
    json: Json = False,
) -> None:
    """Begin a task: its folder, its log and session_memory.md."""
    saved = Memory.open().tasks.start(ident, " ".join(goal), units or ())
    _answer(saved, json, f"started task {saved.task.id}; read tasks/{saved.task.id}/session_memory.md at every start")


def show_task(
    ident: Named = "",
    whole: Annotated[bool, Option("--all", help="Every entry, however many there are.")] = False,
    json: Json = False,
) -> None:
    """Show a task: its state, the decisions in force, what is done, what was found out, and the next step."""
    seen = Memory.open().tasks.show(ident, whole=whole)
    output.answer(_view_record(seen), _view_lines(seen), json=json)


def _view_lines(seen: View) -> Iterator[str]:
    yield f"{seen.task.id} ({seen.task.state}): {seen.task.goal}"
    yield from _section("Decisions in force", seen.in_force, seen.decisions.more)
    yield f"\nProgress: {page.standing(seen.standing) or 'nothing was reported yet'}"
    for count in seen.standing.counts:
        if count.total:
            seen_too = f", {count.seen} more seen done" if count.seen else ""
            yield f"  {count.series or 'numbers'}: {count.completed} of {count.total} completed{seen_too}"
    yield from _section("", seen.progress.entries, seen.progress.more)
    yield from _section("Discoveries", seen.discoveries.entries, seen.discoveries.more)
    yield from _section("Findings", seen.findings.entries, seen.findings.more)
    yield f"\nNext: {seen.step() or seen.no_step()}"


def _section(heading: str, found: Iterable[Entry], more: int) -> Iterator[str]:
    listed = [page.line(one) for one in found]
    if heading and (listed or more):
        yield f"\n{heading}:"
    yield from (f"  {line}" for line in listed)
    if more:
        yield f"  ({more:,} older ones: --all)"


def list_tasks(
    everything: Annotated[bool, Option("--all", help="Of all projects, and those that are over.")] = False,
    json: Json = False,
) -> None:
    """List the open tasks of this project, the one that was worked on last first."""
    memory = Memory.open()
    found = memory.tasks.listing(everything=everything, also_over=everything)
    lines = []
    for one in found:
        ago = output.age(memory.at.clock() - one.spoke)
        where = f" [{one.project}]" if everything else ""
        lines.append(f"{one.id}  {one.state}, last heard of {ago} ago{where}: {one.goal}")
    record = {"tasks": [_task_record(one) for one in found]}
    output.answer(record, lines or ["No task is open here."], json=json)


def decisions(
    everything: Annotated[bool, Option("--all", help="Of all projects.")] = False,
    superseded: Annotated[bool, Option("--superseded", help="Also those that no longer hold.")] = False,
    json: Json = False,
) -> None:
    """List the decisions of all tasks of this project, the finished ones included, in order of time."""
    found = Memory.open().tasks.decisions(everything=everything, superseded=superseded)
    told = [{"task": one.task, **one.entry.as_record(), "superseded_by": one.gone} for one in found]
    lines = []
    for one in found:
        gone = f" (superseded by ^{one.gone[-6:].lower()})" if one.gone else ""
        lines.append(f"{page.line(one.entry)[2:]} [{one.task}]{gone}")
    output.answer({"decisions": told}, lines or ["Nothing was decided in a task of this project."], json=json)


def pause(ident: Named = "", reason: Reason = "", json: Json = False) -> None:
    """Let a task rest."""
    _move(ident, states.PAUSED, reason, json)


def resume(
    ident: Named = "", reason: Annotated[str, Option("--reason", help="Why now.")] = "", json: Json = False
) -> None:
    """Go on with a task that rests, or whose session died, and show where it stands."""
    _move(ident, states.RESUMED, reason, json)


def block(
    ident: Named = "",
    reason: Annotated[str, Option("--reason", help="What it waits for.")] = "",
    json: Json = False,
) -> None:
    """Say that a task waits for something."""
    _move(ident, states.BLOCKED, reason, json)


def complete(
    ident: Named = "",
    status: Annotated[str, Option("--status", help="The final status, in a line.")] = "",
    learned: Annotated[list[str] | None, Option("--learned", help="Study: what was learned.")] = None,
    surprised: Annotated[list[str] | None, Option("--surprised", help="Study: what surprised.")] = None,
    connection: Annotated[list[str] | None, Option("--connection", help="Study: what hangs together.")] = None,
    change: Annotated[list[str] | None, Option("--change", help="Act: what should change.")] = None,
    promote: Annotated[
        list[str] | None, Option("--promote", help="Entries that become notes, by id, or `all`.")
    ] = None,
    anyway: Annotated[bool, Option("--anyway", help="Though units of it are open, or no task was named.")] = False,
    json: Json = False,
) -> None:
    """Complete a task: archive its memory to outputs/, flag its findings, and take its working folder away."""
    given = dict(zip(FIELDS, (learned, surprised, connection, change), strict=True))
    findings = [(field, text) for field, texts in given.items() for text in texts or ()]
    memory = Memory.open()
    if not anyway and not json and output.is_answered() and (why := memory.tasks.doubts(ident)):
        if not output.confirm(f"{why}. Complete it all the same?"):
            raise SystemExit(1)
        anyway = True
    _finish(ident, states.COMPLETED, status, findings, promote or (), json, anyway=anyway)


def abandon(ident: Named = "", reason: Reason = "", json: Json = False) -> None:
    """Give a task up. Its memory is archived all the same; its decisions no longer bind."""
    _finish(ident, states.ABANDONED, reason, (), (), json)


def reopen(
    ident: Annotated[str, Argument(metavar="ID", help="A task that is completed or abandoned.")],
    reason: Annotated[str, Option("--reason", help="Why it goes on.")] = "",
    json: Json = False,
) -> None:
    """Go on with a task that is over: its memory comes back from outputs/, and nothing of it is lost."""
    memory = Memory.open()
    _answer_moved(memory, memory.tasks.reopen(ident, reason), json, also_next=True)


def promote_entries(
    ident: Annotated[str, Argument(metavar="ID", help="The task, open or over.")],
    wanted: Annotated[list[str] | None, Argument(metavar="[ENTRY]...", help="Ids; without any: the list.")] = None,
    everything: Annotated[bool, Option("--all", help="All decisions in force and discoveries.")] = False,
    json: Json = False,
) -> None:
    """Flag decisions and discoveries of a task, so that the close makes notes of them."""
    memory = Memory.open()
    if not wanted and not everything:
        offers = memory.tasks.promotable(ident)
    else:
        offers = memory.tasks.promote(ident, [ALL] if everything else wanted or ())
    rows = [one.entry.as_record() for one in offers]
    what = "flagged " if wanted or everything else ""
    lines = [f"{what}{_offer(one)}" for one in offers] or ["Nothing in this task could become a note."]
    output.answer({"task": ident, "flagged": bool(what), "entries": rows}, lines, json=json)


def _offer(one: Offer) -> str:
    return f"^{one.entry.id[-6:].lower()} [{one.entry.kind}] {one.entry.text}"


def print_protocol(
    form: Annotated[str, Argument(help=f"One of: {', '.join(states.FORMS)}.")] = states.FORMS[0],
) -> None:
    """Print the protocol of task memory, for CLAUDE.md, AGENTS.md or a prompt."""
    output.echo(Memory.open().tasks.protocol(form), nl=False)


def _move(ident: str, to: str, reason: str, json: bool) -> None:
    memory = Memory.open()
    _answer_moved(memory, memory.tasks.move(ident, to, reason), json, also_next=to == states.RESUMED)


def _answer_moved(memory: Memory, saved: Saved, json: bool, *, also_next: bool) -> None:
    _answer(saved, json, f"task {saved.task.id} is {saved.task.state}")
    if also_next and not json:
        seen = memory.tasks.show(saved.task.id)
        output.echo(f"next: {seen.step() or seen.no_step()}")


def _finish(
    ident: str,
    to: str,
    status: str,
    findings: Iterable[tuple[str, str]],
    promote: Iterable[str],
    json: bool,
    *,
    anyway: bool = False,
) -> None:
    done = Memory.open().tasks.finish(ident, to, status, tuple(findings), tuple(promote), anyway=anyway)
    record = {
        "task": _task_record(done.task),
        "archive": done.archive,
        "left": done.left,
        "notes": list(done.notes),
        "promoted": [one.entry.as_record() for one in done.promoted],
        "offers": [one.entry.as_record() for one in done.offers],
    }
    output.answer(record, _finished_lines(done), json=json)


def _finished_lines(done: Finished) -> Iterator[str]:
    yield f"task {done.task.id} is {done.task.state}; its memory is kept in {done.archive}"
    yield from (f"note: {note}" for note in done.notes)
    if done.left:
        yield f"note: what is left in {done.left} is somebody's own or changed meanwhile; it was kept as it is"
    yield from (f"flagged {_offer(one)}" for one in done.promoted)
    if done.offers and done.task.state == states.COMPLETED:
        yield f"These could become notes: `holdfast task promote {done.task.id} ENTRY…`, or --all:"
        yield from (f"  {_offer(one)}" for one in done.offers)


def _answer(saved: Saved, json: bool, said: str) -> None:
    record = {"task": _task_record(saved.task), "entry": saved.entry.as_record(), "notes": list(saved.notes)}
    output.answer(record, (said, *(f"note: {note}" for note in saved.notes)), json=json)


def _task_record(one: Task) -> dict[str, Any]:
    names = ("id", "project", "goal", "state", "started", "changed", "spoke", "episode")
    return {name: getattr(one, name) for name in names}


def _view_record(seen: View) -> dict[str, Any]:
    """The names that others build on: state, decisions, progress, discoveries, next."""
    standing = seen.standing
    names = (
        *("completed", "in_progress", "pending", "skipped", "failed", "gaps", "stopped", "next_unit", "is_begun"),
        *("seen", "seen_begun"),
    )
    return {
        **_task_record(seen.task),
        "decisions": [one.as_record() for one in seen.in_force],
        "progress": {
            **{name: getattr(standing, name) for name in names},
            "entries": [one.as_record() for one in seen.progress.entries],
        },
        "discoveries": [one.as_record() for one in seen.discoveries.entries],
        "findings": [one.as_record() for one in seen.findings.entries],
        "next": seen.step(),
    }


def run(
    ident: Annotated[str, Argument(metavar="ID", help="The task.")],
    command: Annotated[
        list[str],
        Argument(
            metavar="COMMAND",
            help='Such as claude -p "go on"; the memory goes before the prompt, or where {memory} stands.',
        ),
    ],
    max_sessions: Annotated[
        int | None,
        Option("--max-sessions", least=1, help=f"1, or {states.MOST_SESSIONS} with --until-complete; at most so many."),
    ] = None,
    until_complete: Annotated[
        bool, Option("--until-complete", help="One session after another until the task is completed.")
    ] = False,
) -> None:
    """Start an agent for a task, with the task's memory before its prompt; never two at once."""
    from holdfast.tasks.runs import Wish

    ran = Memory.open().tasks.run(Wish(ident, tuple(command), max_sessions or 0, until_complete))
    if ran.why and (ran.status or sys.stderr.isatty()):  # what went well is no mail of cron's
        output.echo(f"holdfast: {ran.why}", err=True)
    raise SystemExit(ran.status)

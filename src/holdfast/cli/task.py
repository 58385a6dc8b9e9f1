"""`holdfast task`: the memory of long tasks. `checkpoint`, `next` and `is-done` are in cli/task_fast.

`holdfast task run`: a host for a task, headless or from cron. Its words and its stdout are the host's.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory
from holdfast.tasks import page, states
from holdfast.tasks.completion import ALL, FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.tasks.commands import Saved
    from holdfast.tasks.completion import Finished
    from holdfast.tasks.page import View
    from holdfast.tasks.queries import Task
    from holdfast.tasks.record import Entry


Named = Annotated[str, Argument(metavar="[ID]", help="The task; without it the open one of this project.")]
Json = Annotated[bool, Option("--json", help="As JSON.")]


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
    if json:
        output.as_json(_view_record(seen))
        return
    output.echo(f"{seen.task.id} ({seen.task.state}): {seen.task.goal}")
    _lines("Decisions in force", seen.in_force, seen.decisions.more)
    told = page.standing(seen.standing)
    output.echo(f"\nProgress: {told or 'nothing was reported yet'}")
    for count in seen.standing.counts:
        if count.total:
            seen_too = f", {count.seen} more seen done" if count.seen else ""
            output.echo(f"  {count.series or 'numbers'}: {count.completed} of {count.total} completed{seen_too}")
    _lines("", seen.progress.entries, seen.progress.more)
    _lines("Discoveries", seen.discoveries.entries, seen.discoveries.more)
    _lines("Findings", seen.findings.entries, seen.findings.more)
    output.echo(f"\nNext: {seen.step() or seen.no_step()}")


def list_tasks(
    everything: Annotated[bool, Option("--all", help="Of all projects, and those that are over.")] = False,
    json: Json = False,
) -> None:
    """List the open tasks of this project, the one that was worked on last first."""
    memory = Memory.open()
    found = memory.tasks.listing(everything=everything, also_over=everything)
    if json:
        output.as_json({"tasks": [_task_record(one) for one in found]})
        return
    for one in found:
        ago = output.age(memory.at.clock() - one.spoke)
        where = f" [{one.project}]" if everything else ""
        output.echo(f"{one.id}  {one.state}, last heard of {ago} ago{where}: {one.goal}")
    if not found:
        output.echo("No task is open here.")


def decisions(
    everything: Annotated[bool, Option("--all", help="Of all projects.")] = False,
    superseded: Annotated[bool, Option("--superseded", help="Also those that no longer hold.")] = False,
    json: Json = False,
) -> None:
    """List the decisions of all tasks of this project, the finished ones included, in order of time."""
    found = Memory.open().tasks.decisions(everything=everything, superseded=superseded)
    if json:
        told = [{"task": one.task, **one.entry.as_record(), "superseded_by": one.gone} for one in found]
        output.as_json({"decisions": told})
        return
    for one in found:
        gone = f" (superseded by ^{one.gone[-6:].lower()})" if one.gone else ""
        output.echo(f"{page.line(one.entry)[2:]} [{one.task}]{gone}")
    if not found:
        output.echo("Nothing was decided in a task of this project.")


def pause(ident: Named = "", reason: Annotated[str, Option("--reason", help="Why.")] = "", json: Json = False) -> None:
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


def abandon(
    ident: Named = "",
    reason: Annotated[str, Option("--reason", help="Why.")] = "",
    json: Json = False,
) -> None:
    """Give a task up. Its memory is archived all the same; its decisions no longer bind."""
    _finish(ident, states.ABANDONED, reason, (), (), json)


def reopen(
    ident: Annotated[str, Argument(metavar="ID", help="A task that is completed or abandoned.")],
    reason: Annotated[str, Option("--reason", help="Why it goes on.")] = "",
    json: Json = False,
) -> None:
    """Go on with a task that is over: its memory comes back from outputs/, and nothing of it is lost."""
    memory = Memory.open()
    saved = memory.tasks.reopen(ident, reason)
    _answer(saved, json, f"task {saved.task.id} is {saved.task.state}")
    if not json:
        seen = memory.tasks.show(saved.task.id)
        output.echo(f"next: {seen.step() or seen.no_step()}")


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
    if json:
        output.as_json(
            {"task": ident, "flagged": bool(wanted or everything), "entries": [_record(one.entry) for one in offers]}
        )
        return
    what = "flagged " if wanted or everything else ""
    for one in offers:
        output.echo(f"{what}^{one.entry.id[-6:].lower()} [{one.entry.kind}] {one.entry.text}")
    if not offers:
        output.echo("Nothing in this task could become a note.")


def print_protocol(
    form: Annotated[str, Argument(help=f"One of: {', '.join(states.FORMS)}.")] = states.FORMS[0],
) -> None:
    """Print the protocol of task memory, for CLAUDE.md, AGENTS.md or a prompt."""
    output.echo(Memory.open().tasks.protocol(form), nl=False)


def _move(ident: str, to: str, reason: str, json: bool) -> None:
    memory = Memory.open()
    saved = memory.tasks.move(ident, to, reason)
    _answer(saved, json, f"task {saved.task.id} is {saved.task.state}")
    if to == states.RESUMED and not json:
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
    if json:
        output.as_json(
            {
                "task": _task_record(done.task),
                "archive": done.archive,
                "left": done.left,
                "notes": list(done.notes),
                "promoted": [_record(one.entry) for one in done.promoted],
                "offers": [_record(one.entry) for one in done.offers],
            }
        )
        return
    _tell_finished(done)


def _tell_finished(done: Finished) -> None:
    output.echo(f"task {done.task.id} is {done.task.state}; its memory is kept in {done.archive}")
    for note in done.notes:
        output.echo(f"note: {note}")
    if done.left:
        output.echo(f"note: what is left in {done.left} is somebody's own or changed meanwhile; it was kept as it is")
    for one in done.promoted:
        output.echo(f"flagged ^{one.entry.id[-6:].lower()} [{one.entry.kind}] {one.entry.text}")
    if done.offers and done.task.state == states.COMPLETED:
        output.echo(f"These could become notes: `holdfast task promote {done.task.id} ENTRY…`, or --all:")
        for one in done.offers:
            output.echo(f"  ^{one.entry.id[-6:].lower()} [{one.entry.kind}] {one.entry.text}")


def _answer(saved: Saved, json: bool, said: str) -> None:
    if json:
        output.as_json({"task": _task_record(saved.task), "entry": _record(saved.entry), "notes": list(saved.notes)})
        return
    output.echo(said)
    for note in saved.notes:
        output.echo(f"note: {note}")


def _lines(heading: str, found: Iterable[Entry], more: int) -> None:
    listed = [page.line(one) for one in found]
    if heading and (listed or more):
        output.echo(f"\n{heading}:")
    for line in listed:
        output.echo(f"  {line}")
    if more:
        output.echo(f"  ({more:,} older ones: --all)")


def _record(one: Entry) -> dict[str, Any]:
    return one.as_record()


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
        "decisions": [_record(one) for one in seen.in_force],
        "progress": {
            **{name: getattr(standing, name) for name in names},
            "entries": [_record(one) for one in seen.progress.entries],
        },
        "discoveries": [_record(one) for one in seen.discoveries.entries],
        "findings": [_record(one) for one in seen.findings.entries],
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

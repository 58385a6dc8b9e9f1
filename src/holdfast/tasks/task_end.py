"""The end of a task: its last word, what was found out, and what of it becomes notes.

What was learned, what surprised, how things hang together and what should change are fields of their own, so that
the close can file them: the first three as facts and lessons, the last as a snag, which the improvement loop turns
into an edit. They are flagged when the task is archived (vault/own_files), under the ids of their entries: twice is
once. Decisions and discoveries are only offered; which of them outlive the task is for its author to say.
"""

from __future__ import annotations

from holdfast.capture import flags, home, notices, platform
from holdfast.errors import UsageError
from holdfast.model import Project, value
from holdfast.tasks import commands, observations, page, record, states
from holdfast.tasks.transaction import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from holdfast.capture.flags import Speaker
    from holdfast.tasks.index import Index
    from holdfast.tasks.queries import Task
    from holdfast.tasks.record import Entry

ALL = "all"
LONGEST_GOAL = 120  # characters in a question
LEARNED, SURPRISED, CONNECTION, CHANGE = "learned", "surprised", "connection", "change"
FIELDS = (LEARNED, SURPRISED, CONNECTION, CHANGE)
KINDS = {LEARNED: "lesson", SURPRISED: "lesson", CONNECTION: "fact", CHANGE: "snag"}
PROMOTED = {record.DECISION: "decision", record.DISCOVERY: "fact"}


@value
class Offer:
    """An entry that could become a note."""

    task: str
    entry: Entry


@value
class Finished:
    """A task that is over: where its memory is kept, what was promoted, what is offered, and what stayed behind."""

    task: Task
    promoted: tuple[Offer, ...] = ()
    offers: tuple[Offer, ...] = ()
    archive: str = ""
    left: str = ""
    notes: tuple[str, ...] = ()


def finish(
    vault: str,
    named: str,
    to: str,
    status: str,
    speaker: Speaker,
    clock: Callable[[], float],
    env: Mapping[str, str],
    *,
    findings: Sequence[tuple[str, str]] = (),
    promote: Sequence[str] = (),
) -> Finished:
    """Say that a task is over. Its archive is made by the next writer of the vault. Raises UsageError, NotFound."""
    line, changes = commands.one_line(status, "status") if status.strip() else ("", ())
    lines = [(field, *commands.one_line(text, "finding")) for field, text in findings]
    notes = dict.fromkeys([*changes, *(change for _, _, found in lines for change in found)])
    with Transaction(vault, clock) as work:
        task = states.choose(work.index, named, speaker.project.id, env)
        # Said before, by somebody who is about to make the archive, or was killed before it.
        was_said = task.state == to and platform.is_there(record.folder(vault, task.id))
        if not was_said:
            states.refuse(task.id, task.state, to)
        work.believe(task.id)
        if to == states.ABANDONED:  # and with it what was decided in it
            commands.refuse_lifting(work.index.entries(task.id, record.DECISION, in_force=True), speaker)
        chosen = _chosen(work.index, task, promote)
        who: dict[str, Any] = {"origin": speaker.origin, "episode": speaker.episode}
        known = [(one.field, one.text) for one in work.index.entries(task.id, record.FINDING)]
        fresh = [(field, text) for field, text, _ in lines if (field, text) not in known]
        made = [
            work.make(task.id, record.FINDING, text, nth, field=field, **who) for nth, (field, text) in enumerate(fresh)
        ]
        if not was_said:
            made.append(work.make(task.id, record.STATE, line, len(made), to=to, **who))
        if made:
            work.add(task.id, made)
            work.settle()
        offered = tuple(one for one in _offers(work.index, task) if one not in chosen)
        if was_seen := page.standing_of(work.index, task.id).seen:
            notes[f"{observations.DONE} {observations.some(was_seen)}"] = None
        task = work.index.task(task.id) or task
        why = [one.why for one in work.unread if one.task == task.id]
        notes |= dict.fromkeys(
            f"session_memory.md cannot be read ({one}); it stays where it is, and the archive is made from the log"
            for one in why
        )
    if made:
        commands.tell(vault, commands.Saved(task, made[-1]), speaker, clock())
    for name in (record.LATE, record.DEAD):  # what a start would warn of is over
        notices.remove(home.state(vault), f"{name}{task.id}", task.project)
    _flag(vault, chosen, task, clock())
    return Finished(task, tuple(chosen), offered, notes=tuple(notes))


def doubts(index: Index, task: Task, *, is_named: bool) -> str:
    """Why a task may not be meant to be completed, in a sentence: nobody named it, or not all of it is done. What was
    seen done counts as done here: whoever completes the task says so."""
    if states.COMPLETED not in states.FOLLOWS.get(task.state, ()):
        return ""  # that is refused for another reason
    found = page.standing_of(index, task.id)
    left = (
        *(("in progress", found.in_progress), ("begun", found.seen_begun), ("pending", found.pending)),
        *(("failed", found.failed), ("never mentioned", found.gaps)),
    )
    told = " · ".join(f"{what} {observations.some(names)}" for what, names in left if names)
    if told:
        return f"Not all of task {task.id} is done: {told}"
    return "" if is_named else f"No task was named; {task.id} ({task.goal[:LONGEST_GOAL]}) is the one that is open here"


def looked_at(vault: str, done: Finished, clock: Callable[[], float]) -> Finished:
    """The same after the archive was made."""
    with Transaction(vault, clock) as work:
        task = work.index.task(done.task.id) or done.task
    folder = record.folder(vault, task.id)
    left = folder if platform.is_there(folder) else ""
    return Finished(task, done.promoted, done.offers, final_page(task.id), left, done.notes)


def final_page(task: str) -> str:
    return f"{record.OUTPUTS}/{record.FINAL}{task}.md"


def offers(vault: str, named: str, project: str, clock: Callable[[], float], env: Mapping[str, str]) -> list[Offer]:
    with Transaction(vault, clock) as work:
        return _offers(work.index, states.choose(work.index, named, project, env, also_over=True))


def promote(
    vault: str,
    named: str,
    wanted: Sequence[str],
    speaker: Speaker,
    clock: Callable[[], float],
    env: Mapping[str, str],
) -> list[Offer]:
    """Flag these entries of a task, open or over. Raises UsageError, NotFound, NotSaved."""
    with Transaction(vault, clock) as work:
        task = states.choose(work.index, named, speaker.project.id, env, also_over=True)
        chosen = _chosen(work.index, task, wanted)
    _flag(vault, chosen, task, clock())
    return chosen


def _offers(index: Index, task: Task) -> list[Offer]:
    return [Offer(task.id, one) for one in index.entries(task.id, *PROMOTED, in_force=True)]


def _chosen(index: Index, task: Task, wanted: Sequence[str]) -> list[Offer]:
    known = _offers(index, task)
    if ALL in wanted:
        return known
    chosen = []
    for one in wanted:
        found = record.one_of((offer.entry for offer in known), one.lstrip("^").upper(), task.id)
        chosen.append(Offer(task.id, found))
    return chosen


def _flag(vault: str, chosen: Sequence[Offer], task: Task, now: float) -> None:
    for one in chosen:
        proof = (f"task:{one.task}", final_page(one.task))
        given = flags.Given(one.entry.text, PROMOTED[one.entry.kind], proof)
        flags.take_all(vault, [given], _author(task, one.entry), now, ids=[one.entry.id])


def flag_findings(vault: str, task: Task, found: Sequence[Entry], now: float) -> int:
    """Hand what a finished task has found out to the close; how many flags that were."""
    for one in found:
        if one.field not in KINDS:
            raise UsageError(f'"{one.field}" is no finding; nothing was flagged.')
        text = one.text
        if one.field == CHANGE:
            text = f"Task {task.id} ({task.goal[:200]}) showed what should change. Better: {one.text}"
        given = flags.Given(text, KINDS[one.field], (f"task:{task.id}", final_page(task.id)))
        flags.take_all(vault, [given], _author(task, one), now, ids=[one.id])
    return len(found)


def _author(task: Task, one: Entry) -> Speaker:
    project = Project(task.project, task.project, "", "")
    host = one.episode.partition("/")[0] or "cli"
    return flags.Speaker(host, one.episode, project, one.origin, is_open=False)

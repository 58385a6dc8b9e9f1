"""The commands of a task: begin it, add to it, change its state, and look at it.

Each change is durable when it returns. A checkpoint that cannot be taken is refused in a sentence and nothing is
written: a task that is over, a decision that touches what another one in force has decided, an entry to be superseded
that is not there. A person's edits of the page are believed first. Looking writes nothing but what is derived, and
catches up with the logs before it answers.
"""

from __future__ import annotations

from holdfast.capture import episodes, flags, home, ledger, once
from holdfast.capture.redaction import redact
from holdfast.errors import Conflict, HoldfastError, NotFound, NotSaved, UsageError
from holdfast.model import replace, value
from holdfast.tasks import checkpoint_words, page, record, states, subjects, units
from holdfast.tasks.transaction import PATIENCE, Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from holdfast.capture.flags import Speaker
    from holdfast.tasks.checkpoint_words import Words
    from holdfast.tasks.page import View
    from holdfast.tasks.queries import Task
    from holdfast.tasks.record import Entry

MOST_DATED = 400  # entries, the newest, among which one is looked for by its date


@value
class Saved:
    """A change that was written: the task as it is now, the entry, and what else its author should know."""

    task: Task
    entry: Entry
    notes: tuple[str, ...] = ()
    was_there: bool = False
    more: tuple[Entry, ...] = ()  # what follows from it: that the task is active now


def start(
    vault: str, ident: str, goal: str, speaker: Speaker, clock: Callable[[], float], *, pending: tuple[str, ...] = ()
) -> Saved:
    """Begin a task. Raises UsageError, NotSaved."""
    name = checkpoint_words.ident(ident)
    line, changes = one_line(goal, "goal")
    lines = [one_line(f"PENDING: {text}", "unit") for text in pending]
    with Transaction(vault, clock) as work:
        known = work.index.task(name)
        if known:
            there = f"Task {known.id} is {known.state} already; nothing was written. `holdfast task show` shows it."
            raise UsageError(states.over(known.id, known.state) if known.is_over else there)
        who: dict[str, Any] = {"origin": speaker.origin, "episode": speaker.episode}
        first = work.make(name, record.STATE, line, to=states.STARTED, project=speaker.project.id, **who)
        made = [first]
        made += [work.make(name, record.PROGRESS, text, nth, **who) for nth, (text, _) in enumerate(lines, 1)]
        work.add(name, made)
        saved = _saved(work, first, name, [*changes, *(change for _, found in lines for change in found)])
    tell(vault, saved, speaker, clock())
    return saved


def checkpoint(
    vault: str,
    said: Words,
    speaker: Speaker,
    clock: Callable[[], float],
    env: Mapping[str, str],
    *,
    ident: str = "",
    patience: float = PATIENCE,
) -> Saved:
    """Add one entry. `ident` is the id that the hook has given it, who may have saved it or not.
    Raises UsageError, NotFound, Conflict, NotSaved."""
    line, changes = one_line(said.text, "text")
    with Transaction(vault, clock, patience) as work:
        task = states.choose(work.index, said.task, speaker.project.id, env)
        if ident and (before := work.index.entry(task.id, ident)):
            return Saved(task, before, was_there=True)
        if task.is_over:
            raise UsageError(states.over(task.id, task.state))
        work.believe(task.id)
        gone = [_superseded(work, task, one, said.kind, line) for one in said.supersedes]
        refuse_lifting(gone, speaker)
        old = tuple(one.id for one in gone)
        if said.kind == record.DECISION:
            same = _refuse_conflict(work, task, line, old, both=said.both_hold)
            if same:
                return Saved(task, same, was_there=True)
        notes = [*changes, *_overlaps(work, task, line, said.kind)]
        who: dict[str, Any] = {"origin": speaker.origin, "episode": speaker.episode}
        made = work.make(task.id, said.kind, line, supersedes=old, both=said.both_hold, **who)
        if ident:
            made = replace(made, id=ident)
        more = []
        if task.state in (states.STARTED, states.RESUMED, states.REOPENED):
            more = [work.make(task.id, record.STATE, "", 1, to=states.ACTIVE, episode=speaker.episode)]
        elif task.state in states.RESTING:
            notes.append(f"the task is {task.state}; `holdfast task resume {task.id}` goes on with it")
        work.add(task.id, [made, *more])
        saved = replace(_saved(work, made, task.id, notes), more=tuple(more))
    tell(vault, saved, speaker, clock())
    return saved


def move(
    vault: str,
    named: str,
    to: str,
    reason: str,
    speaker: Speaker,
    clock: Callable[[], float],
    env: Mapping[str, str],
    *,
    runs: Callable[[str], bool] = lambda _episode: False,
) -> Saved:
    """Change a task's state. `runs` says whether an episode goes on at this moment. Raises UsageError, NotFound."""
    line, changes = one_line(reason, "reason") if reason.strip() else ("", ())
    with Transaction(vault, clock) as work:
        task = states.choose(work.index, named, speaker.project.id, env)
        states.refuse(task.id, task.state, to)
        is_anothers = task.state in states.RUNNING and task.episode not in ("", speaker.episode)
        if to == states.RESUMED and is_anothers and runs(task.episode):
            raise UsageError(
                f"Task {task.id} is {task.state} in session {task.episode}, which still runs; nothing was changed. "
                "Checkpoints of several sessions go to it all the same."
            )
        work.believe(task.id)
        made = work.make(task.id, record.STATE, line, to=to, origin=speaker.origin, episode=speaker.episode)
        work.add(task.id, [made])
        saved = _saved(work, made, task.id, list(changes))
    tell(vault, saved, speaker, clock())
    return saved


def one_line(text: str, what: str) -> tuple[str, tuple[str, ...]]:
    """One clean line without secrets, and what was changed to make it one. Raises UsageError."""
    line, changes = flags.clean(text)
    if not line:
        raise UsageError(f"The {what} is empty; nothing was written. Say it in one line.")
    if len(line) > flags.LONGEST:
        raise UsageError(
            f"The {what} has {len(line):,} characters, {flags.LONGEST:,} is the most; nothing was written. "
            "Say it in a line and name the file that has the rest."
        )
    line, labels = redact(line)
    more = (f"secrets were redacted before writing: {', '.join(labels)}",) if labels else ()
    return line, (*changes, *more)


def refuse_lifting(gone: Iterable[Entry], speaker: Speaker) -> None:
    """An entry of the user's or the agent's own stays in force for an outsider. Raises gate.Refused."""
    for one in gone:
        from holdfast.capture import gate

        by = gate.Asker(gate.AGENT, speaker.origin)
        change = gate.Change(gate.DECISION, gate.LIFTED, one.id, one.origin)
        gate.require(by, change, f"Replacing a {one.kind} of the task")


def _superseded(work: Transaction, task: Task, wanted: str, kind: str, line: str) -> Entry:
    """The entry that a new one takes the place of; a decision's may be of another task of the project."""
    if "-" in wanted:  # no id has one
        return _of_date(work, task, wanted, kind, line)
    found = work.index.ending(task.id, wanted)
    if not found and kind == record.DECISION:
        others = [one.id for one in work.index.tasks(task.project, also_over=True) if one.id != task.id]
        found = [one for other in others for one in work.index.ending(other, wanted)]
    old = record.one_of(found, wanted, task.id)
    if old.kind != kind:
        raise UsageError(
            f"^{wanted.lower()} is a {old.kind}, not a {kind}; nothing was written. Say --{old.kind} to supersede it."
        )
    newer = work.index.gone_by(work.index.home_of(old.id), old.id)
    if newer:
        raise UsageError(
            f"^{wanted.lower()} is no longer in force; nothing was written. "
            f"^{record.short(newer).lower()} took its place: supersede that."
        )
    return old


def _of_date(work: Transaction, task: Task, date: str, kind: str, line: str) -> Entry:
    """The entry in force of a date, by its own time or by the date that it was said with. Where a day has several, the
    one that touches the same; nothing is guessed beyond that."""
    known = list(work.index.entries(task.id, kind, in_force=True, newest=MOST_DATED))
    found = [one for one in known if page.stamp(one.time).startswith(date) or f"({date}" in one.text]
    touching = [one for one in found if subjects.meets(one.text, line)] if len(found) > 1 else found
    if len(touching) == 1:
        return touching[0]
    listed = "".join(f"\n  ^{record.short(one.id).lower()}, {page.stamp(one.time)}: {one.text}" for one in found[-6:])
    what = f"{len(found)} of them are of {date}" if found else f"none in force is of {date}"
    raise UsageError(
        f"SUPERSEDES takes the id or the date of a {kind}, and {what}; nothing was written. "
        f"Say its id: `holdfast task show {task.id}` lists them.{listed}"
    )


def _refuse_conflict(work: Transaction, task: Task, line: str, old: tuple[str, ...], *, both: bool) -> Entry | None:
    """The decision in force that says exactly this, if there is one. Raises Conflict."""
    touching = [one for one in work.index.touching(task.project, line) if one[1].id not in old]
    for where, one, _ in touching:
        if one.text == line and where == task.id:
            return one
    if not touching or both:
        return None
    where, one, why = touching[-1]
    more = f" ({len(touching) - 1} more: `holdfast task decisions`)" if len(touching) > 1 else ""
    ident = record.short(one.id).lower()
    of_task = "" if where == task.id else f" of task {where}"
    raise Conflict(
        f"A decision in force touches the same ({why}); nothing was written.{more}\n"
        f"  in force  ^{ident}{of_task}, {page.stamp(one.time)}: {one.text}\n"
        f"  new: {line}\n"
        f"Say --supersedes {ident} if it takes its place, or --and if both hold."
    )


def _overlaps(work: Transaction, task: Task, line: str, kind: str) -> list[str]:
    if kind != record.PROGRESS:
        return []
    told = []
    first = (line.split() or [""])[0].strip("-*[]:")
    if not units.state_of(line) and first.upper() in units.WORDS:
        told.append(
            f'it is kept as a remark and counts no units: a state stands in capitals, {first.upper()} for "{first}"'
        )
    for mark, again in work.index.overlaps(task.id, line):
        parts = ", ".join(units.label(replace(mark, low=one.low, high=one.high)) for one in again)
        told.append(f"{parts} had been completed before")
    kept = ", ".join(units.label(mark) for mark in work.index.unmoved(task.id, line))
    return [*told, f"{kept}: done already, and stays so; say REOPENED to have it done again"] if kept else told


def _saved(work: Transaction, made: Entry, task: str, notes: list[str]) -> Saved:
    work.settle()
    known = work.index.task(task)
    if known is None:
        raise HoldfastError(
            f"Task {task} is begun, but what shows it cannot be written ({work.behind}); its log is kept. "
            f"Free the disk, then run `holdfast task show {task}`."
        )
    if work.behind:
        notes.append(f"session_memory.md is behind the log ({work.behind}); the next look catches up")
    notes += [f"session_memory.md of {one.task} cannot be read ({one.why}); it is left as it is" for one in work.unread]
    return Saved(known, made, tuple(notes))


def tell(vault: str, saved: Saved, speaker: Speaker, now: float) -> None:
    """The ledger, and that this episode has checkpointed, by this machine's clock: an entry's may be another's.
    The entry is durable whatever becomes of these."""
    state, one = home.state(vault), saved.entry
    try:
        whose = {"project": saved.task.project, "episode": speaker.episode}
        rows: list[dict[str, object]] = [
            {
                "task": saved.task.id,
                "entry": made.id,
                "section": made.kind,
                **whose,
                **({"to": made.to} if made.to else {}),
            }
            for made in (one, *saved.more)
        ]
        ledger.append_all(state, "task", now, rows)
        if speaker.episode and speaker.origin != "user":
            episodes.heard(state, speaker.episode, now)
            once.answered(state, speaker.episode, now)
            once.touch(state, speaker.episode, once.CHECKPOINTED, now)
            once.drop(state, speaker.episode, once.CALLED)
    except (NotSaved, OSError, HoldfastError):
        return


@value
class Done:
    """Whether a unit is done, as somebody said (None where nothing was said of it), or only as the hook saw."""

    task: Task
    is_said: bool | None
    is_seen: bool = False


@value
class Decided:
    """One decision, its task, and the id of what took its place; "" while it is in force."""

    task: str
    entry: Entry
    gone: str = ""


def show(
    vault: str, named: str, project: str, clock: Callable[[], float], env: Mapping[str, str], *, whole: bool = False
) -> View:
    """Raises NotFound, UsageError."""
    _refuse_nothing(vault)
    with Transaction(vault, clock, only_look=True) as work:
        task = _chosen(work, named, project, env)
        return page.gather(work.index, task, most=0) if whole else page.gather(work.index, task)


def _chosen(work: Transaction, named: str, project: str, env: Mapping[str, str]) -> Task:
    task = states.choose(work.index, named, project, env, also_over=True)
    if not task.is_over:
        if work.is_edited(task.id):
            work.touch(task.id)
        work.settle()
    return work.index.task(task.id) or task


def _refuse_nothing(vault: str) -> None:
    """Looking makes no vault."""
    if not home.format_of(vault):
        raise NotFound('There is no vault yet, and no task in it. Begin one: `holdfast task start ID "goal"`.')


def is_done(
    vault: str, unit: str, named: str, project: str, clock: Callable[[], float], env: Mapping[str, str]
) -> Done:
    """Whether a unit is done, in the task that was asked. Raises NotFound, UsageError."""
    _refuse_nothing(vault)
    mark = units.wanted(unit)
    with Transaction(vault, clock, only_look=True) as work:
        task = _chosen(work, named, project, env)
        said = work.index.is_done(task.id, mark)
        return Done(task, said, not said and work.index.is_done(task.id, mark, also_seen=True) is True)


def tasks(vault: str, project: str | None, clock: Callable[[], float], *, also_over: bool = False) -> list[Task]:
    """The one that spoke last first."""
    if not home.format_of(vault):
        return []
    with Transaction(vault, clock, only_look=True) as work:
        return work.index.tasks(project, also_over=also_over)


def glances(vault: str, idents: Iterable[str], clock: Callable[[], float]) -> list[View]:
    """Several tasks at one look, each with where it stands, its next step and its newest entries alone."""
    with Transaction(vault, clock, only_look=True) as work:
        found = [work.index.task(ident) for ident in idents]
        return [page.gather(work.index, one, most=1) for one in found if one]


def decisions(vault: str, project: str | None, clock: Callable[[], float], *, also_gone: bool = False) -> list[Decided]:
    """The decisions of all tasks, the finished ones too: each holds until something supersedes it. Those of a task that
    was given up bind nobody."""
    if not home.format_of(vault):
        return []
    found: list[Decided] = []
    with Transaction(vault, clock, only_look=True) as work:
        work.look_over()
        work.settle()
        for task in work.index.tasks(project, also_over=True):
            if task.state == states.ABANDONED and not also_gone:
                continue
            told = work.index.entries(task.id, record.DECISION, in_force=not also_gone)
            found += [Decided(task.id, one, work.index.gone_by(task.id, one.id)) for one in told]
    return sorted(found, key=lambda one: (one.entry.time, one.entry.id))

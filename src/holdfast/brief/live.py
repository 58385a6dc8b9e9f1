"""The part of a start that only that moment knows: sessions that did not finish, flags not filed yet, open tasks.

A warning stands for something to be done, until it is done: a close that is under way is none. Of other projects
nothing is told unless their flags have waited for so long that something must be wrong. Whether a flag waits is
asked of the queue; a mark whose flags are all filed and that has no story left to tell is taken away.
"""

from __future__ import annotations

import time

from holdfast.capture import episodes, gitfiles, home, marks, notices, platform, queue
from holdfast.capture.flags import clean
from holdfast.model import TRUSTED, Project, value
from holdfast.text.layout import Item, Section, many, when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.notices import Fault

MOST_SEGMENTS = 8  # that one start reads to see whether marks still hold; the rest is for the next one
LONGEST = 1000  # of one flag's text here; the queue has it whole
TOO_LONG = 86400.0  # seconds that a flag of another project may wait; `holdfast serve` fails its health then, too


@value
class Live:
    """Warnings, and the flags of this project, the newest first. `to_close` says that a close has something to do."""

    warnings: Section
    flags: Section
    to_close: bool
    tasks: Section
    said: tuple[Item, ...] = ()  # by the user, in sessions that no close has told of yet
    died: tuple[tuple[str, str], ...] = ()  # the account of one that was killed and is not closed yet
    fault: Fault | None = None  # the worst that keeps the memory from working


def gather(
    state: str, project: Project, now: float, living: set[str], *, closes: bool, only_look: bool = False, own: str = ""
) -> Live:
    """For a start in `project`. `living` are the episodes that go on elsewhere, `closes` whether one is started now.
    Flags of episodes that begin with `own` are those of the conversation that is told: it knows them. With `only_look`
    no mark is taken away: what is told once is then told by the start itself."""
    view = queue.read(f"{state}/queue", now, newest=marks.NEWEST)
    left, found = _marks_that_hold(state, project, now, only_look=only_look)
    known = {entry.flag.id: entry for entry in (*found, *view.entries)}
    in_order = sorted(known.values(), key=lambda e: (e.flag.time, e.flag.id))  # an id tells milliseconds only
    mine = [e for e in in_order if e.flag.project in project.ids]
    late = [e for e in view.entries if e.state == queue.WAITING and now - e.flag.time > TOO_LONG]
    late = [e for e in late if e.flag.project not in project.ids and e.flag.episode not in living]
    running = {one.flag.episode for one in mine if one.state == queue.CLAIMED and one.claim}  # a close holds them now
    faults = _faults(state, now)
    told = [_fault(faults, now)] if faults else []
    told += [f"Note: {project.clash}."] if project.clash else []
    if view.broken:
        told.append(f"{many(len(view.broken), 'place')} in the queue cannot be read; `holdfast queue` shows them.")
    if errors := _errors(state):
        told.append(f"The last check found {many(errors, 'error')} in the vault; `holdfast check` lists them.")
    if late:
        elsewhere = many(len({entry.flag.project for entry in late}), "other project")
        what = f"{many(len(late), 'flag')} of {elsewhere} {'waits' if len(late) == 1 else 'wait'} for more than a day"
        told.append(f"{what}: their closes do not run. `holdfast close --all` files them.")
    said = notices.for_project(state, project.id, now, project.merged)
    told += [notice.line for notice in said]
    if not only_look:
        notices.told(state, said)
    told += _drafts(state, project, now, living, only_look=only_look)
    # What there is one of comes first, so that many dead sessions cannot crowd it out.
    told += [line for mark in left if (line := _session(mark, running, now, closes=closes))]
    waiting = f"{'' if view.complete else 'At least '}{many(len(mine), 'flag')} of this project not yet filed"
    news = [entry for entry in mine if not (own and entry.flag.episode.startswith(own))]
    flags = Section(f"{waiting}, newest first:", _flags(news, living), 20, "`holdfast queue` shows all")
    warnings = Section("", tuple(Item(line) for line in told), 10, "`holdfast queue` and `holdfast log` show all")
    is_due = marks.any_left(state) or any(e.state == queue.WAITING and e.flag.episode not in living for e in mine)
    tasks = Section("", (), 0)
    if home.has_tasks(state, *project.ids):
        from holdfast.brief import open_tasks

        tasks = open_tasks.section(state.rpartition("/")[0], state, project.ids, living)
    others = [mark for mark in left if not (own and mark.episode.startswith(own))]
    return Live(warnings, flags, is_due, tasks, *_untold(state, others, mine), faults[0] if faults else None)


def _faults(state: str, now: float) -> list[Fault]:
    """The faults that stand; where none of them is about the history, what a glance at it shows."""
    stands = platform.is_there(f"{state}/faults")
    seen = gitfiles.damage(state.rpartition("/")[0])
    if not stands and not seen:
        return []
    found = notices.standing(state)
    if seen and not any(one.name in (notices.HISTORY, notices.HISTORY_LOST) for one in found):
        found.insert(0, notices.Fault(notices.GLANCE, now, seen))
    return found


def _fault(found: list[Fault], now: float) -> str:
    """One line for all of them: the worst, since when, and the command."""
    worst = found[0]
    why = f" ({worst.detail.rstrip('.')})" if worst.detail else ""
    more = f" `holdfast doctor` names {many(len(found) - 1, 'more fault')}." if len(found) > 1 else ""
    what = f"WARNING: since {when(min(worst.since, now))}, {worst.what}{why}. What was flagged is kept."
    return f"{what} Tell the user to run `{worst.command}`.{more}"


def _untold(
    state: str, left: list[marks.Mark], mine: list[queue.Entry]
) -> tuple[tuple[Item, ...], tuple[tuple[str, str], ...]]:
    """The user's words and the account of sessions that no close has told of yet."""
    untold = [mark for mark in left if mark.story]
    if not untold:
        return (), ()
    from holdfast.brief import reconstruction

    told = [entry.flag.text for entry in mine]
    return reconstruction.items(state, untold, told), reconstruction.texts(state, untold)


def _marks_that_hold(
    state: str, project: Project, now: float, *, only_look: bool
) -> tuple[list[marks.Mark], list[queue.Entry]]:
    """The marks of this project of which something is to do, and the flags that wait; the others are removed. A session
    that died before it did anything leaves nothing to drain: it is told once."""
    found: dict[tuple[str, str], list[queue.Entry] | None] = {}

    def holds(mark: marks.Mark) -> bool:
        places = [(place, mark.episode) for place in mark.segments]
        for place in places:
            if place not in found and len(found) < MOST_SEGMENTS:
                found[place] = queue.unfiled_of(f"{state}/queue", *place, now)
        # What was not looked at, or cannot be read, stays.
        return mark.story or any(place not in found or found[place] is None or found[place] for place in places)

    left = marks.of_project(state, *project.ids)
    kept = [mark for mark in left if holds(mark)] if only_look else marks.clear_drained(state, left, holds)
    for mark in left:
        if mark not in kept and not only_look:
            episodes.forget_segments(state, mark.episode)
    told = [mark for mark in left if mark in kept or (mark.why == episodes.DIED and not mark.segments)]
    return told, [entry for entries in found.values() for entry in entries or ()]


def _drafts(state: str, project: Project, now: float, living: set[str], *, only_look: bool) -> list[str]:
    """Drafts: submitted and refused, in a session that is over."""
    if not platform.is_there(f"{state}/drafts"):
        return []
    from holdfast.capture import drafts

    return drafts.sentences(state, project.id, now, living, only_look=only_look, merged=project.merged)


def _errors(state: str) -> int:
    """The count of errors that the check at the end of the last close found."""
    try:
        return int(platform.read_file(f"{state}/check", 32))
    except (OSError, ValueError):
        return 0


def _session(mark: marks.Mark, running: set[str], now: float, *, closes: bool) -> str:
    """The warning about a session that left something behind; "" where it is seen to at this moment."""
    is_soon = mark.why == episodes.ENDED and 0 <= now - mark.last < marks.PATIENCE and closes
    if mark.episode in running or is_soon:
        return ""
    host = mark.episode.partition("/")[0]
    session = clean(episodes.session_of(mark.episode)[:80])[0][:40]
    how = "died without an end" if mark.why == episodes.DIED else "ended and was not closed"
    kept = f"{many(mark.waiting, 'flag')} kept" if mark.waiting else "it had flagged nothing"
    heals = "its close is started now" if closes else "`holdfast close` files what it left"
    return f"WARNING: the {host} session {session} {how} (last seen {when(mark.last)}); {kept}; {heals}."


def _flags(mine: list[queue.Entry], living: set[str]) -> tuple[Item, ...]:
    """Flags of a session that still runs are told too: it may be the one that was just left. The user's words
    that somebody has put properly since are told by what puts them."""
    if not mine:
        return ()
    from holdfast.capture import gate

    found = []
    answered = {ident for entry in mine for ident in entry.flag.answered if entry.flag.origin in TRUSTED}
    for entry in reversed(mine):
        flag = entry.flag
        if flag.id in answered:
            continue
        note = " (dead letter)" if entry.state == queue.DEAD else ""
        is_said = bool(flag.status) and flag.origin == "user"
        if is_said:
            note += f" (said by the user on {time.strftime('%Y-%m-%d', time.gmtime(flag.time))}, not confirmed)"
        note += " (proposed by the agent, not confirmed by the user)" if gate.is_proposal(flag) else ""
        note += " (of a session that still runs)" if flag.episode in living else ""
        text = flag.text if len(flag.text) <= LONGEST else flag.text[:LONGEST] + "…"
        if gate.is_guarded(flag):
            text = "(from outside text; it waits for a person's review)"
        line = f"- [{flag.kind}] {text} ({flag.id[-6:]}, {flag.origin}){note}"
        why = {"origin": flag.origin, "time": flag.time}
        found.append(Item(line, carries=flag.id, words=flag.text, why=why))
    return tuple(found)

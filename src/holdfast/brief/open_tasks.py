"""The open tasks of a project, as a start tells them; imported only where one is open (capture/home.has_tasks)."""

from __future__ import annotations

from holdfast.capture import episodes
from holdfast.errors import HoldfastError
from holdfast.tasks import boot, states
from holdfast.text.layout import Item, Section

PATIENCE = 0.2  # seconds that a start waits for whoever writes to the tasks
SHARE = 30  # hundredths of a brief


def section(vault: str, state: str, ids: tuple[str, ...], living: set[str]) -> Section:
    """The open tasks of a project, by all of its ids."""
    told, more = told_by(vault, ids)
    if behind := [one.id for one in told if one.is_behind]:
        _catch_up(vault, behind)
        told, more = told_by(vault, ids)
    items: list[Item] = []
    for one in told:
        if one.begun:
            _watch_begun(state, ids, one)
        items += [Item(text, short, carries=f"tasks/{one.id}") for text, short, _ in one.items[:1]]
        left = _left_behind(state, one, living)
        items += [Item(left)] if left else []
        items += [Item(text, short, rank=rank) for text, short, rank in one.items[1:]]
    hidden = more + sum(one.more for one in told)
    return Section("Open tasks:", tuple(items), SHARE, "`holdfast task show` has all", hidden)


def told_by(vault: str, ids: tuple[str, ...]) -> tuple[list[boot.Told], int]:
    """The open tasks, the one that spoke last first, and how many more there are."""
    found = [boot.read(vault, one) for one in ids]
    told = [one for some, _ in found for one in some]
    if len(ids) > 1:
        told.sort(key=lambda one: one.spoke, reverse=True)
    return told, sum(more for _, more in found)


def _catch_up(vault: str, tasks: list[str]) -> None:
    """Take in what the hook of the session before saw, and nobody rendered: the next step follows from it. A process
    that holds the tasks at this moment does the same."""
    import time

    from holdfast.tasks.transaction import REFUSALS, Transaction

    try:
        with Transaction(vault, time.time, PATIENCE) as desk:
            for task in tasks:
                desk.touch(task)
    except (HoldfastError, *REFUSALS):
        return


def _watch_begun(state: str, ids: tuple[str, ...], one: boot.Told) -> None:
    from holdfast.tasks import watch

    try:
        for project in ids:
            watch.add_begun(state, project, one.id, one.begun)
    except OSError:
        return  # then a look at one of them goes unseen


def _left_behind(state: str, one: boot.Told, living: set[str]) -> str:
    """That nobody works on it any more, though it was not finished."""
    if one.state not in states.RUNNING or not one.episode or one.episode in living:
        return ""
    host, ordinal = one.episode.partition("/")[0], one.episode.rpartition("/")[2]
    known = episodes.numbered(state, host, episodes.session_of(one.episode), int(ordinal) if ordinal.isdecimal() else 0)
    if known and known.state == episodes.OPEN:
        return ""  # the session that is told this: it goes on behind a compaction
    how = "died" if known and known.state == episodes.DIED else "is over"
    return f"Its last session {how}; it can be gone on with: `holdfast task resume {one.id}`."

"""What was captured and is not yet memory: the queue, dead letters, marks, and what the ledger says was skipped.

Everything is read with functions that change nothing: looking for the dead the way a start does would bury them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import background, codec, episodes, ledger_history, log, marks, platform, queue
from holdfast.capture.ledger_history import DAY, Wanted
from holdfast.capture.marks import PATIENCE
from holdfast.doctor.checks import MEND, bad, good, note
from holdfast.text.phrases import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.doctor.checks import Check, Place

OLDEST = DAY  # that a flag may wait while closes run by themselves
WEEK = 7 * DAY  # of the ledger that is counted: enough to see a skip, little enough to read at once
CLOSE = "`holdfast close --all` files it now"


def check_queue(place: Place) -> Iterator[Check]:
    now = place.clock()
    view = queue.read(f"{place.state}/queue", now)
    yield _age(place, [entry for entry in view.entries if entry.state != queue.DEAD], now)
    dead = view.of(queue.DEAD)
    if dead:
        what = f"{many(len(dead), 'flag')} could not be filed; the last error: {dead[-1].error or 'none was kept'}"
        fix = "`holdfast queue` lists them; when the cause is mended, `holdfast queue retry` lets them wait again"
        yield bad("dead-letters", what, fix)
    else:
        yield good("dead-letters", "none")
    yield _broken(place, view)


def _age(place: Place, entries: list[queue.Entry], now: float) -> Check:
    if not entries:
        return good("queue-age", "nothing waits")
    oldest = now - min(entry.flag.time for entry in entries)
    what = f"{many(len(entries), 'flag')} to be filed, the oldest since {age(oldest)}"
    if oldest <= OLDEST:
        return good("queue-age", what)
    if background.is_off(place.env):
        return note("queue-age", f"{what}, while {background.SWITCH}=off", CLOSE, can_fix=True)
    return bad(
        "queue-age", what, f"{CLOSE}; what keeps it from being filed is in `holdfast log --kind close`", can_fix=True
    )


def _broken(place: Place, view: queue.View) -> Check:
    damaged = [path for path, found in view.broken if found.what != log.TORN]
    if damaged:
        names = [path.rpartition("/")[2] for path in damaged]
        fix = (
            "`holdfast queue` copies them aside to look at; everything around them is read as ever. "
            "`holdfast queue --set-aside` ends this alarm once you have"
        )
        return bad("queue-damage", f"{many(len(damaged), 'place')} in the queue cannot be read: {first_of(names)}", fix)
    aside = len(platform.names(f"{place.state}/queue/broken"))
    if view.broken or aside:
        what = f"{many(len(view.broken), 'torn end')} of killed writers, {many(aside, 'piece')} set aside"
        return note("queue-damage", what, "`holdfast queue` shows them")
    return good("queue-damage", "none")


def check_marks(place: Place) -> Iterator[Check]:
    """Sessions that ended or died and are not drained, and those that died unnoticed."""
    now = place.clock()
    left, unreadable = marks_left(place.state)
    late = [record for record in left if now - float(record.get("last", 0)) > PATIENCE]
    dead = [episode.key for episode, seen in in_live(place.state) if not platform.alive(episode.process, seen, now)]
    closes = not background.is_off(place.env)
    if unreadable:
        fix = "its flags are in the queue all the same; `holdfast close --all` files them"
        yield bad("marks", f"{many(unreadable, 'mark')} of a session cannot be read", fix)
    elif late:
        what = (
            f"{many(len(late), 'session')} ended undrained: {first_of([str(one.get('episode', '')) for one in late])}"
        )
        old = now - min(float(record.get("last", 0)) for record in late) > OLDEST and closes
        said = (bad if old else note)("marks", what, f"the next start closes it; {MEND} does it now", can_fix=True)
        yield said
    elif dead:
        what = f"{many(len(dead), 'session')} died and no start has noticed yet: {first_of(dead)}"
        yield note("marks", what, f"the next start says so and closes it; {MEND} does it now", can_fix=True)
    else:
        yield good("marks", f"no session ended undrained{f', {len(left)} being closed' if left else ''}")


def marks_left(state: str) -> tuple[list[dict[str, Any]], int]:
    """The marks as they lie there, and how many are none that can be read."""
    found, unreadable = [], 0
    for name in platform.names(f"{state}/marks"):
        if name.endswith(".tmp"):
            continue
        try:
            record = codec.decode(platform.read_file(f"{state}/marks/{name}"))
            if name.endswith(marks.ASIDE) or not isinstance(record, dict):
                raise ValueError(name)
            found.append(record)
        except FileNotFoundError:
            continue  # drained meanwhile
        except (OSError, ValueError):
            unreadable += 1
    return found, unreadable


def in_live(state: str) -> list[tuple[episodes.Episode, float]]:
    """The episodes that are not known to have ended, with their last moment; nothing is swept on the way."""
    import os

    found = []
    for name in platform.names(f"{state}/episodes/live"):
        path = f"{state}/episodes/live/{name}"
        try:
            who = codec.decode(platform.read_file(path))
            episode = episodes.numbered(state, str(who["host"]), str(who["session"]), int(who["ordinal"]))
            if episode:
                found.append((episode, os.stat(path).st_mtime))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # half written, or it has just ended
    return found


@dataclass
class Week:
    """What one pass over the newest days of the ledger tells."""

    seen: set[str]
    closed: set[str]
    last: dict[str, float]
    errors: list[tuple[float, str]]


def read_week(place: Place) -> Week:
    now = place.clock()
    week = Week(set(), set(), {}, [])
    kinds = ("hook", "episode", "error", "close")
    for record in ledger_history.read(place.state, Wanted(kinds=kinds, since=now - WEEK)):
        kind, key, when = record.get("kind"), str(record.get("episode", "")), float(record.get("t", 0))
        if kind == "close":
            week.errors += [(when, f"a close failed: {record['error']}")] if record.get("error") else []
            continue
        if kind == "error":
            week.errors.append((when, str(record.get("error", ""))))
            continue
        if key:
            (week.closed if kind == "episode" else week.seen).add(key)
        if kind == "hook" and record.get("host"):
            week.last[str(record["host"])] = when
    return week


def check_ledger(place: Place) -> Iterator[Check]:
    """Seen = closed = drained, what failed, and when each host was last heard of."""
    week = read_week(place)
    yield _sessions(place, week)
    yield _errors(place, week)
    yield from _heard(place, week)


def _sessions(place: Place, week: Week) -> Check:
    """An end that is not in the ledger may still be in the episode's own log, which is synced."""
    living = {episode.key for episode, _ in in_live(place.state)}
    undrained = {str(record.get("episode", "")) for record in marks_left(place.state)[0]}
    seen = week.seen | week.closed
    ended = {key for key in seen - living if key in week.closed or _is_over(place.state, key)}
    skipped = sorted(seen - living - ended)
    drained = len(ended - undrained)
    what = f"{len(seen)} seen in the last 7 days, {len(seen & living)} open, {len(ended)} closed, {drained} drained"
    if skipped:
        fix = "`holdfast log --session ID` shows what is known of it; its flags are in the queue or in the notes"
        return bad("sessions", f"{what}; no end is known of {first_of(skipped)}", fix)
    return good("sessions", what)


def _is_over(state: str, key: str) -> bool:
    host, _, rest = key.partition("/")
    session, _, ordinal = rest.rpartition("/")
    found = episodes.numbered(state, host, session, int(ordinal)) if ordinal.isdecimal() else None
    return found is not None and found.state != episodes.OPEN


def _errors(place: Place, week: Week) -> Check:
    recent = [(when, what) for when, what in week.errors if not when or place.clock() - when <= DAY]
    if not recent:
        return good("errors", "none in the last 24 hours")
    newest = max(recent)[1]
    what = f"{many(len(recent), 'error')} in the last 24 hours, the newest: {newest}"
    return note("errors", what, "`holdfast log --kind error` and `holdfast log --kind close` show them all")


def _heard(place: Place, week: Week) -> Iterator[Check]:
    from holdfast.doctor.hosts import at_hand

    for name, (registrar, _) in at_hand(place).items():
        when = week.last.get(name, 0.0)
        if when:
            yield good("last-hook", f"{age(place.clock() - when)} ago", name)
        else:
            what = f"no hook of {registrar.TITLE} in the last 7 days"
            yield note("last-hook", what, "start your agent once, then look again", name)

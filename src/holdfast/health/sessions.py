"""Sessions seen, closed and drained, as a period's ledger tells of them: each that is not, with why and what to do.

Seen is what the ledger of the period tells of, closed what has a known end, drained what left neither a mark nor a
flag that is not filed. One that still goes on, or whose close runs at this moment, is no skip. Everything is read
with functions that change nothing: a look that buried the dead would hide what it is looking for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import background, platform, queue
from holdfast.capture.episodes import DIED, session_of
from holdfast.capture.marks import PATIENCE
from holdfast.health.capture import in_live, is_over, marks_left
from holdfast.health.finding import Finding
from holdfast.text.layout import age, many, when

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.health.finding import Place
    from holdfast.health.period import Seen, Told

CLOSE = "`holdfast close` files it now, and so does the next start"


@dataclass(frozen=True)
class Sessions:
    """How many, and which are not as they should be. `closing`: they ended a moment ago, or a close has their flags."""

    seen: int
    open: int
    closed: int
    closing: int
    drained: int
    findings: tuple[Finding, ...] = ()
    done: frozenset[str] = frozenset()  # those that are drained


@dataclass(frozen=True)
class Left:
    """Leftovers of one episode: how many flags wait, are dead, or are in a close's hands; and its mark."""

    waiting: int = 0
    dead: int = 0
    claimed: int = 0
    mark: Mapping[str, object] | None = None


def count(place: Place, told: Told) -> Sessions:
    now = place.clock()
    own = told.own()
    living, dead = _living(place, now)
    left, unreadable, entries = _left(place, now)
    closed = {
        key for key, one in own.items() if key not in living | dead and (one.is_ended or is_over(place.state, key))
    }
    findings = [_not_closed(key, own[key], now, is_dead=key in dead) for key in sorted(own.keys() - living - closed)]
    closing = 0
    drained: set[str] = set()
    for key in sorted(closed):
        found = left.get(key)
        if found is None:
            drained.add(key)
        elif _is_being_closed(found, own[key], now):
            closing += 1
        else:
            findings.append(_not_drained(place, told, key, found, now))
    findings += [_left_behind(key, one, now) for key, one in sorted(left.items()) if _is_from_before(told, key, one)]
    if unreadable:
        what = f"{many(unreadable, 'mark')} of a session cannot be read, so nobody knows what it left"
        findings.append(Finding("mark", "", what, "`holdfast close --all` files its flags all the same", unreadable))
    findings += _dead_letters(told, entries)
    is_open = len(own.keys() & living)
    return Sessions(len(own), is_open, len(closed), closing, len(drained), tuple(findings), frozenset(drained))


def _living(place: Place, now: float) -> tuple[set[str], set[str]]:
    """Open episodes whose process lives, and those whose does not."""
    known = {episode.key: platform.alive(episode.process, seen, now) for episode, seen in in_live(place.state)}
    return {key for key, lives in known.items() if lives}, {key for key, lives in known.items() if not lives}


def _left(place: Place, now: float) -> tuple[dict[str, Left], int, tuple[queue.Entry, ...]]:
    """Leftovers of each episode, how many marks cannot be read, and all entries of the queue."""
    found, unreadable = marks_left(place.state)
    marked = {str(one.get("episode", "")): one for one in found}
    entries = queue.read(f"{place.state}/queue", now).entries
    counts: dict[str, dict[str, int]] = {}
    for entry in entries:
        sums = counts.setdefault(entry.flag.episode, {})
        sums[entry.state] = sums.get(entry.state, 0) + 1
    made = {}
    for key in (marked.keys() | counts.keys()) - {""}:
        sums = counts.get(key, {})
        waiting, dead, claimed = (sums.get(state, 0) for state in (queue.WAITING, queue.DEAD, queue.CLAIMED))
        made[key] = Left(waiting, dead, claimed, marked.get(key))
    return made, unreadable, entries


def _is_being_closed(left: Left, seen: Seen, now: float) -> bool:
    if left.claimed and not left.dead:
        return True
    last = float(str(left.mark.get("last", 0))) if left.mark else seen.last
    return now - max(last, seen.last) < PATIENCE


def _not_closed(key: str, seen: Seen, now: float, *, is_dead: bool) -> Finding:
    last = f"last seen {age(now - seen.last)} ago"
    if is_dead:
        why = f"died ({last}), and no start has noticed yet"
        fix = "the next start says so and closes it; `holdfast close` does it now"
        return Finding("not-closed", key, why, fix, last=seen.last)
    fix = f"`holdfast log --session {session_of(key)}` shows what is known of it"
    return Finding("not-closed", key, f"no end of it is known ({last})", fix, last=seen.last)


def _not_drained(place: Place, told: Told, key: str, left: Left, now: float) -> Finding:
    """Why it is not drained, as far as can be told; the likeliest cause last, since it decides what to do."""
    seen = told.seen[key]
    what = []
    if left.waiting or left.claimed:
        what.append(f"{many(left.waiting + left.claimed, 'flag')} not filed")
    if left.dead:
        what.append(many(left.dead, "dead flag"))
    if left.mark and left.mark.get("story") and not what:
        what.append("its handoff is not written")
    if not what:
        what.append("it had not done anything, and no start has said so yet")
    last = told.closes.last(key)
    started = next((one for one in reversed(told.started) if one[0] >= seen.last), None)
    fix = CLOSE
    if left.dead:
        fix = "`holdfast queue` shows why; when that is mended, `holdfast queue retry`, then `holdfast close`"
    elif background.is_off(place.env):
        what.append(f"{background.SWITCH}=off keeps closes from starting by themselves")
    elif last and last.error:
        what.append(f"its close failed: {last.error}")
    elif started and (last is None or last.when < started[0]):
        ago = f"{age(now - started[0])} ago"
        what.append(f"its close was started {ago} (process {started[1]}) and left no record: it was killed, or broke")
        fix = f"{CLOSE}; what the last one printed is in .state/background.log of the vault"
    elif left.mark:
        what.append("no close was started for it")
    how = "died" if left.mark and left.mark.get("why") == DIED else "ended"
    why = "; ".join([f"it {how} {age(now - seen.last)} ago", *what])
    return Finding("not-drained", key, why, fix, last=seen.last)


def _is_from_before(told: Told, key: str, left: Left) -> bool:
    """A mark that stays is said however old it is."""
    return bool(left.mark) and key not in told.seen and told.period.takes(left.mark and left.mark.get("project"))


def _left_behind(key: str, left: Left, now: float) -> Finding:
    last = float(str(left.mark.get("last", 0))) if left.mark else 0.0
    why = f"ended {when(last)}, {age(now - last)} ago, and its mark still stands"
    why += f"; {many(left.waiting, 'flag')} not filed"
    return Finding("not-drained", key, why, CLOSE, last=last)


def _dead_letters(told: Told, entries: tuple[queue.Entry, ...]) -> Iterator[Finding]:
    """One line for each error that flags died of; those of sessions in the period are said there too."""
    by_error: dict[str, list[queue.Entry]] = {}
    for entry in entries:
        if entry.state == queue.DEAD and told.period.takes(entry.flag.project):
            by_error.setdefault(entry.error or "none was kept", []).append(entry)
    fix = "when the cause is mended, `holdfast queue retry` lets them wait again"
    for error, found in by_error.items():
        why = f"{many(len(found), 'flag')} could not be filed; the error: {error}"
        yield Finding("dead-letter", found[-1].flag.id, why, fix, len(found), max(one.flag.time for one in found))

"""Marks: left by episodes that ended undrained or died, so that the next start says so out loud and heals it.

One small file each, named after its project, so counting those of other projects opens none of them. A mark names the
segments that have flags of its episode. Whether a flag waits is asked of the queue, never of the mark: it goes once
nothing waits, and, where there is a story to tell, once the close has told it. The flags that an episode leaves are
found without reading all of them: its end must not take longer because it flagged more.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, episodes, platform, queue
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact_record
from holdfast.errors import TROUBLE, NotSaved
from holdfast.model import VERSION, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.capture.episodes import Episode

MOST_READ = 50
PATIENCE = 120.0  # seconds in which a close that was started at an end need not be worried about
ASIDE = ".unreadable"
NEWEST = 1 << 18  # of the queue: what a hook may read, however long the queue is


@value
class Mark:
    """The work that an episode left. `why` is "ended" or "died", `last` the time of its last moment, `waiting` how many
    flags waited when it was left, `story` whether a handoff is to be made of what was asked and touched."""

    episode: str
    project: str
    why: str
    reason: str
    last: float
    waiting: int
    segments: tuple[str, ...]
    story: bool = False


def leave(state: str, mark: Mark) -> None:
    """Put a mark down, durably. The same mark twice is one."""
    record, _ = redact_record({"v": VERSION, **mark.__dict__, "segments": list(mark.segments)})
    codec.write(_path(state, mark.project, mark.episode), record, durable=True)


def waiting_in(state: str, project: str, episode: str) -> int:
    """The number of flags that a mark says wait; 0 where there is none."""
    waiting = codec.read(_path(state, project, episode)).get("waiting")
    return waiting if isinstance(waiting, int) else 0


def remove(state: str, project: str, episode: str) -> None:
    platform.remove(_path(state, project, episode))


def of_project(state: str, *projects: str) -> list[Mark]:
    """The marks of a project, by all of its ids, the newest first, at most MOST_READ of them."""
    marks = []
    for path in platform.newest(f"{state}/marks", tuple(f"{digest(one)}~" for one in projects))[:MOST_READ]:
        try:
            marks.append(_read(path))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # removed meanwhile, or of a newer version
    return marks


def everywhere(state: str) -> list[Mark]:
    """The marks of all projects, the oldest first, for a close to work through. One that is no mark is put aside."""
    found = []
    for name in _names(state):
        path = f"{state}/marks/{name}"
        try:
            found.append(_read(path))
        except OSError:
            continue
        except (ValueError, KeyError, TypeError):
            posix.rename(path, f"{path}{ASIDE}")
    return sorted(found, key=lambda mark: (mark.last, mark.episode))


def any_left(state: str) -> bool:
    return bool(_names(state))


def _names(state: str) -> list[str]:
    return [name for name in platform.names(f"{state}/marks") if not name.endswith((".tmp", ASIDE))]


def _read(path: str) -> Mark:
    record = codec.decode(platform.read_file(path))
    fields = {field: record[field] for field in Mark.__annotations__ if field in record}
    return Mark(**{**fields, "segments": tuple(record["segments"])})


def clear_drained(state: str, marks: list[Mark], waits: Callable[[Mark], bool]) -> list[Mark]:
    """Remove the marks of which nothing waits; returns those that stay."""
    kept = [mark for mark in marks if waits(mark)]
    for mark in marks:
        if mark not in kept:
            remove(state, mark.project, mark.episode)
    return kept


def _path(state: str, project: str, episode: str) -> str:
    return f"{state}/marks/{digest(project)}~{digest(episode)}"


ROOM = 1 << 16  # bytes of segments that an end reads


def of_episode(state: str, key: str, now: float, newest: int = ROOM) -> tuple[int, tuple[str, ...]]:
    """The number of an episode's flags that wait, and the names of the segments that have them. One that cannot be read
    may well have some: it is named too, and looked at again by the next start. The `newest` bytes of the queue are
    looked through besides: a note may have gone with the power, or a full disk refused it."""
    folder = f"{state}/queue"
    counts = episodes.noted_counts(state, key)
    for entry in queue.read(folder, now, newest=newest).entries:
        if entry.flag.episode == key:
            counts.setdefault(entry.segment.rpartition("/")[2], 0)
    waiting, room = 0, ROOM
    named = []
    for place in sorted(counts, reverse=True):
        try:
            size = posix.stat(f"{folder}/live/{place}").st_size
        except FileNotFoundError:
            continue  # archived: all of it is filed
        except OSError:
            named.append(place)
            continue
        if size > room and counts[place]:
            waiting += counts[place]
            named.append(place)
        else:
            room -= size
            left = queue.unfiled_of(folder, place, key, now)
            waiting += len(left or ())
            named += [place] if left is None or left else []
    return waiting, tuple(sorted(named))


def bury_the_dead(state: str, now: float, failures: list[Exception]) -> set[str]:
    """Give every episode that died its mark; returns the keys of those that live. Adds to `failures`, and goes on."""
    living = set()
    for episode, seen in episodes.in_live(state, now):
        try:
            if episode.state != episodes.OPEN:
                finish(state, episode, seen, now)  # its end was cut short between record and mark
            elif platform.alive(episode.process, seen, now):
                living.add(episode.key)
            else:
                # It ended when it was last heard of, not when that was found out: the order of handoffs follows it.
                dead = episodes.end_episode(state, episode, episodes.DIED, "no sign of life", seen)
                finish(state, dead, seen, now)
        except TROUBLE as error:
            failures.append(error)  # it stays in live/, for the next start to bury
    episodes.forget_processes(state)
    return living


def finish(state: str, episode: Episode, last: float, now: float) -> int:
    """Leave a mark if there is something to close or it died; then it no longer lives. Returns how many flags wait."""
    from holdfast.capture import calls, ledger, once, story

    newest = NEWEST if episode.state == episodes.DIED else ROOM
    waiting, segments = of_episode(state, episode.key, now, newest)
    told = story.is_told(state, episode.key)
    if segments or told or episode.state == episodes.DIED:
        leave(state, Mark(episode.key, episode.project, episode.state, episode.reason, last, waiting, segments, told))
    if not segments and not told:  # else the close needs them: what was filed on the way is part of the story
        episodes.forget_segments(state, episode.key)
        once.forget(state, episode.key)
    what = {"episode": episode.key, "project": episode.project, "how": episode.state, "reason": episode.reason}
    try:
        ledger.append(state, "episode", now, **what, waiting=waiting, story=told)
    except NotSaved:
        pass  # the episode's own log has said it durably
    calls.end_all(state, episode.key, died=episode.state == episodes.DIED)
    episodes.leave(state, episode)
    return waiting

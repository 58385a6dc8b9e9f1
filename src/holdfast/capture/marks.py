"""Marks: left by episodes that ended undrained or died, so that the next start says so out loud and heals it.

One small file each, named after its project, so counting those of other projects opens none of them. A mark names the
segments that have flags of its episode. Whether a flag waits is asked of the queue, never of the mark: it goes once
nothing waits, and, where there is a story to tell, once the close has told it.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, platform
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact_record
from holdfast.model import VERSION, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_READ = 50
PATIENCE = 120.0  # seconds in which a close that was started at an end need not be worried about
ASIDE = ".unreadable"


@value
class Mark:
    """What an episode left undone. `why` is "ended" or "died", `last` the time of its last moment, `waiting` how many
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
    folder = f"{state}/marks"
    platform.make_folders(folder)
    record, _ = redact_record({"v": VERSION, **mark.__dict__, "segments": list(mark.segments)})
    platform.write_atomic(f"{folder}/{_name(mark.project, mark.episode)}", codec.encode(record), durable=True)


def waiting_in(state: str, project: str, episode: str) -> int:
    """How many flags a mark says wait; 0 where there is none."""
    try:
        record = codec.decode(platform.read_file(f"{state}/marks/{_name(project, episode)}"))
        return int(record["waiting"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def remove(state: str, project: str, episode: str) -> None:
    platform.remove(f"{state}/marks/{_name(project, episode)}")


def of_project(state: str, *projects: str) -> list[Mark]:
    """The marks of a project, by all of its ids, the newest first, at most MOST_READ of them."""
    folder = f"{state}/marks"
    wanted = tuple(f"{digest(one)}~" for one in projects)
    found = []
    for name in platform.names(folder):
        if name.startswith(wanted) and not name.endswith(".tmp"):
            try:
                found.append((posix.stat(f"{folder}/{name}").st_mtime, name))
            except FileNotFoundError:
                continue
    marks = []
    for _, name in sorted(found, reverse=True)[:MOST_READ]:
        try:
            marks.append(_read(f"{folder}/{name}"))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # removed meanwhile, or of a newer version
    return marks


def everywhere(state: str) -> list[Mark]:
    """The marks of all projects, the oldest first: what a close has to do. One that is no mark is put aside."""
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
    kept = []
    for mark in marks:
        if waits(mark):
            kept.append(mark)
        else:
            remove(state, mark.project, mark.episode)
    return kept


def _name(project: str, episode: str) -> str:
    return f"{digest(project)}~{digest(episode)}"

"""A task's log on disk: the truth about the task, in the vault, for git and for every machine.

    tasks/<id>/log/live/<segment>.log     framed records, appended and never changed (capture/segments)

Promise: when `append` returns, the entries survive a crash of this process and of the machine. A segment is written by
the machine that began it alone: which one takes the next entry is this machine's own knowledge, in .state. So two
machines never write to one file, and a sync has nothing to merge. After a write that failed the next goes to a new
segment. A finished task has one log, outputs/session_memory_final_<id>.log.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, home, log, platform, segments
from holdfast.capture.redaction import redact_record
from holdfast.model import value
from holdfast.tasks.entry import Entry, from_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER, OUTPUTS = "tasks", "outputs"
PAGE = "session_memory.md"
FINAL = "session_memory_final_"
LATE, DEAD = "task-", "task-run~"  # names of notices, with the task behind: no checkpoint at the end, a run that died


@value
class Read:
    """What one look at a segment gave: its entries, the places that are none, and where the next look begins."""

    entries: tuple[Entry, ...]
    broken: tuple[log.Found, ...]
    end: int


def folder(vault: str, task: str) -> str:
    return f"{vault}/{FOLDER}/{task}"


def page_path(vault: str, task: str) -> str:
    return f"{folder(vault, task)}/{PAGE}"


def own(vault: str) -> str:
    """Where what is derived of tasks lies, and this machine's own knowledge of them."""
    return f"{home.state(vault)}/tasks"


def hand_path(vault: str, task: str) -> str:
    """Says whose the edits of a page are that nobody has read back yet, where they are not a person's."""
    return f"{own(vault)}/pages/{task}.hand"


def note_hand(vault: str, task: str, origin: str) -> None:
    platform.make_folders(f"{own(vault)}/pages")
    platform.write_atomic(hand_path(vault, task), origin.encode("utf-8"), durable=False)


def append(vault: str, task: str, entries: Sequence[Entry], now: float) -> None:
    """Raises NotSaved: then none of them counts as saved."""
    payloads = [codec.encode(redact_record(one.as_record())[0]) for one in entries]
    current = f"{own(vault)}/current/{task}"
    platform.make_folders(f"{own(vault)}/current")
    way = f"../../../{FOLDER}/{task}/log"
    segments.append(f"{folder(vault, task)}/log", payloads, now, current=current, way=way)


def logs(vault: str, task: str) -> list[tuple[str, int]]:
    """The segments of an open task, below the vault, with their sizes."""
    top = f"{FOLDER}/{task}/log/live"
    found = []
    for name in sorted(platform.names(f"{vault}/{top}")):
        bytes_of = size(vault, f"{top}/{name}") if name.endswith(".log") else -1
        if bytes_of >= 0:
            found.append((f"{top}/{name}", bytes_of))
    return found


def size(vault: str, path: str) -> int:
    """Of a log; -1 where it is gone between two looks: the next one sees."""
    try:
        return posix.stat(f"{vault}/{path}").st_size
    except OSError:
        return -1


def open_tasks(vault: str) -> list[str]:
    """The names of all folders that hold a task's log."""
    names = sorted(platform.names(f"{vault}/{FOLDER}"))
    return [name for name in names if name[:1] != "." and platform.names(f"{vault}/{FOLDER}/{name}/log/live")]


def finished(vault: str) -> list[tuple[str, str]]:
    """The tasks that are over, each with its log below the vault."""
    names = sorted(platform.names(f"{vault}/{OUTPUTS}"))
    ends = [name for name in names if name.startswith(FINAL) and name.endswith(".log")]
    found = [(name[len(FINAL) : -len(".log")], f"{OUTPUTS}/{name}") for name in ends]
    return [one for one in found if "." not in one[0]]  # a copy that lies beside is no task


def is_archive(path: str) -> bool:
    """Whether a path of the vault is the log of a finished task."""
    return path.startswith(f"{OUTPUTS}/{FINAL}") and path.endswith(".log")


def joined(*logs: str) -> str:
    """One log of several: what stands in them, each once; damage is kept as it is."""
    found = (one for text in logs for one in log.scan(text.encode("utf-8", "surrogateescape")))
    parts = (log.frame(one.payload) if one.what == log.RECORD else one.payload for one in found)
    return b"".join(dict.fromkeys(parts)).decode("utf-8", "surrogateescape")


def read(vault: str, path: str, start: int = 0) -> Read:
    """A segment from a place on. Raises OSError."""
    return Read(*log.read_on(f"{vault}/{path}", start, from_record))


def everything(vault: str, task: str) -> Iterator[Entry]:
    """All entries of an open task, segment by segment."""
    for path, _ in logs(vault, task):
        yield from read(vault, path).entries

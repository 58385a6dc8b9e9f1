"""Notices: sentences that something in the background leaves for the next starts of a project.

    notices/<project>~<name>     one sentence, with the time until which it is told

A close, the budget or an improvement has something to say while no session listens. One small file each; the same
name again replaces the sentence. A start reads at most MOST of them, the newest first, so no backlog can slow it.
`once` goes with the first start that told it; the others go when their time is over, or when whoever left them takes
them away. "" as the project means every project.

A fault keeps the memory from working, and stands from the moment it was first seen until it works again.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, platform
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact
from holdfast.model import VERSION, value

MOST = 12
LASTS = 7 * 86400.0
JUDGE = "judge"  # that it could not be used


@value
class Notice:
    """One sentence. `name` tells it from the others of its project."""

    name: str
    line: str
    project: str = ""
    time: float = 0.0
    until: float = 0.0
    once: bool = False


def leave(
    state: str, name: str, line: str, now: float, *, project: str = "", lasts: float = LASTS, once: bool = False
) -> None:
    """Put a sentence down. Raises OSError."""
    notice = Notice(name, redact(" ".join(line.split()))[0][:600], project, now, now + lasts, once)
    codec.write(_path(state, project, name), {"v": VERSION, **notice.__dict__}, durable=False)


def remove(state: str, name: str, project: str = "") -> None:
    platform.remove(_path(state, project, name))


def for_project(state: str, project: str, now: float, merged: tuple[str, ...] = ()) -> list[Notice]:
    """The notices for a start in a project or one merged into it, the newest first; those that are over are removed."""
    found: list[Notice] = []
    for path in platform.newest(f"{state}/notices", tuple(f"{digest(one)}~" for one in ("", project, *merged))):
        if len(found) == MOST:
            break
        record = codec.read(path, LARGEST)
        try:
            notice = Notice(**{field: record[field] for field in Notice.__annotations__})
            if notice.until >= now:
                found.append(notice)
            else:
                platform.remove(path)
        except (KeyError, TypeError):
            continue
    return found


def told(state: str, notices: list[Notice]) -> None:
    """Remove, of those that were said, the ones to say once."""
    for notice in notices:
        if notice.once:
            remove(state, notice.name, notice.project)


def _path(state: str, project: str, name: str) -> str:
    return f"{state}/notices/{digest(project)}~{digest(name)}"


HISTORY_LOST, HISTORY, UNWRITABLE, CLOSE, FILES = "history-lost", "history", "unwritable", "close", "files"
GLANCE, OBJECTS, VERSIONS = "history-glance", "history-objects", "history-versions"
LARGEST = 1 << 14
ROOM = 1 << 20  # bytes that a disk must have left, as for a close
LONGEST = 400  # characters of the particulars

# The worst first: the fault, as the end of "since …, ", and the command that helps.
KNOWN = {
    HISTORY_LOST: ("nothing is filed: the vault's history is damaged beyond mending", "holdfast doctor --new-history"),
    HISTORY: ("nothing is filed: the vault's history is damaged", "holdfast doctor --fix"),
    GLANCE: ("the vault's history looks damaged", "holdfast doctor"),  # seen by a start itself, and never written down
    UNWRITABLE: ("not all is filed: a part of the vault cannot be written", "holdfast doctor"),
    CLOSE: ("not all is filed: closes fail", "holdfast doctor"),
    FILES: ("files of the memory are damaged", "holdfast doctor --fix"),
    OBJECTS: ("a part of the vault's history is damaged, and can still be mended", "holdfast doctor --fix"),
    VERSIONS: ("an older version in the vault's history is lost", "holdfast doctor"),
}
UNKNOWN = ("something is wrong with the vault", "holdfast doctor")


@value
class Fault:
    """One fault that stands. `detail` has the particulars, `path` the file or folder of the vault that it is about."""

    name: str
    since: float
    detail: str = ""
    path: str = ""

    @property
    def what(self) -> str:
        return KNOWN.get(self.name, UNKNOWN)[0]

    @property
    def command(self) -> str:
        return KNOWN.get(self.name, UNKNOWN)[1]


def stand(state: str, name: str, detail: str, now: float, path: str = "") -> None:
    """Note a fault that was met; it keeps the time at which it was first met. The last bytes of a full disk are left to
    flags, and a disk that refuses even this is told of by the command that failed."""
    if _is_full(state):
        return
    before = _read(state, name)
    since = min(before.since, now) if before else now
    tidy = redact(" ".join(detail.split()))[0][:LONGEST]
    record = {"v": VERSION, "name": name, "since": since, "last": now, "detail": tidy, "path": path}
    try:
        codec.write(f"{state}/faults/{name}", record, durable=False)
    except OSError:
        return


def lift(state: str, *names: str) -> None:
    """Forget faults that are over."""
    for name in names:
        platform.remove(f"{state}/faults/{name}")
    platform.remove_folder(f"{state}/faults")


def are_there(state: str) -> bool:
    return platform.is_there(f"{state}/faults")


def standing(state: str) -> list[Fault]:
    """Every fault that stands, the worst first, then the oldest."""
    try:
        names = platform.names(f"{state}/faults")
    except OSError:
        return []
    found = [fault for name in names if not name.endswith(".tmp") and (fault := _read(state, name))]
    order = list(KNOWN)
    return sorted(found, key=lambda one: (order.index(one.name) if one.name in KNOWN else len(order), one.since))


def _is_full(state: str) -> bool:
    try:
        seen = posix.statvfs(state)
    except OSError:
        return True
    return seen.f_bavail * seen.f_frsize < ROOM


def _read(state: str, name: str) -> Fault | None:
    try:
        record = codec.read(f"{state}/faults/{name}", LARGEST)
        return Fault(name, float(record["since"]), str(record.get("detail", "")), str(record.get("path", "")))
    except (ValueError, KeyError, TypeError):
        return None

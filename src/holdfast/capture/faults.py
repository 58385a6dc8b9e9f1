"""Standing faults: what keeps the memory from working, from the moment it was first seen until it works again.

    faults/NAME      since when, when last, and the particulars

Whoever fails leaves one small file, and whoever succeeds takes it away, so that a start can say that nothing is filed,
since when, and which command helps, without looking for the cause itself. A healthy vault has no such folder, and a
start pays one look for it. The sentence and the command come from the table below and never from the file: a person is
told to run it, and files in a vault can be written by others. A name that this table does not have, from a newer
holdfast, is told as a fault that `holdfast doctor` explains.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, platform
from holdfast.model import VERSION, value

HISTORY_LOST, HISTORY, UNWRITABLE, CLOSE, FILES = "history-lost", "history", "unwritable", "close", "files"
GLANCE, OBJECTS, VERSIONS = "history-glance", "history-objects", "history-versions"
LARGEST = 1 << 14
ROOM = 1 << 20  # bytes that a disk must have left, as for a close
LONGEST = 400  # characters of the particulars

# The worst first: what is wrong, as the end of "since …, ", and the command that helps.
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
    """A fault was met. It keeps the time at which it was first met. The last bytes of a full disk are left to flags,
    and a disk that refuses even this is told of by the command that failed."""
    from holdfast.capture.redaction import redact

    if _is_full(state):
        return
    before = _read(state, name)
    since = min(before.since, now) if before else now
    tidy = redact(" ".join(detail.split()))[0][:LONGEST]
    record = {"v": VERSION, "name": name, "since": since, "last": now, "detail": tidy, "path": path}
    try:
        platform.make_folders(f"{state}/faults")
        platform.write_atomic(f"{state}/faults/{name}", codec.encode(record), durable=False)
    except OSError:
        return


def lift(state: str, *names: str) -> None:
    """These are over."""
    for name in names:
        platform.remove(f"{state}/faults/{name}")
    try:
        posix.rmdir(f"{state}/faults")
    except OSError:
        return  # another fault stands, or there was none


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
        record = codec.decode(platform.read_file(f"{state}/faults/{name}", largest=LARGEST))
        return Fault(name, float(record["since"]), str(record.get("detail", "")), str(record.get("path", "")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None

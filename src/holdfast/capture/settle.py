"""What becomes of flags: claimed under a lease, acknowledged, released, dead, retried, archived.

Each change is one synced record beside the segment it speaks of, made under one lock, so two closes never hold the
same flag. Appending flags needs none of this and never waits for it. A claim whose owner died is free at once; one
whose owner cannot be seen (another machine, a container) is free when its lease ends. A late acknowledgement, from
an owner whose claim was taken over, does not count: filing is idempotent by id, so the new owner repeats it.
"""

from __future__ import annotations

import fcntl
import posix
import time

from holdfast.capture import codec, log, platform, queue, segments
from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact_record
from holdfast.errors import NotFound
from holdfast.model import Flag, Process, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from holdfast.clock import Clock


@value
class Claim:
    """A lease on some flags. It is shown when they are acknowledged or released."""

    id: str
    until: float
    flags: tuple[Flag, ...]
    segments: tuple[str, ...]


class Settlement:
    """The consuming side of the queue in `folder`."""

    def __init__(
        self, folder: str, clock: Clock = time.time, tries: int = queue.TRIES, owner: Process | None = None
    ) -> None:
        self.folder = folder
        self.clock = clock
        self.tries = tries
        self.owner = owner or platform.process(posix.getpid())

    def claim(self, limit: int, lease: float, wanted: Callable[[Flag], bool] = lambda _: True) -> Claim | None:
        """Take up to `limit` waiting flags, oldest first, for `lease` seconds; None if none waits."""
        with Lock(self.folder):
            now = self.clock()
            taken: list[queue.Entry] = []
            for path in segments.live(self.folder):
                part = queue.look(path, now, self.tries)
                entries = part.entries.values() if part else ()
                taken += [e for e in entries if e.state == queue.WAITING and wanted(e.flag)]
                if len(taken) >= limit:
                    break
            del taken[limit:]
            if not taken:
                return None
            places = tuple({entry.segment: None for entry in taken})
            claim = Claim(new_id(now), now + lease, tuple(entry.flag for entry in taken), places)
            owner = self.owner.as_record() if self.owner else None
            self._write(taken, "claim", claim=claim.id, until=claim.until, owner=owner)
            return claim

    def acknowledge(self, claim: Claim, ids: Iterable[str], outcome: str = "filed") -> tuple[str, ...]:
        """These flags are filed: they leave the queue. Returns those for which the claim still held.

        A segment that holds nothing else any more goes to the archive at once.
        """
        filed = self._end(claim, ids, "acknowledge", outcome=outcome)
        try:
            self.archive(claim.segments)
        except OSError:
            pass  # the acknowledgement is durable; upkeep archives later
        return filed

    def release(self, claim: Claim, ids: Iterable[str], error: str = "") -> tuple[str, ...]:
        """Give flags back. With an error it was a try, and enough of them make it dead; without, it was none."""
        return self._end(claim, ids, "release", error=error)

    def retry(self, ids: Iterable[str] | None = None) -> tuple[str, ...]:
        """Dead flags wait again: the named ones (a beginning of the id will do), or all."""
        with Lock(self.folder):
            dead = queue.read(self.folder, self.clock(), tries=self.tries).of(queue.DEAD)
            chosen = list(dead) if ids is None else [_named(dead, ident) for ident in ids]
            self._write(chosen, "retry")
            return tuple(entry.flag.id for entry in chosen)

    def archive(self, only: Iterable[str] | None = None) -> int:
        """Move segments whose flags are all filed out of the way; what is broken in them is set aside first."""
        moved = 0
        with Lock(self.folder):
            for path in segments.live(self.folder) if only is None else only:
                if segments.is_current(self.folder, path):
                    continue
                part = queue.look(path, self.clock(), self.tries)
                if not part or not part.size or any(e.state != queue.FILED for e in part.entries.values()):
                    continue
                for name, found in part.broken:
                    log.set_aside(f"{self.folder}/broken", name.rpartition("/")[2], found)
                moved += segments.retire(self.folder, path, part.size, [queue.settled_path(path)])
        return moved

    def _end(self, claim: Claim, ids: Iterable[str], what: str, **more: object) -> tuple[str, ...]:
        with Lock(self.folder):
            wanted = set(ids)
            now = self.clock()
            entries = [e for path in claim.segments for e in self._entries(path, now)]
            held = [e for e in entries if e.flag.id in wanted and e.claim == claim.id]
            self._write(held, what, claim=claim.id, **more)
            return tuple(entry.flag.id for entry in held)

    def _entries(self, path: str, now: float) -> Iterable[queue.Entry]:
        part = queue.look(path, now, self.tries)
        return part.entries.values() if part else ()

    def _write(self, entries: Iterable[queue.Entry], what: str, **more: object) -> None:
        for path, ids in _by_segment(entries):
            record: dict[str, object] = {"v": 1, "t": self.clock(), "what": what, "ids": ids, **more}
            log.append(queue.settled_path(path), [codec.encode(redact_record(record)[0])], durable=True)


def _by_segment(entries: Iterable[queue.Entry]) -> Iterator[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for entry in entries:
        groups.setdefault(entry.segment, []).append(entry.flag.id)
    return iter(groups.items())


def _named(entries: Iterable[queue.Entry], ident: str) -> queue.Entry:
    found = [entry for entry in entries if entry.flag.id.startswith(ident.upper())]
    if len(found) != 1:
        raise NotFound(
            f'{"No" if not found else "More than one"} dead flag begins with "{ident}"; nothing was changed. '
            "`holdfast queue` lists them."
        )
    return found[0]


class Lock:
    """One settler at a time. The kernel lets go of it when its owner dies, so it is never stale."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        platform.make_folders(self.folder)
        flags = posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC
        self.fd = posix.open(f"{self.folder}/lock", flags, 0o600)
        fcntl.flock(self.fd, fcntl.LOCK_EX)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        posix.close(self.fd)

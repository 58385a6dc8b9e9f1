"""The field's truth on disk: thoughts that are nobody's notes, and the traffic log of what was read.

An event is one line of the traffic log. It carries all that its effect needs: of a thought read for the first time
also the weight and time it began with. So the log alone gives every weight again, whatever became of the thoughts
since. Its effect is a pure function, so that every store does the same.
"""

from __future__ import annotations

import posix
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from holdfast import pheromone
from holdfast.capture import codec, home, log, platform, segments
from holdfast.capture.identity import CLIENT, PERSON, SHELL
from holdfast.capture.ids import digest
from holdfast.capture.purging import PURGED
from holdfast.capture.redaction import redact, redact_record
from holdfast.errors import HoldfastError
from holdfast.field import thought as thoughts
from holdfast.field.thought import Traffic, whole
from holdfast.model import VERSION, replace, value

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from holdfast.field.thought import Thought


GOT, USED, AGAIN = "got", "used", "again"  # returned by a retrieval; opened or cited; thought a second time
KINDS = (GOT, USED, AGAIN)
MOST_LOGGED, MOST_TOGETHER, MOST_AGENTS = 100, 50, 100


@value
class Event:
    """One retrieval, use or repetition. `new` has weight and time of those that nobody had read before."""

    time: float
    kind: str
    ids: tuple[str, ...]
    agent: str = ""
    session: str = ""
    project: str = ""
    query: str = ""
    new: Mapping[str, tuple[float, float]] = {}

    def as_record(self) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in ("agent", "session", "project", "query")}
        found: dict[str, Any] = {"v": VERSION, "t": self.time, "kind": self.kind, "ids": list(self.ids)}
        found.update({name: value for name, value in named.items() if value})
        return {**found, "new": {one: list(began) for one, began in self.new.items()}} if self.new else found


def event_of(kind: str, of: Mapping[str, Thought], read: Container[str], now: float, **named: str) -> Event:
    """An event of these thoughts, with the beginning of those that nobody has read before."""
    new = {ident: (one.start, one.created) for ident, one in of.items() if ident not in read}
    return Event(now, kind, tuple(of), new=new, **named)


def who(agent: str) -> str:
    """The name that an access of an older record, or of a door's own, counts for: the person is one, by any door, else
    they alone would be the two agents that make a highway. New ones are named by capture/identity."""
    return PERSON if agent in (SHELL, CLIENT) else agent


def from_record(record: Mapping[str, Any]) -> Event:
    """Raises KeyError, TypeError or ValueError where it is none of ours, or was purged."""
    if record["kind"] not in KINDS:
        raise ValueError("not traffic")
    new = {whole(one): (float(began[0]), float(began[1])) for one, began in record.get("new", {}).items()}
    named = {name: whole(record.get(name, "")) for name in ("agent", "session", "project", "query")}
    named["agent"] = who(named["agent"])
    return Event(float(record["t"]), record["kind"], tuple(whole(one) for one in record["ids"]), new=new, **named)


def beginning(event: Event, ident: str) -> Traffic:
    """The traffic of a thought before its first event."""
    weight, since = event.new.get(ident, (pheromone.START, event.time))
    return Traffic(last_accessed=since, weight=weight)


def after(before: Traffic, event: Event, ident: str) -> Traffic:
    """The traffic of one of its thoughts after an event. A return or a repetition counts as an access; use adds to the
    weight alone."""
    is_access = event.kind != USED
    by = pheromone.RETURNED if is_access else pheromone.USED
    agents = before.agents
    if event.agent and event.agent not in agents and len(agents) < MOST_AGENTS:
        agents = (*agents, event.agent)
    return Traffic(
        before.access_count + is_access,
        event.time,
        pheromone.reinforced(before.weight, before.last_accessed, event.time, by),
        agents,
        (*before.log, (event.time, event.agent))[-MOST_LOGGED:] if is_access else before.log,
        _met(before.together, [one for one in event.ids if one != ident]) if event.kind == GOT else before.together,
    )


def _met(before: Mapping[str, int], others: list[str]) -> dict[str, int]:
    """The counts after these were returned beside it. Of too many the lowest go, and among equals the oldest: those
    that just came could never stay otherwise."""
    counts = dict(before)
    for one in others:
        counts[one] = counts.get(one, 0) + 1
    surplus = len(counts) - MOST_TOGETHER
    if surplus > 0:
        for one in sorted(counts, key=counts.__getitem__)[:surplus]:  # sorted keeps the order of equals
            del counts[one]
    return counts


T = TypeVar("T")

FOLDER = "thoughts"
LAST = 256  # bytes by which a segment is known again
NEWEST = 4  # segments of a machine that may still grow: one that was opened before its successor was made is among them


@value
class Read(Generic[T]):
    """A log from a place on: what could be read, what could not, and where the next look begins."""

    found: tuple[T, ...]
    broken: tuple[log.Found, ...]
    end: int


def machine() -> str:
    from holdfast.vault.notes import slug

    return slug(platform.machine(), 40)


def own(vault: str) -> str:
    """The folder of this machine's own knowledge of thoughts: which segment takes the next."""
    return f"{home.state(vault)}/thoughts"


def append(vault: str, made: Sequence[Thought], now: float) -> str:
    """Write thoughts durably; the path of the segment below the vault. Raises NotSaved: then none of them is saved."""
    payloads = [codec.encode(redact_record(one.as_record())[0]) for one in made]
    platform.make_folders(own(vault))
    folder, way = f"{vault}/{FOLDER}/{machine()}", f"../../{FOLDER}/{machine()}"
    name = segments.append(folder, payloads, now, current=f"{own(vault)}/current", way=way)
    return f"{FOLDER}/{machine()}/live/{name}"


def logs(vault: str, under: str = FOLDER) -> list[tuple[str, int]]:
    """Every segment of all machines with its size; of thoughts, or of another folder that is laid out so."""
    found: list[tuple[str, int]] = []
    for one in sorted(platform.names(f"{vault}/{under}")):
        top = f"{under}/{one}/live"
        names = sorted(name for name in platform.names(f"{vault}/{top}") if name.endswith(".log"))
        found += [(f"{top}/{name}", _size(f"{vault}/{top}/{name}")) for name in names]
    return found


def stamp(vault: str, under: str = FOLDER) -> str:
    """A stamp that changes when a segment comes, goes or grows, without a look at each: of the folders, the newest of
    each, and the one that takes the next record: a clock that was set back gives it an older name."""
    said = [str(_size(f"{home.state(vault)}/{under}/current"))]
    for one in sorted(platform.names(f"{vault}/{under}")):
        top = f"{vault}/{under}/{one}/live"
        newest = sorted(platform.names(top))[-NEWEST:]
        said += [one, folder_stamp(top), *(str(_size(f"{top}/{name}")) for name in newest)]
    return " ".join(said)


def folder_stamp(path: str) -> str:
    try:
        seen = posix.lstat(path)
    except OSError:
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_ino}"


def _size(path: str) -> int:
    try:
        return posix.stat(path).st_size
    except OSError:
        return 0


def mark(vault: str, path: str, end: int) -> str:
    """The mark of a segment: how far it was read, and what stood last there. Raises OSError."""
    with open(platform.opened(f"{vault}/{path}"), "rb") as file:
        last = posix.pread(file.fileno(), min(end, LAST), max(0, end - LAST))
    return f"{end} {digest(last.decode('latin-1'), 16)}"


def goes_on_at(vault: str, path: str, size: int, said: str) -> int:
    """From where on a segment of this size is new, by the mark of what was read of it. One that does not go on where it
    was left was rewritten, by a purge or an undo, here or elsewhere, and is new from its beginning. Raises OSError."""
    done = int(said.partition(" ")[0] or 0)
    return done if size == done or (size > done and mark(vault, path, done) == said) else 0


def read(vault: str, path: str, start: int = 0) -> Read[Thought]:
    """A segment of thoughts from a place on. Raises OSError."""
    return _read(f"{vault}/{path}", start, thoughts.from_record)


def _read(path: str, start: int, made: Callable[[Mapping[str, Any]], T], until: int = -1) -> Read[T]:
    return Read(*log.read_on(path, start, lambda record: None if _is_purged(record) else made(record), until))


def _is_purged(record: Mapping[str, Any]) -> bool:
    """Whether a purge left the record's place and nothing of what it said (capture/purging)."""
    return not record or record.get("kind") == "purged" or record.get("text") == PURGED


def traffic_path(vault: str) -> str:
    return f"{home.state(vault)}/traffic/log"


def travel(vault: str, event: Event) -> bool:
    """Note an access. Whether it could be: a disk that takes nothing costs a little weight, and no answer."""
    try:
        said = replace(event, query=redact(event.query)[0])  # the rest are ids and names of our own
        log.append(traffic_path(vault), [codec.encode(said.as_record())], durable=False)
    except (HoldfastError, OSError):
        return False
    return True


def traffic_size(vault: str) -> int:
    return _size(traffic_path(vault))


def travels(vault: str, start: int, until: int = -1) -> Read[Event]:
    """The traffic from a place on, or until another; nothing where there is none."""
    try:
        return _read(traffic_path(vault), start, from_record, until)
    except FileNotFoundError:
        return Read((), (), start)

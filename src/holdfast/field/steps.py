"""Steps of sleep: framed records that say what became of thoughts, each of which can be taken back alone.

    sleep/<machine>/live/<id>.log     one log per machine, so that two machines never write the same file

A thought's own record is never changed. A step says that one thought took the place of another, that some say the
same, that a pair was read together, that one is put away in the archive or fetched back, or that a step does not count
any more. Effects are marks in the store; they are the same in whatever order the logs of several machines arrive,
because a step counts unless some record takes it back, and the newer of "archived" and "restored" holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, log, platform, segments
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact_record
from holdfast.field import store as stores
from holdfast.field import traffic
from holdfast.field.store import Mark
from holdfast.field.thought import WITHDRAWN, whole
from holdfast.model import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.field.store import Store

FOLDER = "sleep"
SUPERSEDED, LINKED, TIED, CONSOLIDATED = stores.SUPERSEDED, stores.LINKED, stores.TIED, stores.CONSOLIDATED
ARCHIVED, RESTORED, UNDONE = "archived", "restored", "undone"
BRIDGED = "bridged"
KINDS = (SUPERSEDED, LINKED, TIED, ARCHIVED, RESTORED, UNDONE, CONSOLIDATED, BRIDGED)


@dataclass(frozen=True)
class Step:
    """One record. `ids` are the thoughts it is about, `by` the one that stands for them, or, of a step that takes
    another back, the id of that one; `counts` go with `ids`. `night` is the sleep that it belongs to."""

    id: str
    time: float
    kind: str
    ids: tuple[str, ...] = ()
    by: str = ""
    counts: tuple[float, ...] = ()
    night: str = ""
    why: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        found: dict[str, Any] = {"v": VERSION, "id": self.id, "t": self.time, "kind": self.kind}
        more: dict[str, Any] = {"ids": list(self.ids), "by": self.by, "counts": list(self.counts)}
        more |= {"night": self.night, "why": self.why, "figures": dict(self.figures)}
        return found | {name: value for name, value in more.items() if value}


def from_record(record: Mapping[str, Any]) -> Step:
    """Raises KeyError, TypeError or ValueError where it is none of ours."""
    if record["kind"] not in KINDS:
        raise ValueError("not a step")
    ids = tuple(whole(one) for one in record.get("ids", ()))
    counts = tuple(float(one) for one in record.get("counts", ()))
    named = {name: whole(record.get(name, "")) for name in ("by", "night", "why")}
    figures = record.get("figures", {})
    if not isinstance(figures, dict):
        raise TypeError("not figures")
    given: dict[str, Any] = {"ids": ids, "counts": counts, "figures": figures, **named}
    return Step(whole(record["id"]), float(record["t"]), record["kind"], **given)


def step_id(kind: str, ids: Iterable[str], by: str = "") -> str:
    """The id of a step, by what it does: two machines that come to the same step write the same one, and a step that
    was taken back is not taken again."""
    return f"s-{digest(' '.join((kind, by, *sorted(ids))), 24)}"


def marks(step: Step) -> list[Mark]:
    """The effect of a step in the store."""
    counts = dict(zip(step.ids, step.counts, strict=False))
    if step.kind in (SUPERSEDED, LINKED, CONSOLIDATED):
        return [Mark(step.id, step.kind, one, step.by) for one in step.ids if one != step.by]
    if step.kind == TIED:
        pairs = [(one, step.by) for one in step.ids if one != step.by]
        return [
            Mark(step.id, TIED, one, other, counts.get(pair[0], 1.0))
            for pair in pairs
            for one, other in (pair, pair[::-1])
        ]
    if step.kind in (ARCHIVED, RESTORED):
        return [Mark(step.id, step.kind, one, "", step.time) for one in step.ids]
    if step.kind == UNDONE:
        # What the step had made is withdrawn with it; of the other kinds there is nothing besides the step.
        return [Mark(step.id, UNDONE, step.by), *(Mark(step.id, SUPERSEDED, one, WITHDRAWN) for one in step.ids)]
    return []


def append(vault: str, steps: Sequence[Step], now: float) -> str:
    """Write steps durably, in one write; the path of the segment below the vault. Raises NotSaved."""
    payloads = [codec.encode(redact_record(one.as_record())[0]) for one in steps]
    own, machine = f"{home.state(vault)}/{FOLDER}", traffic.machine()
    platform.make_folders(own)
    folder, way = f"{vault}/{FOLDER}/{machine}", f"../../{FOLDER}/{machine}"
    name = segments.append(folder, payloads, now, current=f"{own}/current", way=way)
    return f"{FOLDER}/{machine}/live/{name}"


def logs(vault: str) -> list[tuple[str, int]]:
    return traffic.logs(vault, FOLDER)


def read(vault: str, path: str, start: int = 0) -> traffic.Read[Step]:
    """A log from a place on. Raises OSError."""
    return traffic.Read(*log.read_on(f"{vault}/{path}", start, from_record))


def everything(vault: str) -> list[Step]:
    """Every step of all machines that can be read, each once, by time and id."""
    found: dict[str, Step] = {}
    for path, _ in logs(vault):
        try:
            found.update({one.id: one for one in read(vault, path).found if one.id not in found})
        except OSError:
            continue  # taken away by a sync at this moment
    return sorted(found.values(), key=lambda one: (one.time, one.id))


def sync(vault: str, store: Store) -> int:
    """Take in what is new in the logs. Within `writing`. How many steps that were. Where a log is gone or was rewritten
    all are read again: another machine's may have the same step, and the store keeps it once."""
    known, listed, taken = store.places(f"{FOLDER}/"), logs(vault), 0
    gone = known.keys() - {path for path, _ in listed}
    starts = {path: _start(vault, path, size, known.get(path, "")) for path, size in listed}
    if gone or any(path in known and not starts[path] for path in starts):
        starts = dict.fromkeys(starts, 0)
    for path in gone:
        store.forget(path)
    for path, size in listed:
        start = starts[path]
        if path in known and start == size:
            continue
        try:
            found = read(vault, path, start)
            left_at = traffic.mark(vault, path, found.end)
        except OSError:
            continue  # taken away by a sync at this moment: the next look sees
        store.mark(path, left_at, [one for step in found.found for one in marks(step)], anew=not start)
        taken += len(found.found)
    return taken


def _start(vault: str, path: str, size: int, said: str) -> int:
    try:
        return traffic.goes_on_at(vault, path, size, said)
    except OSError:
        return size  # taken away at this moment: the next look sees

"""Fading micro-clusters of what was written or read lately, kept from night to night.

    weight of a thought = 2 ^ (-FADE x hours since it was written or read)      after 28 days it is no longer counted

Each thought knows its NEIGHBOURS nearest ones of the same project and space (cosine at least NEAR). The thought with
the most weight around it becomes a centre and takes its neighbours; then the next, among those that are left. A
cluster is dense from a weight of CORE on, alive from POTENTIAL on, else it is an outlier that fades away.

Promise: clusters follow from the set of thoughts and times alone. Products of whole numbers are summed exactly, ties go
by id, and the lists of neighbours are the same whether they were made at once or night by night; so it does not matter
in which order machines synced, or whether a night was cut short. A night costs its new thoughts times those of four
weeks, however large the field is.
"""

from __future__ import annotations

import bisect
import heapq
import io
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import platform

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

FADE = 0.01  # an hour: half of the weight is left after four days
CORE, POTENTIAL = 2.5, 1.25
HORIZON = 28 * 86400.0
NEAR = 0.5
NEIGHBOURS = 11  # so that a cluster has at most twelve members, as many as one question to a judge takes
HOUR = 3600.0
BLOCK = 256
EXACT = 1000  # numbers in a vector up to which their products add up exactly in single precision
VERSION = 1
LARGEST = 1 << 30

Lists = dict[str, tuple[tuple[float, str], ...]]


@dataclass(frozen=True)
class Seen:
    """One thought that was written or read: when, and the project and space within which it may have neighbours."""

    id: str
    time: float
    group: str


@dataclass(frozen=True)
class Window:
    """The thoughts of the last weeks by id, a row of whole numbers for each, and its neighbours as (-cosine, id)."""

    seen: tuple[Seen, ...] = ()
    rows: Any = None
    near: Lists = field(default_factory=dict)
    model: str = ""


@dataclass(frozen=True)
class Cluster:
    """`members` begins with the centre; the others follow by nearness, then id."""

    members: tuple[str, ...]
    weight: float
    group: str

    @property
    def centre(self) -> str:
        return self.members[0]

    @property
    def is_dense(self) -> bool:
        return self.weight >= CORE


def advanced(
    window: Window,
    new: Iterable[Seen],
    vectors: Mapping[str, NDArray[Any]],
    model: str,
    now: float,
    gone: Collection[str] = (),
) -> Window:
    """The window as it is at a time: with what is new and has a vector, without what is past the horizon or gone. One
    that was read again keeps its neighbours, one whose text changed gets others."""
    import numpy

    old = {one.id: at for at, one in enumerate(window.seen)} if window.model == model else {}
    fresh = {one.id: one for one in new if one.id in vectors and now - HORIZON < one.time <= now}
    read = {
        one
        for one, said in fresh.items()
        if one in old
        and window.seen[old[one]].group == said.group
        and numpy.array_equal(window.rows[old[one]], vectors[one])
    }
    lasting = {one for one, at in old.items() if now - HORIZON < window.seen[at].time}
    kept = (lasting - fresh.keys() - set(gone)) | read
    seen = {one: fresh.get(one) or window.seen[old[one]] for one in kept | fresh.keys()}
    if not seen:
        return Window(model=model)
    ids = sorted(seen)
    rows = numpy.stack([window.rows[old[one]] if one in kept else vectors[one] for one in ids])
    rows = rows.astype(numpy.float32 if rows.shape[1] <= EXACT else numpy.float64)
    near, short = _left_over(window.near, kept)
    listed = tuple(seen[one] for one in ids)
    near |= _neighbours(listed, rows, [one for one in ids if one not in kept], near, short)
    return Window(listed, rows, near, model)


def _left_over(near: Lists, kept: set[str]) -> tuple[Lists, list[str]]:
    """The lists without those that have gone, and whose list was full before: another may belong there now."""
    left = {one: tuple(pair for pair in near.get(one, ()) if pair[1] in kept) for one in kept}
    return left, [one for one in sorted(kept) if len(left[one]) < len(near.get(one, ())) == NEIGHBOURS]


def _neighbours(seen: Sequence[Seen], rows: NDArray[Any], new: Sequence[str], near: Lists, short: list[str]) -> Lists:
    """The lists of those that are new or have to be made again, and of those that a new one belongs to."""
    import numpy

    place = {one.id: at for at, one in enumerate(seen)}
    groups = numpy.unique([one.group for one in seen], return_inverse=True)[1]
    squares = (rows.astype(numpy.float64) ** 2).sum(axis=1)
    found: dict[str, list[tuple[float, str]]] = {one: list(pairs) for one, pairs in near.items()}
    arrived = set(new)
    wanted = [*new, *short]
    for at in range(0, len(wanted), BLOCK):
        some = [place[one] for one in wanted[at : at + BLOCK]]
        products = (rows[some] @ rows.T).astype(numpy.float64)
        roots = numpy.sqrt(numpy.outer(squares[some], squares))
        cosines = numpy.divide(products, roots, out=numpy.zeros_like(products), where=roots > 0)
        cosines[groups[some][:, None] != groups[None, :]] = -1.0
        for row, mine in zip(cosines, some, strict=True):
            ident = seen[mine].id
            others = numpy.flatnonzero(row >= NEAR).tolist()
            pairs = [(-float(row[one]), seen[one].id) for one in others if one != mine]
            found[ident] = sorted(pairs)[:NEIGHBOURS]
            for pair, other in ((pair, pair[1]) for pair in pairs if ident in arrived and pair[1] not in arrived):
                _insert(found[other], (pair[0], ident))
    return {one: tuple(pairs) for one, pairs in found.items()}


def _insert(listed: list[tuple[float, str]], pair: tuple[float, str]) -> None:
    if pair not in listed:
        bisect.insort(listed, pair)
        del listed[NEIGHBOURS:]


def clusters(window: Window, now: float) -> list[Cluster]:
    """All of them, the heaviest first; those that are neither dense nor alive are left out."""
    known = {one.id: one for one in window.seen}
    weight = {one.id: faded(now - one.time) for one in window.seen}
    heap = [(-_around(weight, one, [other for _, other in window.near[one]]), one) for one in known]
    heapq.heapify(heap)
    left, found = set(known), list[Cluster]()
    while heap:
        was, centre = heapq.heappop(heap)
        if centre not in left:
            continue
        others = [other for _, other in window.near[centre] if other in left]
        now_is = _around(weight, centre, others)
        if now_is < -was:  # others have taken some of its neighbours since: it waits its turn again
            heapq.heappush(heap, (-now_is, centre))
            continue
        left -= {centre, *others}
        if now_is >= POTENTIAL and others:
            found.append(Cluster((centre, *others), now_is, known[centre].group))
    return sorted(found, key=lambda one: (-one.weight, one.centre))


def faded(age: float) -> float:
    """The weight of a thought so many seconds after it was written or read; a clock set back fades nothing."""
    return float(round(2.0 ** (-FADE * max(0.0, age) / HOUR), 9))


def _around(weight: Mapping[str, float], centre: str, others: Sequence[str]) -> float:
    return round(sum(weight[one] for one in sorted((centre, *others))), 6)


def cells(found: Sequence[Cluster]) -> dict[str, str]:
    """The centre of the living cluster that each thought is in."""
    return {member: one.centre for one in found for member in one.members}


def load(path: str) -> Window:
    """The window as the last night left it; an empty one where it cannot be read: then it fills again."""
    import numpy

    try:
        with numpy.load(io.BytesIO(platform.read_file(path, LARGEST)), allow_pickle=False) as kept:
            if int(kept["version"]) != VERSION:
                return Window()
            ids = [str(one) for one in kept["ids"]]
            seen = tuple(map(Seen, ids, map(float, kept["times"]), map(str, kept["groups"])))
            lists = zip(kept["others"], kept["cosines"], strict=True)
            near = {
                ident: tuple((float(value), ids[at]) for at, value in zip(others, values, strict=True) if at >= 0)
                for ident, (others, values) in zip(ids, lists, strict=True)
            }
            return Window(seen, kept["rows"].astype(numpy.float32), near, str(kept["model"]))
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile, zlib.error):
        return Window()


def keep(path: str, window: Window) -> None:
    """Write the window; one that cannot be written costs the next night some neighbours to find again, nothing else."""
    import numpy

    place = {one.id: at for at, one in enumerate(window.seen)}
    others = numpy.full((len(place), NEIGHBOURS), -1, numpy.int32)
    cosines = numpy.zeros((len(place), NEIGHBOURS))
    for one, pairs in window.near.items():
        for nth, (value, other) in enumerate(pairs):
            others[place[one], nth], cosines[place[one], nth] = place[other], value
    raw = io.BytesIO()
    numpy.savez_compressed(
        raw,
        version=VERSION,
        model=window.model,
        ids=numpy.array(list(place), dtype=str),
        times=numpy.array([one.time for one in window.seen]),
        groups=numpy.array([one.group for one in window.seen], dtype=str),
        rows=numpy.zeros((0, 0), numpy.int8) if window.rows is None else window.rows.astype(numpy.int8),
        others=others,
        cosines=cosines,
    )
    try:
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, raw.getvalue(), durable=False)
    except OSError:
        return

"""The units of a project's tasks that are not done yet, made with every checkpoint, so that the hook knows them.

    .state/tasks/watch/<project>     per task that is worked on: series with the numbers that are left, names, what was
                                     seen begun, and the places to which units of it went so far

It is bounded, and reading it costs the hook one small file. Derived: with the boot file it is made anew.
"""

from __future__ import annotations

from holdfast.capture import codec, home, platform
from holdfast.capture.ids import digest
from holdfast.model import replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.tasks.index import Index

VERSION = 1
LARGEST = 1 << 18
MOST_TASKS = 8
MOST_NAMES = 400  # the first of what is left
MOST_RANGES = 64
MOST_BEGUN = 20
RECENT = 24  # observations that say where units go
AHEAD = 1000  # numbers beyond the last one, where nobody said how many there are


@value
class Series:
    """Numbers of one word that are left, as ranges; `last`: the highest that was named, where nobody said how many
    there are, else 0."""

    word: str
    width: int
    ranges: tuple[tuple[int, int], ...]
    last: int = 0

    def has(self, number: int) -> bool:
        return any(low <= number <= high for low, high in self.ranges)

    def goes_on_to(self, number: int) -> bool:
        return 0 < self.last < number <= self.last + AHEAD


@value
class Watched:
    """One task: what is left of it, what was seen begun, and the places (a path with a hole) of units seen before."""

    id: str
    series: tuple[Series, ...]
    names: tuple[str, ...]
    begun: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


def path_of(state: str, project: str) -> str:
    return f"{state}/tasks/watch/{digest(project, 24)}"


def write(vault: str, index: Index, project: str) -> None:
    """Raises nothing that matters: a disk that refuses it costs freshness."""
    from holdfast.tasks import states

    path = path_of(home.state(vault), project)
    running = [one.id for one in index.tasks_under(project) if one.state in states.RUNNING][:MOST_TASKS]
    found = [one for one in (_watched(index, task) for task in running) if one.series or one.names]
    try:
        if not found:
            platform.remove(path)
            return
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, _encoded(project, found), durable=False)
    except OSError:
        return


def read(state: str, project: str) -> tuple[Watched, ...]:
    """Nothing there, or nothing of ours: none."""
    try:
        found = codec.decode(platform.read_regular(path_of(state, project), LARGEST))
        if found["v"] != VERSION or found["project"] != project:
            return ()
        return tuple(
            Watched(
                str(one["id"]),
                tuple(_series(*series) for series in one["series"]),
                *(tuple(map(str, one[name])) for name in ("names", "begun", "places")),
            )
            for one in found["tasks"]
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()


def add_begun(state: str, project: str, task: str, begun: Sequence[str]) -> None:
    """Units that were seen begun since this was made: a session that is told of them may look at them and go on."""
    known = read(state, project)
    fresh = [replace(one, begun=tuple(begun)[:MOST_BEGUN]) if one.id == task else one for one in known]
    if tuple(fresh) != known:
        platform.write_atomic(path_of(state, project), _encoded(project, fresh), durable=False)


def _encoded(project: str, tasks: Sequence[Watched]) -> bytes:
    told = [{**one.__dict__, "series": [_row(series) for series in one.series]} for one in tasks]
    return codec.encode({"v": VERSION, "project": project, "tasks": told})


def _row(one: Series) -> list[object]:
    return [one.word, one.width, list(map(list, one.ranges)), one.last]


def _series(word: object, width: int, ranges: list[list[int]], last: int) -> Series:
    return Series(str(word), int(width), tuple((int(low), int(high)) for low, high in ranges), int(last))


def _watched(index: Index, task: str) -> Watched:
    from holdfast.tasks import entry as entries
    from holdfast.tasks import matching, numbers, spans, units

    begun: list[str] = []
    series = []
    for word, said in index.known_spans(task).items():
        width = max(span.width for span in said)
        begun += [numbers.said_as(word, span.low, span.low, width) for span in said if span.state == units.BEGUN]
        is_planned = any(span.state == units.PENDING for span in said)
        last = 0 if is_planned or said[-1].high == numbers.OPEN else said[-1].high
        left = spans.left(said)
        ranges = left if len(left) <= MOST_RANGES else [(left[0][0], left[-1][1])]
        if ranges or last:
            series.append(Series(word, width, tuple(ranges), last))
    names = index.unfinished_names(task, MOST_NAMES)
    begun += [one.name for one in names if one.state == units.BEGUN]
    observed = index.entries(task, entries.SEEN, newest=RECENT)
    places = {matching.place_of(one.field, one.text) for one in observed if one.field} - {""}
    left_over = tuple(one.name for one in names if not one.within)
    return Watched(task, tuple(series), left_over, tuple(begun[:MOST_BEGUN]), tuple(sorted(places)))

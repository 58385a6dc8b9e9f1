"""The units of a project's tasks that are not done yet, kept for the hook, and which unit a file or command means.

    .state/tasks/watch/<project>     per task that is worked on: series with the numbers that are left, names, what was
                                     seen begun, and the places to which units of it went so far

It is bounded, made with every checkpoint, and read as one small file. A script that takes one file for another unit's
would have work skipped that nobody did, so a match is either sure or a guess. Sure is a path that a unit names; a
number behind the series' own word (unit-3, batch_3/), alone (out/095.json), or with the zeros that the series has
(order_095.json); a file in a folder, or one that a pattern fits, as a part of it. A guess is a unit's name with another
folder or ending (src/users.py, docs/users.md) or a number without zeros (report_7.md): it counts once a second unit
went to the same place, which is a path with a hole.
"""

from __future__ import annotations

from holdfast.capture import codec, home, platform
from holdfast.capture.ids import digest
from holdfast.model import replace, value
from holdfast.tasks import numbers
from holdfast.tasks.numbers import HOLE, is_digit

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
    told = [
        {**one.__dict__, "series": [[part.word, part.width, part.ranges, part.last] for part in one.series]}
        for one in tasks
    ]
    return codec.encode({"v": VERSION, "project": project, "tasks": told})


def _series(word: object, width: int, ranges: list[list[int]], last: int) -> Series:
    return Series(str(word), int(width), tuple((int(low), int(high)) for low, high in ranges), int(last))


def _watched(index: Index, task: str) -> Watched:
    from holdfast.tasks import record, spans, units

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
    observed = index.entries(task, record.SEEN, newest=RECENT)
    places = {place_of(one.field, one.text) for one in observed if one.field} - {""}
    left_over = tuple(one.name for one in names if not one.within)
    return Watched(task, tuple(series), left_over, tuple(begun[:MOST_BEGUN]), tuple(sorted(places)))


LONGEST = 1 << 14  # of a text that is looked through
LONGEST_RANGE = 200  # numbers that one text may speak of at once
WILD = "*?["
AROUND = "\"'`;,()[]{}<>:&|"
PHRASE = 8  # letters that a unit of several words has at least, to be found in a sentence
WORDED, ALONE, ZEROS = 3, 2, 1  # how a number belongs to a series, the surest first


@value
class Unit:
    """A unit that was meant, as a line of progress names it. `within`: the folder or pattern of which it is a part;
    `place`: where it went, for a guess; "" where it is sure."""

    label: str
    within: str = ""
    place: str = ""


def of_path(task: Watched, path: str) -> Unit | None:
    """The unit that a file belongs to. `path` is relative to the project."""
    path = path.removeprefix("./").lstrip("/")
    exact = [name for name in task.names if _ends_with(path, name)]
    if exact:
        return Unit(max(exact, key=len))
    guess = _guess(task, path)
    known = Unit(guess.label) if guess and guess.place in task.places else None
    sure = _of_series_of_names(task, path) or _of_series(task, path) or known or _part(task, path)
    return sure or _of_series(task, path, beyond=True) or guess


def in_text(task: Watched, text: str) -> list[Unit]:
    """The units that a command or a message names, each once. A unit that is one plain word is only a guess."""
    found: dict[str, Unit] = {}
    words = [word.strip(AROUND) for word in text[:LONGEST].replace("=", " ").split()]
    for at, word in enumerate(words):
        unit = _of_word(task, words[at - 1] if at else "", word) if word else None
        if unit:
            found.setdefault(unit.label, unit)
    lowered = f" {' '.join(words)} ".lower()
    for name in task.names:
        if " " in name and len(name) >= PHRASE and f" {name.lower()} " in lowered:
            found.setdefault(name, Unit(name))
        elif name.isalpha() and name in words:
            found.setdefault(name, Unit(name, place=name))
    return list(found.values())


def place_of(path: str, label: str) -> str:
    """A path with a hole where the unit stands in it; "" where it does not, or where the path is the unit's own."""
    said = numbers.numbers(label)
    if said is not None and said.low == said.high:
        holes = [place for place, number in numbers.numbered(path) if number == said.low]
        return holes[-1] if holes else ""
    if _ends_with(path, label) or not _stem(path) or _stem(path) != _stem(label):
        return ""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{HOLE}{name[len(_stem(path)) :]}"


def _ends_with(path: str, name: str) -> bool:
    return bool(name) and (path == name or path.endswith(f"/{name.lstrip('/')}"))


def _of_series_of_names(task: Watched, path: str) -> Unit | None:
    """`order_{}.json`: by its whole name, or with another folder or ending and the same stem, zeros included."""
    for series in task.series:
        if HOLE not in series.word:
            continue
        for place, number in numbers.numbered(path):
            own = _ends_with(place, series.word) or _stem(place) == _stem(series.word)
            label = numbers.said_as(series.word, number, number, series.width)
            if own and _stem(label) == _stem(path) and (series.has(number) or series.goes_on_to(number)):
                return Unit(label)
    return None


def _of_series(task: Watched, path: str, *, beyond: bool = False) -> Unit | None:
    """A number in the file's name, else in the nearest folder's."""
    *folders, name = path.split("/")
    for part in (_stem(name), *reversed(folders)):
        fitting = [
            (how, series, number)
            for series in task.series
            for how, number in (_number_in(part, series, is_file=part == _stem(name)),)
            if how and (series.goes_on_to(number) if beyond else series.has(number))
        ]
        best = [one for one in fitting if one[0] == max(how for how, *_ in fitting)]
        if len(best) > 1:
            spoken = path.lower().replace("/", " ").replace("_", " ").replace("-", " ").split()
            best = [one for one in best if any(form in spoken for form in _forms(one[1].word))]
        if len(best) == 1:
            _, series, number = best[0]
            return Unit(numbers.said_as(series.word, number, number, series.width))
        if fitting:
            return None  # several could be meant
    return None


def _number_in(part: str, series: Series, *, is_file: bool) -> tuple[int, int]:
    """How a name belongs to a series, 0 where it does not, and its number."""
    if HOLE in series.word:
        return 0, 0
    lowered = part.lower()
    digits = _digits_at_end(lowered)
    head = lowered[: len(lowered) - len(digits)]
    if not digits or len(digits) > 10:
        return 0, 0
    has_zeros = series.width > 1 and len(digits) == series.width
    if not head:
        return (ALONE if is_file or has_zeros else 0), int(digits)
    if series.word and head.rstrip("-_ ") in _forms(series.word):
        return WORDED, int(digits)
    return (ZEROS if has_zeros and not any(map(is_digit, head)) else 0), int(digits)


def _forms(word: str) -> tuple[str, ...]:
    """A series' word as file names have it: also in the plural, and with its own words put together."""
    one = word.replace(" ", "_")
    last = word.rpartition(" ")[2]
    return one, f"{one}s", one.replace("_", "-"), f"{one}s".replace("_", "-"), last, f"{last}s"


def _guess(task: Watched, path: str) -> Unit | None:
    stem = _stem(path)
    runs = [number for place, number in numbers.numbered(stem)]
    digits = _digits_at_end(stem)
    fitting = [series for series in task.series if HOLE not in series.word and runs and series.has(runs[0])]
    if len(runs) == 1 and digits and len(fitting) == 1:
        label = numbers.said_as(fitting[0].word, runs[0], runs[0], fitting[0].width)
        return Unit(label, place=place_of(path, label))
    alike = [name for name in task.names if name[-1:] != "/" and stem and _slug(_stem(name)) == _slug(stem)]
    if len(alike) != 1:
        return None
    return Unit(alike[0], place=place_of(path, alike[0]) or f"{path.rpartition('/')[0]}/{HOLE}")


def _part(task: Watched, path: str) -> Unit | None:
    for name in task.names:
        if name.endswith("/"):
            at = 0 if path.startswith(name) else path.find(f"/{name}") + 1
            if (at or path.startswith(name)) and len(path) > at + len(name):
                return Unit(path[at:], name)
        elif any(sign in name for sign in WILD):
            from holdfast.capture.armed_match import path_matches

            if path_matches(name, path) or path_matches(f"**/{name}", path):
                return Unit(path, name)
    return None


def _of_word(task: Watched, before: str, word: str) -> Unit | None:
    """One word of a text, with the one before it: a path, `unit-3`, `file 095`, `files 095-097`, or 095 with zeros."""
    if _is_path(word):
        found = of_path(task, word)
        return found if found and not found.place else None
    if not any(map(is_digit, word)):
        return next((Unit(name) for name in task.names if name == word and not name.isalpha()), None)
    said = numbers.numbers(f"{before.lstrip('-')} {word}") if before.lstrip("-").isalpha() else None
    for series in task.series:
        how, number = _number_in(word.lstrip("-"), series, is_file=False)
        is_alone = how == ALONE and len(task.series) == 1 and series.width > 2
        if said and said.series == series.word and said.high - said.low < LONGEST_RANGE:
            how, number = WORDED, said.low
        elif not (how == WORDED or is_alone):
            continue
        else:
            said = None
        high = said.high if said else number
        if any(series.has(one) or series.goes_on_to(one) for one in (number, high)):
            return Unit(numbers.said_as(series.word, number, high, series.width))
    return next((Unit(name) for name in task.names if name == word), None)


def _is_path(word: str) -> bool:
    """A folder in it, or an ending of letters: 2.5.1 and v1.0 are none."""
    ending = word.rpartition(".")[2] if "." in word[1:] else ""
    has_ending = ending[:1].isalpha() and len(ending) < 7
    return "://" not in word and word[:1] != "-" and ("/" in word.strip("/") or has_ending)


def _stem(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2].partition(".")[0]


def _slug(text: str) -> str:
    return text.lower().replace("-", "_").replace(" ", "_")


def _digits_at_end(text: str) -> str:
    return text[len(text.rstrip("0123456789")) :]

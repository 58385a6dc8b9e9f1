"""Repetition in an answer: thoughts that sleep found to say the same, and those that its summaries carry.

Of several that say the same the first keeps its place. Of the thoughts of one summary the best KEPT keep theirs, and
the summary stands in the place of the next one; that one and the rest come after everything else. It stands there only
where it is no longer than its sources in the answer: else it would cost its reader more than it spares.

Promise: no thought stands lower because sleep made something, save those that the answer holds already in other words.
A summary is not searched itself: with its sources' own words it would win over them, and cost every other thought a
place. It comes with its sources.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from holdfast.field.thought import WITHDRAWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.field.retrieval import Result
    from holdfast.field.thought import Thought

KEPT = 2  # thoughts of one summary that keep their places


def folded(
    found: Sequence[Result],
    alike: Mapping[str, Mapping[str, float]],
    made: Mapping[str, Mapping[str, float]],
    fetched: Callable[[str, Result], Result | None],
    most: int,
) -> list[Result]:
    """An answer without repetition at its head. `alike` names for a thought the one that says the same, `made` the
    summaries of it; `fetched` makes the result that stands in the place of another, None where there is none; `most`
    results are shown."""
    names = groups(alike)
    sizes = _sizes(found[:most], made)
    said: set[str] = set()
    shown: Counter[str] = Counter()
    standing: dict[str, Result | None] = {}
    first: list[Result] = []
    again: list[Result] = []
    for one in found:
        ident = one.thought.id
        group = names.get(ident, ident)
        if group in said:
            again.append(one)
            continue
        said.add(group)
        by = next((each for each in sorted(made.get(ident, ())) if shown[each] >= KEPT), "")
        if by and by not in standing:
            summary = fetched(by, one)
            standing[by] = summary if summary is not None and _size(summary) <= sizes[by] else None
            first += [summary] if summary is not None and standing[by] is not None else []
        (again if standing.get(by) is not None else first).append(one)
        shown.update(made.get(ident, ()))
    return first + again


def _sizes(found: Sequence[Result], made: Mapping[str, Mapping[str, float]]) -> Counter[str]:
    """The letters that each summary's sources take in an answer."""
    sizes: Counter[str] = Counter()
    for one in found:
        sizes.update(dict.fromkeys(made.get(one.thought.id, ()), _size(one)))
    return sizes


def _size(one: Result) -> int:
    """The letters of its words: a digest's marks and breaks count nothing."""
    return sum(len(word) for line in one.thought.text.splitlines() for word in line.removeprefix("- ").split())


def groups(alike: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """One name for all that are linked with each other: two machines may have linked the same pair both ways."""
    names: dict[str, str] = {}
    for one, others in alike.items():
        linked = {one, *others}
        old = {names.get(each, each) for each in linked}
        new = min(old)
        names |= dict.fromkeys((*linked, *(each for each, name in names.items() if name in old)), new)
    return names


def is_outdated(summary: Thought, sources: Mapping[str, Thought]) -> bool:
    """Whether a summary says what was forgotten or purged since, quotes a line whose place another took, or does not
    know the thought that took it."""
    text = " ".join(summary.text.split())
    if len(sources) < len(summary.sources) or any(one.superseded_by == WITHDRAWN for one in sources.values()):
        return True
    gone = [one for one in sources.values() if one.superseded_by]
    return any(one.superseded_by not in sources or " ".join(one.text.split()) in text for one in gone)

"""Repetition in an answer: thoughts that sleep found to say the same, and those that its summaries carry.

Of several that say the same the first keeps its place. Of the thoughts of one summary the best KEPT keep theirs, and
the summary stands in the place of the next one; that one and the rest come after everything else.

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
) -> list[Result]:
    """An answer without repetition at its head. `alike` names for a thought the one that says the same, `made` the
    summaries of it; `fetched` makes the result that stands in the place of another, None where there is none."""
    names = groups(alike)
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
            summary = standing[by] = fetched(by, one)
            first += [summary] if summary is not None else []
        (again if standing.get(by) is not None else first).append(one)
        shown.update(made.get(ident, ()))
    return first + again


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
    """Whether a summary says what was forgotten or purged since, or quotes a line whose place another took."""
    text = " ".join(summary.text.split())
    if len(sources) < len(summary.sources) or any(one.superseded_by == WITHDRAWN for one in sources.values()):
        return True
    return any(one.superseded_by and " ".join(one.text.split()) in text for one in sources.values())

"""Where a task stands when its log is ahead of what was rendered by nothing but observations of the hook.

That is how an agent that never checkpoints leaves a task, so the very next start has to know it, and may not pay for
the index and the page: what the standing is made of lies beside what starts are told (tasks/boot), and what was seen
since is laid upon it, by the same rules as in the index. Where there is too much of it, the start catches up itself.
"""

from __future__ import annotations

from holdfast.model import value
from holdfast.tasks import entry as entries
from holdfast.tasks import numbers, progress, seen, spans
from holdfast.tasks.progress import Named
from holdfast.tasks.spans import Span
from holdfast.tasks.units import BEGUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from holdfast.tasks.entry import Entry
    from holdfast.tasks.progress import Standing
    from holdfast.tasks.units import Mark
    from holdfast.tasks.view import View

MOST = 300  # spans or names that are kept for it


@value
class Ahead:
    """The standing with what was seen since, the next step, and the units that are begun now."""

    standing: Standing
    step: str
    begun: tuple[str, ...]


def kept(
    series: Mapping[str, Sequence[Span]], names: Sequence[Named], order: Sequence[str], view: View
) -> dict[str, Any] | None:
    """What a standing is made of, to be written down; None where that is too much."""
    known = [(key, span) for key, said in series.items() for span in said]
    if len(known) > MOST or len(names) > MOST:
        return None
    spoken = {*series, *(one.name for one in names)}
    return {
        "spans": [[key, one.low, one.high, one.state, one.entry, one.width, one.within] for key, one in known],
        "names": [[one.name, one.state, one.entry, one.within] for one in names],
        "order": [key for key in order if key in spoken],
        "said": view.said_next(),
        "said_at": view.next.time if view.next else 0.0,
        "worked_at": view.worked_at(),
        "is_reached": view.is_reached,
    }


def retold(known: dict[str, Any], late: Sequence[Entry]) -> Ahead | None:
    """The same with what was seen since; None where something else came in too. Raises KeyError, ValueError or
    TypeError where it is nothing of ours."""
    if any(one.kind != entries.SEEN for one in late):
        return None
    series: dict[str, list[Span]] = {}
    for key, *span in known["spans"]:
        series.setdefault(str(key), []).append(Span(*span))
    named = {one.name: one for one in (Named(*row) for row in known["names"])}
    for one in late:
        mark = seen.mark(one)
        mark = seen.in_series(mark, series) if mark and not one.within else mark
        if mark and mark.name:
            fresh = seen.named(named.get(mark.name), mark, one)
            named |= {fresh.name: fresh} if fresh else {}
        elif mark:
            _lay(series, mark, one.id)
    found = progress.standing(series, list(named.values()), known["order"])
    by = next((one for one in late if one.id == found.begun_by), None)
    worked = max(float(known["worked_at"]), *(one.time for one in late))
    step = seen.step(
        found,
        said=str(known["said"]),
        is_newest=float(known["said_at"]) >= worked,
        is_reached=bool(known["is_reached"]),
        begun=seen.how(by) if by else "",
    )
    return Ahead(found, step, _begun(series, named))


def _lay(series: dict[str, list[Span]], mark: Mark, entry: str) -> None:
    said = series.setdefault(mark.series, [])
    for one in seen.laid(said, mark, entry):
        near = [span for span in said if span.low <= one.high + 1 and span.high >= one.low - 1]
        rest = [span for span in said if span not in near]
        after = spans.settled_together(spans.lay(near, one, entry)[0])
        said[:] = sorted([*rest, *after], key=lambda span: span.low)


def _begun(series: dict[str, list[Span]], named: dict[str, Named]) -> tuple[str, ...]:
    """What is begun, unit by unit."""
    found = [one.name for one in named.values() if one.state == BEGUN]
    for key, said in series.items():
        width = max(span.width for span in said)
        found += [numbers.said_as(key, span.low, span.low, width) for span in said if span.state == BEGUN]
    return tuple(found)

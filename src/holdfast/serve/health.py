"""Whether memory is being kept: by the age of the oldest flag that nobody has filed, not by whether a process answers.

A queue that cannot be read is not well either: how old is what it holds is then anybody's guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import queue
from holdfast.capture.queue import CLAIMED, DEAD, UNREADABLE, WAITING

if TYPE_CHECKING:
    from holdfast.serve.serving import Serving


@dataclass(frozen=True)
class State:
    """`why` says in a sentence what is wrong; "" while it is well."""

    counts: dict[str, int]
    oldest: float
    limit: float
    why: str

    @property
    def is_well(self) -> bool:
        return not self.why


def look(serving: Serving) -> State:
    """Of all projects: a flag that is forgotten is one too many, whosoever it is."""
    now = serving.clock()
    view = queue.read(f"{serving.state}/queue", now)
    counts = {state: len(view.of(state)) for state in (WAITING, CLAIMED, DEAD)}
    oldest = max((now - entry.flag.time for entry in view.entries), default=0.0)
    unreadable = sum(1 for _, found in view.broken if found.what == UNREADABLE)
    return State(counts, max(0.0, oldest), serving.health_age, _why(counts, oldest, serving.health_age, unreadable))


def _why(counts: dict[str, int], oldest: float, limit: float, unreadable: int) -> str:
    if unreadable:
        return f"{unreadable} files of the queue cannot be read; nothing in them is lost. `holdfast doctor` says more."
    if oldest <= limit:
        return ""
    waits = sum(counts.values())
    flags = "flag is" if waits == 1 else "flags are"
    dead = f", {counts[DEAD]} dead" if counts[DEAD] else ""
    return (
        f"{waits} {flags} not filed{dead}, the oldest for {oldest / 3600:.1f} hours (limit {limit / 3600:.1f}); "
        "nothing is lost. `holdfast close` files what waits, `holdfast queue` shows it."
    )

"""The cost of a night: the same 1,000 new thoughts in a field of 10,000 and in one of 100,000.

The older thoughts are real sentences in ten projects, written forty days before: the clusters of these weeks know
nothing of them any more, and a night before has dealt with them. The new ones are planted, so that there is something
to link and to put together, and they are the same in both fields. The time of each part is taken by a clock around the
product's own function.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from holdfast.capture import home
from holdfast.field import embedding, handle, intake
from holdfast.field.embedders import Embedder
from holdfast.field.thought import Thought
from holdfast.sleep import abstracts, archive, consolidation, disputes, links, material, trial
from holdfast.sleep.night import Night
from sleep_planted import PROJECT, world
from sleep_world import HOUR, NOW, keep, sentences

DAY = 24 * HOUR
NEW = 1000
PROJECTS = (PROJECT, *(f"project-{nth}" for nth in range(9)))
PARTS: dict[str, tuple[tuple[Any, str], ...]] = {
    "take-in": ((Night, "_take_in"),),
    "clusters": ((material, "gather"),),
    "links and digests": ((links, "changes"), (consolidation, "subjects"), (abstracts, "changes")),
    "contradictions": ((disputes, "planned"),),
    "trial": ((trial, "tried"),),
    "archive": ((archive, "candidates"),),
    "write, git, index": ((Night, "_carried_out"),),
}


@dataclass
class Cost:
    """Seconds of one night, by part: on the wall and of the processor."""

    size: int
    wall: float = 0.0
    cpu: float = 0.0
    parts: dict[str, tuple[float, float]] = field(default_factory=dict)
    steps: int = 0


def measured(data: Path, sizes: Sequence[int], embedder: Embedder | None) -> list[Cost]:
    pool = sentences(data, max(sizes))
    new = world(data, 0, 100, 20).thoughts[:NEW]
    return [_measured(pool[: min(size, len(pool))], new, embedder) for size in sizes]


def _measured(pool: Sequence[str], new: Sequence[Thought], embedder: Embedder | None) -> Cost:
    clock = [NOW - DAY]  # of the night before: what is old is past the horizon of clusters
    old = [
        Thought(f"o{nth}", text, agent="bench", project=PROJECTS[nth % len(PROJECTS)], created=NOW - 40 * DAY)
        for nth, text in enumerate(pool)
    ]
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        vault = str(Path(folder) / "vault")
        home.make_vault(vault)
        keep(vault, old)
        with handle.opened(vault, embedder, lambda: clock[0]) as opened:
            intake.sync(opened)
            if embedder is not None:
                embedding.everything(opened, embedder)
            with opened.store.writing():
                opened.store.rested({one.id: one.created for one in old})
            Night(opened).sleep()
            clock[0] = NOW
            keep(vault, new)
            return _night(Night(opened), len(pool))


def _night(night: Night, size: int) -> Cost:
    found = Cost(size)
    began, worked = time.perf_counter(), time.process_time()
    with _clocks(found):
        found.steps = len(night.sleep().steps)
    found.wall, found.cpu = time.perf_counter() - began, time.process_time() - worked
    return found


@contextmanager
def _clocks(found: Cost) -> Iterator[None]:
    """A clock around each function of PARTS; the part that another one calls is counted in it too."""
    with ExitStack() as stack:
        for name, places in PARTS.items():
            for owner, attribute in places:
                stack.enter_context(patch.object(owner, attribute, _timed(getattr(owner, attribute), name, found)))
        yield


def _timed(function: Callable[..., Any], name: str, found: Cost) -> Callable[..., Any]:
    def run(*given: Any, **more: Any) -> Any:
        began, worked = time.perf_counter(), time.process_time()
        try:
            return function(*given, **more)
        finally:
            wall, cpu = found.parts.get(name, (0.0, 0.0))
            spent = time.perf_counter() - began, time.process_time() - worked
            found.parts[name] = wall + spent[0], cpu + spent[1]

    return run

"""The embedded store and a team's side by side: an answer, a thought, and what noting an answer takes, as both grow.

A project has at most 10,000 thoughts, and questions are asked within one. The measure of the team's store of a million
is the embedded store of one such project alone: at most 1.5 of its answers' time, on loopback.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from team_support import Team

from field import Generated, Speaker
from holdfast.capture.ids import new_id
from holdfast.field import retrieval
from holdfast.field.handle import Field
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Scope, Store
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event
from shared_world import NOW, bulk, settle
from support import median

PROJECT = 10_000
BATCH = 5_000
AIM = 1.5


def measured(team: Team, sizes: Sequence[int], queries: int, tell: Callable[[str], None]) -> dict[str, Any]:
    embedder = Generated()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        anchor = _embedded(f"{folder}/anchor.db", PROJECT, embedder)
        found = []
        for size in sizes:
            began = time.perf_counter()
            name = f"speed-{size}"
            team.join("ada", name)
            ours = SqliteStore(f"{folder}/{size}.db")
            for some in _thoughts(size):
                ours.take("all", "1", some, anew=False)
                ours.embed(
                    embedder.name,
                    dict(zip([one.id for one in some], embedder.embed([one.text for one in some]), strict=True)),
                )
                bulk(team, name, some, embedder)
            settle(team, name)
            tell(f"{size:,} thoughts in both after {time.perf_counter() - began:.0f} s")
            stores: dict[str, Store] = {"embedded": ours, "team": team.store("ada", name), "alone": anchor}
            found.append({"size": size, **_timed(stores, size, embedder, queries)})
            tell(str(found[-1]))
            ours.close()
        return {"aim": AIM, "project": PROJECT, "sizes": found}


def _thoughts(size: int) -> Any:
    speaker = Speaker(size)
    for begin in range(0, size, BATCH):
        yield [
            Thought(
                new_id(NOW + nth), speaker.says(20), project=f"project-{nth // PROJECT}", agent="a", created=NOW + nth
            )
            for nth in range(begin, min(size, begin + BATCH))
        ]


def _embedded(path: str, size: int, embedder: Generated) -> SqliteStore:
    store = SqliteStore(path)
    for some in _thoughts(size):
        store.take("all", "1", some, anew=False)
        store.embed(
            embedder.name, dict(zip([one.id for one in some], embedder.embed([one.text for one in some]), strict=True))
        )
    return store


def _timed(stores: dict[str, Store], size: int, embedder: Generated, queries: int) -> dict[str, Any]:
    """Interleaved, so that a noisy machine disturbs all of them alike."""
    speaker = Speaker(size + 1)
    projects = max(1, size // PROJECT)
    times: dict[str, list[float]] = {}
    for nth in range(queries + 5):
        query, text = speaker.says(4), speaker.says(20)
        for name, store in stores.items():
            field = Field("", store, embedder, lambda: NOW + 2 * size)
            where = Scope(f"project-{nth % projects if name != 'alone' else 0}")
            began = time.perf_counter()
            answer = retrieval.ask(field, query, where)
            asked = time.perf_counter()
            ids = tuple(one.thought.id for one in answer.results)
            store.travel([Event(NOW + size + nth, GOT, ids, f"agent-{nth % 5}", query=query, new=answer.new)], nth)
            noted = time.perf_counter()
            made = Thought(new_id(NOW + nth), text, project=where.project or "", agent="a", created=NOW + nth)
            store.take("think", str(nth), [made], anew=False)
            thought = time.perf_counter()
            if nth >= 5:
                for what, spent in (("answer", asked - began), ("note", noted - asked), ("think", thought - noted)):
                    times.setdefault(f"{name} {what}", []).append(spent)
    found = {f"{name} p50 ms": median(each) * 1e3 for name, each in times.items()}
    found.update({f"{name} p99 ms": sorted(each)[int(len(each) * 0.99)] * 1e3 for name, each in times.items()})
    found["team / alone"] = found["team answer p50 ms"] / found["alone answer p50 ms"]
    found["team / embedded"] = found["team answer p50 ms"] / found["embedded answer p50 ms"]
    return {name: round(value, 3) for name, value in found.items()}

"""What the parts of bench/shared.py share: a real server, a team in it, and the two stores filled alike."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "unit"))

from pg_cluster import Postgres
from team_support import Team

from holdfast.field import embedding
from holdfast.field.embedders import Embedder
from holdfast.field.handle import Field
from holdfast.field.store import Store
from holdfast.field.thought import Thought

AT_ONCE = 500
NOW = 1_790_000_000.0


@contextmanager
def a_team() -> Iterator[Team]:
    """A team in a database of a server of its own, which syncs as a real one does."""
    with Postgres() as programs:
        team = Team(programs.cluster({"shared_buffers": "512MB", "work_mem": "64MB"}, durable=True).database())
        yield team
        team.close()


def fill(store: Store, thoughts: Sequence[Thought], place: str = "all") -> None:
    for begin in range(0, len(thoughts), AT_ONCE):
        store.take(place, str(begin), thoughts[begin : begin + AT_ONCE], anew=False)


def embed(store: Store, embedder: Embedder, vault: str = "") -> None:
    """The vectors of everything, as a sync makes them."""
    embedding.give(Field(vault, store, embedder, lambda: NOW), embedder)
    embedding.finish(Field(vault, store, embedder, lambda: NOW), embedder)


def shown(results: Any) -> list[tuple[str, float, float, float]]:
    """Everything of an answer that a reader is shown as a figure."""
    return [(one.thought.id, round(one.score, 4), round(one.relevance, 4), round(one.weight, 4)) for one in results]

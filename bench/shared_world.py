"""What the parts of bench/shared.py share: a real server, a team in it, and the two stores filled alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from pg_cluster import Postgres
from team_support import Team

from holdfast.field import embedding, words
from holdfast.field.embedders import Embedder
from holdfast.field.handle import Field
from holdfast.field.postgres import rows, tokens
from holdfast.field.postgres.store import halved
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


def bulk(team: Team, name: str, thoughts: Sequence[Thought], embedder: Embedder) -> None:
    """The rows that `take` and `embed` would make, by COPY as the superuser: a million of them in minutes."""
    code = int(team.database.sql("SELECT code FROM holdfast.team WHERE name = %s", name)[0][0])
    known = {"", *(one.project for one in thoughts)}
    with psycopg.connect(team.database.dsn()) as db, db.cursor() as cursor:
        for project in sorted(known):
            cursor.execute(
                "INSERT INTO holdfast.project (team, name) VALUES (%s, %s) ON CONFLICT DO NOTHING", (code, project)
            )
        codes: dict[str, int] = dict(
            cursor.execute("SELECT name, code FROM holdfast.project WHERE team = %s", (code,)).fetchall()
        )
        first = int(cursor.execute("SELECT coalesce(max(n), 0) FROM holdfast.thought").fetchall()[0][0])
        columns = ("team", "n", *rows.COLUMNS, *rows.OWN, "person")
        texts = [(one.title, one.text, one.context, words.extra(one)) for one in thoughts]
        found = tokens.of_texts(texts)
        with cursor.copy(f"COPY holdfast.thought ({', '.join(columns)}) FROM STDIN") as out:
            for at, (one, said) in enumerate(zip(thoughts, found, strict=True), first + 1):
                out.write_row((code, at, *rows._row(one, codes[one.project], said, "bulk"), "hf_ada"))
        with cursor.copy("COPY holdfast.held (team, id, machine, place, person) FROM STDIN") as out:
            for one in thoughts:
                out.write_row((code, one.id, "bulk", "all", "hf_ada"))
        with cursor.copy("COPY holdfast.posting FROM STDIN") as out:
            for at, (one, said) in enumerate(zip(thoughts, found, strict=True), first + 1):
                for term, spots in said.spots.items():
                    out.write_row((code, term, codes[one.project], at, said.freqs[term], said.length, spots))
        counts: Counter[int] = Counter()
        for said in found:
            counts.update([tokens.SIZES, *said.spots])
            counts[tokens.LENGTHS] += said.length
        with cursor.copy("COPY holdfast.tally_news FROM STDIN") as out:
            for term, docs in counts.items():
                out.write_row((code, term, docs))
        made = embedder.embed([words.embedded(one) for one in thoughts])
        with cursor.copy("COPY holdfast.vector FROM STDIN") as out:
            for one, row in zip(thoughts, made, strict=True):
                out.write_row((code, embedder.name, codes[one.project], one.id, 0, *halved(row)))
        cursor.execute(
            "INSERT INTO holdfast.setting VALUES (%s, 'model', %s) ON CONFLICT DO NOTHING", (code, embedder.name)
        )


def settle(team: Team, name: str) -> None:
    """Counts are added up and the planner knows the sizes, as after a night."""
    team.store("ada", name).compact()
    with psycopg.connect(team.database.dsn(), autocommit=True) as db:
        db.execute("SELECT setval('holdfast.thought_n_seq', (SELECT max(n) FROM holdfast.thought))")
        db.execute("VACUUM ANALYZE")

"""A real PostgreSQL for every group of tests: one server for a run, a fresh database for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pg_cluster import Cluster, Database, Postgres
    from team_support import Team

    from holdfast.field.postgres.store import PostgresStore


@pytest.fixture(scope="session")
def postgres_programs() -> Iterator[Postgres]:
    """To make clusters of one's own: `.cluster(tcp=True)`, `.family(2)`; kill those that a test no longer needs."""
    from pg_cluster import Postgres

    with Postgres() as made:
        yield made


@pytest.fixture(scope="session")
def postgres_server(postgres_programs: Postgres) -> Cluster:
    """The one server that the tests of this process share."""
    return postgres_programs.cluster()


@pytest.fixture
def postgres(postgres_server: Cluster) -> Iterator[Database]:
    """An empty database, with the roles that a test makes there: `postgres.dsn(user="ada")`."""
    made = postgres_server.database()
    yield made
    made.drop()


@pytest.fixture
def team(postgres: Database) -> Iterator[Team]:
    """A prepared database for teams."""
    from team_support import Team

    made = Team(postgres)
    yield made
    made.close()


@pytest.fixture
def team_store(team: Team) -> PostgresStore:
    """A team's store, of one machine of one person."""
    return team.store()

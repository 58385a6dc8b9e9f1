"""The servers of the tests do what the tests of the shared field take for granted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from pg_cluster import OWNER, Cluster, Database, Family, NotStarted, Postgres

pytestmark = pytest.mark.slow


@pytest.fixture
def family(postgres_programs: Postgres) -> Iterator[Family]:
    made = postgres_programs.family(2)
    yield made
    for one in made.members:
        one.kill()


def test_a_server_is_there_soon(postgres_programs: Postgres, postgres_server: Cluster) -> None:
    began = time.monotonic()
    one = postgres_programs.cluster()
    assert time.monotonic() - began < 3
    assert one.sql("SELECT 1") == [(1,)]
    one.stop()
    assert not one.is_running
    one.start()
    one.kill()
    assert not Path(f"/proc/{one.pid}").exists()
    assert postgres_server.is_running


def test_a_database_has_vectors(postgres: Database) -> None:
    postgres.sql("CREATE EXTENSION vector")
    ((said,),) = postgres.sql("SELECT '[1,2]'::halfvec <=> '[2,1]'::halfvec")
    assert said == pytest.approx(0.2)


@pytest.mark.parametrize("turn", [1, 2])
def test_a_database_is_fresh_and_so_are_its_roles(postgres: Database, turn: int) -> None:
    postgres.sql("CREATE TABLE one (number int)")
    postgres.sql("CREATE ROLE ada LOGIN")
    postgres.sql("GRANT SELECT ON one TO ada")
    with psycopg.connect(postgres.dsn(user="ada")) as connection:
        assert connection.execute("SELECT current_user, count(*) FROM one").fetchall() == [("ada", 0)]


def test_a_template_is_filled_once(postgres_server: Cluster) -> None:
    filled = []

    def fill(dsn: str) -> None:
        filled.append(dsn)
        with psycopg.connect(dsn) as connection:
            connection.execute("CREATE TABLE ready (number int)")

    for _ in range(2):
        made = postgres_server.database(postgres_server.template("filled_once", fill))
        assert made.sql("SELECT count(*) FROM ready") == [(0,)]
        made.drop()
    assert len(filled) == 1


def test_over_loopback_a_password_is_asked_for(postgres_programs: Postgres) -> None:
    one = postgres_programs.cluster(tcp=True)
    one.sql("CREATE ROLE ada LOGIN PASSWORD 'her own'")
    with psycopg.connect(one.dsn("ada", password="her own")) as connection:
        assert connection.info.host == "127.0.0.1"
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(one.dsn("ada", password="another's"))
    one.stop()


def test_an_older_server_is_there_too() -> None:
    with Postgres(16) as older:
        one = older.cluster()
        assert one.sql("SHOW server_version_num")[0][0].startswith("16")
        one.sql("CREATE EXTENSION vector")
    assert not older.folder.exists()
    assert not one.is_running


def test_a_server_that_cannot_start_says_why(postgres_programs: Postgres) -> None:
    with pytest.raises(NotStarted, match="no_such_setting"):
        postgres_programs.cluster({"no_such_setting": "1"})


def test_what_was_acknowledged_outlives_two_primaries(family: Family) -> None:
    """Eight clients write while the primary is killed and a standby promoted, twice."""
    family.primary.sql("CREATE TABLE written (number int PRIMARY KEY)")
    acknowledged: list[set[int]] = [set() for _ in range(8)]
    is_over = threading.Event()

    def write(client: int) -> None:
        number = client
        while not is_over.is_set():
            with suppress(psycopg.OperationalError), psycopg.connect(dsn, autocommit=True, connect_timeout=2) as it:
                while not is_over.is_set():
                    it.execute("INSERT INTO written VALUES (%s) ON CONFLICT DO NOTHING", (number,))
                    acknowledged[client].add(number)
                    number += len(acknowledged)

    def more_is_written() -> None:
        wanted = [len(one) + 20 for one in acknowledged]
        family.primary.until(
            lambda: all(len(one) >= most for one, most in zip(acknowledged, wanted, strict=True)), "takes nothing more"
        )

    dsn = family.dsn()
    writers = [threading.Thread(target=write, args=(client,)) for client in range(8)]
    for one in writers:
        one.start()
    try:
        for _ in range(2):
            more_is_written()
            family.kill()
            before = family.primary
            assert family.promote() is not before
            more_is_written()
    finally:
        is_over.set()
        for one in writers:
            one.join()
    there = {number for (number,) in family.primary.sql("SELECT number FROM written")}
    assert set.union(*acknowledged) <= there
    joined = family.join()
    assert {number for (number,) in joined.sql("SELECT number FROM written")} == there


def test_a_standby_follows_and_cannot_be_written(family: Family) -> None:
    family.primary.sql("CREATE TABLE one (number int)")
    family.primary.sql("INSERT INTO one VALUES (7)")
    family.wait_for_standbys()
    for standby in family.standbys:
        assert standby.sql("SELECT number FROM one") == [(7,)]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            standby.sql("INSERT INTO one VALUES (8)")
    with psycopg.connect(family.dsn()) as connection:
        assert connection.info.user == OWNER
        assert connection.info.host == str(family.primary.folder)

"""A team's store: what several machines send adds up the same in any order, and each answers for its own part."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hook_support import fill_up, mounted
from pg_cluster import Database
from psycopg.waiting import Wait
from team_support import Team

from holdfast.field.postgres import schema, search
from holdfast.field.postgres.connection import Away, Refused, Server
from holdfast.field.postgres.store import PostgresStore
from holdfast.field.postgres.waking import Waking
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Hit, Scope
from holdfast.field.thought import Thought, Traffic
from holdfast.field.traffic import AGAIN, GOT, USED, Event

if TYPE_CHECKING:
    from pathlib import Path

    from pg_cluster import Postgres
    from psycopg.abc import PQGen

pytestmark = pytest.mark.slow

NOW = 1_790_000_000.0


def a_thought(ident: str, text: str = "", **more: Any) -> Thought:
    return Thought(ident, text or f"words of {ident}", created=NOW, **more)


def some_events(seed: int, machine: str, count: int) -> list[Event]:
    chance = random.Random(f"{seed}{machine}")
    return [
        Event(
            NOW + chance.randrange(0, 40) * 1800 + at,
            chance.choice((GOT, GOT, USED, AGAIN)),
            tuple(chance.sample("abcde", chance.randrange(1, 4))),
            f"{machine}:{chance.choice('xy')}",
            query=f"q{at}",
        )
        for at in range(count)
    ]


def sent(store: PostgresStore, events: list[Event], at_once: int) -> list[tuple[PostgresStore, list[Event], int]]:
    return [(store, events[at : at + at_once], at + at_once) for at in range(0, len(events), at_once)]


@pytest.mark.parametrize("seed", range(4))
def test_use_adds_up_the_same_in_whatever_order_machines_send(team: Team, seed: int) -> None:
    chance = random.Random(seed)
    told: list[tuple[dict[str, Traffic], list[Any]]] = []
    for nth in range(3):
        name = f"team{nth}"
        stores = [team.store(one, name, f"{one}-laptop") for one in ("ada", "bob", "cid")]
        stores[0].take("here", "1", [a_thought(one) for one in "abcde"])
        waiting = [sent(store, some_events(seed, store.machine, 24), chance.choice((1, 5, 24))) for store in stores]
        while any(waiting):
            store, events, end = chance.choice([one for one in waiting if one]).pop(0)
            store.travel(events, end)
        told.append((stores[0].traffic("abcde"), stores[0].asked(0, 500)))
    assert told[0] == told[1] == told[2]


def test_one_machine_alone_has_the_weights_of_the_embedded_store(team: Team, tmp_path: Path) -> None:
    ours, theirs = SqliteStore(f"{tmp_path}/field.db"), team.store()
    for events in (some_events(9, "ada", 30), some_events(10, "ada", 30)):
        for store in (ours, theirs):
            store.travel(events, 1)
    assert theirs.traffic("abcde") == ours.traffic("abcde")
    ours.close()


def test_what_is_sent_twice_is_there_once(team: Team) -> None:
    store = team.store()
    for _ in range(2):
        store.take("here", "1", [a_thought("a", "orders use locking"), a_thought("b", "orders retry")])
    alone = team.store("bob", "other")
    alone.take("here", "1", [a_thought("a", "orders use locking"), a_thought("b", "orders retry")])
    assert store.count() == 2
    assert store.lexical(["orders"], Scope(), 5) == alone.lexical(["orders"], Scope(), 5), "nothing is counted twice"


def test_a_thought_of_a_synced_vault_goes_when_the_last_machine_lets_go_of_it(team: Team) -> None:
    ada, bob = team.store("ada"), team.store("bob")
    for store in (ada, bob):
        store.take("knowledge/a.md", "1", [a_thought("n-a", "orders use locking")])
    ada.forget("knowledge/a.md")
    assert [hit.id for hit in bob.lexical(["locking"], Scope(), 5)] == ["n-a"]
    bob.take("knowledge/a.md", "2", [a_thought("n-a", "orders use no locks")])
    assert bob.texts(["n-a"]) == {"n-a": "orders use no locks"}, "whoever still holds it may say it anew"
    bob.forget("knowledge/a.md")
    assert (ada.count(), ada.lexical(["locking"], Scope(), 5)) == (0, [])


def test_nobody_rewrites_what_somebody_else_still_says(team: Team) -> None:
    ada, bob = team.store("ada"), team.store("bob")
    ada.take("here", "1", [a_thought("a", "orders use locking")])
    bob.take("here", "1", [a_thought("a", "orders never use locking")])
    assert bob.texts(["a"]) == {"a": "orders use locking"}
    assert bob.authors(["a"]) == {"a": ("hf_ada", "adas")}
    bob.forget("here")
    assert ada.texts(["a"]) == {"a": "orders use locking"}


def test_a_machine_that_is_cleared_takes_its_own_part_only(team: Team) -> None:
    ada, bob = team.store("ada"), team.store("bob")
    ada.take("here", "1", [a_thought("a", "alpha")])
    bob.take("here", "1", [a_thought("b", "beta")])
    ada.travel([Event(NOW, GOT, ("a", "b"), "ada")], 7)
    bob.travel([Event(NOW + 5, GOT, ("b",), "bob")], 9)
    with ada.writing():
        ada.clear()
    assert (set(bob.thoughts("ab")), ada.places(), bob.places()) == ({"b"}, {}, {"here": "1"})
    assert bob.traffic("ab")["b"].agents == ("bob",)
    assert (ada.travelled(), bob.travelled()) == (0, 9)


def test_a_machine_sent_anew_gives_the_same_field(team: Team) -> None:
    ada, bob = team.store("ada"), team.store("bob")
    mine, theirs = some_events(3, "ada", 20), some_events(4, "bob", 20)

    def send(store: PostgresStore, ident: str, events: list[Event]) -> None:
        store.take("here", "1", [a_thought(ident, f"words about {ident} and orders")])
        store.travel(events, 1)

    send(ada, "a", mine)
    send(bob, "b", theirs)
    before = (bob.thoughts("ab"), bob.traffic("abcde"), bob.lexical(["orders"], Scope(), 5))
    with ada.writing():
        ada.clear()
    send(ada, "a", mine)
    assert (bob.thoughts("ab"), bob.traffic("abcde"), bob.lexical(["orders"], Scope(), 5)) == before


def test_differences_of_counts_are_added_up_without_another_answer(team: Team) -> None:
    store = team.store()
    for nth in range(12):
        store.take(f"p{nth}", "1", [a_thought(f"t{nth}", f"fox number {nth} of the wood")])
    store.forget("p3")
    before = store.lexical(["fox", "wood", "7"], Scope(), 20)
    store.compact()
    assert store.lexical(["fox", "wood", "7"], Scope(), 20) == before


def test_without_a_team_of_its_own_a_connection_sees_nothing_and_writes_nothing(team: Team) -> None:
    team.store("ada").take("here", "1", [a_thought("a")])
    team.join("bob", "another")
    stranger = PostgresStore(team.server("bob"), "shop", "bobs")
    assert (stranger.count(), stranger.thoughts("a"), stranger.places()) == (0, {}, {})
    with pytest.raises(Refused, match="may not do that"):
        stranger.take("here", "1", [a_thought("b")])
    assert team.store("ada").count() == 1


def test_a_connection_that_another_team_used_before_shows_none_of_it(team: Team) -> None:
    team.store("ada", "red").take("here", "1", [a_thought("a")])
    team.join("ada", "blue")
    assert PostgresStore(team.server("ada"), "blue", "adas").count() == 0
    with team.server("ada").connection() as db:
        assert db.execute("SELECT count(*) FROM holdfast.thought").fetchone() == (0,)


def test_the_owner_of_the_tables_is_bound_by_their_policies_too(team: Team, postgres: Database) -> None:
    team.store("ada").take("here", "1", [a_thought("a")])
    postgres.sql("CREATE ROLE plain_owner LOGIN; GRANT holdfast_people TO plain_owner")
    for table in schema.SHARED:
        postgres.sql(f"ALTER TABLE holdfast.{table} OWNER TO plain_owner")
    with psycopg.connect(postgres.dsn(user="plain_owner")) as db:
        assert db.execute("SELECT count(*) FROM holdfast.thought").fetchone() == (0,)


def test_a_database_that_was_never_prepared_is_named(postgres: Database) -> None:
    with pytest.raises(Refused, match="not prepared"):
        schema.check(Server(postgres.dsn()))


@pytest.mark.parametrize(("number", "which"), [("0", "not prepared"), ("99", "a newer holdfast")])
def test_a_schema_of_another_holdfast_is_named_and_left_alone(
    team: Team, postgres: Database, number: str, which: str
) -> None:
    postgres.sql("UPDATE holdfast.meta SET value = %s WHERE name = 'schema'", number)
    with pytest.raises(Refused, match=which):
        schema.check(team.owner)
    if number == "99":
        with pytest.raises(Refused, match=which):
            schema.prepare(team.owner)
    assert postgres.sql("SELECT value FROM holdfast.meta WHERE name = 'schema'") == [(number,)]


def test_a_database_whose_words_were_split_in_another_way_is_named(team: Team, postgres: Database) -> None:
    postgres.sql("UPDATE holdfast.meta SET value = '1' WHERE name = 'words'")
    with pytest.raises(Refused, match="splits words in another way"):
        schema.check(team.owner)


def test_preparing_twice_changes_nothing(team: Team) -> None:
    team.store().take("here", "1", [a_thought("a")])
    assert schema.prepare(team.owner) == len(schema.STEPS)
    assert team.store().count() == 1


@pytest.mark.parametrize(
    ("dsn", "said"),
    [
        ("nonsense", "no address of a PostgreSQL database"),
        ("postgresql://", "names no database"),
        ("postgresql://ada@127.0.0.1:1/x", "cannot be reached"),
    ],
)
def test_a_wrong_address_is_one_sentence(dsn: str, said: str) -> None:
    with pytest.raises((Refused, Away), match=said):
        schema.check(Server(dsn, budget=1.0))


def test_a_wrong_password_and_a_wrong_database_are_one_sentence_without_the_password(
    postgres_programs: Postgres,
) -> None:
    one = postgres_programs.cluster(tcp=True)
    with pytest.raises(Refused, match="does not know this person or password") as told:
        schema.check(Server(one.dsn(user="postgres", password="open-sesame")))
    assert "open-sesame" not in str(told.value)
    with pytest.raises(Refused, match="no such database"):
        schema.check(Server(one.dsn(dbname="nowhere")))
    one.kill()


def test_a_question_that_takes_too_long_is_broken_off_and_the_connection_serves_again(team: Team) -> None:
    server = team.server("ada")
    team.join("ada")
    slow = Server(server.dsn, budget=0.2)
    with pytest.raises(Away, match=r"within 0.2 s"):
        slow.asked("SELECT pg_sleep(5)", (), "shop")
    assert slow.asked("SELECT 1", (), "shop") == [(1,)]
    slow.close()


def test_a_superuser_is_not_let_in(team: Team) -> None:
    with pytest.raises(Refused, match="every team's rows"):
        PostgresStore(team.owner, "shop", "m").count()


def test_a_question_over_all_projects_of_a_large_team_goes_by_the_approximate_index_and_says_so(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy

    dice = numpy.random.default_rng(5)
    store = team.store()
    store.take("here", "1", [a_thought(f"t{nth}", project=f"p{nth % 7}") for nth in range(300)])
    rows = dice.standard_normal((300, 32), dtype=numpy.float32)
    rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
    store.embed("model", {f"t{nth}": rows[nth] for nth in range(300)})

    def near(scope: Scope) -> tuple[list[Hit], bool]:
        return store.nearest(rows[7], scope, 10), store.is_approximate

    exactly, said = near(Scope())
    assert not said
    schema.index_everything(team.owner, 32)
    monkeypatch.setattr(search, "EVERYWHERE", 100)
    nearly, said = near(Scope())
    assert said
    assert nearly[0] == exactly[0], "with its exact score"
    assert len({hit.id for hit in nearly} & {hit.id for hit in exactly}) >= 8
    within, said = near(Scope("p0"))
    assert (within[0].id, said) == ("t7", False)


def test_a_client_that_waits_for_what_has_come_already_goes_on(postgres: Database) -> None:
    def waiting() -> PQGen[str]:
        yield Wait.R  # nothing more will come
        return "over"

    with Waking.connect(postgres.dsn()) as db:
        assert db.wait(waiting()) == "over"
        with pytest.raises(psycopg.errors.QueryCanceled):  # and one that still has to come is waited for
            db.execute("SET statement_timeout = 300; SELECT pg_sleep(20)")
        db.rollback()
        assert db.execute("SELECT pg_sleep(0.3), 7").fetchall() == [("", 7)]


def test_a_server_without_pgvector_is_named(postgres_programs: Postgres) -> None:
    one = postgres_programs.cluster({"extension_control_path": "'/nonexistent'"})
    with pytest.raises(Refused, match="has no pgvector"):
        schema.prepare(Server(one.dsn()))
    one.kill()


def test_a_server_that_is_too_old_is_named() -> None:
    with pytest.raises(Refused, match="is PostgreSQL 15; nothing was changed"):
        schema._refuse_old(150_008)


def test_a_person_who_may_not_prepare_is_told_what_that_takes(postgres: Database) -> None:
    postgres.sql("CREATE ROLE somebody LOGIN")
    with pytest.raises(Refused, match="may not prepare the database"):
        schema.prepare(Server(postgres.dsn(user="somebody")))


def test_a_full_disk_of_the_server_is_one_sentence_and_what_was_there_stays(
    postgres_programs: Postgres, tmp_path: Path
) -> None:
    one = postgres_programs.cluster()
    with mounted(one.folder / "tiny", "24m") as folder:
        postgres_programs.make_folder(folder / "space")
        one.sql(f"CREATE TABLESPACE tiny LOCATION '{folder}/space'")
        one.sql("CREATE DATABASE small TABLESPACE tiny")
        team = Team(Database(one, "small", frozenset(one.roles())))
        store = team.store()
        store.take("first", "1", [a_thought("a", "alpha")])
        fill_up(folder)
        many = [a_thought(f"t{nth}", f"number {nth} " + "wide words " * 300) for nth in range(400)]
        with pytest.raises(Away, match="no room left"):
            store.take("p", "1", many)
        assert store.texts(["a"]) == {"a": "alpha"}
        team.close()
        one.kill()

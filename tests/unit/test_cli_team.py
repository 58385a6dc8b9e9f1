"""The commands of a team, as an owner and two people type them, each in a home of their own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hook_support import Home, Terminal

from holdfast.field.postgres import people, schema
from holdfast.field.postgres.connection import Server

if TYPE_CHECKING:
    from collections.abc import Callable

    from pg_cluster import Cluster, Database

pytestmark = pytest.mark.slow
REMOTE = "https://example.com/acme/shop.git"
LOCKS = "Orders are locked optimistically with 3 retries"


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], Terminal]:
    made: dict[str, Terminal] = {}

    def of(person: str) -> Terminal:
        if person not in made:
            one = Home(tmp_path / person)
            subprocess.run(["git", "init", "-q", str(one.project)], check=True)
            subprocess.run(["git", "-C", str(one.project), "remote", "add", "origin", REMOTE], check=True)
            made[person] = Terminal(one, monkeypatch, capfd)
        return made[person]

    return of


def answer(terminal: Terminal, *words: str) -> Any:
    done = terminal(*words, "--json")
    assert done.status == 0, done.err
    return json.loads(done.out)


def refused(terminal: Terminal, *words: str) -> str:
    done = terminal(*words)
    assert done.status not in (0, 1), done.out
    return done.err.splitlines()[0]


@pytest.fixture
def joined(desk: Callable[[str], Terminal], postgres: Database) -> Callable[[str], Terminal]:
    """A person's terminal, a member of backend."""
    server = Server(postgres.dsn())
    schema.prepare(server)
    people.add_team(server, "backend")

    def of(person: str) -> Terminal:
        people.add_person(server, person)
        people.join(server, "backend", person)
        one = desk(person)
        answer(one, "team", "join", postgres.dsn(user=people.role(person)))
        return one

    return of


def test_an_owner_prepares_adds_lists_and_removes(desk: Callable[[str], Terminal], postgres: Database) -> None:
    owner, dsn = desk("owner"), postgres.dsn()
    assert answer(owner, "team", "prepare", dsn)["schema"] == len(schema.STEPS)
    made = answer(owner, "team", "add", "backend", "ada", "--dsn", dsn)
    assert made["dsn"].startswith("postgresql://hf_ada:")
    assert answer(owner, "team", "add", "backend", "ada", "--dsn", dsn)["dsn"] == ""
    assert answer(owner, "team", "list", "--dsn", dsn) == {"teams": {"backend": ["ada"]}}
    assert answer(desk("ada"), "team", "join", made["dsn"])["teams"] == ["backend"]
    assert answer(desk("ada"), "team", "list") == {"teams": {"backend": ["ada"]}}
    answer(owner, "team", "remove", "backend", "ada", "--dsn", dsn)
    assert "is a member of no team in this database; nothing was changed" in refused(
        desk("ada"), "team", "join", made["dsn"]
    )
    assert "Whose database is meant is not said; nothing was changed" in refused(owner, "team", "add", "a", "b")


def test_an_address_that_does_not_do_is_refused_in_a_sentence(
    desk: Callable[[str], Terminal], postgres: Database, postgres_server: Cluster
) -> None:
    ada = desk("ada")
    for dsn, said in (
        ("nonsense", "That is no address of a PostgreSQL database"),
        (postgres.dsn(user="nobody_at_all"), "does not know this person or password"),
        (postgres_server.dsn(dbname="no_such_database"), "There is no such database"),
        (postgres.dsn().replace("5432", "5999"), "cannot be reached now"),
        (postgres.dsn(), "The database is not prepared"),
    ):
        line = refused(ada, "team", "join", dsn)
        assert said in line
        assert line.count("holdfast: ") == 1
    answer(ada, "team", "prepare", postgres.dsn())
    assert "is a superuser" in refused(ada, "team", "join", postgres.dsn())
    assert not Path(ada.home.state, "config.toml").exists()


def test_two_homes_share_a_thought_its_weight_and_a_highway(joined: Callable[[str], Terminal]) -> None:
    ada, bob = joined("ada"), joined("bob")
    ada("remember", LOCKS)
    assert answer(ada, "share", ".", "--with", "backend", "--yes")["sent"] == 1
    answer(bob, "share", ".", "--with", "backend", "--yes")
    for _ in range(2):
        found = answer(bob, "recall", "how are orders locked")
        assert found["results"][0]["shared_by"] == "ada"
        assert found["results"][0]["origin"] == "import"
        answer(bob, "team", "sync")
    assert "shared by ada; " in bob("recall", "how are orders locked").out
    assert "(from the field of backend and this machine)" in ada("recall", "how are orders locked").out
    for one in (ada, bob):
        answer(one, "team", "sync")
    for one in (ada, bob):
        (highway,) = answer(one, "highways")["highways"]
        assert (highway["accesses"], sorted(highway["agents"])) == (4, ["ada", "bob"])
    ident = found["results"][0]["id"]
    assert answer(bob, "team", "accept", ident)["origin"] == "user"
    assert answer(bob, "recall", "how are orders locked")["results"][0]["origin"] == "user"
    assert "No team has a thought" in refused(bob, "team", "accept", "n-0")


def test_nothing_is_shared_before_and_unshare_withdraws(joined: Callable[[str], Terminal], postgres: Database) -> None:
    ada = joined("ada")
    ada("remember", LOCKS)
    assert "nothing was sent" in ada("team", "sync").out
    count = "SELECT count(*) FROM holdfast.thought"
    server = Server(postgres.dsn())

    def thoughts() -> int:
        with server.owner() as db:
            return int(db.execute(count).fetchone()[0])

    assert thoughts() == 0
    assert "is not shared with any team; nothing was changed" in refused(ada, "unshare", ".")
    assert "no member of ops; nothing was shared" in refused(ada, "share", ".", "--with", "ops", "--yes")
    assert 'There is no project "nowhere"; nothing was changed' in refused(ada, "share", "nowhere", "--with", "backend")
    assert "say --yes" in refused(ada, "share", ".", "--with", "backend")
    answer(ada, "share", ".", "--with", "backend", "--yes")
    assert thoughts() == 1
    assert answer(ada, "unshare", ".")["withdrawn"] is True
    assert thoughts() == 0


def test_what_is_purged_here_is_gone_there(joined: Callable[[str], Terminal], postgres: Database) -> None:
    ada = joined("ada")
    ada("remember", LOCKS)
    ada("remember", "Deploys run on Mondays")
    answer(ada, "share", ".", "--with", "backend", "--yes")
    ada("recall", LOCKS)
    ada("recall", "mondays")
    answer(ada, "team", "sync")
    assert ada("forget", "orders-are-locked", "--purge", "--yes").status == 0
    answer(ada, "team", "sync")
    everything = str(postgres.sql("SELECT text FROM holdfast.thought")) + str(
        postgres.sql("SELECT * FROM holdfast.event")
    )
    assert "Mondays" in everything
    assert "optimistically" not in everything


def test_rebuild_store_sends_this_machines_part_anew(joined: Callable[[str], Terminal], postgres: Database) -> None:
    ada = joined("ada")
    ada("remember", LOCKS)
    answer(ada, "share", ".", "--with", "backend", "--yes")
    ada("recall", "optimistically locked orders")
    answer(ada, "team", "sync")
    use = "SELECT id, count, weight, last FROM holdfast.traffic"
    before = postgres.sql(use)
    assert before[0][1] == 1
    assert answer(ada, "rebuild", "--store")["sent"][0]["records"] == 2
    assert postgres.sql(use) == before


def test_the_whole_field_moves_and_comes_back(joined: Callable[[str], Terminal], postgres: Database) -> None:
    ada = joined("ada")
    ada("remember", LOCKS)
    ada("think", "The checkout retries three times")
    dsn = postgres.dsn(user="hf_ada")
    moved = answer(ada, "field", "move", dsn, "--team", "backend")
    assert moved["thoughts"] == 2
    assert answer(ada, "field", "move", dsn, "--team", "backend", "--back")["digest"] == moved["digest"]


def test_no_output_shows_a_password(joined: Callable[[str], Terminal]) -> None:
    ada = joined("ada")
    path = Path(ada.home.state, "config.toml")
    path.write_text(path.read_text(encoding="utf-8").replace("hf_ada@", "hf_ada:geheim@"), encoding="utf-8")
    for line in (("team",), ("team", "--json"), ("doctor",), ("doctor", "--json")):
        done = ada(*line)
        assert "geheim" not in done.out + done.err
        assert "***" in done.out

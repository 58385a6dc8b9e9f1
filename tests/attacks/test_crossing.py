"""From one team into another: by SQL with a member's own address, over HTTP and the protocol with another's token or a
forged name, by a connection that somebody else used before. Nothing gets through: no word of the other team in any
answer, remark or error, and not one of its rows is another.
"""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from team_serve_support import TeamServers, rpc, tool

from holdfast.errors import HoldfastError
from holdfast.field.postgres import connection, people, serve_tokens
from holdfast.field.postgres.schema import OF_MACHINES, SHARED, SIGNED
from holdfast.field.postgres.store import PostgresStore
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event

from . import crossing, support

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hook_support import Home
    from pg_cluster import Database
    from serve_support import Server

pytestmark = pytest.mark.attacks
SECRET = "zanzibarite"  # stands in every text of the other team, and in no attempt
MANY = 10_000


class Battlefield:
    """A team with secrets, another with a member who wants them, and all rows of the first as they are."""

    def __init__(self, home: Home, database: Database) -> None:
        self.database = database
        self.servers = TeamServers(home, database.dsn)
        self.passwords = {
            person: self.servers.member(person, team)
            for person, team in (("ada", "shop"), ("bob", "shop"), ("eve", "rivals"))
        }
        for person, team, text in (
            ("ada", "shop", f"The {SECRET} of ada"),
            ("bob", "shop", f"The {SECRET} of bob"),
            ("eve", "rivals", "A thought of the rivals"),
        ):
            self.fill(person, team, text)
        self.number = int(database.sql("SELECT code FROM holdfast.team WHERE name = 'shop'")[0][0])
        database.sql("ANALYZE")
        self.before = self.digest()

    def address(self, person: str) -> str:
        return self.database.dsn(user=f"hf_{person}", password=self.passwords[person])

    def fill(self, person: str, team: str, text: str) -> None:
        with connection_of(self.address(person)) as server:
            store = PostgresStore(server, team, f"{person}s")
            named = {"agent": person, "contributor": person, "project": f"{text} project", "created": 1.0}
            ident = "s1" if person == "ada" else f"of-{person}"
            store.take("thoughts/a", "1", [Thought(ident, text, kind="original", **named)])  # type: ignore[arg-type]
            with store.writing():
                store.travel([Event(2.0, GOT, (ident,), person, query=f"{text}?", new={ident: (1.0, 1.0)})], 1)

    def digest(self, where: str = "") -> dict[str, str]:
        """Every row of the team with secrets, by table, as the owner sees them."""
        found = {}
        for table in SHARED:
            asked = f"SELECT t::text FROM holdfast.{table} t WHERE team = {self.number}{where} ORDER BY 1"
            rows = [row[0] for row in self.database.sql(asked)]
            found[table] = f"{len(rows)} {hashlib.sha256(repr(rows).encode()).hexdigest()[:16]}"
        for table in crossing.HIDDEN:
            rows = [row[0] for row in self.database.sql(f"SELECT t::text FROM holdfast.{table} t ORDER BY 1")]
            found[table] = hashlib.sha256(repr(rows).encode()).hexdigest()[:16]
        return found

    def said(self) -> list[list[Any]]:
        """All that was said, held, read and marked in the team; vectors and counts follow from it."""
        asked = ["SELECT id, text, person, machine FROM holdfast.thought t"]
        asked += [
            f"SELECT t::text FROM holdfast.{one} t" for one in ("held", "event", "touch", "traffic", "gone", "mark")
        ]
        return [self.database.sql(f"{one} WHERE team = {self.number} ORDER BY 1") for one in asked]

    def close(self) -> None:
        self.servers.close()


class connection_of:  # noqa: N801  reads as what it is
    def __init__(self, dsn: str) -> None:
        self.server = connection.Server(dsn)

    def __enter__(self) -> connection.Server:
        return self.server

    def __exit__(self, *_: object) -> None:
        self.server.close()


@pytest.fixture
def field(fresh: Home, postgres: Database) -> Iterator[Battlefield]:
    made = Battlefield(fresh, postgres)
    yield made
    made.close()


def attempted(db: Any, statements: list[str], remarks: list[str]) -> str:
    """All that an attempt got to see: rows, remarks, errors. Each statement by itself, in a session that is cleared."""
    seen = []
    remarks.clear()
    for one in ("RESET ALL", "RESET ROLE", "DISCARD ALL", "SET holdfast.team = 'rivals'", *statements):
        try:
            with db.cursor() as cursor:
                if one.startswith("COPY") and "STDOUT" in one:
                    with cursor.copy(one) as out:
                        seen += [bytes(part).decode() for part in out]
                elif one.startswith("COPY") and "STDIN" in one:
                    with cursor.copy(one) as given:
                        given.write_row([1])
                else:
                    cursor.execute(one.encode())
                    seen += [repr(row) for row in cursor.fetchall()] if cursor.description else []
        except psycopg.Error as error:
            seen.append(f"{error.sqlstate} {error}")
    return "\n".join((*seen, *remarks))


def crossed(said: str) -> bool:
    """A word of the other team, or an error that tells of it: a clash with a row of a known name, a division by zero
    where a text has that word."""
    return SECRET in said or "23505" in said or "22012" in said


def test_no_statement_of_a_member_reads_or_writes_another_team(field: Battlefield) -> None:
    every = crossing.attempts(field.number)
    extra = MANY - len(every) if support.NAME == "full" else 60
    tried = [*support.sample(every, 900), *crossing.mixed(field.number, 20, max(0, extra))]
    remarks: list[str] = []
    through = []
    with psycopg.connect(field.address("eve"), autocommit=True) as db:
        db.add_notice_handler(lambda one: remarks.append(one.message_primary or ""))
        for at, (name, statements) in enumerate(tried):
            if crossed(attempted(db, statements, remarks)):
                through.append(name)
            if at % 500 == 0:
                assert field.digest() == field.before, f"changed at or before {name}"
    support.count("statements across teams", len(tried), len(through))
    assert through == []
    assert field.digest() == field.before


def test_the_owner_would_have_seen_it(field: Battlefield) -> None:
    """The attempts find what they look for where no policy is in force: else they would prove nothing."""
    remarks: list[str] = []
    found = set()
    with psycopg.connect(field.database.dsn(), autocommit=True) as db:
        db.add_notice_handler(lambda one: remarks.append(one.message_primary or ""))
        for way, statements in crossing.READS.items():
            if "delete" in way or "update" in way:
                continue
            said = [one.replace("{table}", "thought").replace(crossing.TEAM, str(field.number)) for one in statements]
            if crossed(attempted(db, said, remarks)):
                found.add(way)
    assert len(found) >= 20, sorted(set(crossing.READS) - found)


def test_nobody_signs_as_somebody_else_in_their_own_team(field: Battlefield) -> None:
    def bobs() -> list[list[Any]]:
        asked = [f"{one} t WHERE person = 'hf_bob'" for one in SIGNED]
        asked += [f"{one} t WHERE machine = 'bobs'" for one in OF_MACHINES]
        return [field.database.sql(f"SELECT t::text FROM holdfast.{one} ORDER BY 1") for one in asked]

    before = bobs()
    forged = [
        "INSERT INTO holdfast.{t} (team, person) VALUES ({n}, 'hf_bob')",
        "INSERT INTO holdfast.{t} SELECT * FROM holdfast.{t} WHERE person = 'hf_bob' ON CONFLICT DO NOTHING",
        "UPDATE holdfast.{t} SET person = 'hf_bob'",
        "UPDATE holdfast.{t} SET person = 'hf_ada' WHERE person = 'hf_bob'",
        "UPDATE holdfast.{t} SET machine = 'x' WHERE person = 'hf_bob'",
        "DELETE FROM holdfast.{t} WHERE person = 'hf_bob'",
        "MERGE INTO holdfast.{t} t USING (SELECT 1) s ON t.person = 'hf_bob' WHEN MATCHED THEN DELETE",
        "INSERT INTO holdfast.thought (team, id, text) VALUES ({n}, 'of-bob', 'mine now') ON CONFLICT (team, id) "
        "DO UPDATE SET text = 'mine now', person = 'hf_ada'",
        "INSERT INTO holdfast.thought (team, id, text, person) VALUES ({n}, 'new', 'bob said so', 'hf_bob')",
        "SET ROLE hf_bob; INSERT INTO holdfast.thought (team, id, text) VALUES ({n}, 'newer', 'bob said so')",
        "INSERT INTO holdfast.event (team, machine, number, kind, person) VALUES ({n}, 'bobs', 9, 'got', 'hf_bob')",
        "INSERT INTO holdfast.event (team, machine, number, kind) VALUES ({n}, 'bobs', 2, 'got')",
        "INSERT INTO holdfast.touch VALUES ({n}, 'of-bob', 3, 'bobs', 2)",
        "DELETE FROM holdfast.touch WHERE machine = 'bobs'",
        "UPDATE holdfast.place SET stamp = '99' WHERE machine = 'bobs'",
        "INSERT INTO holdfast.place VALUES ({n}, 'bobs', 'thoughts/b', '99')",
        "INSERT INTO holdfast.gone VALUES ({n}, 'of-bob', '', 'bobs', 'thoughts/a')",
        "INSERT INTO holdfast.held (team, id, machine, place) VALUES ({n}, 's1', 'bobs', 'thoughts/a')",
    ]
    tried = [one.replace("{t}", table).replace("{n}", str(field.number)) for one in forged for table in SIGNED]
    with psycopg.connect(field.address("ada"), autocommit=True) as db:
        for one in tried:
            attempted(db, ["SET holdfast.team = 'shop'", one], [])
    after = bobs()
    support.count("signatures of others", len(tried), int(after != before))
    assert after == before


def test_a_connection_that_another_used_before_shows_nothing_of_theirs(field: Battlefield) -> None:
    """One connection of a server's, taken in turn by people of both teams, left in every state that an error can."""
    rounds = 1_500 if support.NAME == "full" else 150
    draw = random.Random(20)
    through = 0
    with connection_of(field.servers.address) as server:
        for _ in range(rounds):
            who, team = draw.choice((("hf_ada", "shop"), ("hf_bob", "shop")))
            way = draw.randrange(5)
            try:
                if way == 0:
                    PostgresStore(server, team, "m", person=who).count()
                elif way == 1:
                    with server.transaction(team, person=who) as db:
                        db.execute("SELECT 1 / 0")
                elif way == 2:
                    with server.transaction(team, person=who) as db:
                        db.execute("SELECT count(*) FROM holdfast.thought")
                        raise KeyError
                elif way == 3:
                    server.asked("SELECT no_such_thing", (), team, who)
                else:
                    with server.transaction(team, person=who) as db:
                        db.execute("SET LOCAL holdfast.team = 'shop'")
            except (HoldfastError, psycopg.Error, KeyError):
                pass
            theirs = server.asked("SELECT text FROM holdfast.thought", (), "rivals", "hf_eve")
            shop = server.asked("SELECT text FROM holdfast.thought", (), "shop", "hf_eve")
            nameless = server.asked("SELECT text FROM holdfast.thought", (), "", "hf_ada")
            through += SECRET in repr((theirs, shop, nameless)) or len(theirs) != 1 or bool(shop or nameless)
            with server.connection() as db:
                left = db.execute("SELECT current_user::text, current_setting('holdfast.team', true)").fetchone()
            through += left not in (("hf_server", ""), ("hf_server", None))
    support.count("connections used before", rounds, through)
    assert through == 0


def requests(draw: random.Random, ids: list[str]) -> tuple[str, str, object]:
    """A request that would like to see or change something of the other team."""
    ident, project = draw.choice(ids), draw.choice((f"The {SECRET[:4]}", "shop", "", "orders", "../shop"))
    asks: list[tuple[str, str, object]] = [
        ("POST", "/retrieve", {"query": draw.choice(("of ada", "of bob", "project", "thought")), "all": True}),
        ("POST", "/retrieve", {"query": "of ada", "project": project, "agent": draw.choice(("ada", "bob", ""))}),
        ("GET", f"/thoughts/{ident}?all=true", None),
        ("GET", f"/highways?all=true&project={draw.choice(('shop', 'x'))}", None),
        ("POST", "/think", {"text": f"more {draw.random()}", "kind": "refinement", "sources": [ident]}),
        ("POST", "/think", {"text": "mine now", "id": ident}),
        ("POST", "/think", {"text": f"said {draw.random()}", "contributor": draw.choice(("ada", "bob"))}),
        ("POST", "/think", {"text": "forged", "person": "ada", "team": "shop"}),
        ("POST", "/retrieve", {"query": "of ada", "team": "shop"}),
        ("GET", draw.choice(("/notes", "/lineage", "/tasks", "/queue", "/ledger", "/health", "/metrics")), None),
    ]
    return draw.choice(asks)


def test_no_request_crosses_whatever_its_token_or_its_words(field: Battlefield) -> None:
    rounds = 2_000 if support.NAME == "full" else 150
    draw = random.Random(20)
    ada = field.servers.token("ada", "shop", "adas")
    eve = field.servers.token("eve", "rivals", "eves")
    ended = field.servers.token("ada", "shop", "ended")
    serve_tokens.revoke(field.servers.owner, "ended")
    before = field.said()
    through = []
    with field.servers.replica() as server:
        looked = {"query": "of ada", "read_only": True}
        assert SECRET in server.post("/retrieve", looked, ada).body.decode(), "it is there to be found"
        for at in range(rounds):
            method, path, body = requests(draw, ["s1", "of-bob"])
            no_token = at % 5 == 0
            token = (
                draw.choice((ended, "", ada[:-1], ada.upper(), f"{ada}x", "hf_ada", "' OR 1=1 --")) if no_token else eve
            )
            done = sent(server, method, path, body, token)
            refused = done.status in (401, 400)
            if SECRET in done.body.decode() or (no_token and not refused):
                through.append((token, method, path, body, done.status))
        for name, given in (("recall", {"query": "of ada"}), ("thought", {"id": "s1"}), ("highways", {})):
            if SECRET in repr(tool(server, eve, name, **given)):
                through.append((eve, "MCP", name, given, 200))
            assert rpc(server, ended, {}).status == 401
        forged = server.think("Whose is this?", eve, contributor="ada")
    support.count("requests across teams", rounds, len(through))
    assert through == []
    assert forged["contributor"] == "eve"
    assert field.said() == before
    persons = {row[0] for row in field.database.sql("SELECT DISTINCT person FROM holdfast.thought WHERE team <> %s",
                                                    field.number)}  # fmt: skip
    assert persons == {"hf_eve"}


def sent(server: Server, method: str, path: str, body: object, token: str) -> Any:
    return server.get(path, token) if method == "GET" else server.post(path, body, token)


def test_whoever_left_sees_nothing_even_in_a_connection_that_is_open(field: Battlefield) -> None:
    with psycopg.connect(field.address("bob"), autocommit=True) as db:
        db.execute("SET holdfast.team = 'shop'")
        assert db.execute("SELECT count(*) FROM holdfast.thought").fetchone() == (2,)
        people.leave(field.servers.owner, "shop", "bob")
        assert db.execute("SELECT count(*) FROM holdfast.thought").fetchone() == (0,)

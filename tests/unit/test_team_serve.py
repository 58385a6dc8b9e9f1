"""`holdfast serve --store`: replicas that keep nothing of their own, and tokens that the database knows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from serve_support import Server, serve
from team_serve_support import TeamServers, tool

from holdfast.field.postgres import people, serve_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hook_support import Home
    from pg_cluster import Database

pytestmark = pytest.mark.slow
LOCKS = "Orders are locked optimistically, since two clerks may edit one"
NEED = {"query": "how are orders locked"}


@pytest.fixture
def servers(fresh: Home, postgres: Database) -> Iterator[TeamServers]:
    made = TeamServers(fresh, postgres.dsn)
    made.member("ada", "shop")
    made.member("bob", "shop")
    made.member("eve", "rivals")
    yield made
    made.close()


@pytest.fixture
def replica(servers: TeamServers) -> Iterator[Server]:
    with servers.replica() as one:
        yield one


def found(server: Server, token: str, **asked: object) -> list[dict[str, Any]]:
    done = server.post("/retrieve", {**NEED, **asked}, token)
    assert done.status == 200, done.body
    listed: list[dict[str, Any]] = done.json["results"]
    return listed


def until(holds: Any) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.05)


def test_two_replicas_give_the_same_answers_and_share_weight_and_highway(servers: TeamServers) -> None:
    ada, bob = servers.token("ada", "shop"), servers.token("bob", "shop")
    with servers.replica() as one, servers.replica() as two:
        said = one.think(LOCKS, ada, contributor="bob", session="s1")
        assert (said["contributor"], said["agent"]) == ("ada", "ada:ada-shop"), "the token says who it is"
        for token, server in ((bob, two), (ada, one), (bob, two)):
            found(server, token)

        def read() -> bool:
            return bool(one.get(f"/thoughts/{said['id']}", ada).json["accesses"] == 3)

        until(read)
        paths = (f"/thoughts/{said['id']}", "/highways", "/highways?query=orders")
        answers = [[server.get(path, bob).json for path in paths] for server in (one, two)]
        assert [one.get("accesses") for one in answers[0][:1]] == [3]
        for each in answers:
            each[0].pop("weight")  # it fades from one moment to the next
            assert [[road["id"] for road in roads["highways"]] for roads in each[1:]] == [[said["id"]]] * 2
            assert each[1]["highways"][0]["agents"] == ["bob:bob-shop", "ada:ada-shop"]
        assert answers[0][0] == answers[1][0]
        mine, theirs = (found(server, bob, read_only=True)[0] for server in (one, two))
        assert mine["origin"] == theirs["origin"] == "import", "somebody else's text is data"
        assert "shared by ada" in mine["why"]
        assert found(two, ada, read_only=True)[0]["origin"] == "agent", "one's own is one's own"


def test_a_thought_said_again_with_its_id_is_kept_once(servers: TeamServers, replica: Server) -> None:
    ada, bob = servers.token("ada", "shop"), servers.token("bob", "shop")
    first = replica.post("/think", {"text": LOCKS, "id": "made-by-the-caller"}, ada).json
    again = replica.post("/think", {"text": LOCKS, "id": "made-by-the-caller"}, ada).json
    assert first == again
    assert (first["thought"]["id"], first["is_new"]) == ("made-by-the-caller", True)
    headers = [*replica.headers(bob), ("Content-Type", "application/json"), ("Idempotency-Key", "bobs-1")]
    body = b'{"text": "%s"}' % LOCKS.encode()
    said = [replica.send("POST", "/think", headers, body).json for _ in range(3)]
    assert [(one["thought"]["id"], one["is_new"]) for one in said] == [("made-by-the-caller", False)] * 3
    assert replica.get("/thoughts/made-by-the-caller", ada).json["accesses"] == 1, "bob said it once"
    other = replica.post("/think", {"text": "Something else entirely", "id": "made-by-the-caller"}, bob)
    assert (other.status, other.error) == (409, "conflict")


def test_a_team_sees_nothing_of_another(servers: TeamServers, replica: Server) -> None:
    ada, eve = servers.token("ada", "shop"), servers.token("eve", "rivals")
    said = replica.think(LOCKS, ada, project="orders")
    assert found(replica, eve, project="orders", all=True) == []
    assert replica.get(f"/thoughts/{said['id']}", eve).status == 404
    assert replica.get("/highways?all=true", eve).json == {"highways": []}
    derived = {"text": "More of it", "kind": "refinement", "sources": [said["id"]]}
    assert replica.post("/think", derived, eve).status == 404


def test_a_revoked_token_counts_at_no_replica_and_its_last_use_is_shown(servers: TeamServers) -> None:
    ada = servers.token("ada", "shop", "builder")
    with servers.replica() as one, servers.replica() as two:
        assert [server.get("/highways", ada).status for server in (one, two)] == [200, 200]
        (known,) = serve_tokens.listed(servers.owner)
        assert 0 <= time.time() - known.used < 60
        listed = serve(servers.home, "token", "list", "--store", servers.dsn()).out
        assert "builder  ada in shop" in listed
        assert "last used" in listed
        serve_tokens.revoke(servers.owner, "builder")
        assert [server.get("/highways", ada).status for server in (one, two)] == [401, 401]


def test_whoever_leaves_a_team_is_out_at_once(servers: TeamServers, replica: Server) -> None:
    bob = servers.token("bob", "shop")
    assert replica.get("/highways", bob).status == 200
    people.leave(servers.owner, "shop", "bob")
    assert replica.get("/highways", bob).status == 401


def test_the_command_makes_a_token_that_is_shown_once_and_an_address_for_a_server(servers: TeamServers) -> None:
    made = serve(servers.home, "token", "add", "builder", "--person", "ada", "--store", servers.dsn())
    assert made.status == 0, made.err
    twice = serve(servers.home, "token", "add", "builder", "--person", "ada", "--store", servers.dsn())
    assert (twice.status, "already" in twice.err) == (2, True)
    address = serve(servers.home, "address", "--store", servers.dsn()).out.strip()
    assert address.startswith("postgresql://hf_server:")
    servers.password = address.split(":")[2].split("@")[0]
    with servers.replica() as one:
        assert one.get("/highways", made.out.strip()).status == 200
        gone = serve(servers.home, "token", "revoke", "builder", "--store", servers.dsn())
        assert (gone.status, one.get("/highways", made.out.strip()).status) == (0, 401)


def test_what_needs_a_vault_is_refused_in_one_sentence(servers: TeamServers, replica: Server) -> None:
    ada = servers.token("ada", "shop")
    for path in ("/notes", "/notes/knowledge/a.md", "/lineage", "/tasks", "/tasks/a-1", "/queue", "/ledger"):
        done = replica.get(path, ada)
        assert (done.status, done.error) == (501, "no-vault"), path
        assert "has a team's field and no vault; nothing was done" in done.json["message"]


def test_health_says_role_schema_lag_and_what_the_replica_is_behind_with(servers: TeamServers, replica: Server) -> None:
    ada = servers.token("ada", "shop")
    replica.think(LOCKS, ada)
    told = replica.get("/health", ada)
    assert told.status == 200
    assert {name: told.json[name] for name in ("ok", "role", "schema_number", "replay_lag_s", "behind")} == {
        "ok": True, "role": "primary", "schema_number": 1, "replay_lag_s": 0.0, "behind": 0,
    }  # fmt: skip
    assert [one["role"] for one in told.json["servers"]] == ["primary"]
    assert b"holdfast_healthy 1.0" in replica.get("/metrics", ada).body


def test_the_tools_of_the_protocol_go_to_the_teams_field(servers: TeamServers, replica: Server) -> None:
    ada, eve = servers.token("ada", "shop"), servers.token("eve", "rivals")
    told = tool(replica, ada, "think", text=LOCKS)["result"]
    assert not told["isError"], told
    assert "thought " in told["content"][0]["text"]
    assert "two clerks" in tool(replica, ada, "recall", query="orders locked")["result"]["content"][0]["text"]
    assert "two clerks" not in tool(replica, eve, "recall", query="orders locked")["result"]["content"][0]["text"]
    assert "INVALID" in str(tool(replica, ada, "flag", text="no")) or "no tool" in str(tool(replica, ada, "flag"))


def test_a_proxy_before_it_is_a_host_that_was_named(servers: TeamServers) -> None:
    ada = servers.token("ada", "shop")
    with servers.replica("--name", "memory.example.org") as one:
        named = [("Host", "memory.example.org"), ("Authorization", f"Bearer {ada}")]
        other = [("Host", "elsewhere.example.org"), ("Authorization", f"Bearer {ada}")]
        assert one.send("GET", "/highways", named).status == 200
        assert one.send("GET", "/highways", other).status == 421


@pytest.mark.parametrize(
    ("user", "why"),
    [("postgres", "not the address of a server"), ("hf_ada", "not the address of a server"), ("nobody", "does not")],
)
def test_an_address_that_is_no_servers_is_refused_with_the_way_out(servers: TeamServers, user: str, why: str) -> None:
    done = serve(servers.home, "--store", servers.dsn(user=user), "--port", "0")
    assert done.status == 2
    assert why in done.err
    assert "nothing was" in done.err.splitlines()[0]

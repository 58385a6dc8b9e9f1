"""A team's primary dies while agents write through two replicas: all that was acknowledged is there, each once.

Real servers: a primary with two standbys, commits that wait for one of them to have applied (remote_apply, ANY 1). The
clients retry with ids of their own making, as docs/team.md says they should.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from team_serve_support import TeamServers

from holdfast.field.postgres import connection
from holdfast.field.postgres.store import PostgresStore
from holdfast.field.thought import Thought

from .support import NAME, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hook_support import Home
    from pg_cluster import Family, Postgres
    from serve_support import Server

pytestmark = pytest.mark.crash
CLIENTS = 4
EACH = 40 if NAME == "short" else 400  # thoughts of a client
KILLS = 1 if NAME == "short" else 2
SLOWEST = 60.0


@pytest.fixture
def family(postgres_programs: Postgres) -> Iterator[Family]:
    made = postgres_programs.family(2)
    yield made
    for one in made.members:
        one.kill()


def address(family: Family, user: str = "postgres", password: str = "", **more: str) -> str:
    return family.dsn(user=user, password=password, **more)


@pytest.fixture
def servers(fresh: Home, family: Family) -> Iterator[TeamServers]:
    made = TeamServers(fresh, lambda **given: address(family, **given))
    made.member("ada", "shop")
    yield made
    made.close()


class Client(threading.Thread):
    """Says its thoughts one by one, at whichever replica answers, and the same again until it is acknowledged."""

    def __init__(self, name: str, replicas: list[Server], token: str) -> None:
        super().__init__(name=name, daemon=True)
        self.replicas, self.token = replicas, token
        self.acknowledged: list[str] = []
        self.slowest, self.again, self.refused = 0.0, 0, set[str]()

    def run(self) -> None:
        for at in range(EACH):
            ident, began = f"{self.name}-{at:04d}", time.monotonic()
            while not self.said(ident, at):
                self.again += 1
                time.sleep(0.05)
            self.acknowledged.append(ident)
            self.slowest = max(self.slowest, time.monotonic() - began)

    def said(self, ident: str, at: int) -> bool:
        text = f"Number {at} of {self.name}: the invoice {ident} was paid in {at + 3} parts"
        try:
            done = self.replicas[at % len(self.replicas)].post("/think", {"text": text, "id": ident}, self.token)
        except (OSError, http.client.HTTPException):
            return False
        if done.status != 200:
            assert done.status == 503, done.body
            self.refused.add(done.json["message"])
        return done.status == 200


def test_a_killed_primary_costs_seconds_and_no_acknowledged_thought(servers: TeamServers, family: Family) -> None:
    with servers.replica() as one, servers.replica() as two:
        clients = [Client(f"c{at}", [one, two], servers.token("ada", "shop", f"agent{at}")) for at in range(CLIENTS)]
        for client in clients:
            client.start()
        for nth in range(KILLS):
            until(lambda: all(len(client.acknowledged) > EACH * (nth + 1) // (KILLS + 2) for client in clients))  # noqa: B023
            family.kill()
            family.promote()
            if nth + 1 < KILLS:
                family.join()
        for client in clients:
            client.join(SLOWEST)
            assert not client.is_alive(), "it never got through"
        acknowledged = {ident for client in clients for ident in client.acknowledged}
        kept = [row[0] for row in family.primary.sql("SELECT id FROM holdfast.thought")]
        assert len(acknowledged) == CLIENTS * EACH
        assert sorted(kept) == sorted(acknowledged), "each once, and nothing else"
        gap = max(client.slowest for client in clients)
        count("team: acknowledged before and after kill -9 of the primary", tried=len(acknowledged), lost=0)
        assert gap < SLOWEST
        told = one.get("/health", clients[0].token).json
        assert (told["role"], sum(host["role"] == "away" for host in told["servers"])) in (
            ("primary", 0),
            ("primary", 1),
        )


def until(holds: object, patience: float = SLOWEST) -> None:
    end = time.monotonic() + patience
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.02)


def paused(family: Family, number: int) -> None:
    for one in family.standbys:
        os.kill(one.pid, number)
        for pid in Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text(encoding="ascii").split():
            os.kill(int(pid), number)


def test_a_commit_that_no_standby_has_seen_is_not_acknowledged(servers: TeamServers, family: Family) -> None:
    """With no standby the wait is cut off within the budget, in a sentence; said again once one is back, it is there
    once."""
    server = connection.Server(address(family, user="hf_server", password=servers.password), budget=2.0, most=2)
    store = PostgresStore(server, "shop", "adas", person="hf_ada")
    thought = Thought("t1", "The wait was cut off", kind="original", created=1.0, project="p", agent="ada")
    try:
        store.take("a", "1", [])  # with all standbys there
        paused(family, signal.SIGSTOP)
        began = time.monotonic()
        try:
            with pytest.raises(connection.Away, match="not safely saved"):
                server.again(lambda: store.take("a", "2", [thought]))
            assert time.monotonic() - began < 3 * server.budget
        finally:
            paused(family, signal.SIGCONT)
        until(lambda: taken(store, thought))
        assert family.primary.sql("SELECT count(*) FROM holdfast.thought") == [(1,)]
    finally:
        server.close()


def taken(store: PostgresStore, thought: Thought) -> bool:
    try:
        store.take("a", "2", [thought])
    except connection.Away:
        return False
    return True


def test_a_replica_says_within_its_budget_that_nothing_was_acknowledged(servers: TeamServers, family: Family) -> None:
    token = servers.token("ada", "shop")
    with servers.replica() as one:
        assert one.get("/highways", token).status == 200
        paused(family, signal.SIGSTOP)
        try:
            began = time.monotonic()
            done = one.post("/think", {"text": "Nobody has applied this", "id": "unheard"}, token)
            assert done.status == 503, done.body
            assert "nothing was acknowledged. Send it again" in done.json["message"]
            assert time.monotonic() - began < 30
        finally:
            paused(family, signal.SIGCONT)
        until(lambda: one.post("/think", {"text": "Nobody has applied this", "id": "unheard"}, token).status == 200)
        family.kill()
        done = one.get("/health", token)
        assert done.status in (401, 503)
        assert json.loads(done.body)
        family.promote()
        until(lambda: one.get("/thoughts/unheard", token).status == 200)

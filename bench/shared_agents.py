"""64 agents on four simulated machines write to a team through two replicas, while its primary is killed twice.

Each machine is a process with 16 agents, which think, ask and look for highways in turn, at one replica or the other. A
thought is said again, under the id that the agent made, until it is acknowledged. Commits wait for one standby of two
(remote_apply). Afterwards everything acknowledged has to be there once, and every weight has to be the one that a
replay of all machines' logs in one embedded store gives.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import random
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hook_support import Home
from pg_cluster import Postgres
from team_serve_support import TeamServers

from field import Speaker
from holdfast.field.postgres.connection import Server
from holdfast.field.postgres.store import PostgresStore
from holdfast.field.sqlite.store import SqliteStore
from holdfast.team import team_sleep

TEAM, MACHINES, AGENTS = "shop", 4, 16
PATIENCE = 30.0


def measured(seconds: float, kills: int, tell: Callable[[str], None]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder, Postgres() as programs:
        family = programs.family(2)
        home = Home(Path(folder))
        servers = TeamServers(home, family.dsn)
        people = [f"machine{at}" for at in range(MACHINES)]
        tokens = {}
        for person in people:
            servers.member(person, TEAM)
            tokens[person] = servers.token(person, TEAM)
        with servers.replica() as first, servers.replica() as second:
            addresses = [first.address, second.address]
            queue: Any = multiprocessing.get_context("spawn").Queue()
            make = multiprocessing.get_context("spawn").Process
            ends = time.time() + seconds
            started = [
                make(target=_machine, args=(person, tokens[person], addresses, ends, queue)) for person in people
            ]
            for process in started:
                process.start()
            gaps = [_killed(family, ends - seconds + seconds * (at + 1) / (kills + 1), tell) for at in range(kills)]
            found = [queue.get() for _ in started]
            for process in started:
                process.join()
        return _judged(servers, family, found, gaps, folder)


def _killed(family: Any, when: float, tell: Callable[[str], None]) -> tuple[float, float]:
    """Kill the primary and promote; from when until when nothing could be written."""
    while time.time() < when:
        time.sleep(0.05)
    began = time.time()
    family.kill()
    family.promote()
    tell(f"the primary was killed, and another promoted in {time.time() - began:.2f} s")
    return began, time.time()


def _machine(person: str, token: str, addresses: list[str], ends: float, queue: Any) -> None:
    """One machine: its agents, and what they saw."""
    agents = [_Agent(f"{person}a{at:02d}", token, addresses, ends) for at in range(AGENTS)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    queue.put(
        {name: [each for agent in agents for each in getattr(agent, name)] for name in ("said", "times", "errors")}
    )


class _Agent(threading.Thread):
    def __init__(self, name: str, token: str, addresses: list[str], ends: float) -> None:
        super().__init__(name=name, daemon=True)
        self.token, self.addresses, self.ends = token, addresses, ends
        self.said: list[str] = []  # ids that were acknowledged
        self.times: list[tuple[str, float, float]] = []  # what, when it began, how long
        self.errors: list[tuple[str, float, str]] = []

    def run(self) -> None:
        dice, speaker, number = random.Random(self.name), Speaker(hash(self.name) % 1000), 0
        while time.time() < self.ends:
            number += 1
            what = dice.choices(("think", "retrieve", "highways"), (5, 4, 1))[0]
            bodies: dict[str, dict[str, Any] | None] = {
                "think": {"text": f"{speaker.says(12)} {self.name} {number}", "id": f"{self.name}-{number:05d}"},
                "retrieve": {"query": speaker.says(3), "limit": 5},
                "highways": None,
            }
            body = bodies[what]
            began = time.time()
            while (told := self._call(what, body, number)) and time.time() < self.ends + PATIENCE:
                self.errors.append((what, time.time(), told))
                time.sleep(0.05)
            if not told:
                self.times.append((what, began, time.time() - began))
                if body and what == "think":
                    self.said.append(str(body["id"]))
            time.sleep(dice.random() * 0.4)

    def _call(self, what: str, body: dict[str, Any] | None, number: int) -> str:
        """What went wrong; "" where it was answered."""
        where = urllib.parse.urlsplit(self.addresses[number % len(self.addresses)])
        try:
            link = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE)
            head = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
            link.request("POST" if body else "GET", f"/{what}", json.dumps(body) if body else None, head)
            done = link.getresponse()
            text = done.read().decode()
            link.close()
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__
        return "" if done.status == 200 else f"{done.status} {text[:160]}"


def _judged(servers: TeamServers, family: Any, found: list[Any], gaps: Any, folder: str) -> dict[str, Any]:
    said = [one for each in found for one in each["said"]]
    times = [one for each in found for one in each["times"]]
    errors = [one for each in found for one in each["errors"]]
    outside = [one for one in errors if not any(began - 0.5 <= one[1] <= ended + 2.0 for began, ended in gaps)]
    rows = family.primary.sql("SELECT id FROM holdfast.thought")
    there = [row[0] for row in rows]
    longest = [
        max((spent for what, when, spent in times if when <= ended and when + spent >= began), default=0.0)
        for began, ended in gaps
    ]
    return {
        "agents": MACHINES * AGENTS,
        "acknowledged": len(said),
        "lost": len(set(said) - set(there)),
        "twice": len(there) - len(set(there)),
        "calls": len(times),
        "errors": len(errors),
        "errors outside the gaps": len(outside),
        "first of those": outside[:2],
        "gaps, promotion s": [round(ended - began, 2) for began, ended in gaps],
        "longest call across each gap s": [round(one, 2) for one in longest],
        "p50 ms": {what: _at(times, what, 0.5) for what in ("think", "retrieve", "highways")},
        "p99 ms": {what: _at(times, what, 0.99) for what in ("think", "retrieve", "highways")},
        "weights that differ from a replay": _differing(servers, folder),
    }


def _at(times: list[Any], wanted: str, part: float) -> float:
    each = sorted(spent for what, _, spent in times if what == wanted)
    return round(each[int(len(each) * part)] * 1e3, 1) if each else 0.0


def _differing(servers: TeamServers, folder: str) -> int:
    """How many thoughts have other traffic than one embedded store that reads all logs in the order of their times."""
    password = servers.member("judge", TEAM)
    server = Server(servers.dsn(user="hf_judge", password=password))
    store = PostgresStore(server, TEAM, "judge")
    replayed = SqliteStore(f"{folder}/replay.db")
    marks: dict[str, int] = {}
    while events := team_sleep._events(store, marks):
        replayed.travel([event for _, _, event in events], 1)
        for machine, number, _ in events:
            marks[machine] = max(number, marks.get(machine, 0))
    ids = [row[0] for row in store.ask("SELECT id FROM holdfast.traffic")]
    theirs, ours = store.traffic(ids), replayed.traffic(ids)
    server.close()
    replayed.close()
    return sum(theirs.get(one) != ours.get(one) for one in ids)

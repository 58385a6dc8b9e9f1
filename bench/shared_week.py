"""A machine that was cut off for a week comes back with its records, while others go on asking.

The vault is a real one, filled through its logs, and the shipper is the product's. Others ask all the time in a process
of their own, in another project of the same team, whose size stays as it is: their 99th percentile while the shipment
runs is at most twice the one before. Then the machine sends once more, and nothing may come of it.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable
from typing import Any

from team_support import TEAM, Team

from field import Generated, Speaker
from holdfast.capture import home
from holdfast.capture.ids import new_id
from holdfast.field import handle, retrieval, traffic
from holdfast.field.handle import Field
from holdfast.field.postgres.connection import Server
from holdfast.field.postgres.store import PostgresStore
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event
from holdfast.team import shipping
from holdfast.team.settings import Settings, Share
from shared_world import NOW, bulk, settle

WEEK, AIM = 7 * 86400.0, 2.0
THERE = 10_000  # thoughts that the team has before
BEFORE = 20.0  # seconds of asking before the machine is back
AT_ONCE = 1000
PROJECT = "warehouse"  # of the machine that was away


def measured(team: Team, records: int, tell: Callable[[str], None]) -> dict[str, Any]:
    embedder = Generated()
    for person in ("ada", "bob"):
        team.join(person)
    speaker = Speaker(3)
    for begin in range(0, THERE, AT_ONCE):
        some = [
            Thought(new_id(NOW + nth), speaker.says(20), project="shop", agent="ada", created=NOW + nth)
            for nth in range(begin, begin + AT_ONCE)
        ]
        bulk(team, TEAM, some, embedder)
    settle(team, TEAM)
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        vault = f"{folder}/vault"
        _cut_off(vault, records, speaker)
        spawn = multiprocessing.get_context("spawn")
        told, stop = spawn.Queue(), spawn.Event()
        asker = spawn.Process(target=_asking, args=(team.database.dsn(user="hf_ada"), told, stop))
        asker.start()
        told.get()  # it has begun
        time.sleep(BEFORE)
        began = time.time()
        share, settings = Share(PROJECT, TEAM), Settings(team.database.dsn(user="hf_bob"), "bob")
        with handle.opened(vault, embedder, lambda: NOW + WEEK) as field, shipping.turn(vault):
            sent = shipping.ship(field, team.server("bob"), settings, share)
            ended = time.time()
            stop.set()
            times = told.get()
            asker.join()
            again = shipping.ship(field, team.server("bob"), settings, share)
        tell(f"{sent:,} records in {ended - began:.0f} s")
    count = team.store("ada").count()
    quiet = [spent for when, spent in times if when < began]
    meanwhile = [spent for when, spent in times if began <= when <= ended]
    rate = _p99(meanwhile) / _p99(quiet)
    return {
        "records": records,
        "sent": sent,
        "sent the second time": again,
        "thoughts there": count,
        "thoughts wanted": THERE + records - records // 10,
        "seconds": round(ended - began, 1),
        "p99 before ms": round(_p99(quiet) * 1e3, 1),
        "p99 meanwhile ms": round(_p99(meanwhile) * 1e3, 1),
        "ratio": round(rate, 2),
        "aim": AIM,
    }


def _cut_off(vault: str, records: int, speaker: Speaker) -> None:
    """A week of thoughts, and of answers for a tenth of the records."""
    home.make_vault(vault)
    ids: list[str] = []
    for begin in range(0, records - records // 10, AT_ONCE):
        size = min(AT_ONCE, records - records // 10 - begin)
        made = [
            Thought(
                new_id(NOW + begin + nth), speaker.says(20), project=PROJECT, agent="bob", created=NOW + begin + nth
            )
            for nth in range(size)
        ]
        traffic.append(vault, made, NOW + begin)
        ids += [one.id for one in made]
    for nth in range(records // 10):
        some = tuple(ids[nth * 7 % len(ids)] for nth in range(nth, nth + 3))
        traffic.travel(vault, Event(NOW + nth, GOT, tuple(dict.fromkeys(some)), "bob", project=PROJECT, query="what"))


def _asking(dsn: str, told: Any, stop: Any) -> None:
    embedder, speaker, times = Generated(), Speaker(9), []
    server = Server(dsn)
    field = Field("", PostgresStore(server, TEAM, "adas"), embedder, lambda: NOW + WEEK)
    for _ in range(20):
        retrieval.ask(field, speaker.says(4), Scope("shop"))
    told.put("begun")
    while not stop.is_set():
        began = time.time()
        retrieval.ask(field, speaker.says(4), Scope("shop"))
        times.append((began, time.time() - began))
        time.sleep(0.02)
    told.put(times)
    server.close()


def _p99(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)]

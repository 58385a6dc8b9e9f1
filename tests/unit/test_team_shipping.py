"""A shared project reaches its team: once, whatever is killed or away, and nothing that is not of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from field_support import NOW, SHOP
from team_desk import SHARE, Desk

from holdfast.capture import purging
from holdfast.capture.ids import new_id
from holdfast.field import intake, think, traffic
from holdfast.field.postgres.connection import Away, Server
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event
from holdfast.model import replace
from holdfast.team import outgoing, shipping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from team_support import Team

pytestmark = pytest.mark.slow


@pytest.fixture
def desks(team: Team, tmp_path: Path) -> Iterator[tuple[Desk, Desk]]:
    made = Desk(team, tmp_path, "ada"), Desk(team, tmp_path, "bob")
    yield made
    for one in made:
        one.server.close()
        one.room.field.store.close()


@pytest.fixture
def ada(desks: tuple[Desk, Desk]) -> Desk:
    return desks[0]


def test_only_the_shared_project_leaves_the_machine(ada: Desk) -> None:
    ada.think("orders are locked optimistically")
    ada.think("a secret of another project", project="other-1")
    ada.think("known everywhere", project="")
    ada.room.note("who", "Ada is an early riser", "identity", project=SHOP)
    ada.room.note("deploys", "Deploys run on Mondays", "knowledge", project=SHOP)
    ada.room.note("elsewhere", "Another project's knowledge", "knowledge", project="other-1")
    assert ada.ship() == 2
    assert ada.texts() == {"orders are locked optimistically", "Deploys run on Mondays"}
    paths = {row[0] for row in ada.store.ask("SELECT path FROM holdfast.place")}
    assert not any("elsewhere" in path or "identity" in path for path in paths)


def test_what_was_sent_is_not_sent_again_and_use_is_counted_once(ada: Desk) -> None:
    one = ada.think("orders are locked optimistically")
    ada.ask("locked orders")
    assert ada.unsent().count == 2
    assert ada.unsent().oldest == NOW
    assert ada.ship() == 2
    assert ada.unsent() == shipping.Unsent(SHARE)
    assert ada.ship() == 0
    assert ada.store.traffic([one.id])[one.id].access_count == 1
    assert ada.store.traffic([one.id]) == {
        one.id: replace(ada.room.field.store.traffic([one.id])[one.id], agents=("ada",), log=((NOW, "ada"),))
    }


def test_a_kill_after_any_transaction_leaves_nothing_out_and_nothing_twice(
    ada: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "RECORDS", 3)
    monkeypatch.setattr(outgoing, "BYTES", 400)
    for nth in range(8):
        ada.think(f"thought number {nth} about orders of kind {nth * 7}")
        ada.room.now += 60
        ada.ask(f"thought number {nth}")
    real = outgoing.Outgoing._flush
    for most in range(1, 40):
        done = 0

        def killed(self: outgoing.Outgoing, most: int = most) -> None:
            nonlocal done
            done += bool(self._waiting)
            if done > most:
                raise KeyboardInterrupt
            if done == most and most % 2:  # after the commit, and before the word of it is kept
                self.sent.keep = lambda **_: None  # type: ignore[method-assign]
            real(self)

        monkeypatch.setattr(outgoing.Outgoing, "_flush", killed)
        try:
            ada.ship()
        except KeyboardInterrupt:
            continue
        break
    monkeypatch.setattr(outgoing.Outgoing, "_flush", real)
    ada.ship()
    assert len(ada.texts()) == 8
    for ident, local in ada.room.field.store.traffic(
        [row[0] for row in ada.store.ask("SELECT id FROM holdfast.thought")]
    ).items():
        theirs = ada.store.traffic([ident])[ident]
        assert (theirs.access_count, theirs.weight) == (local.access_count, local.weight)


def test_notes_at_one_path_of_two_people_are_two(desks: tuple[Desk, Desk]) -> None:
    for desk, said in zip(desks, ("Deploys run on Mondays", "Deploys run on Fridays"), strict=True):
        desk.room.note("deploys", said, "knowledge", project=SHOP)
        desk.ship()
    assert desks[0].texts() == {"Deploys run on Mondays", "Deploys run on Fridays"}


def test_a_note_that_is_removed_or_changed_here_is_so_there(ada: Desk) -> None:
    path = ada.room.note("deploys", "Deploys run on Mondays", "knowledge", project=SHOP)
    ada.ship()
    Path(ada.room.vault, path).unlink()
    ada.think("something else")
    ada.ship()
    assert ada.texts() == {"something else"}


def test_a_withdrawn_thought_is_withdrawn_there(ada: Desk) -> None:
    one = ada.think("orders are locked optimistically")
    ada.ship()
    think.withdraw(ada.room.field, [one.id])
    assert ada.unsent().count == 1
    ada.ship()
    assert ada.store.thoughts([one.id])[one.id].superseded_by == "withdrawn"


def test_unshare_withdraws_this_machines_part_and_leaves_others(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    ada.think("orders are locked optimistically")
    ada.ask("orders")
    bob.think("deploys run on mondays")
    ada.ship()
    bob.ship()
    shipping.note_withdrawal(ada.room.vault, SHARE)
    done = shipping.everything(ada.room.field, ada.server, replace(ada.settings, projects={}))
    assert done.withdrawn == {SHARE: 1}
    assert ada.texts() == {"deploys run on mondays"}
    assert ada.store.ask("SELECT count(*) FROM holdfast.event") == [(0,)]
    assert shipping.withdrawals(ada.room.vault) == []


def test_a_server_that_lost_everything_is_filled_again(ada: Desk, team: Team) -> None:
    one = ada.think("orders are locked optimistically")
    ada.ask("locked orders")
    ada.ship()
    before = ada.store.traffic([one.id])
    names = "thought place machine event touch traffic held posting tally tally_news"
    team.database.sql(f"TRUNCATE {', '.join(f'holdfast.{one}' for one in names.split())}")
    ada.ship()
    assert ada.texts() == {"orders are locked optimistically"}
    assert ada.store.traffic([one.id]) == before


def test_a_purge_sends_the_use_anew(ada: Desk) -> None:
    one = ada.think("orders are locked optimistically")
    ada.ask("locked orders")
    ada.ship()
    purging.count(f"{ada.room.vault}/.state")
    assert ada.unsent().purged
    ada.ship()
    assert not ada.unsent().purged
    assert ada.store.traffic([one.id])[one.id].access_count == 1


def test_secrets_are_redacted_again_before_they_leave(ada: Desk, token: str) -> None:
    one = Thought("n-" + "0" * 24, f"the key is {token}", kind="note", category="knowledge", project=SHOP)
    assert token not in ada.names.sent(one).text


def test_a_server_that_is_away_costs_nothing_but_time(ada: Desk, team: Team) -> None:
    ada.think("orders are locked optimistically")
    server = Server(ada.settings.dsn.replace("5432", "5999"))
    with pytest.raises(Away):
        shipping.everything(ada.room.field, server, ada.settings)
    assert ada.unsent().count == 1
    assert ada.ship() == 1


def test_vectors_come_along_where_the_embedder_serves_the_team(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    ada.think("orders are locked optimistically")
    ada.ship()
    bob.think("deploys run on mondays")
    bob.ship()
    assert ada.store.serving() == "directions-32"
    assert ada.store.lacking("directions-32") == 0


def test_a_process_that_is_killed_again_and_again_leaves_nothing_out_and_nothing_twice(ada: Desk) -> None:
    ada.settle()
    made = [Thought(new_id(NOW + n), f"thought {n} of {n % 7}", project=SHOP, created=NOW + n) for n in range(700)]
    traffic.append(ada.room.vault, made, NOW)
    for n in range(600):
        read = (made[n].id, made[-n - 1].id)
        traffic.travel(ada.room.vault, Event(NOW + 1000 + n, GOT, read, "operator", project=SHOP, query="q"))
    intake.synced(ada.room.field)
    env = {**ada.env, "PATH": os.environ["PATH"]}
    for patience in (0.3, 0.45, 0.6, 0.75, 0.9, 120):
        process = subprocess.Popen([sys.executable, "-m", "holdfast", "team", "sync"], env=env, cwd=ada.env["HOME"])
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    ids = [one.id for one in made]
    here, there = (store.traffic(ids) for store in (ada.room.field.store, ada.store))
    assert ada.store.count() == 700
    assert {one: (known.access_count, known.weight) for one, known in there.items()} == {
        one: (known.access_count, known.weight) for one, known in here.items()
    }

"""A whole field in a team's store and back: the same thoughts and the same weights, whatever is cut short."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from field_support import SHOP, Room
from team_desk import Desk

from holdfast.errors import UsageError
from holdfast.field import traffic
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event
from holdfast.team import moving, outgoing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from team_support import Team

pytestmark = pytest.mark.slow


@pytest.fixture
def ada(team: Team, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(team, tmp_path, "ada")
    for nth in range(5):
        made.room.think(f"thought number {nth} about orders", project="" if nth == 4 else SHOP)
    made.room.note("deploys", "Deploys run on Mondays")
    for _ in range(3):
        made.room.now += 3600
        made.room.read("orders number 3")
    yield made
    made.close()


def test_every_thought_and_weight_is_the_same_there(ada: Desk) -> None:
    done = moving.forth(ada.room.field, ada.server, "backend")
    assert done.thoughts == 6
    again = moving.forth(ada.room.field, ada.server, "backend")
    assert again == moving.Moved(6, done.digest, 0)


def test_a_move_that_was_cut_short_goes_on(ada: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "RECORDS", 1)
    real = outgoing.Outgoing._flush
    done = 0

    def killed(self: outgoing.Outgoing) -> None:
        nonlocal done
        done += 1
        if done == 2:
            raise KeyboardInterrupt
        real(self)

    monkeypatch.setattr(outgoing.Outgoing, "_flush", killed)
    with pytest.raises(KeyboardInterrupt):
        moving.forth(ada.room.field, ada.server, "backend")
    assert moving.forth(ada.room.field, ada.server, "backend").thoughts == 6


def test_what_a_server_took_in_comes_back_with_its_weight(ada: Desk, team: Team) -> None:
    moving.forth(ada.room.field, ada.server, "backend")
    other = team.store("bob", "backend", "replica")
    with other.writing():
        other.take("thoughts/replica", "1", [Thought("01TOLD", "said through a server", project=SHOP, created=1.0)])
        other.travel([Event(ada.room.now - 1800, GOT, ("01TOLD",), "bob", new={"01TOLD": (1.0, 1.0)})], 10)
    done = moving.back(ada.room.field, ada.server, "backend")
    assert (done.thoughts, done.records) == (7, 1)
    assert ada.room.field.store.traffic(["01TOLD"])["01TOLD"].access_count == 1
    assert moving.back(ada.room.field, ada.server, "backend").records == 0
    assert len(traffic.travels(ada.room.vault, 0).found) == 4


def test_it_does_not_go_back_into_a_vault_that_shares(ada: Desk) -> None:
    with pytest.raises(UsageError, match="shares shop-1 with backend; nothing was changed"):
        moving.refuse_shared(ada.settings.shares)


def test_stores_that_differ_are_said_to(ada: Desk, tmp_path: Path) -> None:
    other = Room(str(tmp_path / "other"))
    with pytest.raises(moving.Different, match="5 thoughts in the old, 0 of them in the new"):
        moving._compared(ada.room.field.store, other.field.store, moving._ids(ada.room.field.store), weights=True)
    other.close()

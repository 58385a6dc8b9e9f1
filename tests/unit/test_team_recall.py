"""A question in a shared project: the team answers within a budget, this machine in any case, and who did is said."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from field_support import SHOP
from team_desk import Desk

from holdfast.field import retrieval
from holdfast.field.store import Scope
from holdfast.team import accepted
from holdfast.team import settings as team_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from team_support import Team

    from holdfast.field.handle import Field
    from holdfast.field.retrieval import Answer

pytestmark = pytest.mark.slow
HERE = Scope(SHOP)


@pytest.fixture
def desks(team: Team, tmp_path: Path) -> Iterator[tuple[Desk, Desk]]:
    made = Desk(team, tmp_path, "ada"), Desk(team, tmp_path, "bob")
    for one in made:
        one.settle()
    yield made
    for one in made:
        one.close()


def texts(answer: Answer) -> list[str]:
    return [one.thought.text for one in answer.results]


def test_a_thought_of_another_machine_is_found_and_says_who_shared_it(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    ada.think("orders are locked optimistically")
    ada.ship()
    found = bob.memory().field.recall("how are orders locked", HERE)
    assert texts(found) == ["orders are locked optimistically"]
    assert found.results[0].shared_by == "ada"
    assert found.results[0].why.startswith("shared by ada; ")
    assert found.results[0].thought.origin == "import"
    assert found.as_record()["answered"] == "from the field of backend and this machine"
    assert found.as_record()["results"][0]["shared_by"] == "ada"


def test_what_both_have_is_shown_once_and_as_ones_own(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    path = ada.room.note("deploys", "Deploys run on Mondays")
    ada.ship()
    bob.think("deploys are announced on mondays")
    bob.ship()
    found = ada.memory().field.recall("deploys on mondays", HERE)
    mine = [one.thought for one in found.results if one.thought.path == path]
    assert [one.origin for one in mine] == ["agent"]
    assert "." not in mine[0].id
    assert len(found.results) == 2


def test_use_adds_up_over_machines_and_makes_a_highway_of_two_people(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    one = ada.think("orders are locked optimistically")
    ada.ship()
    for desk in (ada, bob, bob):
        memory = desk.memory()
        memory.field.recalled(memory.field.recall("how are orders locked", HERE))
        desk.ship()
    for desk in desks:
        (found,) = desk.memory().field.highways(HERE)
        assert (found.thought.id, found.traffic.access_count) == (one.id, 3)
        assert set(found.traffic.agents) == {"ada", "bob"}
    assert ada.memory().field.recall("orders locked", HERE).results[0].accesses == 3


def test_a_server_that_is_away_costs_little_and_is_said(desks: tuple[Desk, Desk]) -> None:
    ada, _ = desks
    ada.think("orders are locked optimistically")
    ada.settings = replace(ada.settings, dsn=ada.settings.dsn.replace("5432", "5999"))
    ada.settle()
    found = ada.memory().field.recall("how are orders locked", HERE)
    assert texts(found) == ["orders are locked optimistically"]
    assert found.answered == "from this machine alone: the team's field cannot be reached"
    ada.room.now += 3
    again = ada.memory().field.recall("how are orders locked", HERE)
    assert again.answered == "from this machine alone: the team's field was away 3 s ago"


def test_a_server_that_is_late_is_not_waited_for(desks: tuple[Desk, Desk], monkeypatch: pytest.MonkeyPatch) -> None:
    ada, _ = desks
    ada.think("orders are locked optimistically")
    ada.settings = replace(ada.settings, budget_s=0.05)
    ada.settle()
    ada.store.ask("SELECT 1")

    real = retrieval.ask

    def late(field: Field, *words: Any, **more: Any) -> Answer:
        if hasattr(field.store, "sharers"):
            ada.store.ask("SELECT pg_sleep(0.5)")
        return real(field, *words, **more)

    monkeypatch.setattr(retrieval, "ask", late)
    began = time.monotonic()
    found = ada.memory().field.recall("how are orders locked", HERE)
    assert found.answered == "from this machine alone: the team's field did not answer within 0.05 s"
    assert time.monotonic() - began < 0.5


def test_an_accepted_thought_has_its_own_origin_until_it_says_something_else(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    path = ada.room.note("deploys", "Deploys run on Mondays")
    ada.ship()
    first = bob.memory().field.recall("deploys mondays", HERE).results[0].thought
    raw = bob.store.thoughts([first.id])[first.id]
    accepted.accept(bob.room.vault, raw, bob.room.now)
    assert bob.memory().field.recall("deploys mondays", HERE).results[0].thought.origin == "agent"
    ada.room.note("deploys", "Deploys never run on Mondays")
    assert Path(ada.room.vault, path).exists()
    ada.ship()
    assert bob.memory().field.recall("deploys mondays", HERE).results[0].thought.origin == "import"


def test_nothing_is_asked_of_a_team_for_a_project_that_is_not_shared(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    ada.think("orders are locked optimistically")
    ada.ship()
    team_settings.write(bob.env, replace(bob.settings, projects={"other-1": ("backend",)}))
    assert bob.memory().field.recall("how are orders locked", HERE).answered == ""

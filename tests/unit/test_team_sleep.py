"""A team's night: once for all, by anybody, and whoever comes next takes over the work of one that died."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.capture import home
from holdfast.errors import Busy, NotFound
from holdfast.field import embedders, embedding, handle, highways, retrieval
from holdfast.field.handle import Field
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event
from holdfast.sleep import density
from holdfast.team import team_sleep

if TYPE_CHECKING:
    from pathlib import Path

    from team_support import Team

pytestmark = pytest.mark.slow

NOW = 1_790_000_000.0
DAY = 86_400.0
SAID = (
    "The order service locks rows before it retries a payment",
    "Before a payment is retried the order service locks the rows",
    "Order service: rows are locked before the payment retry",
    "Deploys run from main on Fridays",
    "The staging cluster has three nodes",
    "Invoices are sent at noon",
)
TEAM = "shop"


@pytest.fixture
def field(team: Team, tmp_path: Path) -> Field:
    """Ada's own field; in the team's are thoughts of hers and of Bob's that say the same, and what both have read."""
    for person, began, more in (("ada", NOW, ""), ("bob", NOW + 100, " as we agreed")):
        store = team.store(person)
        made = [
            Thought(f"{person}{at}", f"{text}{more}", project="shop", created=began + at)
            for at, text in enumerate(SAID)
        ]
        store.take("thoughts", "1", made)
        read = [
            Event(began + 999 + at, GOT, ("ada0", "bob1"), person, project="shop", query="payment") for at in range(4)
        ]
        store.travel(read, 1)
    model = embedders.at_hand(embedders.Settings(), {})
    assert model is not None
    embedding.give(Field("", team.store("ada"), model, lambda: NOW), model)
    vault = str(tmp_path / "vault")
    home.make_vault(vault)
    return handle.opened(vault, model, lambda: NOW + 3 * DAY)


def summaries(team: Team, person: str = "bob") -> list[str]:
    store = team.store(person)
    found = store.made_of([f"{who}{at}" for who in ("ada", "bob") for at in range(6)])
    ids = {one for each in found.values() for one in each}
    return sorted(one for one, known in store.thoughts(ids).items() if not known.superseded_by)


def test_what_one_machines_night_puts_together_everybody_has(team: Team, field: Field) -> None:
    done = team_sleep.sleep(field, team.server("ada"), TEAM)
    assert "became 1 summary" in done.summary
    assert len(summaries(team)) == 1
    assert team.store("bob").marks("tied", ["ada0"])["ada0"]["bob1"] == 8.0, "read together by both, added up"
    theirs = Field("", team.store("bob"), field.embedder, lambda: NOW + 3 * DAY)
    (busy, *_) = highways.highways(theirs, Scope("shop"))
    assert (busy.thought.id, busy.traffic.agents) == ("ada0", ("ada", "bob"))
    assert retrieval.ask(theirs, "payment retry", Scope("shop")).results


def test_a_second_night_finds_nothing_left_to_do_whoever_has_it(team: Team, field: Field) -> None:
    team_sleep.sleep(field, team.server("ada"), TEAM)
    assert "nothing to put together" in team_sleep.sleep(field, team.server("bob"), TEAM).summary


def test_two_do_not_sleep_for_one_team_at_once(team: Team, field: Field) -> None:
    with team_sleep.turn(team.server("ada"), TEAM), pytest.raises(Busy, match="Another machine has this team's night"):
        team_sleep.sleep(field, team.server("bob"), TEAM)
    assert summaries(team) == []


def test_the_work_of_a_sleeper_that_died_is_taken_over(team: Team, field: Field, tmp_path: Path) -> None:
    class Dead(Exception):
        """The machine is gone in the middle of its night."""

    def die() -> None:
        raise Dead

    with pytest.raises(Dead):
        team_sleep.sleep(field, team.server("ada"), TEAM, rest=die)
    assert team.store("ada").unslept()[0] > 0, "what it had not dealt with is still new"
    other = str(tmp_path / "other")
    home.make_vault(other)
    with handle.opened(other, field.embedder, lambda: NOW + 4 * DAY) as bobs:
        done = team_sleep.sleep(bobs, team.server("bob"), TEAM)
    assert "became 1 summary" in done.summary
    assert len(summaries(team)) == 1


def test_a_summary_that_lost_a_source_is_shown_to_nobody(team: Team, field: Field) -> None:
    team_sleep.sleep(field, team.server("ada"), TEAM)
    team.store("bob").forget("thoughts")
    assert summaries(team, "ada") == []
    theirs = Field("", team.store("ada"), field.embedder, lambda: NOW + 3 * DAY)
    said = [one.thought.text for one in retrieval.ask(theirs, "payment retry as we agreed", Scope("shop")).results]
    assert said
    assert not any("as we agreed" in text for text in said)


def test_a_dry_night_changes_nothing(team: Team, field: Field) -> None:
    assert "Became one" in team_sleep.sleep(field, team.server("ada"), TEAM, dry_run=True).page
    assert (summaries(team), team.store("ada").unslept()[0]) == ([], 12)


def test_only_members_have_a_teams_night(team: Team, field: Field) -> None:
    with pytest.raises(NotFound, match='no member of a team "other"'):
        team_sleep.sleep(field, team.server("ada"), "other")


def test_density_counts_the_contributors_of_the_whole_team(team: Team, field: Field) -> None:
    found = team_sleep.measured(field, team.server("ada"), TEAM, density.Settings())
    assert (found.agents, found.clusters) == (2, 2)

"""The doctor of a machine in a team: what is unsent, and a database that is not as it should be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from team_desk import Desk

from holdfast.health.finding import Place
from holdfast.health.team import check_team

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pg_cluster import Postgres
    from team_support import Team

    from holdfast.health.finding import Finding

pytestmark = pytest.mark.slow


@pytest.fixture
def ada(team: Team, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(team, tmp_path, "ada")
    made.settle()
    yield made
    made.close()


def found(desk: Desk) -> dict[str, Finding]:
    place = Place(desk.room.vault, desk.room.vault, desk.env, clock=lambda: desk.room.now)
    return {one.name: one for one in check_team(place)}


def test_all_is_well_once_everything_is_sent(ada: Desk) -> None:
    ada.think("orders are locked optimistically")
    ada.ship()
    seen = found(ada)
    assert all(one.ok for one in seen.values())
    assert seen["team-unsent"].detail == "shop-1 with backend: all of it is sent"
    assert seen["team"].detail.startswith("hf_ada, a member of backend, at postgresql://hf_ada@")


def test_what_is_unsent_is_named_with_its_age_and_a_week_of_it_is_a_failure(ada: Desk) -> None:
    ada.think("orders are locked optimistically")
    ada.room.now += 7200
    assert found(ada)["team-unsent"].detail == (
        "note: shop-1 with backend: 1 record unsent, the oldest 2 hours old; all of it is kept here"
    )
    ada.room.now += 8 * 86400
    assert not found(ada)["team-unsent"].ok


def test_a_server_that_is_away_is_advice(ada: Desk) -> None:
    ada.settings = replace(ada.settings, dsn=ada.settings.dsn.replace("5432", "5999"))
    ada.settle()
    seen = found(ada)["team"]
    assert seen.ok
    assert "cannot be reached" in seen.detail


def test_a_role_with_too_many_rights_is_named(ada: Desk, team: Team) -> None:
    team.database.sql("ALTER ROLE hf_ada CREATEROLE BYPASSRLS")
    seen = found(ada)["team-role"]
    assert not seen.ok
    assert "exempt from row-level security and allowed to make roles" in seen.detail


def test_a_lost_membership_and_another_schema_are_named(ada: Desk, team: Team) -> None:
    team.database.sql("DELETE FROM holdfast.member")
    assert "hf_ada is no member of backend" in found(ada)["team-role"].detail
    team.database.sql("UPDATE holdfast.meta SET value = '99' WHERE name = 'schema'")
    seen = found(ada)["team"]
    assert not seen.ok
    assert "newer holdfast" in seen.detail


def test_a_standby_that_is_behind_is_named(postgres_programs: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.team import membership, standing

    monkeypatch.setattr(standing, "ALLOWED_LAG", 1000)
    family = postgres_programs.family(1, synchronous=0)
    try:
        family.standbys[0].sql("SELECT pg_wal_replay_pause()")
        family.primary.sql("CREATE TABLE filled AS SELECT generate_series(1, 10000)")
        hosts = standing._hosts(family.dsn())
        assert [one.is_standby for one in hosts] == [False, True]
        seen = standing.Standing(membership.Role("ada", ()), True, tuple(hosts))
        assert [host.name for host, lacks in seen.behind() if lacks > 1000] == [hosts[1].name]
    finally:
        for one in family.members:
            one.kill()

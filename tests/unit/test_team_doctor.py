"""The doctor of a machine in a team: what is unsent, and a database that is not as it should be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from team_desk import Desk

from holdfast.field.postgres.hosts import Host
from holdfast.health.finding import Place
from holdfast.health.team import _hosts, check_team

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    assert seen["team"].detail.startswith("ada, a member of backend, at postgresql://hf_ada@")


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
    assert "the role hf_ada bypasses row-level security and may create roles" in seen.detail


def test_a_lost_membership_and_another_schema_are_named(ada: Desk, team: Team) -> None:
    team.database.sql("DELETE FROM holdfast.member")
    assert "ada is no member of backend" in found(ada)["team-role"].detail
    team.database.sql("UPDATE holdfast.meta SET value = '99' WHERE name = 'schema'")
    seen = found(ada)["team"]
    assert not seen.ok
    assert "newer holdfast" in seen.detail


def test_a_standby_that_is_behind_or_away_is_named() -> None:
    each = [Host("a:1", "primary"), Host("b:1", "standby", 1000, 1.0), Host("c:1", "standby", 1 << 30, 7200.0)]
    seen = list(_hosts([*each, Host("d:1", "away")]))
    assert [(one.about, one.ok) for one in seen] == [("", False), ("", True)]
    assert "the standby c:1 is 1,073,741,824 bytes behind, its last change 2 hours old" in seen[0].detail
    assert "d:1 does not answer" in seen[1].detail

"""Health and the index: how far it is behind is a figure, and degrades; only a flag that nobody files fails."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from field_support import Room
from prometheus_client.parser import text_string_to_metric_families

from holdfast.field import coverage, handle, intake
from holdfast.field.coverage import Coverage
from holdfast.serve import health
from holdfast.serve.health import Metrics
from holdfast.serve.service import Serving


@pytest.fixture
def room(vault: str) -> Room:
    """A vault with one note that is indexed and one that is not."""
    made = Room(vault, meaning=False)
    made.note("locking", "Orders use optimistic locking")
    intake.sync(made.field)
    made.note("retries", "Retries stop after five")
    made.close()
    return made


def server(room: Room, later: float = 0.0) -> Serving:
    now = time.time() + later
    env = {"HOLDFAST_HOME": room.vault, "HOME": str(Path(room.vault).parent)}
    return Serving(room.vault, str(Path(room.vault).parent), env, clock=lambda: now)


def test_a_note_that_is_not_in_the_index_is_a_figure_and_degrades_once_it_is_old(room: Room) -> None:
    fresh = health.look(server(room))
    assert (fresh.is_well, fresh.degraded, fresh.behind) == (True, "", 1)
    since = os.stat(f"{room.vault}/knowledge/retries.md").st_ctime
    serving = server(room, 2 * 3600.0)
    late = health.look(serving)
    assert late.is_well, "memory is kept"
    assert late.lag == pytest.approx(serving.clock() - since)
    assert "behind the vault with 1 of 2, the oldest for 2.0 hours" in late.why
    assert "holdfast rebuild" in late.why


def test_an_index_that_is_up_to_date_has_no_lag(room: Room) -> None:
    room.reopen()
    intake.sync(room.field)
    room.close()
    found = health.look(server(room, 7200.0))
    assert (found.lag, found.behind, found.why) == (0.0, 0, "")


def test_an_index_of_a_newer_holdfast_degrades(room: Room) -> None:
    db = sqlite3.connect(handle.path_of(room.vault))
    with db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    found = health.look(server(room))
    assert found.is_well
    assert "newer holdfast" in found.why


def test_the_index_is_looked_at_for_a_small_part_of_the_time(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    serving = server(room)
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    real, looks = coverage.look, []

    def slow(vault: str, **more: Any) -> Coverage:
        looks.append(now[0])
        now[0] += 0.5
        return real(vault, **more)

    monkeypatch.setattr(coverage, "look", slow)
    for _ in range(200):
        health.look(serving)
        now[0] += 1.0
    assert len(looks) == 4, "each took half a second, so for fifty none was made"
    health.look(server(room))
    assert len(looks) == 5, "another server looks for itself"


def test_prometheus_is_told_the_lag_and_how_much_is_behind(room: Room) -> None:
    told = Metrics(server(room, 2 * 3600.0)).text().decode()
    found = {one.name: one.samples[0].value for one in text_string_to_metric_families(told) if one.samples}
    assert found["holdfast_field_behind"] == 1
    assert found["holdfast_field_oldest_behind_age_seconds"] > 7190
    assert (found["holdfast_degraded"], found["holdfast_healthy"]) == (1, 1)

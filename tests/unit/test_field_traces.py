"""Traces: whose accesses count, everybody's or the asker's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from field_support import HOUR, NOW, Room

from holdfast import pheromone
from holdfast.field import intake, retrieval, traces
from holdfast.field.store import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.field.retrieval import Result


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(str(tmp_path / "vault"))
    yield made
    made.close()


def best(room: Room, query: str, asker: str | None) -> Result:
    return retrieval.ask(room.field, query, Scope("shop-1"), 5, asker=asker).results[0]


def test_for_an_asker_only_their_own_accesses_count(room: Room) -> None:
    room.think("locks are optimistic")
    room.now += HOUR
    for agent in ("ada", "bob", "bob", "bob"):
        room.read("locks", agent)
    mine = best(room, "locks", "ada")
    assert mine.accesses == 1
    assert mine.weight == pytest.approx(pheromone.decayed(1.0, NOW, NOW + HOUR) + 0.05)
    assert best(room, "locks", None).accesses == 4
    assert best(room, "locks", None).weight == pytest.approx(mine.weight + 3 * 0.05)


def test_an_asker_who_never_came_sees_the_weight_of_one_that_nobody_has_read(room: Room) -> None:
    room.think("locks are optimistic")
    room.read("locks", "bob")
    room.now += 5 * HOUR
    found = best(room, "locks", "ada")
    assert found.accesses == 0
    assert found.weight == pytest.approx(pheromone.decayed(1.0, NOW, room.now))


@pytest.mark.slow
def test_others_traces_change_the_order_for_everybody_and_not_for_the_asker(tmp_path: Path) -> None:
    room = Room(str(tmp_path / "words"), meaning=False)
    room.think("the queue is drained by the close")
    room.think("the queue is drained by the timer")
    first, second = (one.thought.text.rpartition(" ")[2] for one in room.ask("queue drained").results)
    for _ in range(12):
        room.read(second, "bob", most=1)
    assert best(room, "queue drained", None).thought.text.endswith(second)
    assert best(room, "queue drained", "ada").thought.text.endswith(first)
    room.close()


def test_sessions_and_shells_without_a_name_are_one_user(room: Room) -> None:
    room.think("locks are optimistic")
    for agent in ("claude-code/s1", "codex/s2", "operator", "claude-code"):
        room.read("locks", agent)
    found = best(room, "locks", "claude-code/s9")
    assert found.accesses == 4
    assert found.weight == pytest.approx(1.2)
    assert best(room, "locks", "ada").accesses == 0


def test_where_all_who_came_are_the_asker_use_that_no_access_log_has_counts_too(room: Room) -> None:
    made = room.think("locks are optimistic")
    room.read("locks", "ada")
    retrieval.used(room.field, [made.thought.id], "ada")
    assert best(room, "locks", "ada").weight == pytest.approx(1.07)
    assert best(room, "locks", "bob").weight == 1.0


def test_a_reading_in_personal_mode_does_not_begin_a_thought_again(room: Room) -> None:
    made = room.think("locks are optimistic")
    room.read("locks", "bob")
    answer = retrieval.ask(room.field, "locks", Scope("shop-1"), 5, asker="ada")
    assert answer.new == {}
    assert retrieval.reinforce(room.field, answer, "ada")
    assert room.weight(made.thought.id) == pytest.approx(1.1)


@pytest.mark.parametrize("agent", ["", "operator", "claude-code", "codex", "claude-code/s1", "gemini/x"])
def test_a_session_a_shell_and_a_host_are_no_names(agent: str) -> None:
    assert not traces.is_named(agent)


def test_a_successor_that_is_fetched_has_the_askers_own_weight(tmp_path: Path) -> None:
    room = Room(str(tmp_path / "words"), meaning=False)
    new = room.note("timeouts", "they last two minutes", supersedes=[room.note("leases", "leases end")])
    intake.sync(room.field)
    for _ in range(3):
        room.read("two minutes", "bob")
    found = {one: best(room, "leases", one) for one in ("ada", None)}
    assert {one.thought.path for one in found.values()} == {new}
    assert [one.accesses for one in found.values()] == [0, 3]
    room.close()

"""Weights: the closed form against the job that runs every hour, its bounds, and clocks that go wrong."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import pheromone
from holdfast.field.thought import Traffic
from holdfast.field.traffic import GOT, MOST_AGENTS, USED, Event, after, beginning, from_record
from holdfast.pheromone import CEILING, FLOOR, KEPT_AN_HOUR, LEAST, MOST, RETURNED, START

NOW = 1_790_000_000.0
HOUR = 3600.0
gaps = st.lists(st.tuples(st.floats(0, 200 * HOUR), st.sampled_from([RETURNED, pheromone.USED])), max_size=12)


def hourly_job(accesses: list[tuple[float, float]], until: float) -> float:
    """What a job does that looks at a thought every hour after its last access: nothing is computed, all is counted."""
    weight, last = START, 0.0
    for at, by in [*accesses, (until, 0.0)]:
        tick = last + HOUR
        while tick <= at:
            weight = max(FLOOR, weight * KEPT_AN_HOUR)
            tick += HOUR
        weight = min(CEILING, weight + by)
        last = at
    return weight


@settings(deadline=None, max_examples=200)
@given(gaps=gaps, rest=st.floats(0, 2000 * HOUR))
def test_the_closed_form_is_the_hourly_job(gaps: list[tuple[float, float]], rest: float) -> None:
    # Whole seconds: the two add up times in different orders, and a sum of floats is not the same in each.
    at, accesses = 0.0, []
    for gap, by in gaps:
        at += math.floor(gap)
        accesses.append((at, by))
    weight, last = START, 0.0
    for when, by in accesses:
        weight, last = pheromone.reinforced(weight, last, when, by), when
    until = at + math.floor(rest)
    assert pheromone.decayed(weight, last, until) == pytest.approx(hourly_job(accesses, until), rel=1e-9)


def test_the_figures_of_a_week_and_of_nineteen_days() -> None:
    assert pheromone.decayed(START, NOW, NOW + 7 * 24 * HOUR) == pytest.approx(0.43, abs=0.005)
    assert pheromone.decayed(START, NOW, NOW + 19 * 24 * HOUR) > FLOOR
    assert pheromone.decayed(START, NOW, NOW + 20 * 24 * HOUR) == FLOOR
    assert pheromone.decayed(START, NOW, NOW + HOUR - 1) == START, "only whole hours count"
    daily = START
    for _ in range(200):
        daily = pheromone.reinforced(daily, NOW, NOW + 24 * HOUR)
    assert daily == pytest.approx(0.46, abs=0.05), "read once a day it settles below a new one"


@settings(deadline=None, max_examples=200)
@given(
    weight=st.floats(FLOOR, CEILING),
    since=st.floats(allow_nan=False, allow_infinity=False, width=32),
    now=st.one_of(st.floats(width=32), st.just(math.nan), st.just(math.inf), st.just(-math.inf)),
)
def test_no_clock_makes_a_weight_grow_or_leave_its_bounds(weight: float, since: float, now: float) -> None:
    left = pheromone.decayed(weight, since, now)
    assert FLOOR <= left <= weight or left == FLOOR
    assert FLOOR <= pheromone.reinforced(weight, since, now) <= min(CEILING, weight + RETURNED)


def test_a_clock_set_back_lets_no_time_pass() -> None:
    assert pheromone.decayed(2.0, NOW, NOW - 1000 * HOUR) == 2.0
    late = after(Traffic(1, NOW, 2.0), Event(NOW - 1000 * HOUR, GOT, ("a",)), "a")
    assert late.weight == pytest.approx(2.05)
    assert late.weight_at(NOW) < late.weight, "and what was read then decays from then on"


@pytest.mark.parametrize(
    ("kind", "sources", "begins"),
    [
        ("original", [], 1.0),
        ("original", [8.0], 1.0),
        ("refinement", [0.1], 1.0),
        ("refinement", [6.0], 3.0),
        ("consolidation", [4.0, 8.0], 3.0),
        ("consolidation", [1.0, 1.0], 1.0),
        ("bridge", [10.0, 10.0], 1.0),
    ],
)
def test_what_is_made_of_others_begins_with_half_of_what_they_weigh(
    kind: str, sources: list[float], begins: float
) -> None:
    assert pheromone.start_of(kind, sources) == begins


@given(one=st.floats(FLOOR, CEILING), other=st.floats(FLOOR, CEILING))
def test_a_weight_moves_a_score_within_its_bounds_and_never_the_wrong_way(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert LEAST - 1e-9 <= pheromone.factor(low) <= pheromone.factor(high) <= MOST + 1e-9


def test_a_new_thought_is_neither_lifted_nor_lowered() -> None:
    assert pheromone.factor(START) == 1.0
    assert pheromone.factor(FLOOR) == pytest.approx(LEAST)
    assert pheromone.factor(CEILING) == pytest.approx(MOST)


def test_use_adds_to_the_weight_and_counts_as_no_access() -> None:
    used = after(Traffic(3, NOW, 1.0, ("ada",), ((NOW, "ada"),), {"b": 2}), Event(NOW, USED, ("a", "b"), "bob"), "a")
    assert used == Traffic(3, NOW, 1.02, ("ada", "bob"), ((NOW, "ada"),), {"b": 2})


def test_agents_by_the_thousand_do_not_make_a_row_grow() -> None:
    known = Traffic()
    for nth in range(MOST_AGENTS + 50):
        known = after(known, Event(NOW, GOT, ("a",), f"agent-{nth}"), "a")
    assert len(known.agents) == MOST_AGENTS
    assert known.access_count == MOST_AGENTS + 50


def test_an_event_survives_its_way_through_the_log() -> None:
    event = Event(NOW, GOT, ("a", "b"), "ada", "s1", "shop", "why?", {"a": (2.0, NOW - HOUR)})
    assert from_record(event.as_record()) == event
    assert beginning(event, "a") == Traffic(last_accessed=NOW - HOUR, weight=2.0)
    assert beginning(event, "b") == Traffic(last_accessed=NOW, weight=1.0)


@pytest.mark.parametrize(
    "record", [{}, {"kind": "purged", "t": 1.0}, {"kind": "got", "t": "x", "ids": []}, {"kind": "got", "t": 1.0}]
)
def test_a_record_that_was_purged_or_is_none_of_ours_is_refused(record: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError, TypeError)):
        from_record(record)

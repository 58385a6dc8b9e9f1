"""Density: how crowded the field is, whether others' traces help, and a mode that both have to agree on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from field_support import DAY, HOUR, NOW, SHOP, Room
from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture import field_mode, home, ledger
from holdfast.capture.field_mode import PERSONAL, SHARED
from holdfast.errors import UsageError
from holdfast.field import retrieval
from holdfast.field.traffic import GOT, USED, Event
from holdfast.model import replace
from holdfast.sleep import density, lift
from holdfast.sleep.density import Settings
from holdfast.sleep.lift import Candidate, Lift, Places

if TYPE_CHECKING:
    from collections.abc import Iterator

WISH = Settings()
HELPS, HARMS, NOTHING = Lift(40, 0.6, 0.4, 0.2, 0.1, 0.3), Lift(40, 0.4, 0.6, -0.2, -0.3, -0.1), Lift(40, 0.5, 0.5)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(str(tmp_path / "vault"), meaning=False)
    yield made
    made.close()


def got(time: float, agent: str, *ids: str, session: str = "") -> Event:
    return Event(NOW + time, GOT, ids, agent, session, query="q", new=dict.fromkeys(ids, (1.0, NOW)))


def use(time: float, agent: str, *ids: str, session: str = "") -> Event:
    return Event(NOW + time, USED, ids, agent, session)


# --- rho


def test_rho_is_distinct_agents_for_each_cluster_that_they_touched() -> None:
    events = [got(0, "ada", "a", "b"), got(1, "ada", "c"), use(2, "bob", "a")]
    assert density.crowd(events, {"a": "locks", "b": "locks", "c": "mails"}) == (2, 2)


def test_a_thought_in_no_cluster_is_a_cell_of_its_own() -> None:
    assert density.crowd([got(0, "ada", "a", "b", "locks")], {"a": "locks"}) == (1, 3)


def test_what_nobody_asked_for_makes_no_crowd() -> None:
    assert density.crowd([got(0, "", "a", "b")]) == (0, 0)
    assert density.crowd([]) == (0, 0)


# --- which queries say something


def test_a_query_counts_where_its_agent_used_a_result_within_an_hour() -> None:
    events = [got(0, "ada", "a", "b"), use(60, "ada", "a")]
    assert lift.questions(events, 0, NOW + DAY) == {0: frozenset({"a"})}


@pytest.mark.parametrize(
    "later",
    [
        use(60, "bob", "a"),
        use(60, "ada", "z"),
        use(lift.USED_WITHIN + 1, "ada", "a"),
        use(-1, "ada", "a"),
        use(60, "ada", "a", session="host/s2/1"),
        got(60, "ada", "a"),
    ],
    ids=["another agent", "not returned", "too late", "before it", "another session", "only returned again"],
)
def test_no_other_event_is_evidence_of_use(later: Event) -> None:
    assert lift.questions([got(0, "ada", "a", session="host/s1/1"), later], 0, NOW + DAY) == {}


def test_a_use_counts_for_the_latest_query_that_returned_it() -> None:
    events = [got(0, "ada", "a"), got(1, "ada", "a"), got(2, "ada", "b"), use(3, "ada", "a")]
    assert lift.questions(events, 0, NOW + DAY) == {1: frozenset({"a"})}


def test_queries_outside_the_window_are_not_asked_again() -> None:
    events = [got(0, "ada", "a"), use(1, "ada", "a")]
    assert lift.questions(events, NOW + 1, NOW + DAY) == {}
    assert lift.questions(events, 0, NOW - 1) == {}


# --- the replay


EQUAL = [Candidate("a", 1.0, 1.0, NOW), Candidate("b", 1.0, 1.0, NOW)]


def replayed(*events: Event) -> list[Places]:
    return lift.replay(events, lift.questions(events, 0, NOW + DAY), lambda _: EQUAL)


def test_others_traces_lift_what_they_came_back_to() -> None:
    assert replayed(got(0, "bob", "b"), got(1, "ada", "a", "b"), use(2, "ada", "b")) == [Places(1, 2)]


def test_others_traces_bury_what_only_the_asker_needs() -> None:
    events = (got(0, "ada", "b"), *(got(n, "bob", "a") for n in range(1, 4)), got(9, "ada", "a", "b"))
    assert replayed(*events, use(10, "ada", "b")) == [Places(2, 1)]


def test_a_trace_made_after_the_query_does_not_count() -> None:
    before = (got(1, "ada", "a", "b"), use(2, "ada", "b"))
    after = [got(3 + n, "bob", "b") for n in range(9)]
    assert replayed(*before, *after)[0] == replayed(*before)[0] == Places(2, 2)


@given(st.lists(st.tuples(st.sampled_from(["ada", "bob", "x/1", "x/2"]), st.sampled_from("ab")), max_size=12))
def test_whatever_comes_after_a_query_its_places_stay(after: list[tuple[str, str]]) -> None:
    before = (got(0, "bob", "b"), got(1, "ada", "a", "b"), use(2, "ada", "b"))
    events = (*before, *(got(3 + n, agent, ident) for n, (agent, ident) in enumerate(after)))
    asked = lift.questions(before, 0, NOW + DAY)
    assert lift.replay(events, asked, lambda _: EQUAL) == lift.replay(before, asked, lambda _: EQUAL)


def test_between_unnamed_sessions_of_one_machine_there_is_no_lift() -> None:
    events = (got(0, "claude-code/s1", "b"), got(1, "claude-code/s2", "a", "b"), use(2, "claude-code/s2", "b"))
    assert replayed(*events) == [Places(1, 1)]


def test_a_used_thought_that_is_gone_says_nothing() -> None:
    assert replayed(got(0, "ada", "z"), use(1, "ada", "z")) == []


def test_the_replay_weighs_as_the_store_does(room: Room) -> None:
    """Everybody's weights of the replay are those that the index has after the same events."""
    made = room.think("locks are optimistic").thought.id
    for hours, agent in ((1, "ada"), (30, "bob"), (31, "ada")):
        room.now = NOW + hours * HOUR
        room.read("locks", agent)
        retrieval.used(room.field, [made], agent)
    trail = lift.Trail()
    for event in density._events(room.vault):
        trail.take(event)
    known = room.field.store.traffic([made])[made]
    weight, last = trail.everybody[made]
    assert weight == pytest.approx(known.weight)
    assert last == known.last_accessed


# --- the interval


def test_the_lift_is_the_gain_in_mean_reciprocal_rank_with_its_interval() -> None:
    found = lift.measured([Places(1, 2)] * 30 + [Places(2, 2)] * 10)
    assert (found.queries, found.everybody, found.own) == (40, 0.875, 0.5)
    assert found.gain == pytest.approx(0.375)
    assert 0 < found.low < found.gain < found.high
    assert found.share == pytest.approx(0.75)


def test_the_same_places_give_the_same_interval() -> None:
    places = [Places(1 + n % 3, 1 + n % 2) for n in range(50)]
    assert lift.measured(places) == lift.measured(places)
    assert lift.measured(places).low != lift.measured(places, seed=2).low


def test_without_a_query_the_lift_is_unknown() -> None:
    assert lift.measured([]) == Lift()


# --- the mode


def test_the_mode_becomes_shared_only_when_rho_and_lift_agree() -> None:
    assert density.decide(PERSONAL, 0.3, HELPS, WISH)[0] == SHARED
    assert density.decide(PERSONAL, 0.1, HELPS, WISH)[0] == PERSONAL
    assert density.decide(PERSONAL, 0.3, NOTHING, WISH)[0] == PERSONAL
    assert density.decide(PERSONAL, 0.3, replace(HELPS, queries=19), WISH)[0] == PERSONAL
    assert density.decide("", 0.3, HELPS, WISH)[0] == SHARED


def test_the_mode_becomes_personal_again_when_either_says_so() -> None:
    assert density.decide(SHARED, 0.19, HELPS, WISH)[0] == PERSONAL
    assert density.decide(SHARED, 0.3, HARMS, WISH)[0] == PERSONAL
    assert density.decide(SHARED, 0.3, replace(HARMS, queries=3), WISH)[0] == SHARED
    assert density.decide(SHARED, 0.3, NOTHING, WISH)[0] == SHARED


@given(st.floats(WISH.leave, WISH.enter, exclude_max=True), st.sampled_from([HELPS, NOTHING]))
def test_between_the_thresholds_the_mode_stays_whatever_it_is(rho: float, found: Lift) -> None:
    for mode in (PERSONAL, SHARED):
        assert density.decide(mode, rho, found, WISH)[0] == mode


def test_every_decision_says_why_in_figures() -> None:
    for before in ("", PERSONAL, SHARED):
        for rho in (0.0, 0.23, 0.5):
            for found in (HELPS, HARMS, NOTHING, Lift()):
                assert f"{rho:.3f}" in density.decide(before, rho, found, WISH)[1] or found is HARMS


@pytest.mark.parametrize(
    ("name", "value"),
    [("rho_c", 0), ("rho_c", -1), ("window_days", float("nan")), ("hysteresis", 1), ("least_queries", -1)],
)
def test_a_setting_that_cannot_be_used_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"{name} = .* nothing was measured"):
        density.settings({"density": {name: value}})


def test_settings_that_are_not_there_have_their_defaults() -> None:
    assert density.settings({}) == Settings(0.23, 14.0, 0.15, 20.0)
    assert density.settings({"density": {"rho_c": 0.4}}, 3) == Settings(0.4, 3.0, 0.15, 20.0)


# --- measuring a field


EAGER = Settings(least_queries=2)


NAMES = ("dee", "ada", "bob", "cy")


def work(room: Room, agents: tuple[str, ...] = NAMES) -> str:
    """Two thoughts that a query cannot tell apart. The first agent finds the one that ids put last by its own word; the
    others need that one too, and ask once each."""
    for nth in range(2):
        room.think(f"leases end after a minute in region{nth}")
    last = room.ask("leases end").results[-1].thought
    scout, *others = agents
    for _ in range(2):
        room.now += 60
        room.read(last.text.rpartition(" ")[2], scout, most=1)
    for agent in others:
        room.now += 60
        room.read("leases end", agent)
        retrieval.used(room.field, [last.id], agent)
    return last.id


def test_agents_that_help_each_other_bring_the_shared_mode(room: Room) -> None:
    work(room)
    found = density.measure(room.field, EAGER)
    assert (found.agents, found.clusters, found.rho) == (4, 2, 2.0)
    assert (found.lift.queries, found.lift.everybody, found.lift.own) == (3, 1.0, 0.5)
    assert (found.mode, found.before) == (SHARED, "")
    assert field_mode.read(home.state(room.vault)) == SHARED


@pytest.mark.slow
def test_a_crowd_that_has_gone_leaves_the_personal_mode_behind(room: Room) -> None:
    work(room)
    density.measure(room.field, EAGER)
    room.now += 15 * DAY
    found = density.measure(room.field, EAGER)
    assert (found.mode, found.before, found.is_changed) == (PERSONAL, SHARED, True)
    assert "rho 0.000" in found.why


def test_a_look_changes_nothing(room: Room) -> None:
    work(room)
    density.measure(room.field, EAGER, write=False)
    state = home.state(room.vault)
    assert field_mode.read(state) == ""
    assert list(ledger.read(state, ledger.Wanted(kinds=("density",)))) == []


def test_each_measurement_is_in_the_ledger_with_its_reason(room: Room) -> None:
    work(room)
    found = density.measure(room.field, EAGER)
    state = home.state(room.vault)
    (record,) = ledger.read(state, ledger.Wanted(kinds=("density",)))
    assert (record["mode"], record["why"], record["changed"]) == (found.mode, found.why, True)
    assert {"rho", "rho_c", "agents", "clusters", "lift", "low", "high", "queries"} <= set(record)


def test_clusters_make_the_field_denser(room: Room) -> None:
    work(room)
    ids = {ident for event in density._events(room.vault) for ident in event.ids}
    found = density.measure(room.field, EAGER, dict.fromkeys(ids, "leases"), write=False)
    assert (found.clusters, found.rho) == (1, 4.0)


@pytest.mark.slow
def test_what_was_done_before_the_window_makes_no_crowd(room: Room) -> None:
    work(room)
    room.now += 15 * DAY
    found = density.measure(room.field, EAGER)
    assert (found.agents, found.rho, found.lift.queries, found.mode) == (0, 0.0, 0, PERSONAL)


@pytest.mark.slow
def test_a_thought_made_after_a_query_is_no_candidate_of_it(room: Room) -> None:
    work(room)
    before = density.measure(room.field, EAGER, write=False).lift
    room.now += DAY
    for nth in range(5):
        room.think(f"leases end: {'leases end ' * nth}")
    assert density.measure(room.field, EAGER, write=False).lift == before


def test_unnamed_sessions_are_told_why_they_stay_personal(room: Room) -> None:
    work(room, tuple(f"claude-code/s{nth}" for nth in range(6)))
    found = density.measure(room.field, EAGER)
    assert (found.agents, found.mode, found.lift.gain) == (6, PERSONAL, 0.0)
    assert "HOLDFAST_AGENT" in found.why


def test_an_empty_field_is_measured_and_personal(room: Room) -> None:
    found = density.measure(room.field, WISH)
    assert (found.rho, found.lift, found.mode) == (0.0, Lift(), PERSONAL)
    assert json.dumps(found.as_record())


def test_a_record_that_cannot_be_read_is_no_mode(room: Room) -> None:
    state = home.state(room.vault)
    Path(state, "sleep").mkdir()
    for text in ("", "{", '{"mode": "crowded"}', "[]"):
        Path(field_mode.path_of(state)).write_text(text, encoding="utf-8")
        assert field_mode.read(state) == ""


@pytest.mark.slow
def test_a_clock_that_was_set_back_does_not_count_what_it_calls_the_future(room: Room) -> None:
    work(room)
    room.now = NOW - DAY
    assert density.measure(room.field, EAGER).agents == 0


def test_the_scope_of_a_logged_query_holds_in_the_replay(room: Room) -> None:
    ident = work(room)
    room.think("leases end leases end", project="other-2")
    (event, *_) = [one for one in density._events(room.vault) if one.query == "leases end"]
    assert event.project == SHOP
    found = {one.id for one in density._candidates(room.field, replace(event, time=room.now))}
    assert ident in found
    assert len(found) == 2

"""Sleep's share of the daily caps: its calls end there, and a close's go on."""

from __future__ import annotations

import pytest
from test_budget import NOBODY, NOW, Clock, Desk, Model, ask, granted, reserve, told, words

from holdfast.close import spend_report
from holdfast.close.budget import Budget
from holdfast.errors import CapReached
from holdfast.judge.seam import JOBS, SLEEP_JOBS


def budget(state: str, tokens: object = 1000, money: object = "none", share: object = None) -> Budget:
    config: dict[str, object] = {"spend": {"tokens_per_day": tokens, "money_per_day": money}}
    return Budget(state, config if share is None else {**config, "sleep": {"share": share}}, Clock(), NOBODY)


def sleeps(meter: Budget, tokens: int, job: str = "sleep-abstract") -> str:
    return meter.reserve(Model(), ask(job), tokens)


def test_the_jobs_of_sleep_are_jobs_of_judges() -> None:
    assert SLEEP_JOBS == ("sleep-abstract", "sleep-bridge", "sleep-note", "sleep-pair")
    assert set(SLEEP_JOBS) < set(JOBS)


def test_sleep_stops_at_its_share_and_a_close_goes_on(state: str) -> None:
    meter = budget(state)
    sleeps(meter, 150)
    sleeps(meter, 100, "sleep-bridge")
    with pytest.raises(CapReached, match="its share of 250 of 1,000 tokens a day is reached"):
        sleeps(meter, 1, "sleep-note")
    assert granted(meter, 750)
    assert told(state) == [], "nothing that a start should tell: closes are judged as before"


def test_closes_leave_sleep_its_share_only_while_the_cap_has_room(state: str) -> None:
    meter = budget(state)
    reserve(meter, 900)
    sleeps(meter, 100)
    with pytest.raises(CapReached, match="the cap of 1,000 tokens a day"):
        sleeps(meter, 100)


def test_tokens_that_were_settled_count_as_what_they_took(state: str) -> None:
    meter = budget(state)
    meter.settle(sleeps(meter, 250), words(10, 10))
    sleeps(meter, 230)
    with pytest.raises(CapReached):
        sleeps(meter, 1)


def test_money_has_a_share_too(state: str) -> None:
    meter = budget(state, tokens="none", money=0.01)
    most = 4 * 10**7  # tokens that no share of a cent pays for
    with pytest.raises(CapReached, match=r"its share of 0\.0025 of 0\.0100 USD a day is reached"):
        sleeps(meter, most)
    reserve(meter, 100)


def test_without_a_cap_there_is_no_share(state: str) -> None:
    meter = budget(state, tokens="none", share=0)
    sleeps(meter, 10**9)


@pytest.mark.parametrize(("share", "most"), [(0, 0), (0.5, 500), (1, 1000)])
def test_the_share_is_the_users_to_set(state: str, share: float, most: int) -> None:
    meter = budget(state, share=share)
    if most:
        sleeps(meter, most)
    with pytest.raises(CapReached):
        sleeps(meter, 1)


@pytest.mark.parametrize("share", ["half", -0.1, 1.1, True, float("nan")])
def test_a_share_that_is_not_understood_stops_sleep_and_nobody_else(state: str, share: object) -> None:
    meter = budget(state, share=share)
    with pytest.raises(CapReached, match=r"share under \[sleep\] in config.toml is not understood"):
        sleeps(meter, 1)
    assert granted(meter, 1000)


@pytest.mark.slow
def test_a_day_of_many_models_does_not_lose_count_of_sleep(state: str) -> None:
    meter = budget(state, tokens=4000)
    for nth in range(210):
        meter.reserve(Model(model=f"model-{nth}"), ask("sleep-note" if nth > 200 else "pending"), 1)
    meter.reserve(Model(model="one-more"), ask("sleep-note"), 991)
    with pytest.raises(CapReached, match="its share of 1,000 of 4,000"):
        sleeps(meter, 1)


def test_spend_shows_the_jobs_and_since_when_sleep_is_stopped(state: str) -> None:
    meter = budget(state)
    sleeps(meter, 200)
    with pytest.raises(CapReached):
        sleeps(meter, 200)
    found = spend_report.report(state, NOW, by="job")
    assert [(row.name, row.sums.tokens) for row in found.rows] == [("sleep-abstract", 200)]
    assert "Sleep's calls were stopped at 08:00 UTC (its share of the cap); closes go on." in found.lines()
    assert not any("file verbatim" in line for line in found.lines())
    assert Desk(state).today.stopped == {"sleep": NOW}

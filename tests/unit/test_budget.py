"""The budget: nothing is asked beyond the caps, whoever dies, and what was asked is counted once and cheaply."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hook_support import SOURCE, Home, fill_up, mounted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule
from pydantic import BaseModel

from holdfast.capture import ledger, log, notices
from holdfast.capture.ledger import Wanted
from holdfast.close import meter, prices, spend_report
from holdfast.close.budget import Budget
from holdfast.errors import CapReached, JudgeFailed
from holdfast.judge import models, seam
from holdfast.judge.seam import Question, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

NOW = 1_800_000_000.0  # 2027-01-15 08:00 UTC
TODAY, TOMORROW = "2027-01-15", "2027-01-16"
DAY = 86400.0
EPISODE = "claude-code/5e55/1"
NOBODY = {"HOME": "/nowhere"}  # who has no login and no key: what is paid is not up to whoever tests


class Answer(BaseModel):
    said: str


@dataclass
class Clock:
    now: float = NOW

    def __call__(self) -> float:
        return self.now


@dataclass
class Model:
    """A judge as the meter sees it."""

    name: str = "anthropic"
    model: str = "claude-haiku-4-5"

    def say(self, question: Question[Any], timeout: float) -> Words:
        raise AssertionError(f"the meter asks nobody, not even {question.job} within {timeout} s")


@dataclass
class Desk:
    """A meter with its clock, in one vault."""

    state: str
    tokens: object = 1000
    money: object = "none"
    clock: Clock = field(default_factory=Clock)
    env: dict[str, str] = field(default_factory=lambda: dict(NOBODY))
    judge: dict[str, str] = field(default_factory=dict)

    def budget(self) -> Budget:
        config = {"spend": {"tokens_per_day": self.tokens, "money_per_day": self.money}, "judge": self.judge}
        return Budget(self.state, config, self.clock, self.env)

    @property
    def today(self) -> meter.Day:
        return meter.load(self.state, meter.day_of(self.clock()))


def ask(job: str = "consolidate", about: str = EPISODE, most_out: int = 40) -> Question[Answer]:
    return Question(job, "be brief", "the text of the question", Answer, most_out, about)


def words(tokens_in: int, tokens_out: int, model: str = "", text: str = "{}") -> Words:
    return Words(text, tokens_in, tokens_out, model)


def reserve(budget: Budget, tokens: int, model: Model | None = None) -> str:
    return budget.reserve(model or Model(), ask(), tokens)


def granted(budget: Budget, tokens: int) -> bool:
    try:
        reserve(budget, tokens)
    except CapReached:
        return False
    return True


def told(state: str) -> list[notices.Notice]:
    return notices.for_project(state, "any", NOW)


def calls(state: str) -> list[dict[str, Any]]:
    return list(ledger.read(state, Wanted(kinds=("model",))))


def own_prices(state: str, text: str) -> None:
    os.makedirs(state, exist_ok=True)
    Path(prices.path_of(state)).write_text(text)


def test_a_call_counts_at_its_estimate_until_it_is_settled(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    ident = reserve(budget, 300)
    assert (desk.today.total.tokens, desk.today.total.open) == (300, 1)
    budget.settle(ident, words(100, 20))
    assert desk.today.total == meter.Sums(calls=1, tokens_in=100, tokens_out=20, money=200)


def test_a_call_that_would_go_over_the_cap_is_refused_and_one_that_fits_is_not(state: str) -> None:
    budget = Desk(state, tokens=1000).budget()
    reserve(budget, 600)
    with pytest.raises(CapReached) as refused:
        reserve(budget, 401)
    assert "the cap of 1,000 tokens a day is reached (600 are spent, this call may take 401)" in str(refused.value)
    assert not refused.value.again
    reserve(budget, 400)
    assert not granted(budget, 1)


def test_what_a_call_did_not_use_is_free_again(state: str) -> None:
    budget = Desk(state, tokens=1000).budget()
    ident = reserve(budget, 1000)
    assert not granted(budget, 900)
    budget.settle(ident, words(90, 10))
    assert granted(budget, 900)


def test_a_failed_call_without_words_stays_at_its_estimate(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    budget.settle(reserve(budget, 300), None, "cut off after 20 s")
    assert desk.today.total == meter.Sums(calls=1, failed=1, assumed=300, money=40 * 5 + 260)


def test_a_failed_call_of_which_nothing_arrived_costs_nothing(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    budget.settle(reserve(budget, 300), words(0, 0, text=""), "connection refused")
    assert desk.today.total == meter.Sums(calls=1, failed=1)


@dataclass
class Failing(Model):
    """Fails in each of these ways, one after the other, then answers."""

    ways: list[JudgeFailed] = field(default_factory=list)

    def say(self, question: Question[Any], timeout: float) -> Words:  # noqa: ARG002
        if self.ways:
            raise self.ways.pop(0)
        return words(70, 30, text='{"said": "yes"}')


def test_every_try_of_a_question_is_metered_as_what_it_may_have_cost(state: str) -> None:
    desk = Desk(state, tokens=100_000)
    ways = [JudgeFailed("refused", again=True), JudgeFailed("cut off", again=True, spent=True)]
    judge, question = Failing(ways=ways), ask()
    answer = seam.ask(judge, question, desk.budget(), timeout=1.0, wait=lambda _: None)
    assert answer.said == "yes"
    assert desk.today.total.calls == 3
    assert (desk.today.total.failed, desk.today.total.assumed) == (2, seam.estimate(question))
    assert [record["error"] for record in calls(state)] == ["refused", "cut off", ""]


def test_an_answer_without_a_count_takes_what_was_put_aside(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    budget.settle(reserve(budget, 300), words(0, 0, text="an answer"))
    assert desk.today.total.tokens == 300


def test_settling_twice_counts_once(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    ident = reserve(budget, 300)
    budget.settle(ident, words(100, 20))
    budget.settle(ident, words(100, 20))
    budget.settle("nobody's", words(100, 20))
    assert desk.today.total.tokens == 120


def test_tokens_that_no_call_can_take_are_not_believed(state: str) -> None:
    desk = Desk(state, tokens="none")
    budget = desk.budget()
    budget.settle(reserve(budget, 300), words(-500, 10**30))
    assert desk.today.total.tokens == meter.MOST
    reserve(budget, -5, Model("openai"))
    assert desk.today.total.tokens == meter.MOST


def test_what_calls_take_beyond_their_estimate_is_put_aside_for_the_next_also_on_the_day_after(state: str) -> None:
    desk = Desk(state, tokens=1000)
    budget = desk.budget()
    budget.settle(reserve(budget, 100), words(300, 50))
    assert desk.today.total.tokens == 350
    reserve(budget, 100)
    assert desk.today.total.tokens == 350 + 100 + 250
    desk.clock.now += DAY
    reserve(budget, 100)
    assert desk.today.total.tokens == 350
    other = Model("openai", "gpt-5-nano")
    reserve(budget, 100, other)
    assert desk.today.total.tokens == 450


def test_a_judge_that_keeps_to_its_estimates_again_is_trusted_again(state: str) -> None:
    desk = Desk(state, tokens=1000)
    budget = desk.budget()
    budget.settle(reserve(budget, 100), words(300, 50))
    for _ in range(2):
        desk.clock.now += DAY
        budget.settle(reserve(budget, 100), words(10, 5))
    desk.clock.now += DAY
    reserve(budget, 100)
    assert desk.today.total.tokens == 100


def test_a_call_counts_for_the_day_of_its_reservation(state: str) -> None:
    desk = Desk(state)
    desk.clock.now = NOW + 16 * 3600 - 1  # a second before midnight UTC
    budget = desk.budget()
    ident = reserve(budget, 900)
    desk.clock.now += 2
    assert granted(budget, 1000)
    budget.settle(ident, words(500, 50))
    assert meter.load(state, TODAY).total.tokens == 550
    assert meter.load(state, TOMORROW).total.tokens == 1000


def test_a_clock_that_goes_backwards_finds_what_was_spent(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    reserve(budget, 900)
    desk.clock.now -= 3600
    assert not granted(budget, 200)
    desk.clock.now += 400 * DAY
    assert granted(budget, 1000)
    desk.clock.now -= 400 * DAY
    assert not granted(budget, 200)
    assert granted(budget, 100)


def test_a_call_that_ends_before_it_began_took_no_time(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    ident = reserve(budget, 100)
    desk.clock.now -= 50
    budget.settle(ident, words(1, 1))
    assert calls(state)[0]["took"] == 0


def test_every_call_has_one_record_in_the_ledger_and_no_text_of_the_question(state: str, token: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    ident = reserve(budget, 300)
    desk.clock.now += 2.5
    budget.settle(ident, words(100, 20, "claude-haiku-4-5-20251001", "what the model said"), f"401 for {token}")
    (record,) = calls(state)
    assert {name: record[name] for name in ("job", "judge", "model", "tokens_in", "tokens_out", "took", "ok")} == {
        "job": "consolidate",
        "judge": "anthropic",
        "model": "claude-haiku-4-5-20251001",
        "tokens_in": 100,
        "tokens_out": 20,
        "took": 2.5,
        "ok": False,
    }
    assert (record["money"], record["about"]) == (0.0002, EPISODE)
    raw = b"".join(path.read_bytes() for path in Path(state).rglob("*") if path.is_file())
    for hidden in (b"the text of the question", b"be brief", b"what the model said", token.encode()):
        assert hidden not in raw


def test_at_the_cap_the_next_start_is_told_once_a_day(state: str) -> None:
    desk = Desk(state, tokens=100)
    budget = desk.budget()
    for _ in range(3):
        assert not granted(budget, 101)
    (notice,) = told(state)
    assert notice.line.startswith("On 2027-01-15, 08:00 UTC, calls to models stopped: the cap of 100 tokens")
    assert notice.once
    notices.told(state, [notice])
    assert not granted(desk.budget(), 101)
    assert told(state) == []
    desk.clock.now += DAY
    assert not granted(budget, 101)
    assert told(state)[0].line.startswith("On 2027-01-16")


def test_a_day_of_refusals_leaves_one_record(state: str) -> None:
    budget = Desk(state, tokens=0).budget()
    for _ in range(20):
        assert not granted(budget, 1)
    assert len(list(log.records(log.scan_file(f"{state}/spend/{TODAY}.log")))) == 2  # that it began, that it stopped


@pytest.mark.parametrize(
    ("spend", "expected"),
    [
        ({}, (meter.DEFAULT_TOKENS, None)),
        ({"tokens_per_day": 5}, (5, None)),
        ({"tokens_per_day": 0, "money_per_day": 0}, (0, 0)),
        ({"tokens_per_day": "none", "money_per_day": "none"}, (None, None)),
        ({"tokens_per_day": 1e6, "money_per_day": 1.5}, (1_000_000, 1_500_000)),
        ({"tokens_per_day": 10**400}, (meter.MOST, None)),
    ],
)
def test_caps_are_what_the_user_set(spend: dict[str, object], expected: tuple[object, object]) -> None:
    found = meter.caps({"spend": spend})
    assert ((found.tokens, found.money), found.problem) == (expected, "")


@pytest.mark.parametrize("bad", ["2M", -1, True, float("nan"), float("inf"), [1], {"a": 1}])
@pytest.mark.parametrize("name", ["tokens_per_day", "money_per_day"])
def test_a_cap_that_cannot_be_understood_allows_nothing_and_says_so(state: str, name: str, bad: object) -> None:
    budget = Budget(state, {"spend": {name: bad}}, Clock())
    with pytest.raises(CapReached, match=f"{name} under .spend. in config.toml is not understood"):
        reserve(budget, 1)


def test_a_cap_with_its_name_misspelt_allows_nothing(state: str) -> None:
    with pytest.raises(CapReached, match="money_per_dya under"):
        reserve(Budget(state, {"spend": {"money_per_dya": 1}}, Clock()), 1)


def test_a_cap_on_money_stops_the_calls(state: str) -> None:
    desk = Desk(state, tokens="none", money=0.002)
    budget = desk.budget()
    ident = reserve(budget, 1000)  # 960 in at 1.00 a million, 40 out at 5.00
    assert desk.today.total.money == 1160
    with pytest.raises(CapReached, match=r"the cap of 0\.0020 USD a day is reached \(0\.0012 is spent, this call may"):
        reserve(budget, 1000)
    budget.settle(ident, words(100, 10))
    assert desk.today.total.money == 150
    assert granted(budget, 1000)


def test_a_cap_on_money_refuses_a_model_without_a_known_price_until_there_is_one(state: str) -> None:
    desk = Desk(state, money=5)
    exotic = Model("openai", "exotic-1")
    with pytest.raises(CapReached, match=r"the price of exotic-1 is not known: add it to prices\.toml"):
        reserve(desk.budget(), 10, exotic)
    own_prices(state, '[[price]]\nmodel = "exotic-*"\nin = 2\nout = 3\n')
    reserve(desk.budget(), 10, exotic)
    assert desk.today.total.money == 30


def test_without_a_cap_on_money_an_unknown_price_stops_nothing(state: str) -> None:
    desk = Desk(state)
    reserve(desk.budget(), 10, Model("openai", "exotic-1"))
    assert [group.billed for group in desk.today.groups] == [prices.UNKNOWN]


def test_another_vault_sets_no_price_and_begins_no_day_of_its_own(state: str, place: Path) -> None:
    """As one that a repository brings: what is asked for it is told to it, and counted for the user."""
    theirs = f"{place}/theirs/.state"
    own_prices(theirs, '[[price]]\nmodel = "*"\nin = 0\nout = 0\n')
    config = {"spend": {"money_per_day": 0.002, "tokens_per_day": "none"}}
    budget = Budget(state, config, Clock(), NOBODY, ledger=theirs)
    budget.settle(reserve(budget, 1000), words(1000, 100))
    assert meter.load(theirs, TODAY).total.calls == 0
    assert meter.load(state, TODAY).total.money == 1500
    assert [record["money"] for record in calls(theirs)] == [0.0015]
    assert calls(state) == []
    other = Budget(state, config, Clock(), NOBODY, ledger=f"{place}/others/.state")
    for refused in (budget, other):
        with pytest.raises(CapReached, match="the cap of 0"):
            reserve(refused, 1000)
    assert len(told(theirs)) == len(told(state)) == 1


def test_a_cap_on_money_refuses_everything_while_the_prices_cannot_be_read(state: str) -> None:
    own_prices(state, "[[price]\n")
    with pytest.raises(CapReached, match=r"money is capped, and .*cannot be read"):
        reserve(Desk(state, money=5).budget(), 10)
    reserve(Desk(state).budget(), 10)


def test_an_answer_from_a_model_without_a_known_price_costs_what_was_asked_for(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    budget.settle(reserve(budget, 300), words(100, 20, "haiku-by-another-name"))
    ((group, sums),) = desk.today.groups.items()
    assert (group.billed, sums.money) == (prices.BY_TOKEN, 200)


def test_an_agents_own_command_line_is_paid_by_subscription(state: str) -> None:
    desk = Desk(state, tokens=1000, money=0)
    budget = desk.budget()
    ident = reserve(budget, 600, Model("claude-code", "haiku"))
    budget.settle(ident, words(500, 50, "claude-haiku-4-5-20251001"))
    ((group, sums),) = desk.today.groups.items()
    assert (group.billed, sums.money, sums.tokens) == (prices.SUBSCRIPTION, 0, 550)
    assert calls(state)[0]["money"] is None
    with pytest.raises(CapReached, match="tokens"):
        reserve(budget, 600, Model("claude-code", "haiku"))


def test_a_key_in_the_environment_makes_it_pay_by_token(state: str) -> None:
    desk = Desk(state, money=0, env={**NOBODY, "ANTHROPIC_API_KEY": "set"})
    with pytest.raises(CapReached, match=r"the cap of 0\.00 USD"):
        reserve(desk.budget(), 600, Model("claude-code", "haiku"))


def test_a_price_that_names_a_judge_counts_for_its_subscription_too(state: str) -> None:
    own_prices(
        state, '[[price]]\nmodel = "*"\nin = 9\nout = 9\n\n[[price]]\njudge = "codex"\nmodel = "*"\nin = 1\nout = 1\n'
    )
    known = prices.load(state)
    assert known.rate("codex", "gpt-5-mini", NOBODY) == prices.Rate(prices.BY_TOKEN, 1.0, 1.0, is_own=True)
    assert known.rate("claude-code", "haiku", NOBODY) == prices.Rate(prices.SUBSCRIPTION)
    assert known.rate("openai", "gpt-5-mini", NOBODY) == prices.Rate(prices.BY_TOKEN, 9.0, 9.0, is_own=True)


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434/v1", "http://localhost:1234", "http://[::1]:8000/v1"])
def test_a_server_on_this_machine_costs_nothing(state: str, url: str) -> None:
    desk = Desk(state, money=0, judge={"url": url})
    reserve(desk.budget(), 10, Model("openai", "llama3.2:3b"))
    assert [group.billed for group in desk.today.groups] == [prices.LOCAL]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1.evil.example/v1", "https://localhost.example", "http://[", "", "127.0.0.1"]
)
def test_a_server_elsewhere_is_not_on_this_machine(url: str) -> None:
    assert prices.Prices().rate("openai", "llama3.2:3b", NOBODY, url).why == prices.UNKNOWN


def test_ollama_is_on_this_machine_unless_an_address_says_otherwise() -> None:
    known = prices.Prices()
    ways = [known.rate("ollama", "llama3.2:3b", NOBODY, url).why for url in ("", "http://gpu.example:11434")]
    assert ways == [prices.LOCAL, prices.UNKNOWN]


def test_the_judges_own_default_models_have_a_price() -> None:
    known = prices.Prices()
    for judge, model in (("anthropic", models.ANTHROPIC_MODEL), ("openai", models.OPENAI_MODEL)):
        assert known.rate(judge, model, NOBODY).why == prices.BY_TOKEN


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-haiku-4-5", (1.0, 5.0)),
        ("claude-haiku-4-5-20251001", (1.0, 5.0)),
        ("anthropic/claude-haiku-4.5", (1.0, 5.0)),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", (1.0, 5.0)),
        ("claude-haiku-5-5", (0.1, 0.5)),
        ("GPT-5-mini-2025-08-07", (0.25, 2.0)),
        ("gemini-2.5-flash-lite-preview-09-2025", (0.1, 0.4)),
        ("gemini-2.5-flash", (0.3, 2.5)),
        ("qwen/qwen3-4b:free", (0.0, 0.0)),
        ("claude-haiku-9", None),
        ("gpt-5-pro", None),
        ("", None),
    ],
)
def test_the_shipped_prices_name_one_generation_each(model: str, expected: tuple[float, float] | None) -> None:
    rate = prices.Prices().rate("anthropic", model, NOBODY)
    assert (rate.money_in, rate.money_out) == (expected or (0.0, 0.0))
    assert rate.why == (prices.BY_TOKEN if expected else prices.UNKNOWN)


def test_the_users_own_price_comes_first_and_the_first_that_fits_counts(state: str) -> None:
    own_prices(
        state,
        "".join(
            f'[[price]]\nmodel = "{name}"\nin = {n}\nout = {n}\n' for n, name in enumerate(["gpt-5-mini", "gpt-*"], 1)
        ),
    )
    known = prices.load(state)
    assert [known.rate("openai", name, NOBODY).money_in for name in ("gpt-5-mini", "gpt-5-nano", "deepseek-chat")] == [
        1,
        2,
        0.28,
    ]


def test_who_counts_in_another_currency_gets_no_dollars(state: str) -> None:
    own_prices(state, 'currency = "eur"\n[[price]]\nmodel = "a"\nin = 1\nout = 1\n')
    known = prices.load(state)
    assert (known.currency, known.shipped) == ("EUR", ())
    assert known.rate("openai", "gpt-5-mini", NOBODY).why == prices.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "[[price]]\nmodel = 'a'\nin = -1\nout = 1",
        "[[price]]\nmodel = 'a'\nin = nan\nout = 1",
        "[[price]]\nmodel = 'a'\nin = '1'\nout = 1",
        "[[price]]\nmodel = 'a'\nin = 1",
        "[[price]]\nin = 1\nout = 1",
        "[[price]]\nmodel = 'a'\nin = 1\nout = 1\ncached = 3",
        "price = 3",
        "currency = 3",
        "prices = []",
        "\udcff",
        "in = [[",
    ],
)
def test_a_price_that_cannot_be_understood_is_said(state: str, text: str) -> None:
    os.makedirs(state)
    Path(prices.path_of(state)).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert prices.path_of(state) in prices.load(state).problem


AMOUNT = st.integers(0, 100).map(float)


@settings(deadline=None, max_examples=100)
@given(AMOUNT, AMOUNT, st.integers(0, 10**6), st.integers(0, 10**5), st.floats(0, 1))
def test_what_is_put_aside_in_money_covers_any_split_of_the_tokens(
    money_in: float, money_out: float, room: int, most_out: int, part: float
) -> None:
    rate = prices.Rate(prices.BY_TOKEN, money_in, money_out)
    out = round(min(most_out, room) * part)
    assert rate.cost(room - out, out) <= rate.most(room, most_out)


@pytest.mark.parametrize(
    ("about", "host"),
    [
        (EPISODE, "claude-code"),
        ("codex/a/b/2", "codex"),
        ("knowledge/redis.md", ""),
        ("", ""),
        ("codex/2", ""),
        ("\x1b[31mred/s/1", "[31mred"),
    ],
)
def test_the_host_of_a_call_is_whose_episode_it_is_about(about: str, host: str) -> None:
    assert meter.host_of(about) == host


def test_a_model_name_from_outside_is_one_short_line(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    budget.settle(reserve(budget, 10), words(1, 1, "evil\x1b[2J\nname" + "x" * 500))
    ((group, _),) = desk.today.groups.items()
    assert group.model.isprintable()
    assert len(group.model) <= 80


def test_a_server_that_names_a_new_model_each_time_does_not_make_the_sums_grow(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meter, "MOST_GROUPS", 5)
    desk = Desk(state, tokens="none")
    budget = desk.budget()
    for nth in range(20):
        budget.settle(reserve(budget, 10), words(1, 1, f"model-{nth}"))
    assert len(desk.today.groups) <= 6
    assert (desk.today.total.calls, desk.today.total.tokens, desk.today.total.open) == (20, 40, 0)


# Who dies, and what is lost


@pytest.mark.slow
def test_sixteen_threads_and_several_processes_are_never_granted_more_than_the_cap(state: str) -> None:
    cap, each, workers = 4000, 100, 4
    code = (
        "import sys; from concurrent.futures import ThreadPoolExecutor; sys.path.insert(0, sys.argv[3])\n"
        "from test_budget import Desk, granted\n"
        "budget = Desk(sys.argv[1], tokens=int(sys.argv[2])).budget()\n"
        "with ThreadPoolExecutor(16) as pool: print(sum(pool.map(lambda _: granted(budget, 100), range(20))))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", code, state, str(cap), str(Path(__file__).parent)]
    running = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE) for _ in range(workers)]
    counts = [int(one.communicate(timeout=60)[0]) for one in running]
    assert sum(counts) == cap // each
    assert meter.load(state, TODAY).total.tokens == cap


@pytest.mark.slow
def test_threads_that_settle_and_reserve_at_once_keep_the_sums_true(state: str) -> None:
    desk = Desk(state, tokens="none")
    budget = desk.budget()

    def call(nth: int) -> None:
        budget.settle(reserve(budget, 50), words(nth, 1))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(call, range(1, 49)))
    assert desk.today.total.tokens == sum(range(1, 49)) + 48
    assert (desk.today.total.open, desk.today.total.assumed) == (0, 0)
    os.unlink(f"{state}/spend/{TODAY}.json")
    assert desk.today.total.tokens == sum(range(1, 49)) + 48
    assert len(calls(state)) == 48


def _reserve_and_wait(state: str, pipe: Any) -> None:
    reserve(Desk(state).budget(), 700)
    pipe.send("reserved")
    signal.pause()


@pytest.mark.slow
def test_a_call_whose_process_was_killed_stays_spent(state: str) -> None:
    here, there = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_reserve_and_wait, args=(state, there))
    process.start()
    assert here.recv() == "reserved"
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    budget = Desk(state).budget()
    assert not granted(budget, 301)
    assert granted(budget, 300)


@pytest.mark.slow
def test_processes_that_are_killed_anywhere_leave_no_granted_call_uncounted(state: str) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from test_budget import Desk, reserve, words\n"
        "budget = Desk(sys.argv[1], tokens=100_000).budget()\n"
        "while True:\n"
        "    ident = reserve(budget, 10)\n"
        "    sys.stdout.write('x'); sys.stdout.flush()\n"
        "    budget.settle(ident, words(9, 1))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", code, state, str(Path(__file__).parent)]
    running = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE) for _ in range(3)]
    heard = 0
    for nth, one in enumerate(running):
        assert one.stdout
        heard += len(one.stdout.read(40 + 13 * nth))
        one.kill()
    for one in running:
        heard += len(one.communicate()[0])
    total = meter.load(state, TODAY).total
    assert heard <= total.calls <= heard + 3
    assert total.tokens == 10 * total.calls
    os.unlink(f"{state}/spend/{TODAY}.json")
    assert meter.load(state, TODAY).total == total


def test_a_torn_last_record_was_never_granted_and_hides_nothing_after_it(state: str) -> None:
    desk = Desk(state)
    reserve(desk.budget(), 300)
    path = Path(f"{state}/spend/{TODAY}.log")
    whole = path.read_bytes()
    path.write_bytes(whole + log.frame(b'{"what":"reserve","tokens":700}')[:-5])
    reserve(desk.budget(), 700)
    assert (desk.today.total.tokens, desk.today.broken) == (1000, 0)
    assert not granted(desk.budget(), 1)


@pytest.mark.parametrize("lost", ["removed", "emptied", "garbage", "of another day", "too long"])
def test_sums_that_are_lost_or_do_not_fit_are_made_anew(state: str, lost: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    budget.settle(reserve(budget, 300), words(100, 20))
    reserve(budget, 400)
    path = Path(f"{state}/spend/{TODAY}.json")
    sums = json.loads(path.read_text())
    path.unlink()
    if lost == "emptied":
        path.write_text("")
    elif lost == "garbage":
        path.write_text('{"size": 10, "groups": 3}')
    elif lost == "of another day":
        path.write_text(json.dumps({**sums, "day": TOMORROW, "groups": []}))
    elif lost == "too long":
        path.write_text(json.dumps({**sums, "size": sums["size"] + 1, "groups": []}))
    assert desk.today.total.tokens == 520
    assert granted(desk.budget(), 480)
    assert not granted(desk.budget(), 1)


def test_sums_that_a_killed_process_did_not_renew_are_completed_from_the_log(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    first, second = reserve(budget, 300), reserve(budget, 300)
    path = Path(f"{state}/spend/{TODAY}.json")
    before = path.read_bytes()
    budget.settle(first, words(100, 20))
    budget.settle(second, words(10, 2))
    path.write_bytes(before)
    assert desk.today.total == meter.Sums(calls=2, tokens_in=110, tokens_out=22, money=220)


def test_a_damaged_record_is_said_and_what_became_of_its_call_still_counts(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    budget.settle(reserve(budget, 300), words(100, 20))
    path = Path(f"{state}/spend/{TODAY}.log")
    path.write_bytes(path.read_bytes().replace(b'"tokens":300,"money":460', b'"tokens":999,"money":460', 1))
    os.unlink(f"{state}/spend/{TODAY}.json")
    assert (desk.today.total.tokens, desk.today.total.calls) == (120, 1)
    assert desk.today.broken > 0


def test_a_full_disk_refuses_the_call_and_forgets_none_that_was_granted(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "128k") as disk:
        state = f"{disk}/vault/.state"
        os.makedirs(state)
        desk = Desk(state)
        budget = desk.budget()
        ident = reserve(budget, 100)
        fill_up(disk)
        got: list[str] = []
        with pytest.raises(JudgeFailed, match=r"noted in the meter \(.*\), so it was not made") as refused:
            got.extend(reserve(budget, 1) for _ in range(900))  # the log's last block takes a few
        assert not isinstance(refused.value, CapReached)
        budget.settle(ident, words(1, 1))
        assert desk.today.total.tokens == 100 + len(got)
        (disk / "filler").unlink()
        assert granted(budget, 900 - len(got))
        assert not granted(budget, 1)


def test_a_short_write_refuses_the_call(
    state: str, no_file_over: Callable[[int], AbstractContextManager[None]]
) -> None:
    desk = Desk(state)
    budget = desk.budget()
    reserve(budget, 100)
    size = os.stat(f"{state}/spend/{TODAY}.log").st_size
    with (
        no_file_over(size + 20),
        pytest.raises(JudgeFailed, match=r"meter \(the disk refused it\), so it was not made"),
    ):
        reserve(budget, 100)
    assert desk.today.total.tokens == 100
    assert granted(budget, 900)


def test_a_meter_that_cannot_be_written_refuses_the_call_and_not_the_capture(fresh: Home) -> None:
    os.makedirs(fresh.state)
    Path(fresh.state, "spend").write_text("in the way")
    with pytest.raises(JudgeFailed, match="cannot be noted"):
        reserve(Desk(fresh.state).budget(), 1)
    assert fresh.fast("flag", "still captured").status == 0


# Keeping


def test_old_days_become_one_record_each_and_nothing_is_lost_or_counted_twice(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    for nth in range(20):
        budget.settle(reserve(budget, 300), words(100 + nth, 20))
        desk.clock.now += DAY
    desk.clock.now -= DAY
    names = set(os.listdir(f"{state}/spend"))
    assert len([name for name in names if name.endswith(".log") and name != "days.log"]) == meter.KEPT + 1
    found = spend_report.read(state, 30, desk.clock())
    assert [day.total.tokens for day in found] == [120 + nth for nth in range(20)]
    assert len(spend_report.read(state, 5, desk.clock())) == 5


def test_a_kill_between_folding_a_day_and_removing_it_counts_it_once(state: str) -> None:
    desk = Desk(state)
    reserve(desk.budget(), 300)
    first = Path(f"{state}/spend/{TODAY}.log").read_bytes()
    for _ in range(10):
        desk.clock.now += DAY
        reserve(desk.budget(), 10)
    Path(f"{state}/spend/{TODAY}.log").write_bytes(first)
    assert spend_report.read(state, 30, desk.clock())[0].total.tokens == 300
    desk.clock.now += DAY
    reserve(desk.budget(), 10)
    assert not Path(f"{state}/spend/{TODAY}.log").exists()
    assert [day.day for day in meter.folded(state)].count(TODAY) == 1
    assert spend_report.read(state, 30, desk.clock())[0].total.tokens == 300


def test_days_of_a_clock_that_was_ahead_do_not_push_out_today(state: str) -> None:
    desk = Desk(state)
    budget = desk.budget()
    for nth in range(meter.KEPT + 2):
        desk.clock.now = NOW + (300 + nth) * DAY
        reserve(budget, 10)
    desk.clock.now = NOW + 15 * 3600
    ident = reserve(budget, 900)
    desk.clock.now += 3600
    reserve(budget, 10)
    budget.settle(ident, words(400, 50))
    desk.clock.now -= 3600
    assert desk.today.total.tokens == 450
    assert not granted(budget, 551)


def test_a_clock_that_comes_back_after_a_day_was_folded_adds_to_it(state: str) -> None:
    desk = Desk(state)
    for nth in range(12):
        desk.clock.now = NOW + nth * DAY
        reserve(desk.budget(), 100)
    desk.clock.now = NOW
    reserve(desk.budget(), 7)
    assert spend_report.read(state, 1, NOW)[0].total.tokens == 107


def test_what_killed_writers_left_is_swept_on_the_next_day(state: str) -> None:
    desk = Desk(state)
    reserve(desk.budget(), 10)
    for name in (f"{TODAY}.json.17.abcd.tmp", "2026-01-01.json"):
        Path(f"{state}/spend/{name}").write_text("{}")
    desk.clock.now += DAY
    reserve(desk.budget(), 10)
    assert {name for name in os.listdir(f"{state}/spend") if name.endswith((".tmp", "01-01.json"))} == set()


def test_damage_in_an_old_day_is_kept_when_the_day_is_folded(state: str) -> None:
    desk = Desk(state)
    reserve(desk.budget(), 10)
    with open(f"{state}/spend/{TODAY}.log", "ab") as file:
        file.write(b"\nno record of ours")
    for _ in range(10):
        desk.clock.now += DAY
        reserve(desk.budget(), 10)
    (kept,) = Path(f"{state}/spend/broken").iterdir()
    assert kept.read_bytes() == b"\nno record of ours"


def test_days_at_a_cap_of_nothing_are_folded_too(state: str) -> None:
    desk = Desk(state, tokens=0)
    for _ in range(15):
        assert not granted(desk.budget(), 1)
        desk.clock.now += DAY
    assert len(meter.days(state)) <= meter.KEPT + 1


@pytest.mark.slow
def test_a_call_reads_no_more_after_a_thousand_others(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(state, tokens="none")
    budget = desk.budget()
    budget.settle(reserve(budget, 10), words(5, 5))
    path = f"{state}/spend/{TODAY}.log"
    payloads = [one for one in log.records(log.scan_file(path)) if b'"began"' not in one]
    log.append(path, payloads * 1000, durable=False)
    reserve(budget, 10)  # counts them, once
    read: list[int] = []
    really = log.scan_file

    def watched(name: str, start: int = 0) -> Iterator[log.Found]:
        read.append(os.stat(name).st_size - start)
        return really(name, start)

    monkeypatch.setattr(log, "scan_file", watched)
    budget.settle(reserve(budget, 10), words(5, 5))
    assert max(read) < 600
    assert os.stat(f"{state}/spend/{TODAY}.json").st_size < 600
    assert desk.today.total.calls == 1003


class Metering(RuleBasedStateMachine):
    """Budgets that reserve, settle, fail, die, lose their sums and live through midnights, against plain arithmetic."""

    CAP = 1000
    open_calls = Bundle("open_calls")

    @initialize()
    def begin(self) -> None:
        import tempfile

        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.desk = Desk(f"{self.folder.name}/.state", tokens=self.CAP)
        self.budgets = [self.desk.budget(), self.desk.budget()]
        self.spent: dict[str, int] = {}
        self.held: dict[str, tuple[str, int]] = {}

    @rule(target=open_calls, which=st.integers(0, 1), tokens=st.integers(1, 600))
    def reserve(self, which: int, tokens: int) -> tuple[int, str]:
        day = meter.day_of(self.desk.clock())
        fits = self.spent.get(day, 0) + tokens <= self.CAP
        try:
            ident = reserve(self.budgets[which], tokens)
        except CapReached:
            assert not fits
            return (which, "")
        assert fits
        self.held[ident] = (day, tokens)
        self.spent[day] = self.spent.get(day, 0) + tokens
        return (which, ident)

    @rule(call=consumes(open_calls), part=st.floats(0, 1), fails=st.booleans())
    def settle(self, call: tuple[int, str], part: float, fails: bool) -> None:
        which, ident = call
        day, tokens = self.held.pop(ident, ("", 0))
        used = round(tokens * part)
        known = ident in self.budgets[which]._held
        self.budgets[which].settle(ident, None if fails else words(used, 0, text="" if not used else "x"))
        if known and not fails:
            self.spent[day] -= tokens - used

    @rule(which=st.integers(0, 1))
    def die(self, which: int) -> None:
        self.budgets[which] = self.desk.budget()

    @rule()
    def lose_the_sums(self) -> None:
        for name in self.spent:
            Path(self.desk.state, "spend", f"{name}.json").unlink(missing_ok=True)

    @rule()
    def tear(self) -> None:
        path = Path(self.desk.state, "spend", f"{meter.day_of(self.desk.clock())}.log")
        if path.exists():
            with path.open("ab") as file:
                file.write(log.frame(b'{"what":"reserve","id":"torn"}')[:25])

    @rule(hours=st.sampled_from([-30, -1, 1, 25]))
    def time_passes(self, hours: int) -> None:
        self.desk.clock.now += hours * 3600

    @invariant()
    def what_is_counted_is_what_was_granted_and_never_over_the_cap(self) -> None:
        for day, tokens in self.spent.items():
            assert meter.load(self.desk.state, day).total.tokens == tokens <= self.CAP

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestMetering = Metering.TestCase
TestMetering.settings = settings(
    deadline=None, max_examples=60, stateful_step_count=40, suppress_health_check=[HealthCheck.too_slow]
)

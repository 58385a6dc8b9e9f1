"""Who pays for an agent's own command line, by its files and variables, and what the meter makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from holdfast.close import meter, prices
from holdfast.close.budget import Budget
from holdfast.errors import CapReached
from holdfast.hosts import programs
from holdfast.hosts.claude_code import judge as claude_code
from holdfast.hosts.codex import judge as codex
from holdfast.judge import models
from holdfast.judge.seam import Question, Words

NOW = 1_800_000_000.0
PROVIDER = 'model_provider = "mine"\n[model_providers.mine]\nbase_url = "{url}"\nenv_key = "MY_KEY"\n'


class Agent:
    """A judge as the meter sees it."""

    def __init__(self, name: str, model: str) -> None:
        self.name = name
        self.model = model

    def say(self, question: Question[Any], timeout: float) -> Words:
        raise AssertionError(f"the meter asks nobody, not even {question.job} within {timeout} s")


QUESTION = Question("consolidate", "be brief", "the question", BaseModel, 40)


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(claude_code, "MANAGED", f"{tmp_path}/managed.json")
    return {"HOME": str(tmp_path)}


def put(env: dict[str, str], name: str, text: object) -> None:
    path = Path(env["HOME"], name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")


def test_who_has_only_a_login_pays_by_subscription(env: dict[str, str]) -> None:
    put(env, ".claude/settings.json", {"model": "opus", "env": {"DEBUG": "1"}})
    put(env, ".claude.json", {"oauthAccount": {"accountUuid": "a"}})
    put(env, ".codex/auth.json", {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": {}})
    assert models.payer("claude-code", env) == models.payer("codex", env) == programs.BY_PLAN
    assert models.payer("openai", env) == ""


@pytest.mark.parametrize("variable", claude_code.KEYS)
def test_a_variable_makes_claude_pay_by_token_wherever_it_stands(env: dict[str, str], variable: str) -> None:
    assert claude_code.payer({**env, variable: "1"}) == programs.BY_TOKEN
    put(env, ".claude/settings.json", {"env": {variable: "1"}})
    assert claude_code.payer(env) == programs.BY_TOKEN


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".claude/settings.json", {"apiKeyHelper": "fetch-key"}),
        ("managed.json", {"apiKeyHelper": "fetch-key"}),
        (".claude.json", {"primaryApiKey": "made at the console"}),
    ],
)
def test_a_key_that_claude_finds_itself_makes_it_pay_by_token(env: dict[str, str], name: str, text: object) -> None:
    put(env, name, text)
    assert claude_code.payer(env) == programs.BY_TOKEN


def test_claudes_settings_are_where_its_own_variable_says(env: dict[str, str]) -> None:
    there = {**env, "CLAUDE_CONFIG_DIR": f"{env['HOME']}/there"}
    put(env, ".claude/settings.json", {"apiKeyHelper": "fetch-key"})
    assert claude_code.payer(there) == programs.BY_PLAN
    put(env, "there/.claude.json", {"primaryApiKey": "x"})
    assert claude_code.payer(there) == programs.BY_TOKEN


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        ({"auth_mode": "apikey", "OPENAI_API_KEY": "k"}, programs.BY_TOKEN),
        ({"OPENAI_API_KEY": "k"}, programs.BY_TOKEN),
        ({"bedrock_api_key": {"key": "k"}}, programs.BY_TOKEN),
        ({"auth_mode": "bedrockApiKey"}, programs.BY_TOKEN),
        ({"tokens": {"access_token": "t"}}, programs.BY_PLAN),
        ({"auth_mode": "personalAccessToken"}, programs.BY_PLAN),
        ("[1]", programs.BY_PLAN),
        ("{", programs.BY_PLAN),
    ],
)
def test_a_key_in_the_login_makes_codex_pay_by_token(env: dict[str, str], login: object, expected: str) -> None:
    put(env, ".codex/auth.json", login)
    assert codex.payer(env) == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (PROVIDER.format(url="https://llm.corp/v1"), programs.BY_TOKEN),
        (PROVIDER.format(url="http://127.0.0.1:8000/v1"), programs.HERE),
        (f"{PROVIDER.format(url='https://llm.corp/v1')}requires_openai_auth = true\n", programs.BY_PLAN),
        ('model_provider = "ollama"\n', programs.HERE),
        ('model_provider = "amazon-bedrock"\n', programs.BY_TOKEN),
        ('model_provider = "openai"\n', programs.BY_PLAN),
        ('forced_login_method = "api"\n', programs.BY_TOKEN),
        ('cli_auth_credentials_store = "keyring"\n', programs.NO_TELLING),
        ('cli_auth_credentials_store = "keyring"\nforced_login_method = "chatgpt"\n', programs.BY_PLAN),
    ],
)
def test_the_provider_of_codex_decides_before_its_login(env: dict[str, str], config: str, expected: str) -> None:
    put(env, ".codex/config.toml", config)
    assert codex.payer(env) == expected
    assert (
        prices.Prices().rate("codex", "gpt-6-luna", env).why
        == {
            programs.BY_TOKEN: prices.BY_TOKEN,
            programs.BY_PLAN: prices.SUBSCRIPTION,
            programs.HERE: prices.LOCAL,
            programs.NO_TELLING: prices.UNKNOWN,
        }[expected]
    )


def test_a_cap_on_money_holds_for_a_command_line_that_pays_by_token(state: str, env: dict[str, str]) -> None:
    put(env, ".codex/auth.json", {"OPENAI_API_KEY": "k"})
    put(env, ".claude/settings.json", {"apiKeyHelper": "fetch-key"})
    budget = Budget(state, {"spend": {"money_per_day": 0}}, lambda: NOW, env)
    for one in (Agent("codex", "gpt-6-luna"), Agent("claude-code", "haiku")):
        with pytest.raises(CapReached, match=r"the cap of 0\.00 USD"):
            budget.reserve(one, QUESTION, 500)
    put(env, ".codex/config.toml", 'cli_auth_credentials_store = "keyring"\n')
    with pytest.raises(CapReached, match="is not known"):
        budget.reserve(Agent("codex", "gpt-6-luna"), QUESTION, 500)


@pytest.mark.parametrize(
    ("table", "money"),
    [
        ("", 20_000),
        ('[[price]]\njudge = "claude-code"\nmodel = "*"\nin = 1\nout = 1\n', 600),
        ('currency = "EUR"\n', 0),
    ],
)
def test_dollars_by_a_judges_own_account_count_before_our_table_and_after_the_users(
    state: str, env: dict[str, str], table: str, money: int
) -> None:
    put(env, ".claude/settings.json", {"apiKeyHelper": "fetch-key"})
    Path(state).mkdir(parents=True)
    Path(prices.path_of(state)).write_text(table)
    budget = Budget(state, {}, lambda: NOW, env)
    ident = budget.reserve(Agent("claude-code", "haiku"), QUESTION, 900)
    budget.settle(ident, Words("{}", 500, 100, "claude-haiku-4-5", money=0.02))
    assert meter.load(state, meter.day_of(NOW)).total.money == money


def test_a_model_whose_price_nobody_knows_is_paid_by_the_judges_own_account(state: str, env: dict[str, str]) -> None:
    put(env, ".claude/settings.json", {"apiKeyHelper": "fetch-key"})
    budget = Budget(state, {}, lambda: NOW, env)
    budget.settle(
        budget.reserve(Agent("claude-code", "exotic"), QUESTION, 900), Words("{}", 500, 100, "exotic", money=0.02)
    )
    ((group, sums),) = meter.load(state, meter.day_of(NOW)).groups.items()
    assert (group.billed, sums.money) == (prices.BY_TOKEN, 20_000)


def test_no_dollars_are_counted_for_a_subscription(state: str, env: dict[str, str]) -> None:
    budget = Budget(state, {}, lambda: NOW, env)
    budget.settle(
        budget.reserve(Agent("claude-code", "haiku"), QUESTION, 900), Words("{}", 500, 100, "haiku", money=0.02)
    )
    ((group, sums),) = meter.load(state, meter.day_of(NOW)).groups.items()
    assert (group.billed, sums.money) == (prices.SUBSCRIPTION, 0)

"""`holdfast spend`: the meter sorted each way, as a chart and as JSON, with what today's caps leave."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hook_support import SOURCE, Home
from test_budget import Desk, Model, ask, words

from holdfast.capture import home
from holdfast.cli import command
from holdfast.cli.judge import spend
from holdfast.close.prices import AS_OF
from holdfast.errors import UsageError

HEAD = ["calls", "tokens", "money"]


@pytest.fixture
def meter(fresh: Home) -> Desk:
    """A vault whose meter runs by the real clock, as the command's does."""
    home.make_vault(str(fresh.vault))
    made = Desk(fresh.state, tokens=100_000)
    made.clock.now = time.time()
    return made


def call(
    meter: Desk, tokens: int, model: Model | None = None, job: str = "consolidate", host: str = "claude-code"
) -> None:
    budget = meter.budget()
    ident = budget.reserve(model or Model(), ask(job, f"{host}/s/1" if host else ""), tokens + 1000)
    budget.settle(ident, words(tokens, 0))


def configure(fresh: Home, text: str) -> None:
    Path(fresh.state, "config.toml").write_text(text)


def run(fresh: Home, *args: str) -> str:
    out = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
        for name, value in fresh.env.items():
            patch.setenv(name, value)
        spend(**command.read("spend", spend, args))
    return out.getvalue()


def as_json(fresh: Home, *args: str) -> dict[str, Any]:
    found = json.loads(run(fresh, "--json", *args))
    assert isinstance(found, dict)
    return found


def test_before_any_call_there_is_nothing_but_the_caps(fresh: Home) -> None:
    home.make_vault(str(fresh.vault))
    day = time.strftime("%Y-%m-%d", time.gmtime())
    assert run(fresh) == (
        f"No model was asked in the last 14 days.\nToday, {day} (UTC): 0 of 2,000,000 tokens, 2,000,000 left.\n"
    )
    assert not Path(fresh.state, "spend").exists()


def test_each_day_has_its_line_and_its_bar_also_one_without_a_call(fresh: Home, meter: Desk) -> None:
    now = meter.clock.now
    meter.clock.now = now - 2 * 86400
    call(meter, 4000)
    meter.clock.now = now
    call(meter, 1000)
    lines = run(fresh).splitlines()
    assert lines[0].split() == ["day", *HEAD]
    assert [line.split()[1:] for line in lines[1:4]] == [
        ["1", "4,000", "0.0040", "#" * 40],
        ["0", "0"],
        ["1", "1,000", "0.0010", "#" * 10],
    ]
    assert lines[4].split() == ["in", "all", "2", "5,000", "0.0050"]
    assert lines[5].endswith("(UTC): 1,000 of 2,000,000 tokens, 1,999,000 left; 0.0010 USD (no cap).")
    assert all(line.isascii() for line in lines)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("host", {"claude-code": 300, "codex": 40, "": 5}),
        ("job", {"consolidate": 300, "verify": 45}),
        ("model", {"claude-haiku-4-5": 305, "haiku": 40}),
        ("judge", {"anthropic": 305, "claude-code": 40}),
    ],
)
def test_the_meter_is_sorted_by_host_job_model_and_judge(
    fresh: Home, meter: Desk, by: str, expected: dict[str, int]
) -> None:
    call(meter, 300)
    call(meter, 40, Model("claude-code", "haiku"), "verify", "codex")
    call(meter, 5, job="verify", host="")
    found = as_json(fresh, "--by", by)
    assert {row["name"]: row["tokens"] for row in found["rows"]} == expected
    assert found["by"] == by
    assert list(expected) == [row["name"] for row in found["rows"]]
    text = run(fresh, "--by", by)
    assert text.splitlines()[0].split() == [by, *HEAD]
    assert ("no session" in text) == (by == "host")


def test_money_that_is_not_paid_by_token_is_named_and_not_invented(fresh: Home, meter: Desk) -> None:
    call(meter, 300)
    call(meter, 40, Model("claude-code", "haiku"))
    call(meter, 30, Model("openai", "exotic-1"))
    meter.judge["url"] = "http://127.0.0.1:11434/v1"
    call(meter, 20, Model("ollama", "llama3.2"))
    lines = run(fresh, "--by", "judge").splitlines()
    said = {line.split()[0]: line for line in lines[1:]}
    assert "0.0003  #" in said["anthropic"]
    assert "by subscription  #" in said["claude-code"]
    assert "price unknown  #" in said["openai"]
    assert "on this machine  #" in said["ollama"]
    assert "0.0003 + unknown" in said["in"]
    rows = {row["name"]: row for row in as_json(fresh, "--by", "judge")["rows"]}
    assert {name: row["money"] for name, row in rows.items()} == {
        "anthropic": 0.0003,
        "claude-code": None,
        "openai": None,
        "ollama": None,
    }
    assert rows["claude-code"]["billed"] == ["by subscription"]


def test_the_json_says_the_caps_what_is_left_and_when_calls_stopped(fresh: Home, meter: Desk) -> None:
    configure(fresh, "[spend]\ntokens_per_day = 500\nmoney_per_day = 1.5\n")
    call(meter, 300)
    meter.tokens = 500
    with pytest.raises(Exception, match="500 tokens"):
        call(meter, 300)
    found = as_json(fresh)
    assert found["caps"] == {"tokens": 500, "money": 1.5}
    today = found["today"]
    assert (today["tokens"], today["tokens_left"], today["money"]) == (300, 200, 0.0003)
    assert today["money_left"] == pytest.approx(1.4997)
    assert today["stopped"]["tokens"] == pytest.approx(meter.clock.now, abs=0.01)
    row = found["rows"][0]
    assert {
        name: row[name] for name in ("calls", "failed", "open", "tokens_in", "tokens_out", "assumed", "tokens")
    } == {
        "calls": 1,
        "failed": 0,
        "open": 0,
        "tokens_in": 300,
        "tokens_out": 0,
        "assumed": 0,
        "tokens": 300,
    }
    text = run(fresh)
    assert "300 of 500 tokens, 200 left; 0.0003 of 1.50 USD, 1.50 left." in text
    since = time.strftime("%H:%M", time.gmtime(meter.clock.now))
    assert f"Calls were stopped at {since} UTC (the cap on tokens); capture goes on, closes file verbatim." in text


def test_a_call_without_an_outcome_is_said(fresh: Home, meter: Desk) -> None:
    meter.budget().reserve(Model(), ask(), 700)
    assert "1 call has no outcome and counts as estimated: under way, or killed." in run(fresh)
    meter.budget().reserve(Model(), ask(), 700)
    assert "2 calls have no outcome and count as estimated: under way, or killed." in run(fresh)


def test_what_cannot_be_understood_is_said_with_the_figures(fresh: Home, meter: Desk) -> None:
    call(meter, 300)
    configure(fresh, '[spend]\ntokens_per_day = "2M"\n')
    Path(fresh.state, "prices.toml").write_text("[[price]]\nmodel = 3\n")
    day = time.strftime("%Y-%m-%d", time.gmtime(meter.clock.now))
    with open(f"{fresh.state}/spend/{day}.log", "ab") as file:
        file.write(b"\nno record")
    problems = as_json(fresh)["problems"]
    assert [any(word in problem for problem in problems) for word in ("tokens_per_day", "[[price]]", "no record")] == [
        True,
        True,
        True,
    ]
    assert run(fresh).count("note: ") == 3


def test_no_cap_is_said(fresh: Home, meter: Desk) -> None:
    configure(fresh, '[spend]\ntokens_per_day = "none"\n')
    call(meter, 300, Model("claude-code", "haiku"))
    assert run(fresh).splitlines()[-1].endswith("(UTC): 300 tokens (no cap).")
    assert as_json(fresh)["caps"] == {"tokens": None, "money": None}


def test_another_way_to_sort_is_a_usage_error(fresh: Home, meter: Desk) -> None:
    call(meter, 1)
    with pytest.raises(UsageError, match="day, host, job, model, judge"):
        run(fresh, "--by", "colour")


def test_the_prices_are_listed_yours_first_with_their_date(fresh: Home, meter: Desk) -> None:
    path = Path(fresh.state, "prices.toml")
    path.write_text('[[price]]\nmodel = "exotic-*"\njudge = "codex"\nin = 2\nout = 3.5\n')
    lines = run(fresh, "--prices").splitlines()
    assert lines[0].startswith("USD per million tokens")
    assert lines[1] == f"Yours, {path}:"
    assert lines[2].split() == ["exotic-*", "(codex)", "in", "2.00", "out", "3.50"]
    assert lines[3] == f"Shipped, as of {AS_OF}, and possibly outdated:"
    found = as_json(fresh, "--prices")
    assert found["own"] == [{"model": "exotic-*", "money_in": 2.0, "money_out": 3.5, "judge": "codex"}]
    assert len(found["shipped"]) > 10


def on_a_terminal(fresh: Home, *args: str, **env: str) -> str:
    """What the command prints where somebody watches."""
    leader, follower = pty.openpty()
    given = {**fresh.env, "PYTHONPATH": str(SOURCE), "TERM": "xterm-256color", "COLUMNS": "100", **env}
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "spend", *args], env=given, stdout=follower, stdin=follower
    )
    os.close(follower)
    parts = []
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # how a terminal ends
            break
        if not part:
            break
        parts.append(part)
    os.close(leader)
    assert process.wait() == 0
    return b"".join(parts).decode()


@pytest.mark.slow
def test_on_a_terminal_the_bars_have_a_colour_and_with_no_color_they_are_plain(fresh: Home, meter: Desk) -> None:
    call(meter, 300)
    shown = on_a_terminal(fresh)
    assert "\x1b[36m" in shown
    assert "\u2588" * 40 in shown
    plain = on_a_terminal(fresh, NO_COLOR="1")
    assert "\x1b" not in plain
    assert "#" * 40 in plain
    assert "#" in on_a_terminal(fresh, PYTHONIOENCODING="ascii")

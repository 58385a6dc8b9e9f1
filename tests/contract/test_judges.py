"""The contract of a judge, run against every implementation: one call, the model's words, failures as they are.

The HTTP judges speak to a real server; the two that are programs run one in their place that speaks as the real one was
heard to (tests/e2e/test_judges.py runs the real ones).
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from holdfast.errors import JudgeFailed, Unusable
from holdfast.judge import choice, seam
from holdfast.judge.seam import Judge, Question, Words

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit"))
from judge_server import Purse, Server, refuses, says

NAMES = [name for name in choice.TITLES if name != choice.VERBATIM]


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    word: str


ANSWER = '{"word": "größe \\u2713"}'
QUESTION = Question("verify", "Say one word.", "The data: größe ✓", Answer, most_out=200)

CLAUDE = """
failed = {"type": "result", "is_error": True, "result": "turned away"}
usage = {"input_tokens": 120, "output_tokens": 9}
said = {"type": "result", "is_error": False, "usage": usage, "modelUsage": {"small-1": {}}}
print(json.dumps({**failed, "api_error_status": status} if status else {**said, "result": text}))
"""
CODEX = """
if "models" in sys.argv:
    print('{"models": []}')
elif status:
    said = "unexpected status 401 Unauthorized" if status == 401 else f"last status: {status} Too Many Requests"
    print(json.dumps({"type": "turn.failed", "error": {"message": said}}))
else:
    print(json.dumps({"type": "item.completed", "item": {"type": "agent_message", "text": text}}))
    print(json.dumps({"type": "turn.completed", "usage": {"input_tokens": 120, "output_tokens": 9}}))
"""
PROGRAM = """#!{python}
import json, os, sys
given = sys.stdin.buffer.read().decode()
status, text = json.load(open({plan!r}))
if "exec" in sys.argv or "-p" in sys.argv:
    open({log!r}, "a").write(json.dumps(given) + "\\n")
{more}
"""


@dataclass
class Bench:
    """One judge, and what decides how it is answered."""

    judge: Judge
    answers: Callable[[int, str], None]  # a status, 0 for a good one, and a text
    given: Callable[[], list[str]]  # the data of each question that arrived


@pytest.fixture(params=NAMES)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    name = request.param
    if name in choice.ADDRESSED:
        with Server(says(ANSWER)) as server:
            config = {"judge": {"name": name, "url": server.url, "model": "small", "key_env": "KEY"}}
            judge = choice.chosen(config, {"KEY": "k"})
            assert judge

            def answers(status: int, text: str) -> None:
                server.acts = [refuses(status) if status else says(text)]

            yield Bench(judge, answers, lambda: [asked.body["messages"][-1]["content"] for asked in server.asked])
        return
    plan, log = tmp_path / "plan", tmp_path / "log"
    plan.write_text(json.dumps([0, ANSWER]))
    log.write_text("")
    word, more = {"claude-code": ("claude", CLAUDE), "codex": ("codex", CODEX)}[name]
    program = tmp_path / word
    program.write_text(PROGRAM.format(python=sys.executable, plan=str(plan), log=str(log), more=more))
    program.chmod(0o755)
    judge = choice.chosen({"judge": {"name": name}}, {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path)})
    assert judge

    def changes(status: int, text: str) -> None:
        plan.write_text(json.dumps([status, text]))

    yield Bench(
        judge,
        changes,
        lambda: [json.loads(line) for line in log.read_text().splitlines()],
    )


def test_it_has_the_name_that_the_settings_call_it_by_and_a_model(bench: Bench) -> None:
    assert bench.judge.name in NAMES
    assert bench.judge.model


@pytest.mark.slow
def test_its_words_are_the_models_words_with_what_they_took(bench: Bench) -> None:
    said = bench.judge.say(QUESTION, 20)
    assert isinstance(said, Words)
    assert json.loads(said.text) == {"word": "größe ✓"}
    assert (said.tokens_in, said.tokens_out, said.is_estimated) == (120, 9, False)
    assert said.model
    assert bench.given() == ["The data: größe ✓"]


@pytest.mark.slow
def test_what_is_no_answer_is_given_back_as_it_came(bench: Bench) -> None:
    bench.answers(0, "Sorry, no.")
    assert bench.judge.say(QUESTION, 20).text == "Sorry, no."


@pytest.mark.parametrize(("status", "again"), [(429, True), (401, False)])
def test_a_failure_is_a_judge_failed_that_says_whether_to_come_back(bench: Bench, status: int, again: bool) -> None:
    bench.answers(status, "")
    with pytest.raises(JudgeFailed) as failed:
        bench.judge.say(QUESTION, 20)
    assert failed.value.again is again
    assert len(bench.given()) == 1, "retries are not its own to make"
    assert "nothing was changed" in str(failed.value)


@pytest.mark.slow
def test_asked_through_the_seam_it_gives_an_object_and_is_paid_once(bench: Bench) -> None:
    purse = Purse()
    assert seam.ask(bench.judge, QUESTION, purse, timeout=20) == Answer(word="größe ✓")
    assert [words.tokens_in for words, _ in purse.settled if words] == [120]


@pytest.mark.slow
def test_nonsense_is_asked_for_once_more_and_then_kept(bench: Bench) -> None:
    bench.answers(0, '{"word": 3}')
    with pytest.raises(Unusable) as unusable:
        seam.ask(bench.judge, QUESTION, Purse(), timeout=20)
    assert unusable.value.raw == '{"word": 3}'
    assert len(bench.given()) == 2


@pytest.mark.slow
def test_many_may_ask_one_judge_at_once(bench: Bench) -> None:
    gate = threading.Barrier(4)

    def one(at: int) -> Any:
        gate.wait(10)
        question = Question("verify", "Say one word.", f"data {at}", Answer, most_out=200)
        return seam.ask(bench.judge, question, Purse(), timeout=30)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(one, range(4)))
    assert found == [Answer(word="größe ✓")] * 4
    assert sorted(bench.given()) == [f"data {at}" for at in range(4)]


def test_a_long_question_arrives_whole(bench: Bench) -> None:
    long = "a line of data\n" * 20_000
    bench.judge.say(Question("verify", "Say one word.", long, Answer, most_out=200), 20)
    assert bench.given() == [long]

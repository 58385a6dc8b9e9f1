"""Asking a judge: paid for, tried again, validated, given up; with a clock that only moves when somebody waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_server import GOOD, Purse, Server, Verdict, a_question, cuts, refuses, says
from pydantic import BaseModel, ConfigDict

from holdfast.errors import CapReached, JudgeFailed, Unusable
from holdfast.judge import reading, seam
from holdfast.judge.models import OpenAI
from holdfast.judge.seam import Judge, Question, Words

LEAST_PAUSES = [0.5, 1.0, 2.0]  # what the dice at 0 leave of 1, 2 and 4 seconds


@dataclass
class Timer:
    """A clock that moves when somebody waits, or when a judge takes its time."""

    now: float = 1000.0
    waited: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


@dataclass
class Scripted:
    """A judge that says what it is told to say, or fails so."""

    says: Iterator[str | Exception]
    timer: Timer
    takes: float = 0.0
    name: str = "scripted"
    model: str = "tiny"
    asked: list[tuple[str, float]] = field(default_factory=list)

    def say(self, question: Question[Any], timeout: float) -> Words:
        self.asked.append((question.told, timeout))
        self.timer.now += self.takes
        one = next(self.says)
        if isinstance(one, Exception):
            raise one
        return Words(one, 10, 5, "tiny-1")


def busy(wait: float = 0.0, *, spent: bool = False) -> JudgeFailed:
    return JudgeFailed("busy", again=True, wait=wait, spent=spent)


def ask(
    *script: str | Exception,
    deadline: float | None = None,
    takes: float = 0.0,
    dice: float = 0.0,
    purse: Purse | None = None,
) -> tuple[Verdict | JudgeFailed, Scripted, Timer]:
    """The answer or the failure, and what happened on the way."""
    timer = Timer()
    judge = Scripted(iter(script), timer, takes)
    ends = None if deadline is None else timer.now + deadline
    try:
        answer: Verdict | JudgeFailed = seam.ask(
            judge,
            a_question(),
            purse or Purse(),
            timeout=30,
            deadline=ends,
            clock=timer.clock,
            wait=timer.wait,
            dice=lambda: dice,
        )
    except JudgeFailed as error:
        answer = error
    return answer, judge, timer


def test_a_good_answer_is_one_call_reserved_and_settled() -> None:
    purse = Purse()
    answer, judge, timer = ask(GOOD, purse=purse)
    assert answer == Verdict(verdict="keep", ids=["F1"])
    assert timer.waited == []
    assert [timeout for _, timeout in judge.asked] == [30]
    (reserved,) = purse.reserved
    assert purse.jobs == [("scripted", "consolidate")]
    characters = len(judge.asked[0][0]) + len(a_question().given)
    assert reserved > a_question().most_out + characters // 3, "the schema counts too"
    assert purse.settled == [(Words(GOOD, 10, 5, "tiny-1"), "")]


def test_what_may_pass_is_tried_again_with_growing_pauses_and_each_try_is_settled() -> None:
    purse = Purse()
    answer, judge, timer = ask(busy(), busy(), busy(), GOOD, purse=purse)
    assert isinstance(answer, Verdict)
    assert timer.waited == LEAST_PAUSES
    assert len(judge.asked) == len(purse.settled) == 4


def test_the_dice_stretch_the_pauses_so_that_many_do_not_come_back_at_once() -> None:
    _, _, timer = ask(busy(), busy(), GOOD, dice=1.0)
    assert timer.waited == [1.0, 2.0]


def test_after_four_tries_it_is_given_up_with_the_last_reason() -> None:
    last = JudgeFailed("still busy", again=True)
    answer, judge, _ = ask(busy(), busy(), busy(), last, GOOD)
    assert answer is last
    assert len(judge.asked) == 4


def test_what_will_not_pass_is_not_tried_again() -> None:
    failed = JudgeFailed("no such key")
    answer, judge, timer = ask(failed, GOOD)
    assert answer is failed
    assert (len(judge.asked), timer.waited) == (1, [])


def test_what_the_other_side_asks_for_is_waited_up_to_a_minute() -> None:
    _, _, timer = ask(busy(7), busy(86400), GOOD)
    assert timer.waited == [7, 60]


def test_no_pause_goes_beyond_the_deadline() -> None:
    answer, judge, timer = ask(busy(30), GOOD, deadline=20)
    assert isinstance(answer, JudgeFailed)
    assert (len(judge.asked), timer.waited) == (1, [])


def test_no_call_goes_beyond_the_deadline_either() -> None:
    answer, judge, _ = ask(busy(), GOOD, deadline=20, takes=12)
    assert isinstance(answer, Verdict)
    assert [round(timeout, 1) for _, timeout in judge.asked] == [20, 7.5]


def test_where_no_time_is_left_nothing_is_reserved_and_nothing_asked() -> None:
    purse = Purse()
    answer, judge, _ = ask(GOOD, deadline=0.1, purse=purse)
    assert isinstance(answer, JudgeFailed)
    assert answer.again
    assert (judge.asked, purse.reserved) == ([], [])


def test_a_call_that_cost_nothing_is_settled_with_nothing_and_one_that_may_have_without_words() -> None:
    purse = Purse()
    ask(busy(), busy(spent=True), GOOD, purse=purse)
    assert [words and (words.tokens_in, words.tokens_out) for words, _ in purse.settled] == [(0, 0), None, (10, 5)]
    assert [error for _, error in purse.settled] == ["busy", "busy", ""]


def test_an_interruption_is_settled_too() -> None:
    purse, timer = Purse(), Timer()

    @dataclass
    class Interrupted(Scripted):
        def say(self, question: Question[Any], timeout: float) -> Words:  # noqa: ARG002
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        seam.ask(Interrupted(iter(()), timer), a_question(), purse, timeout=30)
    assert purse.settled == [(None, "KeyboardInterrupt: ")]


def test_a_cap_stops_the_call_before_it_is_made() -> None:
    class Empty(Purse):
        def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:  # noqa: ARG002
            raise CapReached

    answer, judge, _ = ask(GOOD, purse=Empty())
    assert isinstance(answer, CapReached)
    assert judge.asked == []


def test_an_answer_in_another_shape_is_asked_for_once_more_with_what_was_wrong() -> None:
    answer, judge, timer = ask('{"verdict": "keep"}', GOOD)
    assert isinstance(answer, Verdict)
    (first, _), (second, _) = judge.asked
    assert first == a_question().told
    assert second.startswith(first)
    assert "ids: Field required" in second
    assert timer.waited == []


def test_the_second_time_it_is_given_up_and_the_raw_answer_kept() -> None:
    answer, judge, _ = ask("Sure! I kept it.", '{"verdict": 3, "ids": []}', GOOD)
    assert isinstance(answer, Unusable)
    assert answer.raw == '{"verdict": 3, "ids": []}'
    assert "verdict: Input should be a valid string" in answer.said
    assert "verdict" not in str(answer), "what a model made up is in no sentence of ours"
    assert len(judge.asked) == 2


def test_where_the_second_call_fails_the_first_answer_is_kept() -> None:
    answer, _, _ = ask("not JSON", JudgeFailed("gone"))
    assert isinstance(answer, Unusable)
    assert answer.raw == "not JSON"


def test_a_cap_between_the_two_is_said_as_the_cap() -> None:
    answer, _, _ = ask("not JSON", CapReached())
    assert isinstance(answer, CapReached)


@pytest.mark.slow
def test_over_real_connections_limits_and_cuts_are_outlived() -> None:
    timer, purse = Timer(), Purse()
    with Server(
        refuses(429, "slow down", retry_after="9"), cuts, refuses(503), says(f"```json\n{GOOD}\n```")
    ) as server:
        judge = OpenAI("openai", "small", f"{server.url}/v1", "", {})
        answer = seam.ask(judge, a_question(), purse, timeout=10, clock=timer.clock, wait=timer.wait, dice=lambda: 0.0)
    assert answer.ids == ["F1"]
    assert timer.waited == [9.0, 1.0, 2.0]
    assert [words is None for words, _ in purse.settled] == [False, True, False, False]


@pytest.mark.slow
def test_over_real_connections_a_lie_in_the_right_form_is_not_believed() -> None:
    with Server(says('{"verdict": "keep", "ids": "F1"}'), says('{"verdict": "keep", "ids": [7]}')) as server:
        judge = OpenAI("openai", "small", f"{server.url}/v1", "", {})
        with pytest.raises(Unusable) as unusable:
            seam.ask(judge, a_question(), Purse(), timeout=10)
    assert unusable.value.raw == '{"verdict": "keep", "ids": [7]}'
    assert "ids: Input should be a valid array" in server.asked[1].body["messages"][0]["content"]


# --- reading


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\ufeff{GOOD}",
        f"  \n{GOOD}\n\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nI hope that helps!",
        f"Here is {{my}} answer:\n{GOOD}\nDone.",
        f"<think>Is it {{'a': 1}}? Or {{}}?</think>\n{GOOD}",
        f"{GOOD}\n{GOOD}",
    ],
)
def test_what_stands_around_the_object_does_not_matter(text: str) -> None:
    assert reading.read(text, Verdict) == Verdict(verdict="keep", ids=["F1"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("I would keep it.", "no JSON object"),
        ("[]", "no JSON object"),
        (GOOD[:-2], "not valid JSON"),
        ('{"verdict": "keep", "ids": ["F1"], "extra": 1}', "extra"),
        ('{"verdict": "keep", "verdict": "drop", "ids": []}', "twice"),
        ('{"verdict": "keep", "ids": [NaN]}', "NaN"),
        ('{"verdict": 1, "ids": []}', "verdict"),
        ('{"verdict": "keep", "ids": {"0": "F1"}}', "ids"),
        (f'{GOOD} or {{"verdict": "drop", "ids": []}}', "several"),
        ('{"a":' * 20_000, "not valid JSON"),
        ('{"verdict": "\\ud800", "ids": []}', "the object"),
        ('{"decisions": [{"verdict": "keep", "ids": []}, {"verd', "not valid JSON"),
    ],
)
def test_what_stands_in_it_does(text: str, why: str) -> None:
    with pytest.raises(reading.Broken, match=why):
        reading.read(text, Verdict)


def test_escapes_of_the_fence_are_taken_out_of_what_a_judge_quotes() -> None:
    answer = reading.read('{"verdict": "List&lt;String&gt; and &amp;lt;", "ids": []}', Verdict)
    assert answer.verdict == "List<String&gt; and &lt;"


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=60), st.text(max_size=20), st.lists(st.text(max_size=8), max_size=3))
def test_whatever_a_model_says_is_read_or_refused(around: str, verdict: str, ids: list[str]) -> None:
    made = Verdict.model_construct(verdict=verdict, ids=ids)
    try:
        found = reading.read(f"{around}{made.model_dump_json()}", Verdict)
    except (reading.Broken, UnicodeEncodeError):
        return
    assert isinstance(found, Verdict)


# --- shapes


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: str = "a"
    title: str = ""


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    inner: list[Inner]
    note: str | None = None


class Free(BaseModel):
    names: dict[str, str]


class Tree(BaseModel):
    below: list[Tree] = []


def of(shape: type[BaseModel]) -> Question[Any]:
    return Question("verify", "", "", shape)


def test_strict_modes_get_every_field_required_and_nothing_that_they_do_not_know() -> None:
    made = seam.strict(of(Outer))
    assert made is not None
    assert made["required"] == ["inner", "note"]
    inside = made["properties"]["inner"]["items"]
    assert (inside["required"], inside["additionalProperties"]) == (["kind", "title"], False)
    assert "default" not in str(made)
    assert "$ref" not in str(made)


@pytest.mark.parametrize("shape", [Free, Tree])
def test_a_shape_that_they_cannot_hold_goes_without(shape: type[BaseModel]) -> None:
    assert seam.strict(of(shape)) is None
    assert seam.told(of(shape))


def test_a_field_named_title_is_not_lost_with_the_titles() -> None:
    assert '"title":{"default":"","type":"string"}' in seam.compact(of(Inner))

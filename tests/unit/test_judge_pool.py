"""Many questions at once: bounded, in order, each failure for itself, and an end when there is no hope."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from close_support import Scripted, court
from pydantic import BaseModel

from holdfast.close import judge_pool
from holdfast.close.judge_pool import at_once
from holdfast.errors import CapReached, JudgeFailed, NotSaved
from holdfast.judge.seam import Question


class Number(BaseModel):
    number: int


def question(number: int) -> Question[Number]:
    return Question("probe", "Which number?", str(number), Number)


def numbered(asked: Question[Any]) -> Any:
    return {"number": int(asked.given)}


def test_answers_come_in_the_order_of_the_questions_whoever_is_quicker(state: str) -> None:
    gate = threading.Barrier(4)

    def together(asked: Question[Any]) -> Any:
        gate.wait(5)  # so all four are asked at once
        return numbered(asked)

    found = court(state, Scripted(together), workers=4).ask_all([question(n) for n in range(4)])
    assert [one.number for one in found] == [0, 1, 2, 3]


def test_no_more_are_asked_at_once_than_there_are_workers(state: str) -> None:
    lock, busy, most = threading.Lock(), [0], [0]

    def counting(asked: Question[Any]) -> Any:
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        with lock:
            busy[0] -= 1
        return numbered(asked)

    court(state, Scripted(counting), workers=3).ask_all([question(n) for n in range(40)])
    assert 1 <= most[0] <= 3


def test_one_that_fails_costs_only_itself(state: str) -> None:
    def odd(asked: Question[Any]) -> Any:
        return "garbage" if asked.given == "1" else numbered(asked)

    held = court(state, Scripted(odd))
    found = held.ask_all([question(n) for n in range(3)])
    assert [one and one.number for one in found] == [0, None, 2]
    assert held.failed == 1
    assert "shape" in held.why


@pytest.mark.parametrize("error", [CapReached(), JudgeFailed("The key was refused.", final=True), NotSaved()])
def test_after_what_cannot_get_better_nothing_more_is_asked(state: str, error: Exception) -> None:
    judge = Scripted(lambda _: error)
    held = court(state, judge)
    assert held.ask_all([question(n) for n in range(9)]) == [None] * 9
    assert len(judge.asked) == 1
    assert held.is_over


def test_three_failures_in_a_row_are_enough_and_a_success_between_counts_anew(state: str) -> None:
    def failing(asked: Question[Any]) -> Any:
        return numbered(asked) if asked.given == "2" else "garbage"

    judge = Scripted(failing)
    court(state, judge).ask_all([question(n) for n in range(9)])
    assert [asked.given for asked in judge.asked] == ["0", "0", "1", "1", "2", "3", "3", "4", "4", "5", "5"]


def test_behind_the_deadline_nothing_is_asked(state: str) -> None:
    now = [0.0]

    def slow(asked: Question[Any]) -> Any:
        now[0] += 60
        return numbered(asked)

    judge = Scripted(slow)
    held = court(state, judge, clock=lambda: now[0], patience=100.0)
    found = held.ask_all([question(n) for n in range(5)])
    assert [one is not None for one in found] == [True, True, False, False, False]
    assert "too long" in held.why
    held.begin_round()
    assert held.ask_all([question(9)])[0].number == 9


def test_an_answer_that_was_given_before_is_not_asked_for_again(state: str) -> None:
    first = Scripted(numbered)
    court(state, first).ask_all([question(1)])
    second = Scripted(numbered)
    held = court(state, second)
    assert held.ask_all([question(1), question(2)])[0].number == 1
    assert [asked.given for asked in second.asked] == ["2"]
    judge_pool.drop(state, held.keys)
    court(state, third := Scripted(numbered)).ask_all([question(1)])
    assert len(third.asked) == 1


def test_another_judge_is_another_question(state: str) -> None:
    court(state, Scripted(numbered)).ask_all([question(1)])
    court(state, other := Scripted(numbered, model="large")).ask_all([question(1)])
    assert len(other.asked) == 1


def test_answers_that_nobody_came_back_for_go_after_a_week(state: str) -> None:
    judge = Scripted(numbered)
    held = court(state, judge)
    held.ask_all([question(1)])
    (key,) = held.keys
    judge_pool.sweep(state, 0.0)
    assert judge_pool.find(state, key, Number)
    judge_pool.sweep(state, 4e9)
    assert judge_pool.find(state, key, Number) is None


def test_a_worker_that_breaks_breaks_the_call_and_not_the_others_silently() -> None:
    def carry_out(at: int) -> None:
        if at == 2:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        at_once(carry_out, 5, 3)

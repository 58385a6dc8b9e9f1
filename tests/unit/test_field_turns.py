"""What is read from the head of a text: who speaks, when, in the course of what."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.field import thought
from holdfast.field.thought import DECISION, NOTE, Thought

MAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "head",
    [
        "[1:56 pm on 8 May, 2023] Ada: ",
        "[2023-05-08 13:56] Ada: ",
        "(2023/05/08 13:56) Ada: ",
        "[2023-05-08T13:56:00Z] Ada: ",
        "[2023/05/08 (Mon) 13:56] Ada: ",
        "Ada (2023-05-08 13:56): ",
    ],
)
def test_who_speaks_and_when_is_read_from_the_head(head: str) -> None:
    assert thought.of(f"{head}the lease runs out") == thought.Turn("Ada", MAY, "2023-05-08")


def test_a_day_without_a_time_is_its_midnight() -> None:
    midnight = datetime(2023, 5, 8, tzinfo=UTC).timestamp()
    assert thought.of("[2023-05-08] Ada: it runs out") == thought.Turn("Ada", midnight, "2023-05-08")


def test_a_name_alone_is_who_speaks() -> None:
    assert thought.of("Ada Lovelace: it runs out") == thought.Turn("Ada Lovelace")


@pytest.mark.parametrize(
    "text",
    [
        "Decision: leases run out after ten minutes",
        "user: it runs out",
        "the queue: it has a lease",
        "https://example.org/a: gone",
        "It is said that the lease runs: out",
        "[see above] it runs out",
        "[99:99 pm on 8 May, 2023] it runs out",
        "Ada:it runs out",
        "",
        ":",
        "[] : ",
    ],
)
def test_a_label_a_role_or_a_sentence_is_nobody(text: str) -> None:
    assert thought.of(text) == thought.NONE


def test_a_role_with_a_time_has_the_time_alone() -> None:
    assert thought.of("[2023/05/08 (Mon) 13:56] user: I moved") == thought.Turn("", MAY, "2023-05-08")


def test_who_speaks_comes_before_who_keeps_it() -> None:
    one = Thought("t", "[2023-05-08 13:56] Ada: the lease runs out", contributor="keeper", created=MAY + 1e8)
    assert (one.facts.speaker, one.facts.created, one.facts.is_turn) == ("Ada", MAY, True)
    other = Thought("t", "The lease runs out", contributor="keeper", created=MAY)
    assert (other.facts.speaker, other.facts.created, other.facts.is_turn) == ("keeper", MAY, False)


def test_the_talk_of_a_day_is_a_thread_of_its_session_or_project() -> None:
    said = "[2023-05-08 13:56] Ada: the lease runs out"
    assert Thought("t", said, session="s", project="p").thread == "s@2023-05-08"
    assert Thought("t", said, project="p").thread == "p@2023-05-08"
    assert Thought("t", "Ada: it runs out", session="s").thread == "s"
    assert Thought("t", "Ada: it runs out", project="p").thread == "p@"
    assert Thought("t", "It runs out", project="p").thread == ""
    assert Thought("t", said.replace("Ada", "user"), session="s").thread == "s"


def test_a_note_and_a_decision_of_a_task_keep_their_own_thread() -> None:
    said = "[2023-05-08 13:56] Ada: the lease runs out"
    assert Thought("n", said, kind=NOTE, path="knowledge/a.md").thread == ""
    assert Thought("n", said, kind=NOTE, category=DECISION, path="tasks/t").thread == "tasks/t"


@given(st.text(max_size=120))
def test_any_text_has_a_head_or_none(text: str) -> None:
    turn = thought.of(text)
    assert bool(turn.day) == bool(turn.said)
    assert turn.speaker == turn.speaker.strip()

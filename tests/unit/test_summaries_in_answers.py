"""A summary comes with its sources, costs no other thought its place, and carries all that it takes the place of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import pytest
from field_support import Room

from holdfast.field import words
from holdfast.field.folding import folded
from holdfast.field.retrieval import Result
from holdfast.field.thought import CONSOLIDATION, Thought
from holdfast.sleep import consolidation
from holdfast.sleep.consolidation import Subject
from holdfast.sleep.night import Night

LOCKS = (
    "Orders lock rows optimistically with a version column in every table",
    "Orders lock rows optimistically with a version column that counts up",
    "Orders lock rows optimistically with a version column since the booking",
    "Orders lock rows optimistically with a version column for refunds",
)


@dataclass(frozen=True)
class Found:
    thought: Thought


def answer(ids: str) -> list[Result]:
    return cast(list[Result], [Found(Thought(one, one)) for one in ids.split()])


def order(found: list[Result], alike: dict[str, str], made: dict[str, str], shown: tuple[str, ...] = ("c",)) -> str:
    def fetched(ident: str, _: Result) -> Any:
        return Found(Thought(ident, ident)) if ident in shown else None

    marks = [{one: {other: 1.0} for one, other in given.items()} for given in (alike, made)]
    return " ".join(one.thought.id for one in folded(found, marks[0], marks[1], fetched, 10))


def test_a_summary_stands_in_the_place_of_the_third_of_its_sources_and_the_rest_come_last() -> None:
    made = dict.fromkeys(("a", "b", "d", "e"), "c")
    assert order(answer("a x b y d z e"), {}, made) == "a x b y c z d e"


def test_a_summary_that_is_longer_than_its_sources_in_the_answer_is_not_shown() -> None:
    made = dict.fromkeys(("a", "b", "d", "e"), "ccccc")
    assert order(answer("a x b y d z e"), {}, made, shown=("ccccc",)) == "a x b y d z e"


def test_a_question_about_one_detail_gets_its_sources_where_they_were() -> None:
    assert order(answer("a x b y"), {}, dict.fromkeys(("a", "b", "d"), "c")) == "a x b y"


def test_a_summary_that_is_not_shown_takes_no_place() -> None:
    assert order(answer("a b d"), {}, dict.fromkeys(("a", "b", "d"), "c"), shown=()) == "a b d"


def test_a_repetition_is_no_further_source_of_a_summary() -> None:
    made = dict.fromkeys(("a", "b", "d"), "c")
    assert order(answer("a b d x"), {"b": "a"}, made) == "a d x b"


@pytest.mark.slow
def test_no_thought_stands_lower_because_of_a_summary_save_those_that_it_carries(room: Room) -> None:
    for text in (*LOCKS, "Rows of invoices have a version", "Orders are locked by the warehouse", "A column is wide"):
        room.think(text)
    query = "how do orders lock rows with a version column"
    before = [one.thought.id for one in room.ask(query).results]
    Night(room.field).sleep()
    after = [one.thought for one in room.ask(query).results]
    (summary,) = [one for one in after if one.kind == CONSOLIDATION]
    others = [one for one in before if one not in summary.sources]
    ids = [one.id for one in after]
    assert all(ids.index(one) <= before.index(one) for one in others)
    assert ids[:2] == before[:2]


@pytest.mark.slow
def test_summaries_are_searched_where_they_are_asked_for(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    Night(room.field).sleep()
    kinds = {one.thought.kind for one in room.ask("orders lock rows", kinds=(CONSOLIDATION,)).results}
    assert kinds == {CONSOLIDATION}


@pytest.mark.slow
def test_a_digest_has_only_those_sources_that_it_quotes_whole(room: Room) -> None:
    long = Thought("t9", "Orders lock rows. " * 40, created=1.0)
    sources = [Thought(f"t{at}", text, created=1.0) for at, text in enumerate(LOCKS)]
    subject = Subject("c-1", (*sources, long))
    change = consolidation.of_own_lines(room.field.store, subject, "night", 2.0)
    assert change is not None
    assert set(change.thoughts[0].sources) == {one.id for one in sources}


@pytest.mark.slow
def test_thoughts_that_all_say_the_same_get_a_link_and_no_summary(room: Room) -> None:
    for text in ("Staging is wiped at night", "Staging is always wiped at night", "Now staging is wiped at night"):
        room.think(f"{text} by the cron job of the cluster")
    assert {one.kind for one in Night(room.field).sleep().steps} == {"linked"}


def test_one_word_in_the_place_of_another_is_no_repetition() -> None:
    said = "Deployment of the {} service happens each time after the long standup of the team"
    assert not words.are_alike(said.format("import"), said.format("image"), 0.8)
    assert words.are_alike(said.format("import"), f"Now {said.format('import').lower()}", 0.8)


def test_a_summary_of_a_talk_is_no_turn_of_it() -> None:
    said = "[1:56 pm on 8 May, 2023] Ada: the lease is out"
    assert Thought("t", said, project="p").thread == "p@2023-05-08"
    assert Thought("c-1", said, project="p", kind=CONSOLIDATION).thread == ""

"""A night with a judge: its words are checked, the newer of two stands, and a bad abstract costs nothing."""

from __future__ import annotations

from typing import Any

import pytest
from field_support import HOUR, SHOP, Room
from sleep_support import LOCKS, by_job, faithful, judged, of_kind

from holdfast.errors import CapReached, JudgeFailed
from holdfast.field import retrieval, steps
from holdfast.field.thought import BRIDGE, HYPOTHESIS
from holdfast.judge.seam import Question
from holdfast.sleep import bridges

pytestmark = pytest.mark.slow

OLD = "The staging server is wiped every night at 02:00 UTC by cron"
NEW = "The staging server is wiped every night at 04:00 UTC by cron"
THIRD = "The staging server is wiped every night although it is small"


def test_a_faithful_abstract_becomes_the_summary_and_the_page_names_the_judge(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    done = judged(room, by_job(abstract=faithful))
    (step,) = of_kind(done, steps.CONSOLIDATED)
    assert step.why.startswith("put together by ")
    made = room.field.store.thoughts([step.by])[step.by]
    assert {line.rstrip(".") for line in made.text.splitlines()} == set(LOCKS)
    assert done.refusals == ()


def test_an_abstract_that_changes_a_number_is_not_used_and_waits_for_review(room: Room) -> None:
    for text in LOCKS:
        room.think(f"{text} 17 times")

    def lying(texts: dict[str, str]) -> Any:
        return {"sentences": [{"text": text.replace("17", "71"), "cites": [handle]} for handle, text in texts.items()]}

    done = judged(room, by_job(abstract=lying))
    (step,) = of_kind(done, steps.CONSOLIDATED)
    assert step.why == "in their own words"
    assert "71" not in room.field.store.thoughts([step.by])[step.by].text
    (refusal,) = done.refusals
    assert "the judge's abstract was not used" in refusal.why


def test_an_abstract_that_leaves_a_source_out_is_not_used(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    done = judged(room, by_job(abstract=lambda texts: faithful(dict(list(texts.items())[:1]))))
    (step,) = of_kind(done, steps.CONSOLIDATED)
    assert step.why == "in their own words"


def test_of_two_that_contradict_each_other_the_newer_stands_whatever_the_judge_calls_them(room: Room) -> None:
    old = room.think(OLD).thought.id
    room.now += HOUR
    new = room.think(NEW).thought.id
    room.think(THIRD)

    def settled(texts: dict[str, str]) -> Any:
        handles = {text: handle for handle, text in texts.items()}
        kept = {handle: text for handle, text in texts.items() if text != OLD}
        swapped = {"older": handles[NEW], "newer": handles[OLD], "about": "when staging is wiped"}
        return {**faithful(kept), "contradictions": [swapped]}

    done = judged(room, by_job(abstract=settled))
    (step,) = of_kind(done, steps.SUPERSEDED)
    assert (step.ids, step.by) == ((old,), new)
    found = [one.thought.id for one in room.ask("when is the staging server wiped by cron").results]
    assert found.index(new) < found.index(old)
    assert "Contradicted each other" in done.page


def test_where_the_judge_says_that_they_are_apart_nothing_is_made(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    done = judged(room, by_job(abstract=lambda _: {"apart": True}))
    assert not of_kind(done, steps.CONSOLIDATED)


@pytest.mark.parametrize("error", [JudgeFailed("It is not there.", final=True), CapReached("The cap is reached.")])
def test_a_judge_that_dies_midway_leaves_the_sources_own_lines(room: Room, error: Exception) -> None:
    for text in LOCKS:
        room.think(text)

    def dying(_: Question[Any]) -> Any:
        raise error

    done = judged(room, dying)
    (step,) = of_kind(done, steps.CONSOLIDATED)
    assert step.why == "in their own words"
    assert str(error) in done.page


INVOICES = tuple(f"Invoices are numbered per year by the ledger service in run {nth}" for nth in "abc")
BRIDGE_TEXT = "Orders that lock rows delay how invoices are numbered"


def bridged(room: Room, *, used: bool = True) -> dict[str, str]:
    """Two subjects, each asked for by itself, and one question that touches both; what it used lies in the second."""
    ids = {text: room.think(text).thought.id for text in (*LOCKS, *INVOICES)}
    for query in ("orders lock rows version column", "orders lock optimistically", "invoices numbered per year"):
        room.read(query, most=3)
    room.read("invoices numbered ledger service", most=3)
    both = room.ask("orders lock delay invoices numbered", most=6)
    retrieval.reinforce(room.field, both, "ada", "s1")
    if used:
        last = [one.thought.id for one in both.results if one.thought.id in {ids[text] for text in INVOICES}][-1]
        retrieval.used(room.field, [last], "ada", "s1")
    return ids


def supposing(texts: dict[str, str]) -> Any:
    return {"text": BRIDGE_TEXT, "cites": list(texts)}


def test_a_bridge_that_no_question_with_use_can_prove_is_withdrawn_with_its_figures(room: Room) -> None:
    bridged(room, used=False)
    done = judged(room, by_job(abstract=faithful, bridge=supposing))
    for step in of_kind(done, steps.BRIDGED):
        assert step.by == ""
        assert "no question with evidence of use" in step.why
    assert not room.ask(BRIDGE_TEXT, kinds=(BRIDGE,)).results


def test_a_bridge_is_kept_only_if_something_used_came_up_higher_and_nothing_lower(room: Room) -> None:
    bridged(room)
    done = judged(room, by_job(abstract=faithful, bridge=supposing))
    tried = of_kind(done, steps.BRIDGED)
    assert tried
    for step in tried:
        better = step.figures["raised"] > 0 and not step.figures["lowered"]
        assert bool(step.by) == better
        if step.by:
            thought = room.field.store.thoughts([step.by])[step.by]
            assert (thought.kind, thought.origin) == (BRIDGE, HYPOTHESIS)
            found = next(one for one in room.ask(BRIDGE_TEXT).results if one.thought.id == step.by)
            assert "a hypothesis of sleep" in found.why


def test_a_bridge_that_cites_one_side_or_brings_a_number_of_its_own_is_not_even_tried(room: Room) -> None:
    ids = bridged(room)
    known = room.field.store.thoughts(ids.values())
    gap = bridges.Gap(((known[ids[LOCKS[0]]],), (known[ids[INVOICES[0]]],)))
    assert bridges.refused(gap, BRIDGE_TEXT, ["a1"]) == "it does not cite notes on both sides"
    assert bridges.refused(gap, f"{BRIDGE_TEXT} by 45 minutes", ["a1", "b1"])
    assert bridges.refused(gap, BRIDGE_TEXT, ["a1", "b1"]) == ""
    assert bridges.refused(gap, "Always lock invoices before orders", ["a1", "b1"])


def test_no_judge_is_asked_for_a_project_that_is_not_there_to_be_mixed_in(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
        room.think(text, project="bank-2")
    seen: list[dict[str, str]] = []

    def listening(texts: dict[str, str]) -> Any:
        seen.append(texts)
        return faithful(texts)

    done = judged(room, by_job(abstract=listening))
    assert len(seen) == 2
    made = room.field.store.thoughts([one.by for one in of_kind(done, steps.CONSOLIDATED)])
    assert sorted(one.project for one in made.values()) == ["bank-2", SHOP]

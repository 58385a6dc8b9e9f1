"""What the views Start, Recall and Field compute: scores in parts, their bars, drawings, curves, pages of nights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from field_support import DAY, HOUR, NOW, SHOP, Room

from holdfast import pheromone
from holdfast.brief.reasons import Explained, Sized
from holdfast.field import local_graph, score_parts
from holdfast.field.ranking import Ranked
from holdfast.field.retrieval import Result
from holdfast.field.store import Scope
from holdfast.field.thought import Thought, Traffic
from holdfast.page import graph_layout, recall, recall_reasons, start, weight_curve
from holdfast.sleep import nights


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(str(tmp_path / "vault"))
    yield made
    made.close()


def result(ident: str, relevance: float, weight: float = 1.0, accesses: int = 0, score: float | None = None) -> Result:
    made = relevance * pheromone.factor(weight) if score is None else score
    return Result(Thought(ident, ident), made, relevance, weight, accesses, 0.0, "")


def worths(found: Ranked, weight: float = 1.0, score: float | None = None) -> dict[str, float]:
    made = found.score * pheromone.factor(weight) if score is None else score
    one = Result(Thought("a", "a"), made, found.score, weight, 0, 0.0, "", found=found)
    parts = score_parts.parts(one)
    assert sum(part.worth for part in parts) == pytest.approx(made, abs=0.002)
    return {part.name: round(part.worth, 3) for part in parts}


def test_the_parts_of_a_score_add_up_to_it() -> None:
    plain = Ranked("a", 1.4 * 0.9, 0.4, 0.5)
    assert worths(plain) == {"words": 0.56, "meaning": 0.7}
    assert worths(plain, weight=0.1) == {"words": 0.56, "meaning": 0.7, "weight": -0.101}
    hinted = Ranked("a", 1.26 * 1.3 * 1.2, 0.4, 0.5, is_named=True, is_dated=True)
    assert worths(hinted)["names"] == 0.378
    assert worths(hinted)["dates"] == pytest.approx(0.328, abs=0.001)
    assert worths(plain, score=0.63)["standing"] == -0.63
    assert worths(Ranked("a", 0.7)) == {"place": 0.7}


def test_real_answers_are_taken_apart_without_a_rest(room: Room) -> None:
    room.think("Orders lock by version", session="s1")
    room.think("A retry of an order is safe", session="s1")
    for one in room.ask("is a retry of an order safe").results:
        assert sum(part.worth for part in score_parts.parts(one)) == pytest.approx(one.score, abs=0.003)


def test_what_takes_off_stands_at_the_end_of_the_bar() -> None:
    one, two, lost = recall.slices([score_parts.Part("words", 0.6), score_parts.Part("meaning", 0.4),
                                    score_parts.Part("weight", -0.1)], 1.0)  # fmt: skip
    assert (one.begin, one.width, two.begin, two.width) == (0.0, 600.0, 600.0, 400.0)
    assert (lost.begin, lost.width, lost.is_loss) == (900.0, 100.0, True)


def test_a_weight_tells_where_a_result_would_stand_without_it() -> None:
    read, other = result("read", 1.0, weight=4.0, accesses=8), result("other", 1.05)
    both = [read, other]
    assert recall_reasons.place_at(read, 1.0, both) == 2
    assert "read 8 times" in recall_reasons.changes(read, 1, both)[0]
    assert "stand at 2" in recall_reasons.changes(read, 1, both)[0]


def test_the_gauge_holds_every_character() -> None:
    found = Explained(500, 1000, (Sized("rules", 200, 2, 0), Sized("map", 100, 1, 3)), (), ())
    frame, rules, notes = start.shares(found)
    assert (frame.characters, rules.begin, notes.begin + notes.width) == (200, 200.0, 500.0)


def test_a_layout_is_the_same_each_time_and_nodes_stand_apart() -> None:
    steps = {"a": 0, **{f"b{nth}": 1 for nth in range(12)}, **{f"c{nth}": 2 for nth in range(60)}}
    ties = [("a", f"b{nth}") for nth in range(12)] + [(f"b{nth % 12}", f"c{nth}") for nth in range(60)]
    one, again = graph_layout.laid_out(steps, ties), graph_layout.laid_out(steps, ties)
    assert one == again
    places = [(place.x, place.y) for place in one.places.values()]
    assert len(set(places)) == len(places)
    left, top, width, height = one.box
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in places)
    assert graph_layout.laid_out({"a": 0}, []).places["a"] == graph_layout.Placed(0.0, 0.0)


def test_surroundings_are_two_steps_and_no_more_than_asked(room: Room) -> None:
    ids = [room.think(f"thought {nth} is about orders").thought.id for nth in range(6)]
    room.read("orders", most=6)
    other = room.think("elsewhere it is about orders too", project="other").thought.id
    found = local_graph.around(room.field.store, Scope(SHOP), ids[0], room.now)
    assert found
    assert {node.thought.id for node in found.nodes} == set(ids)
    assert found.nodes[0].steps == 0
    few = local_graph.around(room.field.store, Scope(SHOP), ids[0], room.now, most=3)
    assert few
    assert len(few.nodes) == 3
    assert local_graph.around(room.field.store, Scope(SHOP), other, room.now) is None


def test_a_curve_ends_at_the_weight_that_is_known() -> None:
    thought = Thought("a", "a", created=NOW - 10 * DAY)
    traffic = Traffic(2, NOW - DAY, 0.6, ("ada",), ((NOW - 5 * DAY, "ada"), (NOW - DAY, "ada")))
    made = weight_curve.curve(thought, traffic, NOW)
    assert made.is_whole
    assert len(made.reads) == 2
    x, y = map(float, made.past.split()[-1].split(","))
    height = weight_curve.HEIGHT - weight_curve.BOTTOM
    assert x == made.now
    assert y == pytest.approx(height * (1 - pheromone.decayed(0.6, NOW - DAY, NOW) / made.top), abs=0.1)
    lost = weight_curve.curve(thought, Traffic(9, NOW - HOUR, 2.0, (), ((NOW - HOUR, "ada"),)), NOW)
    assert not lost.is_whole


def test_half_of_a_weight_is_gone_when_the_closed_form_says_so() -> None:
    days = weight_curve.half_life(2.0)
    assert pheromone.decayed(2.0, 0.0, days * DAY) == pytest.approx(1.0, abs=0.01)
    assert weight_curve.half_life(pheromone.FLOOR) == 0.0


def test_nights_are_read_back_from_a_page_newest_first() -> None:
    page = (
        "# Sleep of Monday, 1 June 2026, 02:00 UTC\n\n<!-- night A -->\n\nLooked at 3 thoughts.\n\n"
        "## Recall and cost\n\n"
        "- Recall in the first ten: 80.0% before, 90.0% after, on 1,200 questions that decided nothing (3 decided).\n\n"
        "# Sleep of Monday, 1 June 2026, 12:00 UTC\n\n<!-- night B -->\n\nLooked at 1 thought.\n"
    )
    new, old = nights.parsed("sleep/2026-06-01-m.md", page)
    assert (new.id, new.summary, new.before) == ("B", "Looked at 1 thought.", None)
    assert (old.id, old.before, old.after, old.questions) == ("A", 0.8, 0.9, 1200)

"""Retrieving: what comes first, what each result says of itself, what is reinforced, and what leaves no trace."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from field_support import DAY, HOUR, NOW, SHOP, Room, texts

from holdfast.errors import UsageError
from holdfast.field import handle, highways, intake, retrieval, think
from holdfast.field import traffic as records
from holdfast.field.embedder_models import WordLlama
from holdfast.field.embedders import NoVectors
from holdfast.field.sqlite import store
from holdfast.field.store import Scope
from holdfast.field.thought import Thought, note_id


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def everything(folder: str) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


def test_a_result_says_where_it_is_from_why_it_is_here_and_how_old_it_is(room: Room) -> None:
    room.think("Orders use optimistic locking", agent="ada", contributor="Ada", session="s1", origin="user")
    room.think("Prices are cached for a day")
    room.now += 3 * DAY
    room.read("orders locking", "bob")
    room.now += DAY
    first = room.ask("why do orders use locking?").results[0].as_record()
    assert json.loads(json.dumps(first)) == first
    assert {"id", "text", "path", "score", "why", "weight", "origin"} <= first.keys()
    assert (first["text"], first["origin"], first["contributor"]) == ("Orders use optimistic locking", "user", "Ada")
    assert (first["session"], first["project"], first["age_s"]) == ("s1", SHOP, 4 * DAY)
    for part in ("its words", "its meaning", "weight 0.66 (read 1 time, last yesterday)", "from 4 days ago"):
        assert part in first["why"], first["why"]


@pytest.mark.slow
def test_relevance_comes_first_however_heavy_another_is(room: Room) -> None:
    room.think("Orders use optimistic locking because the queue retries")
    room.think("Prices are cached for a day")
    for _ in range(200):
        room.read("prices cached", most=1)
    heavy = room.ask("prices").results[0]
    assert heavy.weight == pytest.approx(10.0, abs=1.0)
    assert texts(room.ask("orders optimistic locking queue"))[0].startswith("Orders")


def test_among_equals_the_one_that_was_read_comes_first(vault: str) -> None:
    room = Room(vault, meaning=False)
    room.think("Orders lock rows in checkout A")
    room.now += 1
    read = room.think("Orders lock rows in checkout B").thought
    room.think("Prices are cached")
    assert texts(room.ask("orders lock rows checkout"))[0].endswith("A"), "equals are in the order of their ids"
    retrieval.used(room.field, [read.id])
    assert texts(room.ask("orders lock rows checkout"))[0].endswith("B")
    room.close()


def test_only_what_is_returned_is_reinforced_and_all_of_it_with_each_other(room: Room) -> None:
    made = [room.think(f"Orders lock table number {nth}").thought for nth in range(6)]
    answer = room.read("orders lock table", "ada", most=3)
    returned = {one.thought.id for one in answer.results}
    assert len(returned) == 3
    known = room.field.store.traffic(one.id for one in made)
    assert set(known) == returned
    for ident, traffic in known.items():
        assert (traffic.access_count, traffic.agents, traffic.log) == (1, ("ada",), ((NOW, "ada"),))
        assert traffic.weight == pytest.approx(1.05)
        assert traffic.together == dict.fromkeys(returned - {ident}, 1)
    asked = room.field.store.asked(0, 5)
    assert [(one.query, one.agent, one.project, set(one.ids)) for one in asked] == [
        ("orders lock table", "ada", SHOP, returned)
    ]


def test_the_first_reading_of_an_old_thought_counts_from_what_was_left_of_it(room: Room) -> None:
    made = room.think("Orders use locking").thought
    room.now += 7 * DAY
    room.read("orders locking")
    assert room.weight(made.id) == pytest.approx(0.995 ** (7 * 24) + 0.05)


def test_asking_alone_leaves_no_trace(room: Room) -> None:
    room.think("Orders use locking")
    intake.sync(room.field)
    before = everything(room.vault)
    for _ in range(3):
        assert room.ask("orders").results
        highways.highways(room.field, Scope(SHOP), "orders")
    assert everything(room.vault) == before


def test_while_another_writes_an_answer_is_given_and_its_traffic_is_kept(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = room.think("Orders use locking").thought
    monkeypatch.setattr(retrieval, "PATIENCE", 0.01)
    held = store.taken(f"{handle.path_of(room.vault)}.lock", 1.0)
    answer = room.ask("orders")
    assert texts(answer) == ["Orders use locking"]
    assert not retrieval.reinforce(room.field, answer, "ada")
    assert room.field.store.traffic([made.id]) == {}
    os.close(held)
    intake.sync(room.field)
    assert room.weight(made.id) == pytest.approx(1.05)


def test_a_traffic_log_that_cannot_be_written_costs_no_answer(room: Room) -> None:
    room.think("Orders use locking")
    os.makedirs(records.traffic_path(room.vault))  # a folder where the log should be
    answer = room.ask("orders")
    assert texts(answer) == ["Orders use locking"]
    assert not retrieval.reinforce(room.field, answer, "ada")


def test_this_project_and_the_global_ones_are_meant_unless_all_are_asked_for(room: Room) -> None:
    room.think("Orders lock here")
    room.think("Orders lock everywhere", project="")
    room.think("Orders lock elsewhere", project="other")
    assert set(texts(room.ask("orders lock"))) == {"Orders lock here", "Orders lock everywhere"}
    assert len(texts(room.ask("orders lock", project=None))) == 3
    assert texts(room.ask("orders lock", also_global=False)) == ["Orders lock here"]


def test_what_stands_around_a_hit_is_not_shown_from_another_project(room: Room) -> None:
    room.think("The secret plan of the other project", project="other", session="s1")
    room.now += 1
    room.think("Orders use locking", session="s1")
    room.think("Prices are cached", session="s1")
    assert "The secret plan of the other project" not in texts(room.ask("orders locking"))


def test_what_superseded_a_decision_stands_before_it_and_the_old_one_says_so(room: Room) -> None:
    old = room.note("lock-rows", "Orders lock their rows in the database with select for update")
    new = room.note("no-locks", "Checkout is optimistic now", supersedes=[old])
    room.note("prices", "Prices are cached for a day")
    intake.sync(room.field)
    answer = room.ask("orders lock rows database select update")
    paths = [one.thought.path for one in answer.results]
    assert paths.index(new) < paths.index(old)
    shown = {one.thought.path: one for one in answer.results}
    assert f"superseded by {note_id(new)}" in shown[old].why
    assert "what it took the place of" in shown[new].why or "its" in shown[new].why
    assert shown[old].as_record()["superseded_by"] == note_id(new)


def test_a_note_that_was_superseded_by_nothing_is_not_shown(room: Room) -> None:
    room.note("old", "Orders lock their rows", status="superseded")
    intake.sync(room.field)
    assert texts(room.ask("orders lock rows")) == []


def test_two_notes_that_each_supersede_the_other_are_both_shown(room: Room) -> None:
    room.note("a", "Orders lock rows", supersedes=["knowledge/b.md"])
    room.note("b", "Orders lock tables", supersedes=["knowledge/a.md"])
    intake.sync(room.field)
    assert len(texts(room.ask("orders lock"))) == 2


@pytest.mark.parametrize(("query", "most"), [("", 5), ("  \n ", 5), ("orders", 0), ("orders", 51)])
def test_a_question_that_cannot_be_answered_is_refused_in_a_sentence(room: Room, query: str, most: int) -> None:
    with pytest.raises(UsageError, match="nothing was looked up"):
        room.ask(query, most=most)


@pytest.mark.parametrize(
    "query", ["?", '"', "a" * 10_000, "NEAR(", "orders AND", "\0", "日本語", "'; DROP TABLE thought"]
)
def test_a_question_of_any_signs_is_answered(room: Room, query: str) -> None:
    room.think("Orders use locking")
    room.ask(query)
    assert room.field.store.count() == 1


def test_without_an_embedder_words_alone_find(vault: str) -> None:
    room = Room(vault, meaning=False)
    room.think("Orders use locking")
    room.think("Prices are cached")
    assert texts(room.read("orders")) == ["Orders use locking"]
    assert "its meaning" not in room.ask("orders").results[0].why
    room.close()


def test_an_embedder_that_fails_leaves_search_to_the_words(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(texts: object) -> None:
        raise NoVectors("the model is away")

    monkeypatch.setattr(room.embedder, "embed", fail)
    assert room.think("Orders use locking").is_new
    assert texts(room.ask("orders")) == ["Orders use locking"]
    monkeypatch.undo()
    intake.sync(room.field)
    assert room.embedder
    assert room.field.store.unembedded(room.embedder.name, 5) == []


def test_a_highway_is_read_three_times_by_two_agents(room: Room) -> None:
    room.think("Orders use locking")
    room.think("Prices are cached")
    for agent in ("ada", "ada", "bob"):
        assert highways.highways(room.field, Scope(SHOP)) == []
        room.read("orders locking", agent, most=1)
        room.read("prices cached", "ada", most=1)
    (found,) = highways.highways(room.field, Scope(SHOP))
    record = found.as_record()
    assert (record["text"], record["score"], record["accesses"]) == ("Orders use locking", 6, 3)
    assert record["agents"] == ["ada", "bob"]
    assert json.loads(json.dumps(record)) == record
    assert highways.highways(room.field, Scope("other", also_global=False)) == []


@pytest.mark.slow
def test_highways_answer_the_question_that_is_asked(room: Room) -> None:
    for text in ("Orders use locking", "Prices are cached", "Invoices are numbered"):
        room.think(text)
    for _ in range(20):
        for agent in ("ada", "bob"):
            room.read("prices cached", agent, most=1)
    for query in ("orders locking", "invoices numbered"):
        for agent in ("ada", "bob", "ada"):
            room.read(query, agent, most=1)
    assert highways.highways(room.field, Scope(SHOP))[0].thought.text == "Prices are cached"
    for query, wanted in (("orders locking", "Orders use locking"), ("invoices numbered", "Invoices are numbered")):
        assert highways.highways(room.field, Scope(SHOP), query)[0].thought.text == wanted


def test_a_query_that_a_highway_answers_far_worse_than_another_thought_has_no_highway(room: Room) -> None:
    room.think("Orders use locking in the checkout of the shop")
    for agent in ("ada", "bob", "ada"):
        room.read("orders locking", agent, most=1)
    room.think("Sourdough needs a checkout of flour, water and patience")
    assert len(highways.highways(room.field, Scope(SHOP), "orders locking")) == 1
    assert highways.highways(room.field, Scope(SHOP), "sourdough flour, water and patience at the checkout") == []
    assert highways.highways(room.field, Scope(SHOP), "quarks") == []


def test_one_person_by_three_doors_is_one_agent(room: Room) -> None:
    room.think("Orders use locking")
    for door in ("cli", "mcp", "operator"):
        room.read("orders locking", door)
    assert highways.highways(room.field, Scope(SHOP)) == []
    room.read("orders locking", "codex")
    (found,) = highways.highways(room.field, Scope(SHOP))
    assert found.traffic.agents == ("operator", "codex")


def test_a_label_is_no_surrounding(room: Room) -> None:
    for text in ("Codename Marmot: the rewrite of billing", "MCP said: the token is in the keychain"):
        room.think(text)
        assert "stands around" not in room.ask(text).results[0].why


def test_highways_that_say_the_same_are_one_and_have_their_neighbours_beside_them(room: Room) -> None:
    for text in (
        "Orders use optimistic locking in checkout today",
        "Orders all use optimistic locking in the checkout today",
    ):
        room.think(text, space=text[:10])
    other = room.think("Checkout retries orders").thought
    for agent in ("ada", "bob", "cid"):
        room.read("orders checkout locking retries", agent)
    found = highways.highways(room.field, Scope(SHOP))
    assert len(found) == 2
    beside = {one.id: one for one in found[0].beside} | {one.id: one for one in found[1].beside}
    assert beside[other.id].count == 3
    assert beside[other.id].title == "Checkout retries orders"


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("listens on port 8080", "listens on port 8081"),
        ("is kept by Ada", "is kept by Bob"),
        ("retries failed calls", "never retries failed calls"),
        ("copies from staging to production", "copies from production to staging"),
        ("needs Python >= 3.11", "needs Python < 3.11"),
    ],
)
def test_highways_that_differ_in_what_tells_are_two_however_long_they_are(room: Room, first: str, other: str) -> None:
    rest = "and speaks plain HTTP to all of the workers behind the balancer in the second rack of the old hall"
    for said in (first, other):
        room.think(f"The gateway of the shop {said} {rest}")
    for agent in ("ada", "bob", "cid"):
        room.read("gateway of the shop", agent)
    assert len(highways.highways(room.field, Scope(SHOP))) == 2


def test_what_is_found_by_meaning_alone_is_nearer_than_chance_would_have_it() -> None:
    name = WordLlama().name
    for count in (2, 5, 30, 100_000):
        floors = [retrieval.near_enough(name, best / 100, count) for best in range(101)]
        opens = next(at for at, floor in enumerate(floors) if floor < 1) / 100
        assert 0.14 <= opens <= 0.22
        assert all(floor > 1 for floor in floors[: round(opens * 100)])
        assert floors[60] == pytest.approx(0.3)
    assert retrieval.near_enough(name, 0.2, 3) < 1 < retrieval.near_enough(name, 0.2, 300), "more texts, more chance"
    assert retrieval.near_enough("another", 0.1, 300) == retrieval.FAR, "nobody measured that one"


def test_a_clock_that_was_set_back_makes_nothing_grow(room: Room) -> None:
    made = room.think("Orders use locking").thought
    room.read("orders")
    room.now -= 1000 * HOUR
    room.read("orders")
    assert room.weight(made.id) == pytest.approx(1.10)
    assert room.ask("orders").results[0].age == 0


def test_what_has_nothing_to_do_with_a_question_is_not_found_by_its_meaning(vault: str) -> None:
    with handle.opened(vault, WordLlama(), lambda: NOW) as field:
        for text in (
            "Orders are locked optimistically with 3 retries; row locks deadlocked the checkout",
            "The test database needs TZ=UTC, or the expiry tests fail at night",
            "Rate limits of the shipping API: 5 requests a second",
        ):
            think.think(field, Thought("", text))
        assert retrieval.ask(field, "favourite zebra quantum").results == ()
        assert retrieval.ask(field, "holiday plans next summer").results == ()
        found = retrieval.ask(field, "API throttling").results
        assert found[0].thought.text.startswith("Rate limits")

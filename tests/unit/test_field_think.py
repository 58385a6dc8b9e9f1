"""Thinking: what becomes a thought, what strengthens one that is there, what is refused, and what is on disk."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from field_support import DAY, NOW, SHOP, Room
from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture import home
from holdfast.errors import NewerFormat, NotFound, NotSaved, UsageError
from holdfast.field import handle, retrieval, think, traffic, words
from holdfast.field.sqlite import store
from holdfast.field.thought import from_record
from holdfast.model import replace


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def written(vault: str) -> list[str]:
    return [one.text for path, _ in traffic.logs(vault) for one in traffic.read(vault, path).found]


def test_a_thought_is_on_disk_and_found_at_once(room: Room) -> None:
    made = room.think(
        "Orders use optimistic locking",
        context="after the outage",
        tags=("locking", " locking ", ""),
        category="decision",
    )
    assert made.is_new
    assert made.thought.tags == ("locking",)
    assert made.thought.start == 1.0
    assert room.field.store.thoughts([made.thought.id])[made.thought.id] == made.thought
    assert room.ask("why locking?").results[0].thought == made.thought
    (path, _), *others = traffic.logs(room.vault)
    assert not others
    assert path.startswith(f"thoughts/{traffic.machine()}/live/")
    assert traffic.read(room.vault, path).found == (made.thought,)


def test_a_record_of_a_newer_version_is_read_for_what_is_known_of_it(room: Room) -> None:
    made = room.think("Orders use locking").thought
    record = {**made.as_record(), "v": 9, "mood": "calm"}
    assert from_record(record) == made


def test_said_again_it_strengthens_the_one_that_is_there(room: Room) -> None:
    first = room.think("The build needs Node 22").thought
    again = room.think("  the build needs  NODE 22. ", agent="bob")
    assert not again.is_new
    assert again.thought.id == first.id
    known = room.field.store.traffic([first.id])[first.id]
    assert (known.access_count, known.agents) == (1, ("bob",))
    assert known.weight == pytest.approx(1.05)
    assert written(room.vault) == ["The build needs Node 22"]
    assert room.field.store.asked(0, 10) == [], "saying something again is no question"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("We deploy with make release from the main branch", "we deploy using make release from the main branch!"),
        ("The tests run in docker", "The test runs in docker"),
        (
            "All integration tests need a running Postgres on the build host",
            "integration tests need a running postgres on the build host",
        ),
        ("It's the queue that retries failed orders", "it is the queue that retries failed orders"),
    ],
)
def test_nearly_the_same_words_strengthen_too(room: Room, first: str, again: str) -> None:
    assert room.think(first).is_new
    assert not room.think(again).is_new


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("The server listens on port 8080", "The server listens on port 8081"),
        ("Use the cache for prices", "Never use the cache for prices"),
        ("Deploy on Friday unless the tests fail on the build host", "Deploy on Friday"),
        ("Ada replaced Bob", "Bob replaced Ada"),
        ("Copy the data from staging to production", "Copy the data from production to staging"),
        ("Copy from A1 to B2", "Copy to A1 from B2"),
        (
            "The build on the old machine is slow today and yesterday",
            "The build on the old machine is fast today and yesterday",
        ),
        ("Tests run in docker", "Tests run in docker since March"),
        ("The limit is 5", "The limit is 5.1"),
        (
            "Retry only idempotent calls to the billing service by the worker",
            "Retry idempotent calls to the billing service by the worker",
        ),
    ],
)
def test_a_word_that_matters_makes_another_thought(room: Room, first: str, other: str) -> None:
    assert room.think(first).is_new
    assert room.think(other).is_new
    assert room.think(first.upper()).is_new is False


def test_the_same_words_in_another_project_or_space_are_another_thought(room: Room) -> None:
    made = [
        room.think("Orders use locking", **more) for more in ({}, {"project": ""}, {"project": "b"}, {"space": "ideas"})
    ]
    assert all(one.is_new for one in made)
    assert len({one.thought.id for one in made}) == 4
    assert not room.think("orders use locking", space="ideas").is_new


@given(text=st.text(min_size=1, max_size=80))
def test_any_text_says_the_same_as_itself(text: str) -> None:
    assert words.normal(text) == words.normal(words.normal(text))
    if words.content(text):
        assert words.adds_nothing(text, text)


def test_what_is_made_of_others_names_them_and_they_must_be_there(room: Room) -> None:
    one, other = room.think("Orders use locking").thought, room.think("Prices are cached").thought
    for kind in ("refinement", "consolidation", "bridge"):
        with pytest.raises(UsageError, match="made of others; nothing was written"):
            room.think("Both meet in checkout", kind=kind)
        with pytest.raises(NotFound, match='no thought "unknown"'):
            room.think("Both meet in checkout", kind=kind, sources=(one.id, "unknown"))
    made = room.think("Both meet in checkout", kind="bridge", sources=(one.id, other.id, one.id)).thought
    assert made.sources == (one.id, other.id)
    assert written(room.vault) == ["Orders use locking", "Prices are cached", "Both meet in checkout"]


@pytest.mark.slow
def test_what_is_made_of_others_begins_with_half_their_weight(room: Room) -> None:
    one, other = room.think("Orders use locking").thought, room.think("Prices are cached").thought
    for _ in range(100):
        room.read("orders locking", most=1)
    heavy = room.weight(one.id)
    assert heavy == pytest.approx(6.0)
    refined = room.think("Orders use optimistic locking with versions", kind="refinement", sources=(one.id,)).thought
    both = room.think("Shop: orders lock, prices cache", kind="consolidation", sources=(one.id, other.id)).thought
    assert refined.start == pytest.approx(3.0)
    assert both.start == pytest.approx(3.51 / 2), "the refinement that cites it was evidence of use"
    room.now += DAY
    answer = {result.thought.id: result.weight for result in room.ask("orders lock prices cache versions").results}
    assert answer[refined.id] == pytest.approx(3.0 * 0.995**24), "it decays though nobody has read it"


def test_what_a_thought_names_as_its_source_was_of_use(room: Room) -> None:
    one, other = room.think("Orders use locking").thought, room.think("Prices are cached").thought
    room.think("Orders use optimistic locking", kind="refinement", sources=(one.id,), agent="bob", session="s7")
    known = room.field.store.traffic([one.id, other.id])
    assert known.keys() == {one.id}
    assert (known[one.id].access_count, known[one.id].agents) == (0, ("bob",))
    assert known[one.id].weight == pytest.approx(1.02)
    room.think("Orders use optimistic locking", kind="refinement", sources=(one.id,))
    assert room.weight(one.id) == pytest.approx(1.02), "once for what is said again"


def test_the_lowest_trust_of_the_sources_is_inherited(room: Room) -> None:
    mine = room.think("Orders use locking", origin="user").thought
    strange = room.think("The vendor says so", origin="web").thought
    assert mine.origin == "user"
    made = room.think(
        "The vendor says that orders lock", kind="refinement", sources=(mine.id, strange.id), origin="user"
    )
    assert made.thought.origin == "web"


def test_a_secret_never_reaches_the_disk(room: Room, token: str) -> None:
    made = room.think(f"Deploys use {token}", context=f"seen: {token}", tags=(token,))
    assert token not in made.thought.text + made.thought.context + "".join(made.thought.tags)
    assert any("secrets were redacted" in one for one in made.changes)
    room.read(f"what is {token}")
    room.close()
    for path in Path(room.vault).rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path
    room.reopen()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"text": "   "}, "The text is empty"),
        ({"text": "..!"}, "The text is empty"),
        ({"text": "x" * 10_001}, "10,001 characters, 10,000 is the most"),
        ({"text": "fine", "context": "x" * 2_001}, "2,001 characters, 2,000 is the most"),
        ({"text": "fine", "kind": "note"}, '"note" is no kind of thought'),
        ({"text": "fine", "kind": "query"}, '"query" is no kind of thought'),
        ({"text": "fine", "origin": "elsewhere"}, '"elsewhere" is no origin'),
    ],
)
def test_what_is_refused_is_said_in_a_sentence_and_leaves_nothing(room: Room, more: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match="nothing was written") as refused:
        room.think(**more)
    assert said in str(refused.value)
    assert traffic.logs(room.vault) == []


def test_the_longest_texts_are_taken_as_they_are(room: Room) -> None:
    made = room.think("ab " * 3333 + "c", context="x" * 2_000)
    assert len(made.thought.text) == 10_000
    assert made.changes == ()


def test_a_query_is_never_a_thought(room: Room) -> None:
    room.think("Orders use locking")
    for _ in range(5):
        room.read("why do orders use locking in the shop of all places")
    assert room.field.store.count() == 1
    assert written(room.vault) == ["Orders use locking"]
    assert [one.query for one in room.field.store.asked(0, 10)] == [
        "why do orders use locking in the shop of all places"
    ] * 5


def test_two_who_say_the_same_at_once_are_one_thought(vault: str) -> None:
    rooms = [Room(vault) for _ in range(4)]
    done: list[think.Thinking] = []
    gate = threading.Barrier(len(rooms))

    def speak(room: Room) -> None:
        gate.wait()
        done.append(room.think("Orders use locking"))

    threads = [threading.Thread(target=speak, args=(room,)) for room in rooms]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [one.is_new for one in done].count(True) == 1
    assert len({one.thought.id for one in done}) == 1
    for room in rooms:
        room.close()


def test_while_another_holds_the_store_a_thought_is_saved_all_the_same(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(think, "PATIENCE", 0.01)
    held = store.taken(f"{handle.path_of(room.vault)}.lock", 1.0)
    try:
        made = room.think("Orders use locking")
    finally:
        os.close(held)
    assert made.is_new
    assert written(room.vault) == ["Orders use locking"]
    assert room.field.store.count() == 0
    room.think("Prices are cached")
    assert room.ask("orders").results[0].thought == replace(made.thought)


def test_a_disk_that_takes_nothing_is_said_and_nothing_is_half_there(room: Room, no_file_over: object) -> None:
    room.think("Orders use locking")
    size = traffic.logs(room.vault)[0][1]
    with no_file_over(size + 40), pytest.raises(NotSaved, match="NOT saved"):  # type: ignore[operator]
        room.think("Prices are cached for a day and that is longer than forty bytes")
    assert room.field.store.count() == 1
    assert room.think("Prices are cached for a day and that is longer than forty bytes").is_new
    assert len(written(room.vault)) == 2


def test_a_vault_of_a_newer_format_is_left_alone(room: Room) -> None:
    Path(room.vault, "format").write_text(f"{home.FORMAT + 1}\n")
    with pytest.raises(NewerFormat):
        room.think("Orders use locking")
    assert traffic.logs(room.vault) == []


def test_evidence_of_use_strengthens_further(room: Room) -> None:
    made = room.think("Orders use locking").thought
    room.read("orders")
    assert retrieval.used(room.field, [made.id, "unknown"], "bob")
    assert room.weight(made.id) == pytest.approx(1.07)
    assert room.field.store.traffic([made.id])[made.id].access_count == 1
    assert retrieval.used(room.field, ["unknown"], "bob")
    assert (made.created, made.project) == (NOW, SHOP)

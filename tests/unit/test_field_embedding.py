"""Vectors for thoughts: who embeds a question while one model takes over from another, what whoever waits for an answer
does of the work, and a model that is no longer the same under its name."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from embed_server import facts, write_notes
from field_support import SHOP, Directions, Room, texts

from holdfast.field import embedding, intake, retrieval
from holdfast.field.embedders import NoVectors
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.model import replace


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


class Somebody:
    """Whoever the rest is left to: it is asked, and does nothing yet."""

    def __init__(self, *, comes: bool = True) -> None:
        self.comes = comes
        self.at_work = False
        self.asked = 0

    def is_at_work(self) -> bool:
        return self.at_work

    def start(self) -> bool:
        self.asked += 1
        return self.comes


class Gone(Directions):
    def embed(self, texts: Any) -> Any:
        raise NoVectors(f"{len(texts)} texts could not be embedded")


def filled(room: Room, count: int) -> None:
    write_notes(room.vault, facts(count), SHOP)
    intake.sync(room.field)


def change(room: Room, embedder: Directions, somebody: Somebody | None, *former: Directions) -> None:
    known = {one.name: one for one in former}
    room.field = replace(room.field, embedder=embedder, later=somebody, former=known.get)


def seconds_of(each: float) -> Callable[[], float]:
    """A clock of which every look takes so long."""
    looks = itertools.count()
    return lambda: next(looks) * each


def test_while_another_model_takes_over_questions_are_embedded_by_the_one_that_serves(room: Room) -> None:
    filled(room, 12)
    old = room.embedder
    assert old
    answer = [(one.thought.id, one.relevance) for one in room.ask("which crate holds pears").results]
    coming = Directions("same-length-32", 32)
    change(room, coming, None, old)
    intake.embed(room.field, most=5)
    asked = old.asked
    assert [(one.thought.id, one.relevance) for one in room.ask("which crate holds pears").results] == answer
    assert old.asked == asked + 1
    assert coming.asked == 5 + 1, "five thoughts and the probe, and no question"
    intake.embed(room.field)
    room.ask("which crate holds pears")
    assert old.asked == asked + 1
    assert room.field.store.serving() == coming.name


def test_where_the_old_model_cannot_be_made_words_answer_and_no_vector_meets_another_models(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(room, 12)
    coming = Directions("same-length-32", 32)
    change(room, coming, None)
    intake.embed(room.field, most=5)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("vectors were compared")

    monkeypatch.setattr(type(room.field.store), "nearest", refuse)
    assert "pears" in texts(room.ask("which crate holds pears"))[0]


def test_a_model_that_takes_over_between_question_and_look_is_not_mixed_with_the_one_before(room: Room) -> None:
    filled(room, 12)
    old = room.embedder
    assert old
    seen = retrieval.StoreView(room.field)
    vector = seen.vector("which crate holds pears")
    assert seen.nearest(vector, Scope(SHOP), 5)
    change(room, Directions("same-length-32", 32), None)
    intake.embed(room.field)
    assert seen.nearest(vector, Scope(SHOP), 5) == []


@pytest.mark.slow
def test_a_large_lot_of_another_model_is_left_to_somebody_and_the_old_one_serves(room: Room) -> None:
    filled(room, embedding.HANDFUL + 1)
    coming, somebody = Directions("other-16", 16), Somebody()
    assert room.embedder
    change(room, coming, somebody, room.embedder)
    intake.sync(room.field)
    assert (somebody.asked, coming.asked) == (1, 0)
    assert room.field.store.serving() == room.embedder.name
    somebody.at_work = True
    intake.sync(room.field)
    assert (somebody.asked, coming.asked) == (1, 0), "who is at it is not asked again"


def test_a_handful_that_is_left_is_embedded_at_once_and_the_new_one_serves(room: Room) -> None:
    filled(room, 40)
    coming, somebody = Directions("other-16", 16), Somebody()
    assert room.embedder
    change(room, coming, somebody, room.embedder)
    intake.sync(room.field)
    assert somebody.asked == 0
    assert room.field.store.serving() == coming.name


@pytest.mark.slow
def test_what_is_new_during_a_change_gets_vectors_of_the_one_that_serves(room: Room) -> None:
    filled(room, embedding.HANDFUL + 1)
    old, coming, somebody = room.embedder, Directions("other-16", 16), Somebody()
    assert old
    somebody.at_work = True
    change(room, coming, somebody, old)
    new = room.think("Zebras graze beside the checkout").thought
    assert room.field.store.lacking(old.name) == 0
    (vector,) = old.embed(["Zebras graze beside the checkout"])
    assert room.field.store.nearest(vector, Scope(SHOP), 1)[0].id == new.id
    assert texts(room.ask("zebras graze"))[0] == new.text


@pytest.mark.slow
def test_where_the_old_model_is_gone_what_is_new_is_found_by_its_words(room: Room) -> None:
    filled(room, embedding.HANDFUL + 1)
    somebody = Somebody()
    somebody.at_work = True
    assert room.embedder
    change(room, Directions("other-16", 16), somebody, Gone(room.embedder.name, 32))
    room.think("Zebras graze beside the checkout")
    assert texts(room.ask("zebras graze"))[0] == "Zebras graze beside the checkout"


@pytest.mark.slow
def test_whoever_waits_spends_about_a_second_and_leaves_the_rest(room: Room) -> None:
    write_notes(room.vault, facts(200), SHOP)
    somebody = Somebody()
    assert room.embedder
    change(room, room.embedder, somebody)
    intake.take_in(room.field)
    embedding.catch_up(room.field, ticks=seconds_of(embedding.SECONDS / 3.5))
    assert room.field.store.lacking(room.embedder.name) == 200 - 3 * embedding.HURRIED
    assert somebody.asked == 1
    embedding.catch_up(room.field)
    assert room.field.store.lacking(room.embedder.name) == 0
    assert somebody.asked == 1


@pytest.mark.slow
def test_where_nobody_may_be_started_every_sync_does_its_second(room: Room) -> None:
    filled(room, embedding.HANDFUL + 1)
    coming = Directions("other-16", 16)
    assert room.embedder
    change(room, coming, Somebody(comes=False), room.embedder)
    for _ in range(100):
        embedding.catch_up(room.field, ticks=seconds_of(embedding.SECONDS / 3.5))
        if room.field.store.serving() == coming.name:
            break
    assert room.field.store.serving() == coming.name


def test_a_model_that_cannot_be_reached_costs_nothing_but_its_vectors(room: Room) -> None:
    filled(room, 20)
    somebody = Somebody()
    assert room.embedder
    change(room, Gone("other-16", 16), somebody, room.embedder)
    intake.sync(room.field)
    assert somebody.asked == 1, "somebody with more patience tries again"
    assert room.field.store.serving() == room.embedder.name
    assert room.ask("which crate holds pears").results


def test_going_back_before_the_new_one_is_done_is_at_once(room: Room) -> None:
    filled(room, 20)
    old = room.embedder
    assert old
    coming = Directions("other-16", 16)
    change(room, coming, None, old)
    intake.embed(room.field, most=7)
    change(room, old, None)
    asked = old.asked
    assert embedding.everything(room.field, old)
    assert old.asked == asked
    assert room.field.store.lacking(coming.name) == 20, "what was made of the other is gone"
    assert embedding.nature_of(room.field.store, coming.name) is None
    assert embedding.nature_of(room.field.store, old.name)


def test_without_an_embedder_vectors_are_kept_and_going_back_embeds_what_came_since(room: Room) -> None:
    filled(room, 20)
    old = room.embedder
    assert old
    room.field = replace(room.field, embedder=None, later=Somebody())
    room.think("Zebras graze beside the checkout")
    assert retrieval.StoreView(room.field).vector("zebras") is None
    asked = old.asked
    change(room, old, Somebody())
    intake.sync(room.field)
    assert old.asked == asked + 2, "the new thought and the probe"


@pytest.mark.parametrize(
    ("dimension", "said"), [(16, "vectors of 16 numbers, and before it was 32"), (32, "other vec")]
)
def test_another_model_under_the_same_name_is_said_and_not_mixed_in(room: Room, dimension: int, said: str) -> None:
    filled(room, 10)
    old = room.embedder
    assert old
    before = room.field.store.nearest(old.embed(["pears"])[0], Scope(SHOP), 20)

    class Other(Directions):
        def embed(self, texts: Any) -> Any:
            return super().embed([f"{text} another" * 3 for text in texts])

    other = Other(old.name, dimension)
    change(room, other, None)
    room.note("late", "A late fact about pears")
    intake.take_in(room.field)
    with pytest.raises(embedding.Changed, match=said):
        embedding.everything(room.field, other)
    intake.sync(room.field)
    assert room.field.store.lacking(old.name) == 1
    assert room.field.store.nearest(old.embed(["pears"])[0], Scope(SHOP), 20) == before
    made = intake.rebuild(room.field)
    assert made.embedded == made.thoughts == 11, "a rebuild takes the new one as it is"
    found = embedding.nature_of(room.field.store, old.name)
    assert found
    assert found.dimension == dimension


def test_last_digits_that_differ_are_the_same_model() -> None:
    known = embedding.asked_of(Directions())
    blurred = replace(known, probe=tuple(one + 0.001 for one in known.probe))
    assert known.is_that_of(blurred)
    assert not known.is_that_of(replace(known, probe=tuple(-one for one in known.probe)))
    assert not known.is_that_of(replace(known, dimension=31))


def test_a_text_that_changes_while_its_vector_is_made_gets_that_of_its_new_words(room: Room) -> None:
    path = room.note("a", "Orders lock the table")

    class Slow(Directions):
        def embed(self, texts: Any) -> Any:
            rows = super().embed(texts)
            if any("Orders" in text for text in texts):
                room.note("a", "Zebras graze in the rain")
                intake.take_in(room.field)
            return rows

    slow = Slow()
    change(room, slow, None)
    intake.sync(room.field)
    assert room.field.store.lacking(slow.name) == 0
    (vector,) = Directions().embed(["Zebras graze in the rain"])
    (hit,) = room.field.store.nearest(vector, Scope(SHOP), 1)
    assert room.field.store.thoughts([hit.id])[hit.id].path == path
    change(room, Directions(), None)
    intake.rebuild(room.field)
    assert room.field.store.nearest(vector, Scope(SHOP), 1) == [hit]


@pytest.mark.slow
def test_after_a_change_the_field_says_what_one_made_anew_says(room: Room) -> None:
    filled(room, 60)
    coming = Directions("other-16", 16)
    assert room.embedder
    change(room, coming, None, room.embedder)
    for _ in range(7):
        intake.embed(room.field, most=9)
    room.think("Zebras graze beside the checkout")
    intake.sync(room.field)
    questions = ("which crate holds pears", "zebras", "invoices of hall 3", "something else entirely")
    changed = [texts(room.ask(one)) for one in questions]
    scores = [
        [hit.score for hit in room.field.store.nearest(coming.embed([one])[0], Scope(SHOP), 99)] for one in questions
    ]
    room.close()
    for path in Path(room.vault, ".state").glob("field.db*"):
        path.unlink()
    room.embedder = coming
    room.reopen()
    intake.sync(room.field)
    assert [texts(room.ask(one)) for one in questions] == changed
    assert scores == [
        [hit.score for hit in room.field.store.nearest(coming.embed([one])[0], Scope(SHOP), 99)] for one in questions
    ]


def test_a_store_that_has_vectors_of_nobody_known_takes_what_it_is_told(room: Room) -> None:
    room.field.store.take("there", "1", [Thought("a", "Orders lock")])
    room.field.store.note_places({f"{embedding.KEPT}directions-32": "no JSON"})
    intake.embed(room.field)
    found = embedding.nature_of(room.field.store, "directions-32")
    assert found
    assert found.dimension == 32

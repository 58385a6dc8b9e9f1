"""What clearly bears on a prompt by words and by meaning together: as good as words alone, and one note more where it
stands out."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy
import pytest
from field_support import SHOP, Directions, Room, save
from hypothesis import given, settings
from hypothesis import strategies as st
from test_recall import ASKED, NOTES, OFF_TOPIC

from holdfast.brief import prompt_by_words
from holdfast.capture import home
from holdfast.field import intake, prompt_by_meaning
from holdfast.field.embedder_models import WordLlama
from holdfast.field.embedders import unit
from holdfast.field.store import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

UNHURRIED = 10.0
SCALE = prompt_by_meaning.Scale(0.0, 0.1, 0.42)


def rooms(vault: str, embedder: Any, notes: dict[str, str]) -> Room:
    room = Room(vault, meaning=False)
    for name, body in notes.items():
        room.note(name, body)
    room.embedder = embedder
    room.reopen()
    intake.sync(room.field, thorough=True)
    return room


def names(room: Room, text: str, project: str = SHOP) -> list[str]:
    found = prompt_by_meaning.bearing(room.field, project, text, UNHURRIED)
    return [one.path.rpartition("/")[2].removesuffix(".md") for one in found]


def by_words(room: Room, text: str) -> list[str]:
    found = prompt_by_words.look(home.state(room.vault), SHOP, text, UNHURRIED)
    return [one.path.rpartition("/")[2].removesuffix(".md") for one in found]


# --- with the model that everybody has


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    room = rooms(str(tmp_path_factory.mktemp("labelled") / "vault"), WordLlama(), NOTES)
    yield room
    room.close()


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
def test_what_bears_on_a_prompt_is_found_and_hardly_anything_else(labelled: Room, half: int) -> None:
    found = [(want, names(labelled, text)) for text, want in ASKED[half::2]]
    right = sum(want in got for want, got in found)
    assert right >= 0.9 * len(found), found
    assert sum(len([one for one in got if one != want]) for want, got in found) <= 0.05 * right, found
    assert right >= sum(want in by_words(labelled, text) for text, want in ASKED[half::2]), "as many as words alone"


@pytest.mark.slow
def test_a_prompt_that_nothing_bears_on_finds_nothing(labelled: Room) -> None:
    assert [(text, got) for text in OFF_TOPIC if (got := names(labelled, text))] == []


def test_a_note_that_means_the_same_in_other_words_is_found_by_meaning_alone(labelled: Room) -> None:
    asked = "Uploaded photos make the thumbnail worker run out of memory"
    assert by_words(labelled, asked) == []
    assert prompt_by_meaning.bearing(labelled.field, SHOP, asked) == [
        prompt_by_meaning.Bears("knowledge/image-resize.md", ())
    ]


def test_a_name_of_code_is_evidence_by_itself_whatever_its_vector_is(labelled: Room) -> None:
    for text in ("look at lease_expires", "What is E-1042?", "leaseExpires of the API is wrong"):
        assert names(labelled, text) == by_words(labelled, text) != []


def test_of_a_prompt_of_hardly_any_word_the_meaning_is_not_asked(labelled: Room) -> None:
    for text in ("", "photos", "thumbnail photos", "continue", "?!", "the of and"):
        assert names(labelled, text) == by_words(labelled, text)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=300))
def test_no_prompt_breaks_the_look(labelled: Room, text: str) -> None:
    assert len(prompt_by_meaning.bearing(labelled.field, SHOP, text)) <= prompt_by_words.MOST


# --- with vectors of the test's choosing


class Topics:
    """Texts that name a topic lie in its direction, others anywhere."""

    name = "topics"
    dimension = 64

    def __init__(self, *topics: str) -> None:
        self.topics = topics

    def embed(self, texts: Sequence[str]) -> Any:
        rows = numpy.zeros((len(texts), self.dimension), dtype=numpy.float32)
        for at, text in enumerate(texts):
            dice = numpy.random.default_rng(zlib.crc32(text.encode()))
            rows[at] = dice.standard_normal(self.dimension, dtype=numpy.float32)
            for topic in self.topics:
                if topic in text:
                    rows[at] = 0.3 * rows[at] / numpy.linalg.norm(rows[at])
                    rows[at] += _direction(topic, self.dimension)
        return unit(rows)


def _direction(topic: str, dimension: int) -> Any:
    row = numpy.random.default_rng(zlib.crc32(topic.encode())).standard_normal(dimension, dtype=numpy.float32)
    return row / numpy.linalg.norm(row)


TOPIC = "zephyr"  # in no note's words but those that the test gives it
MEANT = f"Boats leave the harbour at dawn whenever there is a fresh {TOPIC} from the west, and come home by evening"
PROMPT = f"should somebody sail out tomorrow morning given this {TOPIC}"
WORDS = "Umlauts are broken in the supplier CSV files"


@pytest.fixture
def harbour(vault: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """The labelled notes and one about the topic; words do not find it, its direction does."""
    monkeypatch.setitem(prompt_by_meaning.SCALES, Topics.name, SCALE)
    monkeypatch.setattr(prompt_by_words, "STOP", prompt_by_words.STOP | {TOPIC})
    room = rooms(vault, Topics(TOPIC), {**NOTES, "boats": MEANT})
    assert by_words(room, PROMPT) == []
    yield room
    room.close()


def test_the_one_that_stands_out_is_told_after_those_by_words(harbour: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(harbour, PROMPT) == ["boats"]
    monkeypatch.setattr(prompt_by_meaning, "SURE", 0.0)
    both = f"{WORDS} in this {TOPIC}"
    found = prompt_by_meaning.bearing(harbour.field, SHOP, both, UNHURRIED)
    assert [one.path for one in found] == ["knowledge/csv-encoding.md", "knowledge/boats.md"]
    assert [bool(one.words) for one in found] == [True, False]


def test_with_a_model_that_nobody_has_measured_words_alone_answer(harbour: Room) -> None:
    del prompt_by_meaning.SCALES[Topics.name]
    assert names(harbour, PROMPT) == []
    assert names(harbour, WORDS) == ["csv-encoding"]


def test_where_nothing_has_a_vector_words_alone_answer(vault: str) -> None:
    room = Room(vault, meaning=False)
    for name, body in NOTES.items():
        room.note(name, body)
    intake.take_in(room.field, thorough=True)
    room.embedder = WordLlama()  # type: ignore[assignment]
    room.reopen()
    assert names(room, WORDS) == ["csv-encoding"]
    room.close()


def test_of_several_that_mean_it_one_comes(harbour: Room) -> None:
    harbour.note("ships", f"Ships of the coast guard are bound to stay in while a {TOPIC} lasts for longer than a day")
    intake.sync(harbour.field, thorough=True)
    assert len(names(harbour, PROMPT)) == prompt_by_meaning.ALONE


def test_what_shares_words_only_is_not_told_if_the_prompt_is_about_something_else(harbour: Room) -> None:
    (seen,) = prompt_by_words.look(home.state(harbour.vault), SHOP, WORDS, UNHURRIED)
    assert seen.score < prompt_by_meaning.SURE
    elsewhere = Topics(TOPIC, "supplier CSV")  # now their direction is known: of note and prompt, or of neither
    harbour.field.embedder.topics = elsewhere.topics  # type: ignore[union-attr]
    assert names(harbour, WORDS) == [], "the note's vector is where it was, the prompt's is not"


def test_words_far_above_chance_stand_by_themselves(harbour: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    harbour.field.embedder.topics = (TOPIC, "supplier CSV")  # type: ignore[union-attr]
    monkeypatch.setattr(prompt_by_meaning, "SURE", 0.0)
    assert names(harbour, WORDS) == ["csv-encoding"]


def test_the_vector_of_a_long_prompt_takes_nothing_back(harbour: Room) -> None:
    harbour.field.embedder.topics = (TOPIC, "supplier CSV")  # type: ignore[union-attr]
    monologue = f"{WORDS}. " + "and so it went on and on for them and for us, here and there " * 6
    assert by_words(harbour, monologue) == names(harbour, monologue) == ["csv-encoding"]


@pytest.mark.parametrize("what", ["gone", "rewritten", "superseded", "of another project", "a handoff's folder"])
def test_a_note_that_is_no_longer_what_the_index_says_does_not_come(harbour: Room, what: str) -> None:
    file = Path(harbour.vault, "knowledge/boats.md")
    text = file.read_text(encoding="utf-8")
    if what == "gone":
        file.unlink()
    elif what == "rewritten":
        save(file, text.replace(TOPIC, "lull"))
    elif what == "superseded":
        harbour.note("newer", "Nobody sails any more", supersedes=("knowledge/boats.md",))
        intake.sync(harbour.field, thorough=True)
    elif what == "of another project":
        save(file, text.replace(f"project: {SHOP}", "project: other-1"))
        intake.sync(harbour.field, thorough=True)
    else:
        file.unlink()
        harbour.think(MEANT)  # a thought is no note, however near
    assert names(harbour, PROMPT) == []


def test_an_edit_that_leaves_the_meaning_leaves_the_note(harbour: Room) -> None:
    file = Path(harbour.vault, "knowledge/boats.md")
    save(file, file.read_text(encoding="utf-8").replace("by evening", "by noon"))
    assert names(harbour, PROMPT) == ["boats"]


def test_a_long_note_has_to_be_nearer(harbour: Room) -> None:
    found = prompt_by_meaning._meaning(harbour.field, Scope(SHOP), PROMPT)
    assert found
    floors = [found._floor("word " * size) for size in (10, 60, 80, 300, 2000)]
    assert floors[0] == floors[1] == floors[2] < floors[3] < floors[4]
    assert replace(found, near=0.9)._floor("word " * 10) == 0.9


def test_nothing_of_another_project_is_seen(harbour: Room) -> None:
    harbour.note("theirs", f"Their boats stay ashore in every {TOPIC} that the station announces", project="other-1")
    intake.sync(harbour.field, thorough=True)
    assert names(harbour, PROMPT) == ["boats"]
    assert names(harbour, PROMPT, "other-1") == ["theirs"]


def test_an_embedder_of_vectors_that_words_make_is_no_reason_to_fail(vault: str) -> None:
    room = rooms(vault, Directions(), NOTES)
    assert names(room, WORDS) == ["csv-encoding"]
    room.close()


# --- how notes are at large


@settings(deadline=None, max_examples=30)
@given(st.integers(2000, 20000), st.floats(-0.1, 0.3), st.floats(0.03, 0.2), st.integers(0, 1000))
def test_the_top_of_a_large_store_tells_how_all_of_it_is(count: int, mean: float, spread: float, seed: int) -> None:
    dice = random.Random(seed)
    scores = sorted((dice.gauss(mean, spread) for _ in range(count)), reverse=True)[: prompt_by_meaning.POOL]
    usual = prompt_by_meaning.at_large(scores, count, SCALE)
    assert usual.mean == pytest.approx(mean, abs=0.6 * spread)
    assert usual.spread == pytest.approx(spread, rel=0.35)


def test_how_a_handful_of_notes_spreads_says_little() -> None:
    alike = prompt_by_meaning.at_large([0.11, 0.1, 0.1], 3, SCALE)
    assert alike.spread > 0.8 * SCALE.spread
    assert prompt_by_meaning.at_large([0.1] * 500, 500, SCALE).spread < 0.5 * SCALE.spread


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=700), st.integers(0, 10**6))
def test_whatever_the_scores_are_the_spread_is_one(scores: list[float], more: int) -> None:
    usual = prompt_by_meaning.at_large(sorted(scores, reverse=True), len(scores) + more, SCALE)
    assert usual.spread > 0
    assert usual.above(usual.mean + usual.spread) == pytest.approx(1.0)

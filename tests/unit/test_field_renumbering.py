"""The mapped file of vectors does not grow with every edit: dead rows are given back, whoever reads meanwhile sees the
same, and a kill at any point costs nothing but time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

from holdfast.field.sqlite import vectors
from holdfast.field.sqlite.search import Search
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Hit, Scope
from holdfast.field.thought import Thought

MODEL, OTHER = "test-4", "other-4"
FEW = 16
WIDTH = 4 + 8  # bytes of a row


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "FEW", FEW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(f"{tmp_path}/field.db")
    made.take("here", "1", [Thought(one, f"words of {one}") for one in "abcd"])
    made.embed(MODEL, {one: direction(nth) for nth, one in enumerate("abcd")})
    yield made
    made.close()


def direction(nth: int) -> Any:
    row = numpy.ones(4, dtype=numpy.float32)
    row[nth % 4] += 1 + nth
    return row / numpy.linalg.norm(row)


def near(store: SqliteStore, model: str = "") -> list[Hit]:
    return store.nearest(direction(1), Scope(), 9, model)


def edit(store: SqliteStore, times: int, model: str = MODEL) -> None:
    for nth in range(times):
        store.embed(model, {"a": direction(nth)})


def rows_in_file(store: SqliteStore, model: str = MODEL) -> int:
    return (os.path.getsize(vectors.path_of(store.path, model)) - vectors.HEADER) // WIDTH


@pytest.mark.slow
def test_edits_by_the_hundred_leave_few_dead_rows(store: SqliteStore) -> None:
    edit(store, 400)
    assert rows_in_file(store) <= 2 * (4 + FEW)
    assert len(near(store)) == 4
    edit(store, 2)
    before = near(store)
    store.close()
    store.__init__(store.path)  # type: ignore[misc]
    assert near(store) == before


def test_below_a_few_nothing_is_renumbered(store: SqliteStore) -> None:
    edit(store, FEW - 1)
    assert rows_in_file(store) == 4 + FEW - 1


def test_a_field_whose_rows_are_mostly_alive_keeps_its_numbers(store: SqliteStore) -> None:
    many = [f"t{nth}" for nth in range(5 * FEW)]
    store.take("there", "1", [Thought(one, f"words of {one}") for one in many])
    store.embed(MODEL, {one: direction(nth) for nth, one in enumerate(many)})
    edit(store, 2 * FEW)
    assert rows_in_file(store) == 4 + 5 * FEW + 2 * FEW


def test_rows_of_a_model_that_served_before_are_given_back_when_another_takes_over(store: SqliteStore) -> None:
    many = [f"t{nth}" for nth in range(3 * FEW)]
    store.take("there", "1", [Thought(one, f"words of {one}") for one in many])
    everything = [*"abcd", *many]
    for model in (MODEL, OTHER):
        store.embed(model, {one: direction(nth) for nth, one in enumerate(everything)})
    assert rows_in_file(store, OTHER) > 2 * len(everything)
    store.serve(OTHER)
    assert rows_in_file(store, OTHER) == len(everything)
    assert not os.path.exists(vectors.path_of(store.path, MODEL))
    assert len(near(store)) == 9


def test_while_two_models_have_vectors_both_are_found_after_it(store: SqliteStore) -> None:
    store.embed(OTHER, {"b": direction(5), "c": direction(1)})
    before = near(store, OTHER)
    edit(store, 5 * FEW)
    assert near(store, OTHER) == before
    assert len(near(store)) == 4
    assert rows_in_file(store) <= 2 * (6 + FEW)


def test_who_reads_meanwhile_sees_the_field_as_it_was_and_then_as_it_is(store: SqliteStore) -> None:
    reader = SqliteStore(store.path)
    edit(store, FEW - 1)
    before = near(reader)
    reader.db.execute("BEGIN")
    assert near(reader) == before
    edit(store, 2 * FEW + 1)
    assert vectors.last_number(store.db) < 3 * FEW, "it was numbered anew"
    assert near(reader) == before, "one look is at one moment"
    reader.db.execute("COMMIT")
    assert near(reader) == near(store) != before
    reader.close()


def test_a_kill_between_the_numbers_and_the_file_costs_nothing(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(store, FEW - 1)
    named = store.meta("store")
    store.close()
    child = os.fork()
    if not child:
        try:
            mine = SqliteStore(store.path)
            monkeypatch.setattr(Search, "extend", lambda _: None if mine.meta("store") == named else os._exit(7))
            edit(mine, 3 * FEW)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    store.__init__(store.path)  # type: ignore[misc]
    assert store.meta("store") != named
    assert len(near(store)) == 4, "from the database"
    file = Path(vectors.path_of(store.path, MODEL))
    assert named.encode() in file.read_bytes(), "the file of before is there, and not believed"
    before = near(store)
    store.note_places({"anything": "1"})
    assert store.meta("store").encode() in file.read_bytes(), "whoever writes next makes it"
    assert near(store) == before


def test_a_disk_that_refuses_the_new_file_costs_time_only(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr("holdfast.field.sqlite.vectors.platform.write_atomic", full)
    edit(store, 4 * FEW)
    before = near(store)
    assert len(before) == 4
    monkeypatch.undo()
    store.note_places({"anything": "1"})
    assert near(store) == before


@pytest.mark.slow
def test_the_vectors_are_counted_once_in_a_while_and_not_at_each_write(store: SqliteStore) -> None:
    asked: list[str] = []
    store.db.set_trace_callback(lambda said: asked.append(said) if "count(*) FROM vector" in said else None)
    many = [f"t{nth}" for nth in range(20 * FEW)]
    store.take("there", "1", [Thought(one, f"words of {one}") for one in many])
    for nth, one in enumerate(many):
        store.embed(MODEL, {one: direction(nth)})
    store.db.set_trace_callback(None)
    assert 0 < len(asked) <= 21

"""Every row that a question means is scored, and no other one: however the rows of projects lie in the file."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from holdfast.field.sqlite import vectors

KIND = numpy.dtype([("scale", "<f4"), ("code", "<i4"), ("parts", "i1", (4,))])
LYING = {
    "mixed": (1, 2, 1, 3, 2, 2, 1, 0, 3, 1, 1),
    "apart": (1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3),
    "one project": (1,) * 11,
    "with gaps": (0, 1, 0, 0, 1, 2, 0, 1, 0, 3, 0),
    "nobody's": (0,) * 5,
    "none": (),
}


def rows_of(codes: tuple[int, ...]) -> Any:
    """Rows of these projects; those of 0 are empty, as numbers that are gone leave them."""
    made = numpy.zeros(len(codes), dtype=KIND)
    made["code"] = codes
    made["scale"] = [0.01 + nth / 1000 if code else 0.0 for nth, code in enumerate(codes)]
    made["parts"] = numpy.random.default_rng(1).integers(-127, 128, (len(codes), 4)) * (made["code"] > 0)[:, None]
    return made


@pytest.mark.parametrize("at_hand", [0, 1000])
@pytest.mark.parametrize("block", [1, 3, 64])
@pytest.mark.parametrize("asked", [(), (1,), (2,), (1, 3), (9,)])
@pytest.mark.parametrize("codes", LYING.values(), ids=LYING)
def test_the_rows_that_are_meant_are_scored_each_as_if_it_were_alone(
    codes: tuple[int, ...], asked: tuple[int, ...], block: int, at_hand: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "BLOCK", block)
    monkeypatch.setattr(vectors, "AT_HAND", at_hand)
    rows, vector = rows_of(codes), numpy.array([0.5, -0.25, 0.75, 0.125], dtype=numpy.float32)
    table = vectors.Table(rows)
    for _ in range(2):  # the second time they may be at hand
        part = table.part(asked)
        meant = [nth for nth, code in enumerate(codes) if code and (not asked or code in asked)]
        assert part.places.tolist() == meant
        assert vectors.scores(table, vector, part) == pytest.approx(vectors.exact(rows[meant], vector))


def test_who_asks_elsewhere_in_between_gets_the_rows_of_there() -> None:
    table = vectors.Table(rows_of((1, 2, 1, 2, 2)))
    assert [table.part(asked).places.tolist() for asked in ((1,), (2,), (), (1,))] == [
        [0, 2],
        [1, 3, 4],
        [0, 1, 2, 3, 4],
        [0, 2],
    ]


def test_more_rows_than_may_be_at_hand_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    table = vectors.Table(rows_of((1, 2, 1, 2, 2)))
    monkeypatch.setattr(vectors, "AT_HAND", 2 * KIND.itemsize)
    assert table.part((1,)).rows is not None
    assert table.part((2,)).rows is None


def test_a_vector_near_nothing_is_nobodys_though_its_project_is_known() -> None:
    rows = rows_of((1, 1, 2))
    rows["scale"][1] = 0.0
    assert vectors.Table(rows).part((1,)).places.tolist() == [0]
    assert vectors.Table(rows).part(()).places.tolist() == [0, 2]

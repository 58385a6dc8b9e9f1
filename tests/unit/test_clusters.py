"""Clusters follow from the set of thoughts and times alone, however they came to be known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.sleep import clusters
from holdfast.sleep.clusters import HORIZON, Seen, Window, advanced

NOW = 1_790_000_000.0
HOUR, DAY = 3600.0, 86400.0


def row(*parts: int) -> Any:
    return numpy.array(parts, dtype=numpy.float32)


NORTH, NORTHISH, EAST = row(127, 0, 0), row(127, 40, 0), row(0, 0, 127)


def a_window(*said: tuple[str, float, Any], group: str = "shop", now: float = NOW) -> Window:
    return advanced(Window(), [Seen(one, when, group) for one, when, _ in said], {i: v for i, _, v in said}, "m", now)


def names(window: Window, now: float = NOW) -> list[tuple[str, ...]]:
    return [tuple(sorted(one.members)) for one in clusters.clusters(window, now)]


def test_three_that_are_near_and_new_are_a_dense_cluster_and_the_stranger_is_not_in_it() -> None:
    window = a_window(("a", NOW, NORTH), ("b", NOW, NORTHISH), ("c", NOW, NORTH), ("x", NOW, EAST))
    (found,) = clusters.clusters(window, NOW)
    assert sorted(found.members) == ["a", "b", "c"]
    assert found.is_dense


def test_a_cluster_fades_until_it_is_none() -> None:
    window = a_window(("a", NOW, NORTH), ("b", NOW, NORTH), ("c", NOW, NORTH))
    weights = [
        [(one.weight, one.is_dense) for one in clusters.clusters(window, NOW + days * DAY)] for days in (0, 3, 9)
    ]
    assert weights[0] == [(3.0, True)]
    assert weights[1][0][1] is False
    assert weights[2] == []


def test_thoughts_of_two_projects_are_never_one_cluster() -> None:
    seen = [Seen("a", NOW, "shop"), Seen("b", NOW, "bank")]
    assert names(advanced(Window(), seen, {"a": NORTH, "b": NORTH}, "m", NOW)) == []


def test_a_clock_that_was_set_back_fades_nothing_and_takes_in_nothing_of_the_future() -> None:
    window = a_window(("a", NOW, NORTH), ("b", NOW, NORTH), ("late", NOW + HOUR, NORTH))
    assert names(window) == [("a", "b")]
    assert clusters.clusters(window, NOW - DAY)[0].weight == 2.0


def test_what_is_past_the_horizon_leaves_the_window() -> None:
    window = a_window(("a", NOW, NORTH), ("b", NOW, NORTH))
    later = advanced(window, [Seen("c", NOW + HORIZON, "shop")], {"c": NORTH}, "m", NOW + HORIZON)
    assert [one.id for one in later.seen] == ["c"]
    assert later.near == {"c": ()}


def test_another_model_begins_the_window_anew() -> None:
    window = a_window(("a", NOW, NORTH), ("b", NOW, NORTH))
    later = advanced(window, [Seen("c", NOW, "shop")], {"c": NORTH}, "other", NOW)
    assert [one.id for one in later.seen] == ["c"]


def test_a_window_comes_back_from_the_disk_as_it_was(tmp_path: Path) -> None:
    window = a_window(("a", NOW, NORTH), ("b", NOW - DAY, NORTHISH), ("x", NOW, EAST))
    clusters.keep(f"{tmp_path}/sleep/window", window)
    back = clusters.load(f"{tmp_path}/sleep/window")
    assert (back.seen, back.near, back.model) == (window.seen, window.near, window.model)
    assert numpy.array_equal(back.rows, window.rows)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 no archive", b"\x00" * 400])
def test_a_damaged_window_is_an_empty_one(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "window").write_bytes(damage)
    assert clusters.load(f"{tmp_path}/window") == Window()


def test_the_window_of_nothing_can_be_kept(tmp_path: Path) -> None:
    clusters.keep(f"{tmp_path}/window", Window(model="m"))
    assert clusters.load(f"{tmp_path}/window").seen == ()


thoughts = st.lists(
    st.tuples(st.sampled_from(range(8)), st.integers(0, 40 * 24), st.sampled_from("ab")), min_size=1, max_size=40
)


@given(said=thoughts, order=st.randoms(use_true_random=False), nights=st.integers(1, 5))
@settings(max_examples=150)
def test_night_by_night_and_in_any_order_gives_the_clusters_of_one_look(said: Any, order: Any, nights: int) -> None:
    dice = numpy.random.default_rng(7)
    ways = [numpy.round(dice.standard_normal(16) * 40).astype(numpy.float32) for _ in range(8)]
    wobble = [numpy.round(dice.standard_normal(16) * 12).astype(numpy.float32) for _ in range(40)]
    end = NOW + 40 * DAY
    everything = [Seen(f"t{at:02}", NOW + hour * HOUR, group) for at, (_, hour, group) in enumerate(said)]
    vectors = {
        one.id: ways[way] + wobble[at] for at, (one, (way, _, _)) in enumerate(zip(everything, said, strict=True))
    }
    at_once = advanced(Window(), everything, vectors, "m", end)
    shuffled = list(everything)
    order.shuffle(shuffled)
    window = Window()
    for night in range(nights):
        # A part arrives each night, whatever its time: another machine was offline for a while.
        window = advanced(window, shuffled[night::nights], vectors, "m", end)
    assert window.seen == at_once.seen
    assert window.near == at_once.near
    assert clusters.clusters(window, end) == clusters.clusters(at_once, end)


@given(said=thoughts, days=st.integers(1, 30))
@settings(max_examples=100)
def test_what_has_left_the_window_leaves_it_as_if_it_had_never_been_there(said: Any, days: int) -> None:
    dice = numpy.random.default_rng(11)
    everything = [Seen(f"t{at:02}", NOW + hour * HOUR, "g") for at, (_, hour, _) in enumerate(said)]
    vectors = {
        one.id: numpy.round(numpy.ones(16) * 40 + dice.standard_normal(16) * 30).astype(numpy.float32)
        for one in everything
    }
    first, then = NOW + 40 * DAY, NOW + (40 + days) * DAY
    window = advanced(advanced(Window(), everything, vectors, "m", first), [], {}, "m", then)
    assert window.near == advanced(Window(), everything, vectors, "m", then).near

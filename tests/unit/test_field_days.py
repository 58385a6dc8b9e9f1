"""A note says on which day it was made: it weighs what a new thought weighs, says no hours that nobody knows of, and
weighs the same on every machine and after every rebuild."""

from __future__ import annotations

import calendar
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from field_support import DAY, HOUR, NOW, Room
from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.ids import new_id
from holdfast.field import intake, sources
from holdfast.field.retrieval import Result
from holdfast.field.thought import NOTE, Thought
from holdfast.vault import notes

TODAY = notes.day(NOW)
MIDNIGHT = float(calendar.timegm(time.strptime(TODAY, "%Y-%m-%d")))
TEXT = "Orders use optimistic locking"


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def only(room: Room) -> Result:
    intake.sync(room.field)
    (found,) = room.ask("orders locking").results
    return found


def test_a_note_of_today_is_of_today_and_weighs_what_it_began_with(room: Room) -> None:
    room.note("locks", TEXT, day=TODAY)
    for hours in (0, 13, 23.9):
        room.now = MIDNIGHT + hours * HOUR
        found = only(room)
        assert (found.age, found.weight) == (0.0, 1.0), hours
        assert found.why.endswith("from today")


def test_from_the_end_of_its_day_it_fades_and_its_age_is_counted_in_days(room: Room) -> None:
    room.note("locks", TEXT, day=TODAY)
    room.now = MIDNIGHT + DAY + 10 * HOUR
    found = only(room)
    assert found.age == DAY
    assert found.weight == pytest.approx(0.995**10)
    assert found.why.endswith("from yesterday")
    room.now += 6 * DAY
    assert only(room).age == 7 * DAY
    assert only(room).why.endswith("from 7 days ago")


def test_the_first_flag_of_its_day_says_when_it_was_made(room: Room) -> None:
    flags = [new_id(MIDNIGHT + at * HOUR) for at in (-30, 9, 15, 40)]
    room.note("locks", TEXT, day=TODAY, sources=[*reversed(flags), "another"])
    room.now = MIDNIGHT + 12 * HOUR + 1
    found = only(room)
    assert found.thought.created == MIDNIGHT + 9 * HOUR
    assert found.age == pytest.approx(3 * HOUR, abs=2)
    assert found.weight == pytest.approx(0.995**3)


def test_a_time_that_the_note_gives_itself_counts_before_all(room: Room) -> None:
    room.note("locks", TEXT, day=f"{TODAY}T08:30:00", sources=[new_id(MIDNIGHT + 9 * HOUR)])
    assert only(room).thought.created == MIDNIGHT + 8.5 * HOUR


@pytest.mark.parametrize("odd", ["", "soon", "2026-13-40", "0000000000000000000000000!"])
def test_a_note_whose_day_is_none_counts_from_its_first_flag(room: Room, odd: str) -> None:
    path = room.note("locks", TEXT, day=TODAY, sources=[new_id(MIDNIGHT)])
    file = Path(room.vault, path)
    file.write_text(file.read_text("utf-8").replace(f"{TODAY}\n", f'"{odd}"\n'), "utf-8")
    assert only(room).thought.created == MIDNIGHT


def test_what_is_made_in_the_future_has_not_faded(room: Room) -> None:
    room.note("locks", TEXT, day="2093-01-01")
    found = only(room)
    assert (found.age, found.weight) == (0.0, 1.0)


def test_every_machine_and_every_rebuild_gives_the_same_weight(room: Room, place: Path) -> None:
    room.note("locks", TEXT, day=TODAY)
    room.now = MIDNIGHT + 13 * HOUR
    only(room)
    room.read("orders locking")
    room.now += 40 * HOUR
    before = only(room)
    other = Room(f"{place}/other")
    copy = Path(other.vault, before.thought.path)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(Path(room.vault, before.thought.path).read_bytes())
    other.now = room.now
    assert only(other).thought == before.thought
    log = Path(other.vault, ".state/traffic/log")
    log.parent.mkdir(exist_ok=True)
    log.write_bytes(Path(room.vault, ".state/traffic/log").read_bytes())
    intake.rebuild(other.field)
    intake.rebuild(room.field)
    assert only(room).weight == before.weight == only(other).weight
    other.close()


@given(then=st.floats(0, 4e9), now=st.floats(0, 4e9))
def test_an_age_is_never_negative_and_never_more_than_a_day_from_the_truth(then: float, now: float) -> None:
    known = Thought("a", "x", kind=NOTE, created=then)
    assert known.age_at(now) == max(0.0, now - then) or known.is_of_a_day
    of_a_day = Thought("a", "x", kind=NOTE, created=then // DAY * DAY + DAY - 1)
    assert of_a_day.is_of_a_day
    assert of_a_day.age_at(now) % DAY == 0
    assert abs(of_a_day.age_at(now) - max(0.0, now - then)) <= DAY


def test_a_thought_of_ones_own_has_a_time_whatever_it_is(room: Room) -> None:
    room.now = MIDNIGHT + DAY - 1
    assert not room.think(TEXT).thought.is_of_a_day


def test_a_handoff_has_its_time() -> None:
    assert sources._when(f"{TODAY}T10:00:00Z") == MIDNIGHT + 10 * HOUR
    assert sources._when(TODAY) == MIDNIGHT

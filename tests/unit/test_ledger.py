"""The ledger: what fired is there to be read, filtered and followed; ninety days whole, then counted once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.capture import ledger, log
from holdfast.capture import ledger as history
from holdfast.capture.ledger import DAY, KEPT_DAYS, Wanted
from holdfast.errors import NotSaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOW = 1_800_000_000.0  # 2027-01-15 08:00 UTC
ALL = Wanted()


class Enough(Exception):
    """Nothing more will come."""


def note(state: str, n: int, when: float = NOW, kind: str = "hook", session: str = "s") -> None:
    ledger.append(state, kind, when, n=n, episode=f"generic/{session}/1", event="prompt")


def numbers(records: list[dict[str, object]] | Iterator[dict[str, object]]) -> list[object]:
    return [record["n"] for record in records]


def tear(path: str) -> None:
    """What a writer leaves that is killed in the middle of a write."""
    with open(path, "ab") as file:
        file.write(log.frame(b'{"never":"finished"}')[:30])


def followed(state: str, wanted: Wanted, steps: list[Callable[[], None]]) -> list[dict[str, object]]:
    """What a follower sees while `steps` happen, one whenever it has seen everything."""
    rest = iter([*steps, None, None])

    def wait() -> None:
        step = next(rest, None)
        if step:
            step()
        else:
            raise Enough

    seen: list[dict[str, object]] = []
    with pytest.raises(Enough):
        seen.extend(history.follow(state, wanted, wait))
    return seen


def test_a_record_says_what_fired_when_and_what_it_did(state: str) -> None:
    ledger.append(state, "hook", NOW + 0.1234567, event="prompt", us=321, carried=["A:1"])
    (record,) = history.read(state, ALL)
    assert record == {"v": 1, "t": NOW + 0.123457, "kind": "hook", "event": "prompt", "us": 321, "carried": ["A:1"]}


def test_each_day_has_its_own_file_by_universal_time(state: str) -> None:
    for hours in (0, 15.9, 16.1):
        note(state, 1, NOW + hours * 3600)
    assert history.days(state) == ["2027-01-15", "2027-01-16"]


def test_a_record_is_one_unsynced_append(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    note(state, 1)

    def refuse(fd: int) -> None:
        raise AssertionError("the ledger is synced")

    monkeypatch.setattr("holdfast.capture.platform.sync", refuse)
    note(state, 2)
    assert numbers(history.read(state, ALL)) == [1, 2]


def test_no_secret_reaches_the_ledger(state: str, token: str) -> None:
    ledger.append(state, "error", NOW, error=f"401 for {token}", deep={"list": [f"Authorization: Bearer {token}"]})
    raw = Path(ledger.day_path(state, NOW)).read_bytes()
    assert token[:12].encode() not in raw
    assert raw.count(b"[redacted:") == 2


def test_a_ledger_that_cannot_be_written_is_not_saved(state: str) -> None:
    os.makedirs(state)
    Path(state, "ledger").write_text("in the way")
    with pytest.raises(NotSaved):
        note(state, 1)


def test_there_is_nothing_to_read_before_the_first_record(state: str) -> None:
    assert list(history.read(state, ALL)) == history.newest(state, ALL, 5) == history.counts(state) == []
    assert history.retire(state, NOW) == []


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(), [1, 2, 3, 4]),
        (Wanted(session="abc"), [1, 2]),
        (Wanted(session="abcd"), [2]),
        (Wanted(kinds=("flag",)), [2, 4]),
        (Wanted(kinds=("flag", "hook"), session="ab"), [1, 2]),
        (Wanted(since=NOW + 10), [2, 3, 4]),
        (Wanted(until=NOW + 10), [1]),
        (Wanted(since=NOW + 10, until=NOW + 2 * DAY), [2, 3]),
        (Wanted(since=NOW + 99 * DAY), []),
        (Wanted(session="generic"), []),
    ],
)
def test_records_are_filtered_by_session_kind_and_time(state: str, wanted: Wanted, expected: list[int]) -> None:
    note(state, 1, NOW, "hook", "abc")
    note(state, 2, NOW + 10, "flag", "abcd")
    note(state, 3, NOW + DAY, "hook", "x/y")
    note(state, 4, NOW + 2 * DAY, "flag", "x/y")
    assert numbers(history.read(state, wanted)) == expected
    assert numbers(history.newest(state, wanted, 10)) == expected
    assert numbers(history.newest(state, wanted, 1)) == expected[-1:]


def test_the_newest_are_found_across_days_in_order(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "TAIL", 300)  # two records, so that it has to look again for more
    for n in range(60):
        note(state, n, NOW + n * DAY / 20, "flag" if n % 10 == 0 else "hook")
    for count in (1, 2, 19, 20, 21, 59, 60, 99):
        assert numbers(history.newest(state, ALL, count)) == list(range(60))[-count:]
    assert numbers(history.newest(state, Wanted(kinds=("flag",)), 4)) == [20, 30, 40, 50]


def test_the_newest_none_are_none(state: str) -> None:
    note(state, 1)
    assert history.newest(state, ALL, 0) == []


def test_what_is_no_record_is_shown_as_an_error_in_its_place(state: str) -> None:
    note(state, 1)
    tear(ledger.day_path(state, NOW))
    note(state, 2)
    for records in (list(history.read(state, ALL)), history.newest(state, ALL, 9)):
        assert [record["kind"] for record in records] == ["hook", "error", "hook"]
        assert "torn bytes" in records[1]["error"]
    assert numbers(history.read(state, Wanted(kinds=("hook",)))) == [1, 2]


def test_a_follower_sees_what_is_written_from_now_on_also_of_a_new_day(state: str) -> None:
    note(state, 1)

    def burst() -> None:
        note(state, 3)
        note(state, 4, kind="flag")
        note(state, 5)

    steps = [lambda: note(state, 2), burst, lambda: note(state, 6, NOW + DAY)]
    assert numbers(followed(state, Wanted(kinds=("hook",)), steps)) == [2, 3, 5, 6]


def test_a_follower_waits_for_a_record_that_is_just_being_written(state: str) -> None:
    note(state, 1)
    path = ledger.day_path(state, NOW)
    whole = log.frame(b'{"n":2,"kind":"hook","t":1}')

    def write(part: bytes) -> None:
        with open(path, "ab") as file:
            file.write(part)

    assert numbers(followed(state, ALL, [lambda: write(whole[:9]), lambda: write(whole[9:])])) == [2]


def test_a_follower_gets_past_the_fragment_of_a_killed_writer(state: str) -> None:
    note(state, 1)
    steps = [lambda: tear(ledger.day_path(state, NOW)), lambda: note(state, 2), lambda: note(state, 3)]
    seen = followed(state, ALL, steps)
    assert [record.get("n") for record in seen] == [None, 2, 3]


def test_reading_goes_on_when_a_day_is_folded_meanwhile(state: str) -> None:
    for day in range(3):
        note(state, day, NOW + day * DAY)
    reading = history.read(state, ALL)
    assert next(reading)["n"] == 0
    history.retire(state, NOW + (KEPT_DAYS + 2) * DAY)
    assert numbers(reading) == [2]


def test_ninety_days_are_kept_whole_and_older_ones_are_counted(state: str) -> None:
    note(state, 1, NOW)
    note(state, 2, NOW + 60, kind="flag")
    note(state, 3, NOW + DAY)
    tear(ledger.day_path(state, NOW))
    assert history.retire(state, NOW + KEPT_DAYS * DAY) == []
    assert history.retire(state, NOW + (KEPT_DAYS + 1) * DAY) == ["2027-01-15"]
    assert numbers(history.read(state, ALL)) == [3]
    (counted,) = history.counts(state)
    assert counted == {
        "v": 1,
        "day": "2027-01-15",
        "counts": {"hook": 1, "hook:prompt": 1, "flag": 1, "flag:prompt": 1, "error": 1},
    }
    assert history.retire(state, NOW + (KEPT_DAYS + 1) * DAY) == []


def test_a_kill_between_count_and_removal_costs_nothing_and_counts_nothing_twice(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(state, 1)
    note(state, 2, NOW + DAY)
    later = NOW + (KEPT_DAYS + 2) * DAY

    def killed(path: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("holdfast.capture.platform.remove", killed)
        with pytest.raises(KeyboardInterrupt):
            history.retire(state, later)
    assert numbers(history.read(state, ALL)) == [1, 2], "counted, and still there"
    assert history.retire(state, later) == ["2027-01-15", "2027-01-16"]
    assert [record["day"] for record in history.counts(state)] == ["2027-01-15", "2027-01-16"]
    assert history.days(state) == []


def test_a_kill_in_the_middle_of_the_count_does_not_end_the_folding_for_ever(state: str) -> None:
    note(state, 1)
    tear(f"{state}/ledger/counts.log")
    assert history.retire(state, NOW + (KEPT_DAYS + 1) * DAY) == ["2027-01-15"]


def test_the_count_is_durable_before_the_day_goes(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    note(state, 1)
    there_at_sync: list[bool] = []
    path = ledger.day_path(state, NOW)
    monkeypatch.setattr("holdfast.capture.platform.sync", lambda _: there_at_sync.append(os.path.exists(path)))
    history.retire(state, NOW + (KEPT_DAYS + 1) * DAY)
    assert there_at_sync == [True]
    assert not os.path.exists(path)


def test_other_files_beside_the_days_are_left_alone(state: str) -> None:
    note(state, 1)
    for name in ("notes.log", "not-a-date.log", "2020-01-01.txt", "2020-01-011.log", "counts.log"):
        Path(state, "ledger", name).write_bytes(b"")
    assert history.days(state) == ["2027-01-15"]
    history.retire(state, NOW)
    assert len(os.listdir(f"{state}/ledger")) == 6

"""The end of an episode: what it leaves in the queue is found without reading all of it."""

from __future__ import annotations

import pytest

from holdfast.capture import episodes, log, marks, queue, settle
from holdfast.capture.ids import new_id
from holdfast.model import Flag

NOW = 1_800_000_000.0
KEY = "generic/s/1"


def put(state: str, count: int, key: str = KEY, noted: int | None = None) -> None:
    """`count` flags of an episode, fifty to a call."""
    for first in range(0, count, 50):
        when = NOW + first
        size = min(50, count - first)
        text = "the part takes a lock before it reads, and so does every other one " * 4
        made = [Flag(new_id(when, nth), when, "generic", key, "app-1", "fact", text) for nth in range(size)]
        segment = queue.append(f"{state}/queue", made, when)
        episodes.note_segment(state, key, segment, size if noted is None else noted)


def bytes_scanned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every record that is read from a log from now on, by its size."""
    found: list[int] = []
    scan = log.scan_file

    def counted(path: str, *more: int) -> list[log.Found]:
        read = list(scan(path, *more))
        found.extend(one.end - one.start for one in read)
        return read

    monkeypatch.setattr(log, "scan_file", counted)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 200, 5000])
def test_an_end_reads_no_more_however_much_was_flagged(state: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    put(state, count)
    read = bytes_scanned(monkeypatch)
    waiting, segments = marks.of_episode(state, KEY, NOW)
    assert waiting == count
    assert sorted(segments) == sorted(episodes.noted_segments(state, KEY))
    assert sum(read) <= 2 * marks.ROOM + 2 * 1024, "the newest of the queue, and the newest of its own"


def test_flags_of_others_are_not_counted(state: str) -> None:
    put(state, 3)
    put(state, 4, "generic/other/1")
    assert marks.of_episode(state, KEY, NOW)[0] == 3
    assert marks.of_episode(state, "generic/other/1", NOW)[0] == 4


def test_what_is_filed_already_is_neither_counted_nor_named(state: str) -> None:
    put(state, 3)
    settlement = settle.Settlement(f"{state}/queue", lambda: NOW)
    claim = settlement.claim(3, 60.0)
    assert claim
    settlement.acknowledge(claim, [flag.id for flag in claim.flags])
    assert marks.of_episode(state, KEY, NOW) == (0, ())


@pytest.mark.slow
def test_segments_that_an_older_version_noted_without_a_count_are_read(state: str) -> None:
    put(state, 2000, noted=0)
    waiting, segments = marks.of_episode(state, KEY, NOW)
    assert waiting == 2000
    assert len(segments) > 1


def test_a_segment_whose_note_is_lost_is_found_in_the_newest_part_of_the_queue(state: str) -> None:
    put(state, 3)
    episodes.forget_segments(state, KEY)
    assert marks.of_episode(state, KEY, NOW)[0] == 3

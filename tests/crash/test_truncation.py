"""A log cut at every byte: what a writer that died at that byte would have left behind.

The records before the cut are found, the rest is nothing or torn, and the next writer's record is found after it. The
folder is in memory: the cuts are made by us, so the disk adds nothing but time.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from holdfast.capture import log, queue, settle

from .child_writer import text_of
from .support import SIZE, count, make_flag, make_flags

pytestmark = pytest.mark.crash


def a_segment(folder: Path, size: int) -> tuple[Path, bytes]:
    """One segment of at least `size` bytes, written as it always is."""
    number = 0
    while True:
        length = 3 + number * 97 % 700
        queue.append(str(folder), [make_flag(text_of("cut", number)[:length])], time.time())
        number += 1
        (path,) = folder.glob("live/*.log")
        if path.stat().st_size >= size:
            return path, path.read_bytes()


def test_a_log_cut_at_any_byte_keeps_what_was_whole_and_takes_the_next_record(memory_path: Path) -> None:
    path, data = a_segment(memory_path, SIZE.segment)
    written = list(log.scan(data))
    assert {found.what for found in written} == {log.RECORD}
    payloads = [found.payload for found in written]
    ends = [found.end for found in written]
    torn = damaged = 0
    for cut in range(len(data) + 1):
        whole = sum(end <= cut for end in ends)
        path.write_bytes(data[:cut])

        found = list(log.scan_file(str(path)))
        assert [one.payload for one in found if one.what == log.RECORD] == payloads[:whole], cut
        rest = [one for one in found if one.what != log.RECORD]
        assert [one.what for one in rest] == ([] if cut in (0, *ends) else [log.TORN]), cut

        (fresh,) = flags = [make_flag(f"appended after a cut at {cut}")]
        queue.append(str(memory_path), flags, time.time())
        view = queue.read(str(memory_path), time.time())
        assert len(view.entries) == whole + 1, cut
        assert view.entries[-1].flag == fresh
        assert view.entries[-1].segment == str(path), "the next writer was to meet the fragment"
        assert [one.what for _, one in view.broken] == [one.what for one in rest], cut
        torn += sum(one.what == log.TORN for _, one in view.broken)
        damaged += sum(one.what == log.DAMAGE for _, one in view.broken)
    assert torn == len(data) - len(ends)
    count("truncation", bytes=len(data), cuts=len(data) + 1, torn=torn, damage=damaged)


@pytest.mark.parametrize("block", [1, 5, 64, 4096])
def test_a_cut_log_read_in_blocks_is_the_log_read_whole(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    path, data = a_segment(memory_path, 6_000)
    monkeypatch.setattr(log, "BLOCK", block)
    for cut in range(0, len(data), 211):
        torn_then_whole = data[:cut] + log.frame(b'"after"')
        path.write_bytes(torn_then_whole)
        assert list(log.scan_file(str(path))) == list(log.scan(torn_then_whole)), cut


def test_what_became_of_flags_cut_at_any_byte_loses_none_and_files_none(memory_path: Path) -> None:
    """The log beside the segment: a cut takes back the last steps, in order, and nothing else."""
    folder = str(memory_path)
    flags = make_flags("settled", 0, 5, now=1000.0)
    queue.append(folder, flags, 1000.0)
    settlement = settle.Settlement(folder, clock=lambda: 1001.0, tries=1)
    claim = settlement.claim(5, 60.0)
    assert claim
    ids = [flag.id for flag in flags]
    settlement.acknowledge(claim, ids[:2])
    settlement.release(claim, ids[2:3], error="no")
    settlement.release(claim, ids[3:4])
    settlement.retry()
    (segment,) = memory_path.glob("live/*.log")
    (settled,) = memory_path.glob("live/*.settled")
    data = settled.read_bytes()
    steps = [found.end for found in log.scan(data)]
    held = dict.fromkeys(ids, queue.CLAIMED)
    filed = held | dict.fromkeys(ids[:2], queue.FILED)
    dead = filed | {ids[2]: queue.DEAD}
    given_back = dead | {ids[3]: queue.WAITING}
    retried = given_back | {ids[2]: queue.WAITING}
    states = [dict.fromkeys(ids, queue.WAITING), held, filed, dead, given_back, retried]
    assert len(steps) == len(states) - 1
    for cut in range(len(data) + 1):
        settled.write_bytes(data[:cut])
        part = queue.read_segment(str(segment), 1002.0, tries=1)
        done = sum(end <= cut for end in steps)
        assert {ident: entry.state for ident, entry in part.entries.items()} == states[done], cut
        assert [found.what for _, found in part.broken] == ([] if cut in (0, *steps) else [log.TORN]), cut
    count("truncation", settled_cuts=len(data) + 1)


def test_two_fragments_in_a_row_are_torn_and_cost_no_record_around_them() -> None:
    """Two writers died one after the other, each at any byte."""
    before, first, second, after = (log.frame(b'"%s"' % word) for word in (b"before", b"first", b"second", b"after"))
    for one in range(1, len(first)):
        for two in range(1, len(second)):
            found = list(log.scan(before + first[:one] + second[:two] + after))
            assert list(log.records(found)) == [b'"before"', b'"after"'], (one, two)
            assert {each.what for each in found} == {log.RECORD, log.TORN}, (one, two)

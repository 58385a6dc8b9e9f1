"""Bits flipped at random: none goes unnoticed, no record comes back changed, every untouched record is still found."""

from __future__ import annotations

import posix
import time
from pathlib import Path

import pytest

from holdfast.capture import log, queue, settle

from .support import SIZE, count, dice, flags_in, is_intact, make_flags

pytestmark = pytest.mark.crash


def a_segment(folder: Path) -> tuple[Path, bytes]:
    for number in range(0, 60, 3):
        queue.append(str(folder), make_flags("flip", number, 3), time.time())
    (path,) = folder.glob("live/*.log")
    return path, path.read_bytes()


def flipped(data: bytes, bits: list[int]) -> bytes:
    changed = bytearray(data)
    for bit in bits:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def judge(data: bytes, bits: list[int]) -> int:
    """Exactly the records that were hit are missing, and their bytes are named as no record. Returns 1: noticed."""
    hit = [any(one.start <= bit // 8 < one.end for bit in bits) for one in log.scan(data)]
    untouched = [one for one, was_hit in zip(log.scan(data), hit, strict=True) if not was_hit]
    touched = sum(one.end - one.start for one, was_hit in zip(log.scan(data), hit, strict=True) if was_hit)
    found = list(log.scan(flipped(data, bits)))
    assert [one for one in found if one.what == log.RECORD] == untouched, bits
    broken = [one for one in found if one.what != log.RECORD]
    assert sum(one.end - one.start for one in broken) == touched, bits
    # A record that was whole is damaged, not torn, whichever one of its bits was hit.
    assert log.DAMAGE in [one.what for one in broken] or len(bits) > 1, bits
    return bool(found != list(log.scan(data)))


def test_no_flipped_bit_goes_unnoticed(memory_path: Path) -> None:
    _, data = a_segment(memory_path)
    chance = dice("flips")
    noticed = sum(judge(data, [chance.randrange(len(data) * 8)]) for _ in range(SIZE.flips))
    count("bit flips", single=SIZE.flips, noticed=noticed)


def test_no_flipped_bit_of_a_header_goes_unnoticed(memory_path: Path) -> None:
    """All of them, not a sample: the header is where a reader takes decisions before it has a checksum."""
    _, data = a_segment(memory_path)
    (start, *_) = [one.start for one in log.scan(data)][7:]
    bits = range(start * 8, (start + log.HEADER) * 8)
    for bit in bits:
        judge(data, [bit])
    count("bit flips", in_a_header=len(bits))


def test_several_flipped_bits_do_not_go_unnoticed(memory_path: Path) -> None:
    _, data = a_segment(memory_path)
    chance = dice("several flips")
    for _ in range(SIZE.multiple_flips):
        near = chance.randrange(len(data) * 8)
        everywhere = range(len(data) * 8)
        nearby = range(max(0, near - 400), min(len(data) * 8, near + 400))
        judge(data, chance.sample(chance.choice((everywhere, nearby)), chance.randint(2, 12)))
    count("bit flips", several=SIZE.multiple_flips)


def test_the_queue_reports_a_flip_and_returns_every_other_flag(memory_path: Path) -> None:
    path, data = a_segment(memory_path)
    written = flags_in(data)
    chance = dice("flips on disk")
    for _ in range(SIZE.flips // 5):
        path.write_bytes(flipped(data, [chance.randrange(len(data) * 8)]))
        view = queue.read(str(memory_path), time.time())
        assert view.broken
        assert len(view.entries) == len(written) - 1
        assert all(entry.flag == written[entry.flag.id] and is_intact(entry.flag) for entry in view.entries)
    count("bit flips", through_the_queue=SIZE.flips // 5)


def test_a_flip_in_what_became_of_flags_is_reported_and_hides_no_flag(memory_path: Path) -> None:
    """A filed flag may wait again, because its acknowledgement is unreadable; filing is idempotent, losing is not."""
    folder = str(memory_path)
    flags = make_flags("settled", 0, 12, now=1000.0)
    queue.append(folder, flags, 1000.0)
    settlement = settle.Settlement(folder, clock=lambda: 1001.0, tries=2)
    for error in ("first", "second"):
        claim = settlement.claim(3, 60.0)
        assert claim
        settlement.release(claim, [flag.id for flag in claim.flags], error=error)
    claim = settlement.claim(6, 60.0)
    assert claim
    settlement.acknowledge(claim, [flag.id for flag in claim.flags[:4]])
    settlement.release(claim, [claim.flags[4].id])
    (segment,) = memory_path.glob("live/*.log")
    (settled,) = memory_path.glob("live/*.settled")
    data = settled.read_bytes()
    before = {i: e.state for i, e in queue.read_segment(str(segment), 1002.0, tries=2).entries.items()}
    assert set(before.values()) == {queue.WAITING, queue.CLAIMED, queue.DEAD, queue.FILED}
    chance = dice("settled flips")
    back = 0
    for _ in range(SIZE.settled_flips):
        bit = chance.randrange(len(data) * 8)
        settled.write_bytes(flipped(data, [bit]))
        part = queue.read_segment(str(segment), 1002.0, tries=2)
        view = queue.read(folder, 1002.0, tries=2)
        assert {name for name, _ in view.broken} == {str(settled)}, bit
        after = {ident: entry.state for ident, entry in part.entries.items()}
        assert after.keys() == before.keys(), bit
        assert [part.entries[flag.id].flag for flag in flags] == flags, bit
        assert {i for i in after if after[i] == queue.FILED} <= {i for i in before if before[i] == queue.FILED}, bit
        back += sum(after[i] != queue.FILED for i in before if before[i] == queue.FILED)
    count("bit flips", in_settled=SIZE.settled_flips, filed_flags_that_waited_again=back)


def test_what_is_broken_is_kept_when_its_segment_is_archived(memory_path: Path) -> None:
    folder = str(memory_path)
    path, data = a_segment(memory_path)
    path.write_bytes(flipped(data, [len(data) * 4]))
    ((_, found),) = queue.read(folder, time.time()).broken
    settlement = settle.Settlement(folder)
    claim = settlement.claim(1000, 60.0)
    assert claim
    settlement.acknowledge(claim, [flag.id for flag in claim.flags])
    posix.unlink(f"{folder}/current")
    assert settlement.archive() == 1
    (kept,) = memory_path.glob("broken/*")
    assert kept.read_bytes() == found.payload
    assert queue.read(folder, time.time()) == queue.View((), (), True)

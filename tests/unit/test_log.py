"""The frame: a record is found whole or not at all, and what is not whole is named. Flips and kills: tests/crash."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.capture import log
from holdfast.capture.log import DAMAGE, RECORD, TORN
from holdfast.errors import NotSaved

LINES = st.binary(max_size=60).map(lambda raw: raw.replace(b"\n", b" "))
FRAGMENTS = st.tuples(LINES, st.integers(0, 80)).map(lambda cut: log.frame(cut[0])[:-1][: cut[1]])
NOISE = st.one_of(FRAGMENTS, st.binary(max_size=60), st.sampled_from([log.MARK, log.MARK[:-1], b"\n", b"\0" * 9]))
ONE, TWO = b'{"n":1}', b'{"n":2}'


def kinds(data: bytes) -> list[str]:
    return [one.what for one in log.scan(data)]


def payloads(data: bytes) -> list[bytes]:
    return list(log.records(log.scan(data)))


def is_subsequence(few: list[bytes], many: list[bytes]) -> bool:
    rest = iter(many)
    return all(one in rest for one in few)


def test_a_record_is_a_line_break_the_mark_the_length_the_checksum_and_the_payload() -> None:
    checksum = zlib.crc32(b"00000007" + ONE)
    assert log.frame(ONE) == b"\nHF1 00000007 %08x " % checksum + ONE


def test_a_payload_with_a_line_break_is_refused_because_it_could_hide_a_mark() -> None:
    with pytest.raises(ValueError, match="one line"):
        log.frame(b"a\nHF1 b")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(LINES.map(lambda line: (True, line)), NOISE.map(lambda noise: (False, noise)))))
@example([(False, log.frame(ONE)[:-1]), (True, TWO)])
@example([(False, log.MARK), (True, ONE), (False, log.MARK[:-1]), (True, TWO)])
@example([(False, b"\nHF1 ffffffff 00000000 "), (True, ONE)])
def test_every_record_is_found_whatever_lies_between(parts: list[tuple[bool, bytes]]) -> None:
    data = b"".join(log.frame(part) if whole else part for whole, part in parts)
    found = list(log.scan(data))
    assert is_subsequence([part for whole, part in parts if whole], list(log.records(found)))
    assert [one.start for one in found] == [0, *(one.end for one in found)][: len(found)], "no gap, nothing twice"
    assert (found[-1].end if found else 0) == len(data)
    for one in found:
        raw = data[one.start : one.end]
        assert raw == (log.frame(one.payload) if one.what == RECORD else one.payload), "what is told is what is there"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(LINES.map(log.frame), NOISE)), st.integers(1, 90), st.integers(0, 50))
def test_a_file_is_read_block_by_block_as_if_it_were_read_at_once(parts: list[bytes], block: int, start: int) -> None:
    data = b"".join(parts)
    with tempfile.NamedTemporaryFile() as file, pytest.MonkeyPatch.context() as patch:
        Path(file.name).write_bytes(data)
        patch.setattr(log, "BLOCK", block)
        assert list(log.scan_file(file.name, start)) == list(log.scan(data[start:], start))


def test_every_beginning_of_a_record_is_torn_and_never_swallows_the_record_after_it() -> None:
    whole = log.frame(ONE)
    for size in range(1, len(whole)):
        assert kinds(whole[:size]) == [TORN]
        assert kinds(whole[:size] + log.frame(TWO)) == [TORN, RECORD]
        assert payloads(whole[:size] + log.frame(TWO)) == [TWO]


def test_space_that_was_never_filled_is_torn() -> None:
    for size in (1, log.HEADER - 1, log.HEADER, 5000):
        assert kinds(log.frame(ONE) + b"\0" * size + log.frame(TWO)) == [RECORD, TORN, RECORD]


@pytest.mark.parametrize("at", range(5, 13))
def test_a_whole_record_whose_length_was_hit_is_damage_and_not_a_dead_writers_beginning(at: int) -> None:
    whole = bytearray(log.frame(ONE))
    whole[at] = ord("f") if whole[at] != ord("f") else ord("0")
    assert kinds(bytes(whole)) == [DAMAGE]
    assert kinds(bytes(whole) + log.frame(TWO)) == [DAMAGE, RECORD]


def test_a_complete_record_with_a_bad_checksum_is_damage_even_at_the_end() -> None:
    assert kinds(log.frame(ONE)[:-1] + b"!") == [DAMAGE]
    assert kinds(log.frame(ONE) + b"foreign words") == [RECORD, DAMAGE]


@pytest.mark.parametrize("size", [b"0000000A", b"0x00000a", b"+000000a", b" 000000a", b"0000_00a", b"-0000001"])
def test_a_header_counts_only_if_it_is_spelled_as_we_spell_it(size: bytes) -> None:
    payload = b"0123456789"
    forged = b"%s%s %08x %s" % (log.MARK, size, zlib.crc32(size + payload), payload)
    assert payloads(forged) == []
    assert payloads(forged + log.frame(TWO)) == [TWO]


@pytest.mark.parametrize("at", [4, 13, 22])
def test_a_beginning_with_a_damaged_header_is_damage(at: int) -> None:
    whole = bytearray(log.frame(b"x" * 50))
    whole[at] ^= 1
    assert kinds(bytes(whole[:40])) == [DAMAGE]


def test_offsets_count_from_the_base() -> None:
    (one,) = log.scan(log.frame(ONE), 1000)
    assert (one.start, one.end) == (1000, 1000 + log.HEADER + len(ONE))


def test_the_tail_holds_the_records_that_lie_wholly_in_it(place: Path) -> None:
    path = place / "log"
    path.write_bytes(b"".join(log.frame(b"%d" % n * 9) for n in range(5)) + log.frame(ONE)[:20])
    whole = list(log.scan_file(str(path)))
    for size in range(1, path.stat().st_size + 50):
        cut = path.stat().st_size - size
        assert list(log.scan_tail(str(path), size)) == [one for one in whole if one.start >= cut], size


def test_a_tail_is_found_block_by_block(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place / "log"
    path.write_bytes(log.frame(b"x" * 100) + log.frame(ONE) + log.frame(TWO))
    for block in range(1, 30):
        monkeypatch.setattr(log, "BLOCK", block)
        for size, expected in ((150, [ONE, TWO]), (61, [ONE, TWO]), (60, [ONE, TWO]), (59, [TWO]), (29, [])):
            assert list(log.records(log.scan_tail(str(path), size))) == expected, (block, size)


def test_a_tail_longer_than_the_log_is_all_of_it(place: Path) -> None:
    path = place / "log"
    path.write_bytes(b"foreign" + log.frame(ONE))
    assert [one.what for one in log.scan_tail(str(path), 1000)] == [DAMAGE, RECORD]


def test_damage_in_the_tail_is_named_though_the_cut_went_through_a_record_before_it(place: Path) -> None:
    path = place / "log"
    damaged = log.frame(TWO)[:-1] + b"!"
    path.write_bytes(log.frame(ONE) + damaged + log.frame(ONE))
    tail = [one.what for one in log.scan_tail(str(path), path.stat().st_size - 3)]
    assert tail == [DAMAGE, RECORD]


def test_several_records_are_appended_in_one_write() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, theirs:
        log.write(ours.fileno(), [ONE, TWO], durable=False)
        assert theirs.recv(4096) == log.frame(ONE) + log.frame(TWO), "a datagram is what one write wrote"


def test_a_sync_that_fails_is_not_saved() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, theirs, pytest.raises(NotSaved, match="NOT saved") as caught:
        log.write(ours.fileno(), [ONE], durable=True)  # a socket takes the bytes and cannot be synced
    assert isinstance(caught.value.__cause__, OSError)


def test_a_short_write_is_not_saved() -> None:
    out, into = os.pipe()
    os.set_blocking(into, False)
    try:
        with pytest.raises(NotSaved, match="No space left"):
            log.write(into, [b"x" * (1 << 21)], durable=False)  # more than a pipe holds
    finally:
        os.close(out)
        os.close(into)


def test_a_full_disk_is_not_saved_and_says_so_in_a_sentence() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        with pytest.raises(NotSaved, match=r"NOT saved: .* \(No space left on device\)"):
            log.write(full, [ONE], durable=False)
    finally:
        os.close(full)


def test_the_first_append_makes_file_and_folders_for_the_owner_only(place: Path) -> None:
    path = place / "a" / "b" / "log"
    log.append(str(path), [ONE], durable=True)
    log.append(str(path), [TWO], durable=False)
    assert path.read_bytes() == log.frame(ONE) + log.frame(TWO)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_no_file_is_left_open(place: Path) -> None:
    path = f"{place}/log"
    before = os.listdir("/proc/self/fd")
    log.append(path, [ONE, TWO], durable=True)
    list(log.scan_file(path))
    next(log.scan_file(path))  # nor where the reader had enough
    list(log.scan_tail(path, 40))
    with pytest.raises(ValueError):
        log.append(path, [b"\n"], durable=False)
    assert os.listdir("/proc/self/fd") == before


def test_a_place_that_cannot_be_written_is_not_saved(place: Path) -> None:
    (place / "file").write_text("in the way")
    for path in (place / "file" / "log", place):
        with pytest.raises(NotSaved):
            log.append(str(path), [ONE], durable=False)


def test_what_is_no_record_is_set_aside_whole_and_doing_it_again_is_free(place: Path) -> None:
    source = place / "s.log"
    data = log.frame(ONE) + b"odd \xff bytes"
    source.write_bytes(data)
    odd = next(one for one in log.scan_file(str(source)) if one.what == DAMAGE)
    copy = Path(log.set_aside(f"{place}/broken", "s.log", odd))
    assert copy.name == f"s.log.{odd.start}-{odd.end}.damage"
    assert copy.read_bytes() == b"odd \xff bytes"
    before = copy.stat()
    assert log.set_aside(f"{place}/broken", "s.log", odd) == str(copy)
    assert copy.stat().st_ino == before.st_ino, "the first copy stays"
    assert source.read_bytes() == data, "the original is not touched"
    assert stat.S_IMODE(before.st_mode) == 0o600

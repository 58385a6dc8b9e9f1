"""Segments: whatever is wrong with the current one, the record is saved in a new one, and nobody waits."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.capture import log, platform, segments
from holdfast.errors import NotSaved

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

NOW = 1_800_000_000.0


@pytest.fixture
def folder(place: Path) -> Path:
    return place / "queue"


def save(folder: Path, *payloads: bytes, now: float = NOW, roll_at: int = segments.ROLL_AT) -> None:
    segments.append(str(folder), payloads, now, roll_at)


def live(folder: Path) -> list[Path]:
    return [Path(path) for path in segments.live(str(folder))]


def saved(folder: Path) -> list[bytes]:
    return [payload for path in live(folder) for payload in log.records(log.scan_file(str(path)))]


def test_appends_go_to_one_segment_until_it_is_full(folder: Path) -> None:
    save(folder, b"one", b"two")
    save(folder, b"three", now=NOW + 1)
    assert len(live(folder)) == 1
    size = live(folder)[0].stat().st_size
    save(folder, b"four", now=NOW + 2, roll_at=size)
    assert [path.stat().st_size for path in live(folder)] == [size, len(log.frame(b"four"))]
    assert saved(folder) == [b"one", b"two", b"three", b"four"]


def test_segments_are_listed_in_order_of_time_and_nothing_else_is(folder: Path) -> None:
    for second in (5, 1, 3):
        save(folder, b"%d" % second, now=NOW + second, roll_at=0)
    (folder / "live" / "00-notes.txt").write_text("not a segment")
    assert saved(folder) == [b"1", b"3", b"5"]


def test_everything_is_for_the_owner_only_and_no_link_is_left_lying(folder: Path) -> None:
    save(folder, b"one")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "live").stat().st_mode) == 0o700
    assert stat.S_IMODE(live(folder)[0].stat().st_mode) == 0o600
    assert sorted(os.listdir(folder)) == ["current", "live"]


def test_a_vault_that_was_moved_goes_on_where_it_is(folder: Path) -> None:
    save(folder, b"one")
    moved = folder.rename(folder.parent / "elsewhere")
    save(moved, b"two")
    assert len(live(moved)) == 1
    assert saved(moved) == [b"one", b"two"]


def gone(folder: Path) -> None:
    live(folder)[0].unlink()


def a_folder(folder: Path) -> None:
    live(folder)[0].unlink()
    (folder / "live" / os.readlink(folder / "current").rpartition("/")[2]).mkdir()


def link_gone(folder: Path) -> None:
    (folder / "current").unlink()


def link_is_a_file(folder: Path) -> None:
    (folder / "current").unlink()
    (folder / "current").write_text("live/x.log")


def link_is_a_full_folder(folder: Path) -> None:
    (folder / "current").unlink()
    (folder / "current" / "thing").mkdir(parents=True)


def link_leads_out(folder: Path) -> None:
    (folder.parent / "foreign.log").write_text("")
    (folder / "current").unlink()
    (folder / "current").symlink_to("../foreign.log")


@pytest.mark.parametrize("harm", [gone, a_folder, link_gone, link_is_a_file, link_is_a_full_folder, link_leads_out])
def test_whatever_is_wrong_with_the_current_segment_the_record_is_saved(
    folder: Path, harm: Callable[[Path], None]
) -> None:
    save(folder, b"before")
    harm(folder)
    for second in (1, 2):
        save(folder, b"after %d" % second, now=NOW + second)
    found = [payload for path in live(folder) if path.is_file() for payload in log.records(log.scan_file(str(path)))]
    assert found[-2:] == [b"after 1", b"after 2"]
    assert not list(folder.glob("*.link"))
    if harm is link_leads_out:
        assert (folder.parent / "foreign.log").read_text() == "", "nothing is written outside of the queue"


@pytest.mark.timeout(10)
def test_no_writer_waits_for_a_lock(folder: Path) -> None:
    save(folder, b"one")
    with live(folder)[0].open() as mover:
        fcntl.flock(mover, fcntl.LOCK_EX)
        save(folder, b"two", now=NOW + 1)
    assert len(live(folder)) == 2
    assert saved(folder) == [b"one", b"two"]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_segment_that_left_between_open_and_lock_is_not_appended_to(
    folder: Path, replaced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(folder, b"one")
    path = live(folder)[0]
    left = folder / "left.log"
    real = fcntl.flock

    def lock(fd: int, how: int) -> None:
        if not left.exists():
            path.rename(left)
            if replaced:
                path.write_bytes(b"")
        real(fd, how)

    monkeypatch.setattr(fcntl, "flock", lock)
    save(folder, b"two", now=NOW + 1)
    assert list(log.records(log.scan_file(str(left)))) == [b"one"]
    assert saved(folder) == [b"two"]


def test_a_new_segments_folder_is_synced_before_anybody_is_led_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(folder, b"one")
    first = os.readlink(folder / "current")
    led_to: list[str] = []
    real = platform.sync_folder

    def sync(path: str) -> None:
        if path.endswith("/live"):
            assert len(live(folder)) == 2, "the new name is there to be synced"
            led_to.append(os.readlink(folder / "current"))
        real(path)

    monkeypatch.setattr(platform, "sync_folder", sync)
    save(folder, b"two", now=NOW + 1, roll_at=0)
    assert led_to == [first]
    assert os.readlink(folder / "current") != first


def test_after_a_short_write_the_next_try_goes_to_a_new_segment(
    folder: Path, no_file_over: Callable[[int], AbstractContextManager[None]]
) -> None:
    save(folder, b"one")
    with no_file_over(live(folder)[0].stat().st_size + 10), pytest.raises(NotSaved, match="NOT saved"):
        save(folder, b"two", now=NOW + 1)
    save(folder, b"two again", now=NOW + 2)
    assert len(live(folder)) == 2
    assert saved(folder) == [b"one", b"two again"]
    assert [one.what for one in log.scan_file(str(live(folder)[0]))] == [log.RECORD, log.TORN]


def test_after_a_failed_sync_the_next_try_goes_to_a_new_segment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(folder, b"one")

    def refuse(fd: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(platform, "sync", refuse)
        with pytest.raises(NotSaved, match="Input/output error"):
            save(folder, b"two", now=NOW + 1)
    save(folder, b"three", now=NOW + 2)
    assert list(log.records(log.scan_file(str(live(folder)[-1])))) == [b"three"]


def test_where_no_segment_can_be_made_the_sentence_says_not_saved_and_where(place: Path) -> None:
    (place / "file").write_text("in the way")
    with pytest.raises(NotSaved, match=rf"NOT saved: no segment can be opened below {place}/file/queue") as caught:
        save(place / "file" / "queue", b"one")
    assert isinstance(caught.value.__cause__, OSError)


def test_a_finished_segment_moves_to_the_archive_with_its_companions(folder: Path) -> None:
    save(folder, b"one")
    path = live(folder)[0]
    companion = path.with_suffix(".settled")
    companion.write_bytes(b"dealt with")
    save(folder, b"two", now=NOW + 1, roll_at=0)
    assert segments.retire(str(folder), str(path), path.stat().st_size, [str(companion)])
    assert saved(folder) == [b"two"]
    assert (folder / "archive" / companion.name).read_bytes() == b"dealt with"
    assert list(log.records(log.scan_file(str(folder / "archive" / path.name)))) == [b"one"]


def test_the_archive_is_durable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(folder, b"one")
    path = live(folder)[0]
    (folder / "current").unlink()
    synced: list[str] = []
    monkeypatch.setattr(platform, "sync_folder", lambda path: synced.append(Path(path).name))
    assert segments.retire(str(folder), str(path), path.stat().st_size)
    assert {"archive", "live"} <= set(synced)


def test_a_new_segment_cannot_be_moved_before_its_first_record_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[bool] = []
    real = log.write

    def write(fd: int, payloads: Sequence[bytes], *, durable: bool) -> None:
        (folder / "current").unlink()
        (path,) = segments.live(str(folder))
        moved.append(segments.retire(str(folder), path, 0))
        real(fd, payloads, durable=durable)

    monkeypatch.setattr(log, "write", write)
    save(folder, b"one")
    assert moved == [False]
    assert saved(folder) == [b"one"]


def test_a_segment_stays_while_it_is_current_grows_or_is_written_to(folder: Path) -> None:
    save(folder, b"one")
    path = live(folder)[0]
    size = path.stat().st_size
    assert not segments.retire(str(folder), str(path), size), "it is the current one"
    save(folder, b"two", now=NOW + 1, roll_at=0)
    assert not segments.retire(str(folder), str(path), size - 1), "somebody appended since"
    with path.open() as writer:
        fcntl.flock(writer, fcntl.LOCK_SH)
        assert not segments.retire(str(folder), str(path), size), "somebody is about to append"
    assert path.exists()
    assert segments.retire(str(folder), str(path), size)


def test_the_segment_leaves_before_its_companions(folder: Path) -> None:
    save(folder, b"one")
    path = live(folder)[0]
    companion = path.with_suffix(".settled")
    companion.write_bytes(b"dealt with")
    (folder / "archive" / companion.name / "in the way").mkdir(parents=True)
    save(folder, b"two", now=NOW + 1, roll_at=0)
    assert not segments.retire(str(folder), str(path), path.stat().st_size, [str(companion)])
    assert (folder / "archive" / path.name).exists(), "what is acknowledged does not come back to life"
    assert companion.exists(), "and an orphan does no harm"


def test_a_segment_of_which_nothing_became_has_no_companion_to_take_along(folder: Path) -> None:
    save(folder, b"one")
    path = live(folder)[0]
    save(folder, b"two", now=NOW + 1, roll_at=0)
    assert segments.retire(str(folder), str(path), path.stat().st_size, [str(path.with_suffix(".settled"))])

"""Writes that fall short and syncs that fail, inside the process: the answer is NotSaved and the segment is left.

A later sync that succeeds proves nothing about bytes whose own sync failed, so the next flag goes to a new segment.
"""

from __future__ import annotations

import errno
import posix
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from holdfast.capture import codec, log, platform, queue
from holdfast.errors import NotSaved

from .support import SIZE, count, make_flag, make_flags, recover
from .support_effects import Effects, put_in_place

pytestmark = pytest.mark.crash


class ShortWrite(ModuleType):
    """`posix` whose writes take `most` bytes and no more."""

    def __init__(self, most: int) -> None:
        super().__init__("posix")
        self.most = most

    def __getattr__(self, name: str) -> Any:
        return getattr(posix, name)

    def write(self, fd: int, data: bytes) -> int:
        return posix.write(fd, data[: self.most])


def segment_names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("live/*.log")}


@pytest.mark.parametrize("batch", [1, 3])
def test_a_short_write_of_any_length_is_not_saved_and_costs_nothing_else(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    tried = make_flags("short", 0, batch)
    size = sum(len(log.frame(codec.encode(flag.as_record()))) for flag in tried)
    most = done = 0
    while most < size:
        folder = memory_path / f"{batch}-{most}"
        earlier = make_flags("earlier", 0, 2)
        queue.append(str(folder), earlier, time.time())
        before = segment_names(folder)
        with monkeypatch.context() as patch:
            patch.setattr(log, "posix", ShortWrite(most))
            with pytest.raises(NotSaved, match="NOT saved"):
                queue.append(str(folder), tried, time.time())
        (path,) = folder.glob("live/*.log")
        written = path.stat().st_size
        part = queue.read_segment(str(path), time.time())
        kept = [entry.flag for entry in part.entries.values()]
        assert kept == [*earlier, *tried][: len(kept)]
        assert len(kept) >= len(earlier)
        assert {found.what for _, found in part.broken} <= {log.TORN}

        after = make_flag("the flag after it")
        queue.append(str(folder), [after], time.time())
        (fresh,) = segment_names(folder) - before
        assert list(queue.read_segment(f"{folder}/live/{fresh}", time.time()).entries) == [after.id]
        assert path.stat().st_size == written, "the segment that failed was written to again"
        flags, _ = recover(folder)
        assert [flags[flag.id] for flag in (*earlier, after)] == [*earlier, after]
        done += 1
        most += 1 if most < 40 or most > size - 10 else 1 + size // (40 * SIZE.segment // 1000)
    count("short writes", lengths=done)


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("which", ["write", "fdatasync"])
def test_after_a_failed_write_or_sync_the_next_flag_goes_to_a_new_segment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str, error: int
) -> None:
    folder = str(tmp_path / "queue")
    first, second, third = make_flags("one", 0, 3)
    queue.append(folder, [first], time.time())
    before = segment_names(Path(folder))

    def fail(*_: object) -> None:
        raise OSError(error, "made to fail")

    failing = ModuleType("posix")
    failing.__dict__.update(posix.__dict__, **{which: fail})
    with monkeypatch.context() as patch:
        patch.setattr(log, "posix", failing)
        patch.setattr(platform, "posix", failing)
        with pytest.raises(NotSaved, match="made to fail"):
            queue.append(folder, [second], time.time())
    queue.append(folder, [third], time.time())
    (fresh,) = segment_names(Path(folder)) - before
    assert list(queue.read_segment(f"{folder}/live/{fresh}", time.time()).entries) == [third.id]
    assert first.id in recover(Path(folder))[0]


@pytest.mark.parametrize("how", [errno.EIO, errno.ENOSPC, "short"])
@pytest.mark.parametrize("kind", ["fresh", "usual", "full"])
def test_whichever_effect_of_an_append_fails_the_answer_is_right_and_the_next_one_works(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, how: str | int
) -> None:
    at = 0
    while True:
        at += 1
        folder = memory_path / f"{at}"
        earlier = [] if kind == "fresh" else make_flags("earlier", 0, 2)
        if earlier:
            queue.append(str(folder), earlier, time.time())
        effects = Effects(at, how)
        flag = make_flag("the flag that meets the failure")
        saved = True
        with monkeypatch.context() as patch:
            put_in_place(effects, patch)
            try:
                queue.append(str(folder), [flag], time.time(), roll_at=1 if kind == "full" else 1 << 18)
            except NotSaved:
                saved = False
        if not effects.happened:
            break
        flags, broken = recover(folder)
        assert flags.keys() >= {one.id for one in earlier}
        assert not saved or flags[flag.id] == flag, f"{how} at {effects.happened}: said to be saved, and is not"
        assert {found.what for found in broken} <= {log.TORN}
        after = make_flag("the flag after the failure")
        queue.append(str(folder), [after], time.time())
        assert recover(folder)[0].keys() >= {after.id, *(one.id for one in earlier)}
        count("failing effects", appends=1, said_to_be_saved=saved)
    assert at > 2

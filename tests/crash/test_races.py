"""A segment that is retired while somebody is about to append to it: at every step of the append, not by luck.

The rest of the world (another writer rolls the segment, a close files all that is in it and archives it) happens inside
the append, before any one of its calls. Whatever the moment, the flag is afterwards in a live segment and waits.
"""

from __future__ import annotations

import fcntl
import posix
import threading
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.capture import log, platform, queue, segments, settle
from holdfast.model import Flag

from .support import count, make_flag, recover

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.crash

NOW = 1_000_000.0


class Watched(ModuleType):
    """A module of system calls that tells the name of each call before it happens."""

    def __init__(self, real: ModuleType, before: Callable[[str], None]) -> None:
        super().__init__(real.__name__)
        self.real = real
        self.before = before

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)
        if not callable(found) or isinstance(found, type):
            return found

        def call(*given: Any) -> Any:
            self.before(name)
            return found(*given)

        return call


def watch(patch: pytest.MonkeyPatch, before: Callable[[str], None]) -> None:
    """Tell of each system call of an append that has to do with its segment."""
    patch.setattr(segments, "posix", Watched(posix, before))
    patch.setattr(segments, "fcntl", Watched(fcntl, before))
    patch.setattr(log, "posix", Watched(posix, before))
    patch.setattr(platform, "posix", Watched(posix, before))


def the_world_goes_on(folder: str) -> None:
    """The segment is rolled, all that is in it is filed, and what can be archived is."""
    queue.append(folder, [make_flag("of another writer", NOW + 1)], NOW + 1, roll_at=1)
    settlement = settle.Settlement(folder, clock=lambda: NOW + 2)
    claim = settlement.claim(100, 60.0, lambda flag: flag.text == "an old flag")
    assert claim
    settlement.acknowledge(claim, [flag.id for flag in claim.flags])
    settlement.archive()


def judge(folder: Path, flag: Flag, step: str) -> None:
    waiting = [entry.flag for entry in queue.read(str(folder), NOW + 3).of(queue.WAITING)]
    assert flag in waiting, f"{step}: the flag is not in the queue any more"
    assert {one.text for one in recover(folder)[0].values()} >= {"an old flag", "of another writer", flag.text}


def test_a_segment_retired_at_any_step_of_an_append_costs_no_flag(memory_path: Path) -> None:
    at = 0
    steps: list[str] = []
    archived = 0
    while True:
        folder = memory_path / f"{at}"
        queue.append(str(folder), [make_flag("an old flag", NOW)], NOW)
        flag = make_flag("the flag that is being appended", NOW)
        steps.clear()
        with pytest.MonkeyPatch.context() as patch:

            def before(name: str, folder: Path = folder, at: int = at, patch: pytest.MonkeyPatch = patch) -> None:
                steps.append(name)
                if len(steps) == at + 1:
                    patch.undo()  # the world is not watched
                    the_world_goes_on(str(folder))

            watch(patch, before)
            queue.append(str(folder), [flag], NOW)
        if len(steps) <= at:
            break
        judge(folder, flag, f"before {steps[at]} (step {at + 1})")
        archived += len(list(folder.glob("archive/*.log")))
        at += 1
    assert {"readlink", "open", "flock", "write"} <= set(steps)
    assert archived, "nothing was ever retired"
    count("races", steps_of_an_append=at, segments_retired_meanwhile=archived)


def test_a_segment_that_grew_since_it_was_read_is_not_retired(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow writer had opened it; it writes between the look of the archive and the archive's lock."""
    folder = str(memory_path / "queue")
    queue.append(folder, [make_flag("an old flag", NOW)], NOW)
    flag = make_flag("of a slow writer", NOW)
    is_open, may_go_on = threading.Event(), threading.Event()
    me = threading.get_ident()

    def pause_the_writer(name: str) -> None:
        if name == "flock" and threading.get_ident() != me and not is_open.is_set():
            is_open.set()
            assert may_go_on.wait(60)

    def let_the_writer_write(*given: Any) -> bool:
        may_go_on.set()
        writer.join(60)
        return retire(*given)

    watch(monkeypatch, pause_the_writer)
    writer = threading.Thread(target=queue.append, args=(folder, [flag], NOW))
    writer.start()
    assert is_open.wait(60)
    retire = segments.retire
    monkeypatch.setattr(segments, "retire", let_the_writer_write)
    the_world_goes_on(folder)
    assert not writer.is_alive()
    judge(Path(folder), flag, "between the look and the lock")

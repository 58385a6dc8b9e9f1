"""Sixteen processes flag at once: every flag is there once, whole, and none waited for another."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.capture import queue

from .support import HERE, SIZE, SOURCE, count, ended_with_us, is_intact

pytestmark = pytest.mark.crash

WRITERS = 16
ROLL_AT = 1 << 20


def test_sixteen_writers_at_once_lose_and_interleave_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "queue"
    wanted = SIZE.flags_each
    base = [sys.executable, "-S", str(HERE / "child_writer.py"), str(SOURCE), str(folder)]
    outputs = [tmp_path / f"said{n}" for n in range(WRITERS)]
    writers: list[subprocess.Popen[bytes]] = []
    with ended_with_us(writers):
        for nth, output in enumerate(outputs):
            with output.open("wb") as said:
                command = [*base, f"writer{nth}", "1", str(ROLL_AT), str(wanted)]
                writers.append(subprocess.Popen(command, stdout=said))
        assert [writer.wait(timeout=500) for writer in writers] == [0] * WRITERS

    acknowledged = [ident for output in outputs for ident in output.read_text().split()]
    assert len(acknowledged) == len(set(acknowledged)) == WRITERS * wanted
    view = queue.read(str(folder), time.time())
    assert view.broken == ()
    assert {entry.flag.id for entry in view.entries} == set(acknowledged)
    assert all(is_intact(entry.flag) for entry in view.entries)
    texts = {entry.flag.text.partition(" ")[0] for entry in view.entries}
    assert texts == {f"writer{nth}.{number}" for nth in range(WRITERS) for number in range(wanted)}
    count("many writers", processes=WRITERS, flags=len(view.entries), segments=len({e.segment for e in view.entries}))


def test_one_writers_flags_are_read_in_the_order_in_which_they_were_saved(tmp_path: Path) -> None:
    """Within a segment the order is that of the writes; across segments, that of their making."""
    folder = tmp_path / "queue"
    command = [sys.executable, "-S", str(HERE / "child_writer.py"), str(SOURCE), str(folder), "one", "3", "20000"]
    done = subprocess.run([*command, str(min(SIZE.flags_each, 300))], stdout=subprocess.PIPE, check=True)
    view = queue.read(str(folder), time.time())
    assert [entry.flag.id for entry in view.entries] == done.stdout.decode().split()
    assert len({entry.segment for entry in view.entries}) > 1

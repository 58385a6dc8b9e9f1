"""The table of faults in docs/recovery.md names every fault that is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "recovery.md"


def test_every_fault_stands_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PAGE.parents[1] / "tests")
    from crash.fault_list import DISKS, FAULTS
    from crash.fault_table import BEGIN, END

    text = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = [line.split(" | ") for line in text.split("\n") if line.startswith("| ")][1:]
    listed = {(row[0].removeprefix("| "), way) for row in rows for way in row[1].split(", ")}
    wanted = {(fault.part, fault.damage) for fault in FAULTS} | {("the disk", how) for how in DISKS}
    plain = {(part, way) for part, damage in wanted for way in damage.split(", ")}
    assert listed == plain

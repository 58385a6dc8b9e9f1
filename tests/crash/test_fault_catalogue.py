"""Each fault of the catalogue against every command: no traceback, no hang, no lie, nothing lost that was left."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_support import fill_up, make_read_only, mounted

from . import fault_case, fault_list, fault_machine, fault_table
from .support import NAME, count, dice

if TYPE_CHECKING:
    from .fault_machine import Machine

pytestmark = pytest.mark.crash
ONE_IN = {"short": 7, "full": 1}[NAME]
SEEN: list[fault_case.Case] = []


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    import holdfast.cli.app
    import holdfast.hook.main  # noqa: F401  # once, for all forks

    folder = tmp_path_factory.mktemp("faults")
    yield fault_machine.build(folder / "template")
    if os.environ.get("HOLDFAST_WRITE_DOCS") and ONE_IN == 1:
        sound = fault_machine.copy(
            fault_machine.Machine(folder / "template", folder / "template" / "vault"), folder / "sound"
        )
        told = sound.start().json()["hookSpecificOutput"]["additionalContext"]
        fault_table.write(SEEN, told)


def chosen() -> list[fault_list.Fault]:
    """All of them, or a sample that each seed draws anew."""
    every = list(fault_list.FAULTS)
    return every if ONE_IN == 1 else dice("faults").sample(every, len(every) // ONE_IN)


@pytest.mark.parametrize("fault", chosen(), ids=lambda fault: fault.name)
def test_a_fault_is_named_and_nothing_that_was_left_is_lost(
    fault: fault_list.Fault, template: Machine, tmp_path: Path
) -> None:
    if fault.needs and not fault_machine.is_bound_by_permissions(tmp_path):
        pytest.skip("permissions bind nobody here")
    machine = fault_machine.copy(template, tmp_path / "machine")
    case = fault_case.live(fault, machine, serves=ONE_IN == 1 or dice(fault.name).random() < 0.3)
    _conclude(case)


def _conclude(case: fault_case.Case) -> None:
    SEEN.append(case)
    count("faults", tried=1, commands=len(case.answers), with_loss=bool(case.lost), complaints=len(case.complaints))
    assert not case.complaints, "\n".join(case.complaints)


@pytest.mark.parametrize("how", fault_list.DISKS)
def test_a_disk_that_takes_nothing_is_named_and_nothing_is_lost(how: str, template: Machine, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "24m") as disk:
        machine = fault_machine.copy(template, disk / "machine")
        fault = fault_list.Fault("the disk", how, _disk_fault(disk, how), _disk_mended(disk, how))
        case = fault_case.live(fault, machine)
    _conclude(case)


def _disk_fault(disk: Path, how: str) -> Callable[[Machine], None]:
    def inject(_: Machine) -> None:
        if how == "read-only":
            make_read_only(disk)
            return
        fill_up(disk)
        if how == "with 8 KB left":
            filler = disk / "filler"
            os.truncate(filler, filler.stat().st_size - 8192)

    return inject


def _disk_mended(disk: Path, how: str) -> Callable[[Machine], None]:
    def undo(_: Machine) -> None:
        if how == "read-only":
            subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        else:
            (disk / "filler").unlink()

    return undo


def test_the_catalogue_is_as_large_as_it_says() -> None:
    assert len(fault_list.FAULTS) + len(fault_list.DISKS) >= 190
    assert len({fault.name for fault in fault_list.FAULTS}) == len(fault_list.FAULTS)

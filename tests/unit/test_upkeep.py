"""Upkeep: done now and then by a process of its own, which holds nothing of ours and can be run again."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flag_support import take

from holdfast.capture import background, flags, home, ledger, segments, settle
from holdfast.model import Project

if TYPE_CHECKING:
    from collections.abc import Mapping

NOW = 1_800_000_000.0
DAY = 24 * 3600.0
SPEAKER = flags.Speaker("generic", "generic/s/1", Project("app-1", "app", "path:x", "/app"), "agent")
ALL = ledger.Wanted()


def ended(pid: int) -> int:
    """Wait for a child of ours; its exit status."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that upkeep really started."""
    pids: list[int] = []
    real = background.spawn

    def spawn(command: list[str], env: Mapping[str, str], log: str) -> int:
        pids.append(real(command, env))
        return pids[-1]

    monkeypatch.setattr(background, "spawn", spawn)
    return pids


def file_current_segment(vault: str) -> None:
    """A segment whose flags are all filed, and a newer one: the first is due for the archive."""
    folder = f"{home.state(vault)}/queue"
    take(vault, ["filed"], SPEAKER, NOW)
    owner = settle.Settlement(folder, lambda: NOW)
    claim = owner.claim(10, 60)
    assert claim
    owner.acknowledge(claim, [flag.id for flag in claim.flags])
    Path(folder, "current").unlink()
    take(vault, ["waits"], SPEAKER, NOW + 1)
    assert len(segments.live(folder)) == 2


def test_old_days_are_folded_and_filed_segments_archived_and_the_ledger_tells_of_it(vault: str) -> None:
    file_current_segment(vault)
    state = home.state(vault)
    done = background.run(vault, NOW + 100 * DAY)
    assert done == {"ledger_days": 1, "segments": 1, "courses": 1}
    assert len(segments.live(f"{state}/queue")) == 1
    (told,) = ledger.read(state, ALL)
    assert (told["kind"], told["ledger_days"], told["segments"]) == ("upkeep", 1, 1)
    assert [record["day"] for record in ledger.counts(state)] == ["2027-01-15"]


def test_doing_it_again_changes_nothing(vault: str) -> None:
    file_current_segment(vault)
    background.run(vault, NOW + 100 * DAY)
    assert background.run(vault, NOW + 100 * DAY) == {"ledger_days": 0, "segments": 0, "courses": 0}


def test_an_empty_vault_is_kept_up_too(vault: str) -> None:
    home.make_vault(vault)
    assert background.run(vault, NOW) == {"ledger_days": 0, "segments": 0, "courses": 0}


def test_it_starts_in_the_background_at_most_once_a_day_as_a_process_of_its_own(vault: str, spawned: list[int]) -> None:
    home.make_vault(vault)
    now = time.time()
    ledger.append(home.state(vault), "hook", now - 100 * DAY)
    assert background.start_if_due(vault, {"PATH": "/bin"}, now)
    assert ended(spawned[0]) == 0
    (told,) = ledger.read(home.state(vault), ALL)
    assert (told["kind"], told["ledger_days"]) == ("upkeep", 1)
    assert not background.start_if_due(vault, {}, now + DAY - 60)
    assert background.start_if_due(vault, {}, now + DAY + 60)
    assert ended(spawned[1]) == 0


def test_a_clock_that_was_once_wrong_does_not_put_it_off_for_years(vault: str, spawned: list[int]) -> None:
    home.make_vault(vault)
    stamp = Path(home.state(vault), "upkeep")
    stamp.write_bytes(b"")
    os.utime(stamp, (NOW + 9000 * DAY, NOW + 9000 * DAY))
    assert background.start_if_due(vault, {}, NOW)
    assert ended(spawned[0]) == 0


def test_its_process_is_marked_as_ours_knows_the_vault_and_can_start_no_hook(
    vault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.make_vault(vault)
    asked: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(background, "spawn", lambda command, env, _: asked.append((command, dict(env))))
    background.start_if_due(vault, {"HOLDFAST_HOME": "/elsewhere", "X": "y"}, time.time())
    ((command, env),) = asked
    assert env == {"HOLDFAST_HOME": vault, "X": "y", home.CHILD: "1", home.OWN: "/elsewhere"}
    assert command[:3] == [sys.executable, "-I", "-S"]
    assert Path(command[3]).is_file()


def test_a_vault_that_takes_no_stamp_starts_nothing(vault: str, spawned: list[int]) -> None:
    with pytest.raises(OSError):
        background.start_if_due(vault, {}, NOW)
    assert spawned == []


@pytest.fixture
def gate(place: Path) -> Path:
    """Who reads it waits until somebody writes to it."""
    os.mkfifo(place / "gate")
    return place / "gate"


def test_what_is_spawned_has_a_session_of_its_own_and_nothing_open_but_nowhere(gate: Path) -> None:
    pid = background.spawn(["/bin/cat", str(gate)], {})
    assert os.getsid(pid) == pid != os.getsid(0)
    assert [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in range(3)] == ["/dev/null"] * 3
    gate.write_text("go\n")
    assert ended(pid) == 0


@pytest.mark.timeout(20)
def test_a_host_that_reads_our_output_to_its_end_does_not_wait_for_what_was_spawned(gate: Path) -> None:
    out, into = os.pipe()  # not inheritable, as every file that Python opens
    pid = background.spawn(["/bin/cat", str(gate)], {})
    os.close(into)
    assert os.read(out, 1) == b"", "the end of the output, though the child still runs"
    os.close(out)
    gate.write_text("go\n")
    assert ended(pid) == 0


def test_a_pipe_that_the_host_left_open_is_not_held_either(gate: Path) -> None:
    out, into = os.pipe()
    os.set_inheritable(into, True)
    os.set_blocking(out, False)
    pid = background.spawn(["/bin/cat", str(gate)], {})
    os.close(into)
    try:
        assert os.read(out, 1) == b""
    finally:
        os.close(out)
        gate.write_text("go\n")
        ended(pid)

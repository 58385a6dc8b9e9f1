"""The operating system: who is alive, and files that are there whole or not at all, for their owner only."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import holdfast
from holdfast.capture import platform
from holdfast.model import Process, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

NOW = 1_800_000_000.0
HOUR, DAY = 3600.0, 24 * 3600.0
BOOTED = platform.booted_at(NOW)


def known(pid: int) -> Process:
    process = platform.process(pid)
    assert process is not None
    return process


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until it is killed."""
    process = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def test_a_process_that_runs_is_alive_however_long_it_has_been_silent(child: subprocess.Popen[bytes]) -> None:
    process = known(child.pid)
    assert process == known(child.pid)
    assert platform.alive(process, NOW, NOW)
    assert platform.alive(process, NOW - 400 * DAY, NOW)


def test_a_process_that_was_killed_is_dead_at_once(child: subprocess.Popen[bytes]) -> None:
    process = known(child.pid)
    child.kill()
    child.wait()
    assert not platform.alive(process, NOW, NOW)
    assert platform.process(child.pid) is None


def test_a_zombie_is_dead_because_it_will_never_speak_again(child: subprocess.Popen[bytes]) -> None:
    process = known(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has died and nobody has reaped it
    assert Path(f"/proc/{child.pid}").exists()
    assert not platform.alive(process, NOW, NOW)
    assert platform.process(child.pid) is None


def test_a_pid_that_was_reused_is_not_the_old_process(child: subprocess.Popen[bytes]) -> None:
    process = known(child.pid)
    assert not platform.alive(replace(process, start=process.start - 1), NOW, NOW)


@pytest.mark.parametrize("foreign", [{"machine": "another"}, {"namespace": "pid:[1]"}, {"machine": "x", "boot": "y"}])
def test_one_that_cannot_be_looked_at_is_dead_only_after_a_long_silence(foreign: dict[str, str]) -> None:
    for process in (replace(known(os.getpid()), **foreign), replace(known(os.getpid()), pid=2**22 + 1, **foreign)):
        assert platform.alive(process, NOW - DAY + 1, NOW)
        assert not platform.alive(process, NOW - DAY, NOW)
        assert platform.alive(process, NOW - HOUR, NOW, silence=HOUR + 1)
        assert not platform.alive(process, NOW - HOUR, NOW, silence=HOUR)


def test_one_that_is_not_known_at_all_is_judged_by_its_silence() -> None:
    assert platform.alive(None, NOW - DAY + 1, NOW)
    assert not platform.alive(None, NOW - DAY, NOW)


def test_what_ran_before_this_boot_is_dead_and_what_spoke_since_is_not_ours_to_bury() -> None:
    process = replace(known(os.getpid()), boot="another boot")
    for_ever = 1e9
    assert not platform.alive(process, BOOTED - HOUR, NOW, silence=for_ever)
    assert platform.alive(process, NOW, NOW, silence=for_ever)
    assert not platform.alive(process, NOW - 1, NOW, silence=1), "it is silent too long"


def test_a_process_is_known_by_machine_boot_and_namespace_too() -> None:
    process = known(os.getpid())
    assert process.machine.startswith(os.uname().nodename)
    assert process.boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip() != ""
    assert process.namespace == os.readlink("/proc/self/ns/pid")
    assert (process.pid, process.start > 0) == (os.getpid(), True)


@pytest.mark.parametrize("pid", [0, -1, 2**22 + 1])
def test_there_is_no_process_at_a_pid_that_cannot_be(pid: int) -> None:
    assert platform.process(pid) is None
    assert platform.command_of(pid) == []


def test_a_program_with_an_odd_name_is_read_right(place: Path) -> None:
    odd = place / "a) Z 1 (b"
    shutil.copy("/bin/cat", odd)
    with subprocess.Popen([str(odd)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        child.stdin.write(b"!")
        child.stdin.flush()
        assert child.stdout.read(1) == b"!", "it runs"
        assert platform.parent_of(child.pid) == os.getpid()
        assert platform.start_of(child.pid) >= platform.start_of(os.getpid()) > 0
        assert platform.command_of(child.pid) == [str(odd)]


def test_the_environment_is_text_even_where_it_is_no_utf_8() -> None:
    script = "import sys; sys.path.insert(0, sys.argv[1]); from holdfast.capture import platform as p; "
    script += "sys.stdout.buffer.write(p.environ()['ODD'].encode('utf-8', 'surrogateescape'))"
    source = str(Path(holdfast.__file__).parents[1])
    command = [sys.executable, "-I", "-S", "-c", script, source]
    assert subprocess.check_output(command, env={b"ODD": b"caf\xe9"}) == b"caf\xe9"


def test_a_folder_that_was_deleted_under_us_is_where_we_were(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "gone").mkdir()
    monkeypatch.chdir(place / "gone")
    assert platform.working_folder({"PWD": "/elsewhere"}) == str(place / "gone")
    (place / "gone").rmdir()
    assert platform.working_folder({"PWD": "/elsewhere"}) == "/elsewhere"
    assert platform.working_folder({}) == "/"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_are_made_with_their_parents_for_the_owner_only(place: Path) -> None:
    before = os.umask(0)
    try:
        platform.make_folders(f"{place}/a/b/c/")
        platform.write_atomic(f"{place}/a/file", b"x", durable=False)
    finally:
        os.umask(before)
    assert [mode(place / part) for part in ("a", "a/b", "a/b/c", "a/file")] == [0o700, 0o700, 0o700, 0o600]


def test_folders_that_are_there_stay_as_they_are(place: Path) -> None:
    (place / "a").mkdir(mode=0o755)
    (place / "a").chmod(0o755)
    platform.make_folders(f"{place}/a")
    platform.make_folders(f"{place}/a/b")
    assert mode(place / "a") == 0o755


def test_each_new_folders_name_is_synced_into_its_parent(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(platform, "sync_folder", synced.append)
    platform.make_folders(f"{place}/a/b")
    platform.make_folders(f"{place}/a/b")
    assert synced == [str(place), f"{place}/a"]


def test_files_and_folders_are_really_synced(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []

    def note(fd: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{fd}"))

    monkeypatch.setattr("posix.fdatasync", note)
    monkeypatch.setattr("posix.fsync", note)
    platform.write_atomic(f"{place}/file", b"x", durable=True)
    assert synced[0].startswith(f"{place}/file.")
    assert synced[1] == str(place)


def test_several_may_make_the_same_folders_at_once(place: Path) -> None:
    failures: list[BaseException] = []

    def work(start: threading.Barrier, turn: int) -> None:
        start.wait()
        try:
            platform.make_folders(f"{place}/{turn}/a/b/c/d")
        except OSError as error:
            failures.append(error)

    for turn in range(5):
        start = threading.Barrier(4)
        threads = [threading.Thread(target=work, args=(start, turn)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []
    assert len(list(place.glob("*/a/b/c/d"))) == 5


def test_a_file_is_replaced_whole(place: Path) -> None:
    path = place / "file"
    for data in (b"old " * 1000, b"", b"new"):
        platform.write_atomic(str(path), data, durable=True)
        assert path.read_bytes() == data
    with path.open("rb") as reader:
        platform.write_atomic(str(path), b"newest", durable=False)
        assert reader.read() == b"new", "who reads the old bytes goes on reading them"
    assert os.listdir(place) == ["file"]


def test_a_durable_replacement_syncs_the_file_before_its_name_and_the_name_after(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place / "file"
    order: list[str] = []
    monkeypatch.setattr(platform, "sync", lambda _: order.append(f"file, there: {path.exists()}"))
    monkeypatch.setattr(platform, "sync_folder", lambda _: order.append(f"folder, there: {path.exists()}"))
    platform.write_atomic(str(path), b"x", durable=True)
    assert order[0] == "file, there: False"
    assert set(order[1:]) == {"folder, there: True"}
    before = len(order)
    platform.write_atomic(str(path), b"y", durable=False)
    assert len(order) == before


def test_a_short_write_leaves_the_old_file_and_no_straggler(
    place: Path, no_file_over: Callable[[int], AbstractContextManager[None]]
) -> None:
    path = place / "file"
    path.write_bytes(b"old")
    with no_file_over(10), pytest.raises(OSError, match="short write"):
        platform.write_atomic(str(path), b"n" * 100, durable=True)
    assert path.read_bytes() == b"old"
    assert os.listdir(place) == ["file"]


def test_a_name_that_cannot_be_taken_leaves_no_straggler(place: Path) -> None:
    (place / "folder").mkdir()
    with pytest.raises(OSError):
        platform.write_atomic(f"{place}/folder", b"x", durable=False)
    assert os.listdir(place) == ["folder"]


def test_a_file_is_read_whole_or_as_far_as_asked(place: Path) -> None:
    data = bytes(range(256)) * 9000  # more than one read
    (place / "file").write_bytes(data)
    assert platform.read_file(f"{place}/file") == data
    for limit in (0, 1, 1 << 20, (1 << 20) + 1, len(data) + 1):
        assert platform.read_file(f"{place}/file", limit) == data[:limit]


def test_removing_and_listing_what_is_not_there_is_harmless(place: Path) -> None:
    platform.remove(f"{place}/nothing")
    platform.remove(str(place))
    (place / "file").write_text("")
    assert platform.names(f"{place}/nothing") == platform.names(f"{place}/file") == []
    assert platform.names(str(place)) == ["file"]
    platform.remove(f"{place}/file")
    assert platform.names(str(place)) == []

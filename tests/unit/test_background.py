"""Work in the background: started at an end and where a mark is found, holding nothing of the hook's, off when off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hook_support import PYTHON, START, Done, Home, wait_until

from holdfast.capture import background, flags, projects

HOSTS_PATIENCE = 1.5  # seconds for all hooks of an end

LOOK = """
import json, os, sys
fds = {}
for name in os.listdir("/proc/self/fd"):
    try:
        fds[name] = os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        pass
found = {"env": dict(os.environ), "fds": fds, "sid": os.getsid(0), "pid": os.getpid(), "argv": sys.argv}
path = sys.argv[1]
with open(path + ".tmp", "w") as out:
    json.dump(found, out)
os.rename(path + ".tmp", path)
"""


@pytest.fixture
def works(fresh: Home) -> Home:
    """A home whose hooks do start work in the background, with an interpreter that has our packages."""
    fresh.more.update({"HOLDFAST_CLOSE": "", "HOLDFAST_PYTHON": sys.executable})
    return fresh


def is_idle(works: Home) -> bool:
    wanted = f"HOLDFAST_HOME={works.vault}".encode()
    for one in Path("/proc").iterdir():
        if one.name.isdecimal() and int(one.name) != os.getpid():
            try:
                if wanted in (one / "environ").read_bytes().split(b"\0"):
                    return False
            except OSError:
                continue
    return True


def settle(works: Home) -> None:
    wait_until("nothing works in the background", lambda: is_idle(works), 60.0)
    assert works.errors() == []


def hook(works: Home, name: str, session: str = "s1") -> Done:
    done = works.hook(works.event(name, session))
    assert (done.status, done.err) == (0, "")
    return done


@pytest.mark.slow
def test_an_end_is_closed_by_itself_and_the_next_start_has_handoff_and_notes(works: Home) -> None:
    hook(works, "SessionStart")
    works.hook(works.event("UserPromptSubmit", prompt="Mend the order service"))
    works.flag("orders use optimistic locking", "s1")
    hook(works, "SessionEnd")
    wait_until("the close is in the ledger", lambda: works.ledger("close"), 60.0)
    settle(works)
    (record,) = works.ledger("close")
    assert (record["filed"], record["episode"]) == (1, "claude-code/s1/1")
    assert works.texts() == []
    assert works.marks() == []
    told = hook(works, "SessionStart", "s2").context
    assert "Newest handoff, session 1 (" in told
    assert "Mend the order service" in told
    assert "orders use optimistic locking" in told
    assert "(knowledge/orders-use-optimistic-locking.md)" in told
    assert "not yet filed" not in told
    settle(works)


@pytest.mark.slow
def test_a_start_that_finds_a_mark_heals_it(works: Home) -> None:
    off = {"HOLDFAST_CLOSE": "off"}
    works.hook(works.event("SessionStart"), env=off)
    works.flag("left behind by nobody's close", "s1")
    works.hook(works.event("SessionEnd"), env=off)
    assert works.marks()
    told = hook(works, "SessionStart", "s2").context
    assert "left behind by nobody's close" in told
    wait_until("the close is in the ledger", lambda: works.ledger("close"), 60.0)
    settle(works)
    assert works.marks() == []
    assert works.texts() == []
    told = hook(works, "SessionStart", "s3").context
    assert "left behind by nobody's close" in told
    assert "not yet filed" not in told
    settle(works)


@pytest.mark.slow
def test_a_start_whose_brief_is_not_true_any_more_has_it_made(works: Home) -> None:
    assert works.cli("remember", "orders use locks", env={"HOLDFAST_CLOSE": "off"}).status == 0
    hook(works, "SessionStart")
    settle(works)
    (works.vault / "knowledge" / "new.md").write_text("---\nname: brand new\ndescription: by hand\n---\nx\n")
    assert "brand new" not in hook(works, "SessionStart", "s2").context
    settle(works)
    assert "brand new" in hook(works, "SessionStart", "s3").context
    settle(works)
    started = [record for record in works.ledger("hook") if record.get("refresh")]
    assert len(started) == 2, "one that had none, one that a new note made stale; the third found it fresh"


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no", "false"])
def test_off_starts_nothing(fresh: Home, word: str) -> None:
    fresh.more.update({"HOLDFAST_CLOSE": word, "HOLDFAST_PYTHON": sys.executable})
    home = Path(fresh.state)
    home.mkdir(parents=True)
    (home / "upkeep").touch()  # not due
    hook(fresh, "SessionStart")
    fresh.flag("waits", "s1")
    hook(fresh, "SessionEnd")
    told = hook(fresh, "SessionStart", "s2").context
    assert is_idle(fresh)
    assert "`holdfast close` files what it left" in told
    assert fresh.texts() == ["waits"]
    assert not any("close" in record or "refresh" in record for record in fresh.ledger("hook"))


def test_the_child_holds_nothing_of_ours_and_carries_its_sign(fresh: Home, tmp_path: Path) -> None:
    """A pipe that it held would make the host wait for the close; a hook that it fired would start the next one."""
    answer = tmp_path / "answer"
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        pid = background.spawn([sys.executable, "-c", LOOK, str(answer)], {**fresh.env, "A": "b"})
        os.waitpid(pid, 0)
    finally:
        os.close(reading)
        os.close(writing)
    found = json.loads(answer.read_text())
    assert {name: found["fds"][name] for name in "012"} == dict.fromkeys("012", "/dev/null")
    assert not [path for name, path in found["fds"].items() if name not in "012" and "/proc/" not in path]
    assert found["sid"] == found["pid"] == pid, "it outlives a host that ends its whole session"
    assert found["env"]["A"] == "b"


def test_our_own_hooks_are_silent_in_a_child(works: Home, tmp_path: Path) -> None:
    script = tmp_path / "python"
    answer = tmp_path / "answer"
    script.write_text(f'#!/bin/sh\nenv > {answer}.tmp && echo "$@" >> {answer}.tmp && mv {answer}.tmp {answer}\n')
    script.chmod(0o755)
    pid = background.start(str(works.vault), {**works.env, "HOLDFAST_PYTHON": str(script)}, "background-close", "/x y")
    os.waitpid(pid, 0)
    lines = answer.read_text().splitlines()
    assert "HOLDFAST_CHILD=1" in lines
    assert f"HOLDFAST_HOME={works.vault}" in lines
    assert lines[-1].endswith("/hook/start.py --command background-close /x y")
    works.hook(works.event("SessionStart"), env={"HOLDFAST_CHILD": "1"})
    assert works.files() == []


@pytest.mark.parametrize("python", ["", "relative/python", "/nowhere/python", "/etc/passwd", "/with\0zero"])
def test_without_a_usable_interpreter_it_takes_our_own(works: Home, python: str) -> None:
    env = {**works.env, "HOLDFAST_PYTHON": python}
    env = {name: text for name, text in env.items() if "\0" not in text or name == "HOLDFAST_PYTHON"}
    if "\0" in python:
        assert not background._may_run(python)
        return
    works.flag("waits")
    pid = background.start(str(works.vault), env, "upkeep")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert works.ledger("upkeep")


@pytest.mark.slow
def test_a_close_in_the_background_makes_no_project_of_a_folder_that_nobody_works_in(works: Home) -> None:
    hook(works, "SessionStart")
    works.flag("waits", "s1")
    hook(works, "SessionEnd")
    settle(works)
    assert (works.vault / "projects.toml").read_text().count("[[project]]") == 1
    for words in ((), ("/no/such/folder",)):
        os.waitpid(background.start(str(works.vault), works.env, "background-close", *words), 0)
    assert (works.vault / "projects.toml").read_text().count("[[project]]") == 1


@pytest.mark.slow
def test_what_fails_in_the_background_is_in_the_ledger(works: Home) -> None:
    works.flag("waits")
    (works.vault / ".git").write_text("not a repository")
    pid = background.start(str(works.vault), works.env, "background-close")
    os.waitpid(pid, 0)
    told = [str(one.get("error", "")) for one in works.ledger("close", "error")]
    assert any(told)
    assert works.texts() == ["waits"]


@pytest.mark.slow
def test_a_host_that_waits_for_the_end_of_output_need_not_wait_for_the_close(works: Home) -> None:
    hook(works, "SessionStart")
    settle(works)
    works.flag("waits", "s1")
    (Path(works.state) / "upkeep").touch()  # not due
    slow = works.folder / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    began = time.perf_counter()
    done = works.hook(works.event("SessionEnd"), env={"HOLDFAST_PYTHON": str(slow)})
    assert done.status == 0
    assert time.perf_counter() - began < 10
    pids = [record["close"] for record in works.ledger("hook") if record.get("close")]
    assert pids
    os.kill(int(pids[-1]), signal.SIGKILL)


# --- the end of a session


@pytest.fixture
def slow(works: Home) -> Iterator[Home]:
    """A home whose background work takes longer than any test; what was started is ended with it."""
    (Path(works.state)).mkdir(parents=True)
    (Path(works.state) / "upkeep").touch()  # not due
    script = works.folder / "slow"
    script.write_text("#!/bin/sh\necho at work\necho in trouble >&2\nexec sleep 300\n")
    script.chmod(0o755)
    works.more["HOLDFAST_PYTHON"] = str(script)
    hook_with(works, "SessionStart", HOLDFAST_CLOSE="off")
    works.flag("waits", "s1")
    yield works
    for pid in started(works):
        end(pid)


def end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # ended before


def hook_with(works: Home, name: str, session: str = "s1", **env: str) -> Done:
    done = works.hook(works.event(name, session), env=env)
    assert (done.status, done.err) == (0, "")
    return done


def started(works: Home) -> list[int]:
    return [int(record["close"]) for record in works.ledger("hook") if record.get("close")]


@pytest.mark.slow
def test_a_big_close_does_not_keep_the_host_waiting(slow: Home) -> None:
    project = projects.find(str(slow.project), str(slow.vault))
    speaker = flags.Speaker("claude-code", "claude-code/s1/1", project, "agent")
    given = [flags.Given(f"fact number {nth} about the order service") for nth in range(2_000)]
    flags.take_all(str(slow.vault), given, speaker, time.time())
    assert hook(slow, "SessionEnd").seconds < HOSTS_PATIENCE
    (pid,) = started(slow)
    os.kill(pid, 0)  # it goes on behind the hook
    end(pid)  # as a container that is stopped would
    assert len(slow.texts()) == 2_001
    (mark,) = slow.marks()
    assert mark.waiting == 2_001, "the next start continues it"


@pytest.mark.slow
def test_a_pipe_that_the_host_holds_is_closed_with_the_hook(slow: Home) -> None:
    """Standard output, and one more that the host left open: who reads them to the end does not wait for the close."""
    reading, writing = os.pipe()
    payload = json.dumps(slow.event("SessionEnd")).encode()
    process = subprocess.Popen(
        [PYTHON, "-I", "-S", START, "claude-code"],
        env=slow.env, cwd=slow.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        pass_fds=(writing,),
    )  # fmt: skip
    os.close(writing)
    began = time.perf_counter()
    assert process.communicate(payload, timeout=20) == (b"", b"")
    with os.fdopen(reading, "rb") as rest:
        assert rest.read() == b""
    assert time.perf_counter() - began < 10
    assert process.returncode == 0
    (pid,) = started(slow)
    assert os.getsid(pid) == pid, "a session of its own: a terminal that closes does not end it"
    log = f"{slow.state}/background.log"
    links = {name: os.readlink(f"/proc/{pid}/fd/{name}") for name in "012"}  # others come and go as it starts
    assert links == {"0": "/dev/null", "1": log, "2": log}


def test_what_the_child_prints_goes_to_a_log_of_ours(slow: Home) -> None:
    hook(slow, "SessionEnd")
    log = Path(slow.state) / "background.log"
    wait_until("it has printed", lambda: log.read_text().count("\n") == 2)
    assert log.read_text() == "at work\nin trouble\n"
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_log_stays_small_and_keeps_what_came_before(works: Home) -> None:
    log = Path(works.state) / "background.log"
    for size, is_moved in ((background.LARGEST_LOG, False), (background.LARGEST_LOG + 1, True)):
        works.flag("waits")
        log.write_bytes(b"x" * size)
        assert os.waitpid(background.start(str(works.vault), works.env, "upkeep"), 0)[1] == 0
        before = log.with_name("background.log.before")
        assert before.exists() == is_moved
        assert log.stat().st_size == (0 if is_moved else size)
    assert before.stat().st_size == background.LARGEST_LOG + 1


def test_without_a_place_for_the_log_the_work_is_done_all_the_same(works: Home) -> None:
    works.flag("waits")
    (Path(works.state) / "background.log").mkdir()
    assert os.waitpid(background.start(str(works.vault), works.env, "upkeep"), 0)[1] == 0
    assert works.ledger("upkeep")


def test_a_log_that_vanishes_is_made_anew_for_its_owner_only(fresh: Home, tmp_path: Path) -> None:
    log = tmp_path / "gone" / "background.log"
    log.parent.mkdir()
    os.waitpid(background.spawn(["/bin/echo", "here"], fresh.env, str(log)), 0)
    assert log.read_text() == "here\n"
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_many_end_events_start_one_close(slow: Home) -> None:
    for _ in range(5):
        hook(slow, "SessionEnd")
    assert len(started(slow)) == 1
    assert [bool(one.get("repeated")) for one in slow.ledger("hook")[-5:]] == [False, True, True, True, True]


@pytest.mark.slow
def test_many_end_events_at_once_are_one_close_in_effect(works: Home) -> None:
    hook_with(works, "SessionStart", HOLDFAST_CLOSE="off")
    works.flag("orders use locks", "s1")
    payload = json.dumps(works.event("SessionEnd")).encode()
    command = [PYTHON, "-I", "-S", START, "claude-code"]
    pipe = subprocess.PIPE
    ends = [
        subprocess.Popen(command, env=works.env, cwd=works.project, stdin=pipe, stdout=pipe, stderr=pipe)
        for _ in range(6)
    ]
    for process in ends:
        assert process.communicate(payload, timeout=30) == (b"", b"")
        assert process.returncode == 0
    wait_until("the close is in the ledger", lambda: works.ledger("close"), 60.0)
    settle(works)
    assert sum(int(one.get("filed", 0)) for one in works.ledger("close")) == 1
    assert len(list(works.vault.glob("knowledge/*.md"))) == 1
    assert len(list(works.vault.glob("lineage/*/*.md"))) <= 1
    assert works.texts() == []


@pytest.mark.slow
def test_a_resumed_session_is_closed_again(works: Home) -> None:
    for nth in (1, 2):
        works.hook(works.event("SessionStart", source="resume"), env={"HOLDFAST_CLOSE": "off"})
        works.flag(f"fact number {nth} of it", "s1")
        hook_with(works, "SessionEnd", HOLDFAST_CLOSE="wait")
    settle(works)
    assert [one["episode"] for one in works.ledger("close")] == ["claude-code/s1/1", "claude-code/s1/2"]


@pytest.mark.slow
def test_wait_waits_for_the_close(works: Home) -> None:
    hook_with(works, "SessionStart", HOLDFAST_CLOSE="off")
    works.flag("orders use locks", "s1")
    hook_with(works, "SessionEnd", HOLDFAST_CLOSE="wait")
    assert works.texts() == []
    assert works.marks() == []
    assert works.ledger("hook")[-1]["waited"] is True
    settle(works)


def test_a_close_that_fails_while_it_is_waited_for_costs_nothing(works: Home) -> None:
    hook_with(works, "SessionStart", HOLDFAST_CLOSE="off")
    works.flag("orders use locks", "s1")
    broken = works.folder / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    hook_with(works, "SessionEnd", HOLDFAST_CLOSE="wait", HOLDFAST_PYTHON=str(broken))
    assert works.ledger("hook")[-1]["waited"] is False
    assert works.texts() == ["orders use locks"]
    assert works.marks()


@pytest.mark.slow
def test_patience_with_a_close_ends_and_the_hooks_own_goes_on(monkeypatch: pytest.MonkeyPatch, fresh: Home) -> None:
    monkeypatch.setattr(background, "LONGEST_WAIT", 1)
    handler = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    pid = background.spawn(["/bin/sleep", "300"], fresh.env)
    signal.alarm(90)
    try:
        assert background.wait(pid) is False
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
        assert 0 < signal.alarm(0) <= 90
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_waiting_for_nobody_is_no_success() -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    assert background.wait(child.pid) is False


def test_an_end_that_leaves_nothing_starts_nothing(works: Home) -> None:
    (Path(works.state)).mkdir(parents=True)
    (Path(works.state) / "upkeep").touch()
    hook_with(works, "SessionStart", HOLDFAST_CLOSE="off")
    hook(works, "SessionEnd")
    assert started(works) == []
    assert is_idle(works)


def test_an_interpreter_that_cannot_be_started_does_not_hurt_the_end(works: Home) -> None:
    hook_with(works, "SessionStart", HOLDFAST_CLOSE="off")
    works.flag("waits", "s1")
    broken = works.folder / "broken"
    broken.write_text("no program")
    broken.chmod(0o755)
    done = works.hook(works.event("SessionEnd"), env={"HOLDFAST_PYTHON": str(broken)})
    assert done.status == 0
    assert works.marks()

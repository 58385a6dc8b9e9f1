"""Work in the background: started at an end and where a mark is found, holding nothing of the hook's, off when off."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from hook_support import Done, Home, wait_until

from holdfast.capture import background

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


def test_a_close_in_the_background_makes_no_project_of_a_folder_that_nobody_works_in(works: Home) -> None:
    hook(works, "SessionStart")
    works.flag("waits", "s1")
    hook(works, "SessionEnd")
    settle(works)
    assert (works.vault / "projects.toml").read_text().count("[[project]]") == 1
    for words in ((), ("/no/such/folder",)):
        os.waitpid(background.start(str(works.vault), works.env, "background-close", *words), 0)
    assert (works.vault / "projects.toml").read_text().count("[[project]]") == 1


def test_what_fails_in_the_background_is_in_the_ledger(works: Home) -> None:
    works.flag("waits")
    (works.vault / ".git").write_text("not a repository")
    pid = background.start(str(works.vault), works.env, "background-close")
    os.waitpid(pid, 0)
    told = [str(one.get("error", "")) for one in works.ledger("close", "error")]
    assert any(told)
    assert works.texts() == ["waits"]


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

"""The hook as a process: what it imports, what it leaves behind, whom it starts, and what it never does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hook_support import PROMPT, PYTHON, START, Agents, Home, imported_by, too_open, wait_until

from holdfast.capture import background, home

NEVER = {"json", "re", "dataclasses", "typing", "os", "rich", "enum", "subprocess", "pathlib", "site"}


def of_the_standard_library(names: set[str]) -> set[str]:
    renamed = {"_sha2", "_sha256"}  # one is tried before the other; which there is depends on the version
    known = {*sys.stdlib_module_names, *renamed, "holdfast"}
    return {name for name in names if name.partition(".")[0] in known}


@pytest.mark.parametrize("name", ["PostToolUse", "PreToolUse", "UserPromptSubmit", "Stop"])
def test_a_moment_within_a_session_imports_next_to_nothing(fresh: Home, name: str) -> None:
    fresh.answer(fresh.event("SessionStart"), pid=os.getpid())
    names = imported_by(fresh, fresh.event(name, tool_name="Bash", tool_response="x" * 4000))
    assert names & NEVER == set()
    assert names == of_the_standard_library(names)


@pytest.mark.parametrize("name", ["SessionStart", "PostToolUse", "SessionEnd"])
def test_every_moment_of_a_new_vault_imports_the_standard_library_only(fresh: Home, name: str) -> None:
    names = imported_by(fresh, fresh.event(name))
    assert names == of_the_standard_library(names)
    assert not names & {"rich", "site"}


def test_a_flag_in_a_known_project_imports_next_to_nothing(fresh: Home) -> None:
    fresh.fast("flag", "the first look at this folder")
    assert imported_by(fresh, {}, "--command", "flag", "an ordinary line about orders") & NEVER == set()


def test_a_process_that_we_started_returns_at_once_and_writes_nothing(fresh: Home) -> None:
    done = fresh.hook(fresh.event("SessionStart"), env={home.CHILD: "1"})
    assert (done.status, done.out, done.err) == (0, "", "")
    assert fresh.files() == []


def test_a_process_that_we_started_does_not_even_read(fresh: Home) -> None:
    """Its stdin stays open and empty: whoever read it would wait."""
    command = [PYTHON, "-I", "-S", START, "claude-code"]
    child = subprocess.Popen(command, env={**fresh.env, home.CHILD: "1"}, cwd=fresh.project, stdin=subprocess.PIPE)
    assert child.stdin
    with child.stdin:
        assert child.wait(timeout=PROMPT) == 0
    assert fresh.files() == []


@pytest.mark.slow
def test_the_end_of_a_session_does_not_wait_for_the_upkeep_it_starts(fresh: Home) -> None:
    """The background process is held up by a lock for as long as we look; the hook's pipes close all the same."""
    import fcntl

    fresh.hook(fresh.event("SessionStart"))
    lock = Path(fresh.state) / "queue" / "lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = fresh.hook(fresh.event("SessionEnd", reason="other"))
        assert (done.status, done.out, done.err) == (0, "", "")
        assert done.seconds < PROMPT
        assert fresh.ledger("upkeep") == []
    wait_until("the upkeep has run", lambda: fresh.ledger("upkeep"))


@pytest.mark.slow
def test_upkeep_starts_once_a_day_however_many_sessions_end(fresh: Home) -> None:
    for session in ("one", "two", "three"):
        fresh.hook(fresh.event("SessionStart", session))
        fresh.hook(fresh.event("SessionEnd", session))
    wait_until("the upkeep has run", lambda: fresh.ledger("upkeep"))
    assert len(fresh.ledger("upkeep")) == 1
    assert not background.start_if_due(str(fresh.vault), fresh.env, time.time())


def test_upkeep_is_a_session_of_its_own_with_nothing_of_ours_and_the_child_mark(fresh: Home) -> None:
    report = fresh.folder / "report"
    code = (
        "import os, sys; out = open(sys.argv[1] + '.new', 'w'); "
        "print(os.getsid(0) == os.getpid(), os.environ.get('HOLDFAST_CHILD'), "
        "*(os.readlink(f'/proc/self/fd/{n}') for n in range(3)), file=out, flush=True); "
        "os.rename(sys.argv[1] + '.new', sys.argv[1])"
    )
    env = {**os.environ, home.CHILD: "1"}
    pid = background.spawn([sys.executable, "-c", code, str(report)], env)
    assert os.waitpid(pid, 0)[1] == 0
    assert report.read_text().split() == ["True", "1", "/dev/null", "/dev/null", "/dev/null"]


def test_upkeep_that_fails_is_in_the_ledger(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart"))
    (Path(fresh.state) / "queue" / "lock").mkdir(parents=True)
    fresh.fast("upkeep", env={home.CHILD: "1"})
    assert len(fresh.errors()) == 1


@pytest.mark.slow
def test_a_session_leaves_nothing_in_the_vault_that_others_may_read(fresh: Home, agents: Agents) -> None:
    """Also under the widest umask: every mode is asked for, none is inherited."""
    agent = agents()
    before = os.umask(0)
    try:
        fresh.hook(fresh.event("SessionStart", transcript_path="/nowhere"), env={"CLAUDE_PID": str(agent.pid)})
        fresh.fast("flag", "mine alone", env={"CLAUDE_CODE_SESSION_ID": "s1"})
        for name in ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"):
            fresh.hook(fresh.event(name))
        fresh.hook(fresh.event("SessionEnd"))
        wait_until("the upkeep has run", lambda: fresh.ledger("upkeep"))
        fresh.hook(b"{")
        fresh.hook(fresh.event("SessionStart", "s2"))
        fresh.fast("pause")
        fresh.fast("resume")
        with next((Path(fresh.state) / "queue" / "live").glob("*.log")).open("ab") as segment:
            segment.write(b"\nnot a record")
        fresh.cli("queue")
        fresh.file_everything()
    finally:
        os.umask(before)
    assert len(fresh.files()) > 20
    assert too_open(fresh.vault) == []


def test_a_moment_costs_one_record_in_the_ledger_and_no_new_file(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart"), pid=os.getpid())
    files, records = fresh.files(), len(fresh.ledger())
    fresh.answer(fresh.event("PostToolUse", tool_name="Bash"))
    assert fresh.files() == files
    assert len(fresh.ledger()) == records + 1
    assert fresh.ledger()[-1]["us"] > 0


def test_a_hook_leaves_no_temporary_file_behind(fresh: Home) -> None:
    fresh.hook(fresh.event("SessionStart"))
    fresh.hook(fresh.event("PostToolUse"))
    assert [path for path in fresh.files() if ".tmp" in path or ".new" in path or ".link" in path] == []


def test_what_fails_in_the_ledger_carries_no_secret(fresh: Home) -> None:
    """An error's sentence may quote what it met; it goes through the same redaction as everything else."""
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    fresh.hook(fresh.event("PostToolUse", tool_name=f"Bash {token}", agent_id=token))
    written = b"".join(path.read_bytes() for path in fresh.vault.rglob("*") if path.is_file())
    assert token.encode() not in written
    assert fresh.ledger("hook")[0]["event"] == "after-tool"

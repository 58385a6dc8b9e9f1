"""Which process is the host: never one that only carries another, and nobody where nothing is certain."""

from __future__ import annotations

import os
import subprocess

import pytest
from hook_support import PYTHON, START, Agents

from holdfast.capture import platform
from holdfast.capture.gate import host_process, is_wrapper


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", "x"],
        ["/bin/bash", "-lc", "x"],
        ["zsh", "-ic", "x"],
        ["/usr/bin/dash", "/home/u/.local/share/holdfast/holdfast-hook", "claude-code"],
        ["/bin/sh", "/usr/bin/holdfast", "hook", "generic"],
        ["timeout", "10", "node"],
        ["/usr/bin/env", "node"],
        ["sudo", "-u", "me", "claude"],
        [PYTHON, "-I", "-S", START, "claude-code"],
        [PYTHON, "-P", "-m", "holdfast", "hook"],
        [],
    ],
    ids=lambda command: " ".join(command)[:40] or "nothing to see",
)
def test_what_only_carries_another_process_is_passed_over(command: list[str]) -> None:
    assert is_wrapper(command)


@pytest.mark.parametrize(
    "command",
    [
        ["claude"],
        ["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"],
        ["/bin/sh", "/opt/agent.sh"],
        ["-bash"],
        ["bash"],
        ["python3", "agent.py"],
        ["/usr/bin/pythonista"],
        ["/opt/environment/agent"],
    ],
    ids=" ".join,
)
def test_an_agent_or_a_persons_shell_is_a_host(command: list[str]) -> None:
    assert not is_wrapper(command)


@pytest.mark.parametrize(
    "command",
    [
        ["python3", "/home/me/holdfast/.venv/bin/agent"],
        ["/home/me/.venv/bin/python", "-m", "agent", "/src/holdfast/task.md"],
    ],
    ids=["a host installed in a folder of that name", "a host that works on a project of that name"],
)
def test_a_python_host_near_a_folder_named_holdfast_is_a_host(command: list[str]) -> None:
    assert not is_wrapper(command)


def test_a_pid_that_the_host_names_is_believed_while_it_lives(agents: Agents) -> None:
    agent = agents()
    found = host_process(agent.pid)
    assert found
    assert found.pid == agent.pid
    agent.kill()
    after = host_process(agent.pid)
    assert after is None or after.pid != agent.pid


@pytest.mark.parametrize("pid", [0, 1, -5, 1 << 40])
def test_a_pid_that_is_none_is_not_believed(pid: int) -> None:
    found = host_process(pid)
    assert found is None or found.pid not in (pid, os.getpid())


def test_the_nearest_ancestor_that_is_no_wrapper_is_the_host() -> None:
    """We start env, which starts sh -c, which starts a python that looks up: it finds us, not them."""
    source = START.rpartition("/holdfast/")[0]
    code = (
        f"import sys; sys.path.insert(0, {source!r}); "
        "from holdfast.capture import gate; found = gate.host_process(0); print(found.pid if found else 0)"
    )
    host = subprocess.run(
        ["/bin/sh", "-s"],
        input=f"echo $$; env sh -c '{PYTHON} -I -S -c \"$CODE\"; true'\n",
        env={**os.environ, "CODE": code},
        capture_output=True,
        text=True,
        check=True,
    )
    shell, found = host.stdout.split()
    assert found == shell


def test_a_process_is_told_from_a_later_one_with_the_same_pid(agents: Agents) -> None:
    one = platform.process(agents().pid)
    two = platform.process(agents().pid)
    assert one
    assert two
    assert (one.machine, one.boot, one.namespace) == (two.machine, two.boot, two.namespace)
    assert one.start <= two.start

"""`task run … {memory}`: what is remembered is never run.

Each template is refused, or run for real with a memory that would leave a file behind in any shell or interpreter. The
commands that are refused are run without that care as a control: text between `-c` and its end is code.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.errors import UsageError
from holdfast.tasks import run_command as words

from . import support
from .desk import Desk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.attacks

TOPIC = "remembered text in the words of a command"
SHELLS = ("sh", "bash", "dash", "/bin/sh", "/usr/bin/env bash", "zsh", "ksh", "fish", "busybox sh", "toybox sh")
BEFORE = (
    "",
    "env",
    "/usr/bin/env",
    "env -i PATH=/usr/bin:/bin",
    "env -u HOME A=1",
    "timeout 20",
    "timeout --signal=KILL 20",
    "nice -n 5",
    "nohup",
    "setsid -w",
    "stdbuf -oL",
    "xargs",
    "xargs -0 -I X",
    "sudo -u nobody",
    "sudo",
    "doas",
    "chroot /",
    "flock /tmp/x",
    "docker exec box",
    "kubectl exec pod --",
    "uv run",
    "env timeout 20 nice",
    "find / -maxdepth 0 -exec",
    "git -c core.pager=cat",
    "strace -f",
)
OF_SHELLS = (
    ["-c", "agent {memory}"],
    ["-c", "agent '{memory}'"],
    ["-c", 'agent "{memory}"'],
    ["-c", "cat <<'END'\n{memory}\nEND"],
    ["-lc", "agent {memory}"],
    ["-xec", "agent {memory}"],
    ["-c", "-x", "agent {memory}"],
    ["-o", "errexit", "-c", "agent {memory}"],
    ["-c", "-o", "errexit", "agent {memory}"],
    ["+x", "-c", "agent {memory}"],
    ["--norc", "-c", "agent {memory}"],
    ["-c", "--", "agent {memory}"],
    ["-ec", "true; agent {memory}", "x"],
    ["--command={memory}"],
    ["--init-command", "{memory}"],
    ["-c{memory}"],
    ["{memory}"],
)
OF_INTERPRETERS = (
    "python3 -c {memory}",
    "python3.11 -Ic {memory}",
    "python -u -c print('{memory}')",
    "pypy3 -c {memory}",
    "perl -e {memory}",
    "perl -ne {memory}",
    "perl -Mstrict -E {memory}",
    "perl -e 1 -e {memory}",
    "ruby -e {memory}",
    "node -e {memory}",
    "node --eval {memory}",
    "node --eval={memory}",
    "nodejs -p {memory}",
    "bun -e {memory}",
    "deno eval {memory}",
    "php -r {memory}",
    "lua5.4 -e {memory}",
    "osascript -e {memory}",
    "Rscript -e {memory}",
    "julia -E {memory}",
    "elixir --eval {memory}",
    "awk {memory}",
    "gawk -f x {memory}",
    "sed -e s/x/{memory}/ f",
    "ssh host agent {memory}",
    "su bob -c {memory}",
    "watch agent {memory}",
    "tmux new-session {memory}",
    "parallel agent ::: {memory}",
    "make PROMPT={memory}",
    "script -c {memory}",
    "flock /tmp/x -c {memory}",
    "npm exec -c {memory}",
    "nix-shell --run {memory}",
    "env -S {memory}",
    "env -S{memory}",
    "env --split-string={memory}",
    "sudo -s {memory}",
    "sudo -i agent {memory}",
    "pwsh -Command {memory}",
    "cmd /c {memory}",
    "psql -c {memory}",
    "sqlite3 db {memory}",
    "vim -c {memory}",
    "emacs --eval {memory}",
    "git -c alias.x=!{memory} x",
    "eval agent {memory}",
)
ALLOWED = (
    ["claude", "-p", "{memory} go on"],
    ["claude", "-c", "{memory} go on"],
    ["codex", "exec", "{memory} go on"],
    ["timeout", "3600", "claude", "-p", "{memory} go on"],
    ["env", "A=1", "nice", "-n", "5", "agent", "-p", "{memory}"],
    ["env", "PROMPT={memory}", "sh", "-c", 'agent "$PROMPT"'],
    ["sh", "-c", 'agent "$1"', "agent", "{memory}"],
    ["bash", "agent.sh", "{memory}"],
    ["python3", "agent.py", "--prompt", "{memory}"],
    ["python3", "agent.py", "-p", "{memory}"],
    ["python3", "-m", "agent", "--message={memory}"],
    ["npx", "some-agent", "-p", "{memory}"],
    ["aider", "--message", "{memory}"],
    ["docker", "run", "--rm", "image", "agent", "-p", "{memory}"],
)


def templates() -> list[list[str]]:
    made = [[*before.split(), *shell.split(), *rest] for before in BEFORE for shell in SHELLS for rest in OF_SHELLS]
    return made + [[*before.split(), *line.split(" ")] for before in BEFORE for line in OF_INTERPRETERS]


def evil(canary: Path) -> str:
    """Text that is a command to every shell and to the interpreters here, however it is quoted around it."""
    touch = f"touch {canary}"
    pieces = (f"$({touch})", f"`{touch}`", f"\n{touch}\n", f"; {touch}; #", f"'; {touch}; '", f'"; {touch}; "')
    return " ".join(pieces) + f"\nEND\n{touch}\n"


def test_every_template_that_would_make_code_of_it_is_refused() -> None:
    tried = support.sample(templates(), 900)
    through = [command for command in tried if not refused(command)]
    support.count(TOPIC, len(tried), len(through))
    assert through == []


def refused(command: list[str]) -> bool:
    try:
        words.place(command)
    except UsageError as error:
        said = str(error)
        return "nothing was started" in said and words.VARIABLE in said
    return False


@pytest.mark.parametrize("command", ALLOWED, ids=" ".join)
def test_as_an_argument_it_stays_where_it_is(command: list[str]) -> None:
    assert words.place(command) is None
    assert words.put(command, None, "M") == [word.replace("{memory}", "M") for word in command]


def test_what_is_let_through_runs_nothing(tmp_path: Path) -> None:
    """Whatever is not refused is started for real, with programs that are here, and leaves nothing behind."""
    canary = tmp_path / "ran"
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("agent", "claude", "codex", "aider", "npx", "docker"):
        (folder / name).write_text('#!/bin/sh\nprintf "%s\\n" "$@" >> seen\n', encoding="utf-8")
        (folder / name).chmod(0o755)
    for name in ("agent.sh", "agent.py"):
        (tmp_path / name).write_text("" if name.endswith("py") else 'agent "$1"\n', encoding="utf-8")
    env = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    tried = [command for command in (*ALLOWED, *templates()) if not refused(command)]
    for command in tried:
        made = words.put(command, words.place(command), evil(canary))
        if shutil.which(made[0], path=env["PATH"]):
            subprocess.run(made, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    support.count(f"{TOPIC}, run", len(tried), int(canary.exists()))
    assert not canary.exists()
    assert "touch" in (tmp_path / "seen").read_text(encoding="utf-8")


def test_the_text_would_have_been_run() -> None:
    """The control: without the refusal the shell obeys."""
    done = subprocess.run(["sh", "-c", f"true {evil_words()}"], capture_output=True, check=False)
    assert b"obeyed" in done.stdout


def evil_words() -> str:
    return "$(echo obeyed >&2); echo obeyed"


def test_a_task_whose_memory_is_hostile_is_run_by_the_environment_and_the_file(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    canary = tmp_path / "ran"
    bad = f"$(touch {canary}) `touch {canary}` ; touch {canary} #"
    assert desk.holdfast("task", "start", "port", f"port it {bad}").status == 0
    desk.holdfast("task", "checkpoint", "--discovery", f"it needs {bad}")
    refused_by = desk.holdfast("task", "run", "port", "--", "sh", "-c", "echo {memory}")
    assert refused_by.status == 2
    assert "nothing was started" in refused_by.err
    assert "$HOLDFAST_TASK_MEMORY" in refused_by.err
    for template in (
        'printf %s "$HOLDFAST_TASK_MEMORY"',
        'cat "$HOLDFAST_TASK_MEMORY_FILE"',
        'cat < "$HOLDFAST_TASK_MEMORY_FILE"',
    ):
        done = desk.holdfast("task", "run", "port", "--", "env", "A=1", "sh", "-c", template)
        assert (done.status, f"touch {canary}" in done.out) == (0, True), done.err
    done = desk.holdfast("task", "run", "port", "--", "printf", "%s", "{memory}")
    assert done.out.startswith("Read "), "no option of the program that gets it"
    support.count(f"{TOPIC}, run", 5, int(canary.exists()))
    assert not canary.exists()
    assert not list(desk.state.glob("tasks/run/*.memory"))

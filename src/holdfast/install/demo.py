"""The demonstration: a host is killed in the middle of its session; the next start says what it left; a close files it.

Everything in it is the real thing: the launcher as a host has it registered, the `holdfast` command as it is on PATH,
a host process that is killed with SIGKILL. Only the vault and the home folder are temporary. The host is a shell that
does what an agent does: it calls the hook at its start, flags a fact, and works until it is killed.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture import codec
from holdfast.errors import HoldfastError
from holdfast.install import launcher

if TYPE_CHECKING:
    from collections.abc import Callable

FACT = "Orders use optimistic locking; do not add row locks"
HOST = """
printf '%s' "$START" | {hook}
holdfast flag --kind decision --evidence orders.py:241 {fact}
echo ready
read -r forever
"""


def run(say: Callable[[str], None]) -> None:
    """Play it, and fail if the warning does not come."""
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as folder:
        env = _environment(Path(folder))
        launcher.write_launcher(env)
        say("1. A session starts: the host calls the registered hook, then its agent flags a fact.")
        host = _start_host(env, "demo-1")
        for line in _lines_until_ready(host):
            say(f"     {line}")
        say(f"2. The host is killed: kill -9 {host.pid}. No end event fires, nobody saved anything.")
        host.send_signal(signal.SIGKILL)
        host.wait()
        say("3. The next start in this project. The hook answers the host:")
        told = _next_start(env, "demo-2")
        for line in told.splitlines():
            say(f"     {line}")
        if FACT not in told:
            raise HoldfastError("The next start did not name the flag; please report this with the output above.")
        say("4. In your own vault that start has begun the close in the background. Here it is by hand:")
        for line in _run(env, "holdfast", "close"):
            say(f"     {line}")
        say("5. What is remembered now is Markdown in git. The next start gets:")
        brief = _run(env, "holdfast", "boot")
        for line in brief:
            say(f"     {line}")
        if not any(FACT in line for line in brief):
            raise HoldfastError("The brief does not have the fact; please report this with the output above.")
        say("Nothing was lost. `holdfast init` registers it in your own agent.")


def _environment(folder: Path) -> dict[str, str]:
    """A home and a vault of the demo's own, the command on PATH, and no session of whoever runs it."""
    project = folder / "shop"
    project.mkdir()
    keep = {name: text for name, text in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TMPDIR")}
    env = {**keep, "HOME": str(folder), "HOLDFAST_HOME": str(folder / "vault"), "PWD": str(project)}
    env["HOLDFAST_CLOSE"] = "off"  # a close in the background would outlive the demo's folder
    env["PATH"] = f"{_command_folder(folder)}:{keep.get('PATH', os.defpath)}"
    return env


def _command_folder(folder: Path) -> Path:
    """Where `holdfast` is: beside the interpreter, else (run from a source tree) one made for the demo."""
    beside = Path(sys.executable).parent
    if (beside / "holdfast").is_file():
        return beside
    made = folder / "bin"
    made.mkdir()
    command = made / "holdfast"
    source = shlex.quote(str(launcher.script_path().parents[2]))
    start = shlex.join([sys.executable, "-P", "-m", "holdfast"])
    command.write_text(f'#!/bin/sh\nPYTHONPATH={source} exec {start} "$@"\n')
    command.chmod(0o700)
    return made


def _start_host(env: dict[str, str], session: str) -> subprocess.Popen[str]:
    script = Path(env["HOME"]) / "host.sh"
    line = launcher.registered_line("claude-code", env)
    script.write_text(HOST.format(hook=f"sh -c {shlex.quote(line)}", fact=shlex.quote(FACT)))
    return subprocess.Popen(
        ["/bin/sh", str(script)],
        env={**env, "START": _payload(env, session)},
        cwd=env["PWD"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _lines_until_ready(host: subprocess.Popen[str]) -> list[str]:
    lines: list[str] = []
    for line in host.stdout or ():
        if line == "ready\n":
            return lines
        lines.append(line.rstrip("\n"))
    raise HoldfastError(f"The demo's host ended early: {' '.join(lines)}")


def _run(env: dict[str, str], *command: str) -> list[str]:
    done = subprocess.run(command, env=env, cwd=env["PWD"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise HoldfastError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout.splitlines()


def _next_start(env: dict[str, str], session: str) -> str:
    line = launcher.registered_line("claude-code", env)
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        env=env,
        cwd=env["PWD"],
        input=_payload(env, session),
        capture_output=True,
        text=True,
        check=True,
    )
    reply = codec.decode(done.stdout) if done.stdout else {}
    return str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))


def _payload(env: dict[str, str], session: str) -> str:
    event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": session, "cwd": env["PWD"]}
    return codec.encode(event).decode("utf-8")

"""Where the week is played: a home with a vault, the folders of a developer, and programs whose clock is the week's.

The hook, the closes in the background and the `holdfast` command are the real ones, each a process of its own; only
their clock is moved, so that the page tells of a week. Nothing of the caller's home is read or written.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = ROOT / "src" / "holdfast" / "hook" / "start.py"
AT = Path(__file__).with_name("at.py")
PATIENCE = 60.0
STEP = 37.0  # seconds of the week between two moments of a session
AUTHOR = {
    f"GIT_{who}_{what}": text
    for who in ("AUTHOR", "COMMITTER")
    for what, text in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


@dataclass
class Stage:
    """The folder of a whole week, and the time that it is there."""

    folder: Path
    now: float = 0.0
    commands: int = 0
    env: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.home = self.folder / "home"
        self.vault = self.home / ".holdfast"
        programs = self.folder / "bin"
        for one in (self.home, programs):
            one.mkdir(parents=True)
        python = shlex.quote(sys.executable)
        at = shlex.quote(str(AT))
        bare = f'-S) shift 2; exec {python} -I -S {at} "$@" ;;'
        moved = f'#!/bin/sh\ncase "$2" in\n{bare}\n*) shift; exec {python} -I {at} "$@" ;;\nesac\n'
        self.python = _program(programs / "python-at", moved)
        fast = "flag|hook|pause|remember|resume|snag"
        own = f'#!/bin/sh\ncase "$1" in\n{fast}) exec {self.python} -I -S {START} --command "$@" ;;\nesac\n'
        _program(programs / "holdfast", f'{own}exec {python} {at} -m holdfast "$@"\n')
        self.env = {
            "HOME": str(self.home),
            "HOLDFAST_HOME": str(self.vault),
            "HOLDFAST_PYTHON": str(self.python),
            "HOLDFAST_COMMAND": "holdfast",
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}",
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            **AUTHOR,
        }

    def passes(self, seconds: float = STEP) -> dict[str, str]:
        """A little time goes by; the environment of whatever runs then."""
        self.now += seconds
        dated = {f"GIT_{who}_DATE": f"{int(self.now)} +0000" for who in ("AUTHOR", "COMMITTER")}
        return {**self.env, **dated, "WEEK_NOW": str(self.now)}

    def run(self, command: str, folder: Path, more: dict[str, str] | None = None) -> tuple[int, str]:
        """A command of the agent's or of the user's, really run; its status and what it printed."""
        self.commands += 1
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**self.passes(), **(more or {})},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=PATIENCE,
        )
        return done.returncode, done.stdout.rstrip("\n")

    def settle(self) -> None:
        """Until nothing runs in the background: the next session begins hours later."""
        until = time.monotonic() + PATIENCE
        while any(self._children()):
            if time.monotonic() > until:
                raise SystemExit(
                    f"a process in the background did not end in {PATIENCE:.0f} s; see {self.vault}/.state"
                )
            time.sleep(0.02)

    def _children(self) -> Iterator[int]:
        """Processes that the hook left behind: they name this vault, and carry the mark of our own children."""
        for name in os.listdir("/proc"):
            if name.isdecimal():
                try:
                    told = Path("/proc", name, "environ").read_bytes().split(b"\0")
                except OSError:
                    continue  # somebody else's, or gone
                if f"HOLDFAST_HOME={self.vault}".encode() in told and any(
                    one.startswith(b"HOLDFAST_CHILD=") for one in told
                ):
                    yield int(name)


def _program(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path

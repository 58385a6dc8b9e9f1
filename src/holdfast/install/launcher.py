"""The registered hook line, and the launcher it names.

Promise: the line that a host has registered stays the same across upgrades and ends in status 0 whatever became of
us. The launcher lives outside any virtual environment, in $XDG_DATA_HOME/holdfast (else ~/.local/share/holdfast). It
names an absolute interpreter (never a version manager's shim) and an absolute script, runs them if both are there,
and says 0 in any case. It does not exec: python itself ends with 2 when its script has just gone, and in Claude Code
that would erase the user's prompt (docs/adr/0003).
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import holdfast
from holdfast.capture import home, platform

if TYPE_CHECKING:
    from collections.abc import Mapping

TEMPLATE = """#!/bin/sh
# Holdfast's hook. Written by holdfast {version}; `holdfast init` writes it again. Hosts have registered this file.
python={python}
script={script}
HOLDFAST_PYTHON={packages}
export HOLDFAST_PYTHON
[ -x "$python" ] && [ -r "$script" ] && "$python" -I -S "$script" "$@"
exit 0
"""


def launcher_path(env: Mapping[str, str]) -> Path:
    data = env.get("XDG_DATA_HOME", "")
    if not data.startswith("/"):  # a relative one is to be ignored, says its specification
        data = f"{home.user_home(env)}/.local/share"
    return Path(data) / "holdfast" / "holdfast-hook"


def registered_line(host: str, env: Mapping[str, str]) -> str:
    """What a host runs through its shell. If the launcher itself is gone or broken the line still ends in 0."""
    path = shlex.quote(str(launcher_path(env)))
    return f"[ ! -x {path} ] || {path} {shlex.quote(host)} || :"


def script_path() -> Path:
    """The file that the interpreter runs, of this installation."""
    return Path(holdfast.__file__).resolve().parent / "hook" / "start.py"


def interpreter() -> str:
    """The real interpreter beneath any virtual environment: the hook needs no packages, and it outlives the venv."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def launcher_text() -> str:
    return TEMPLATE.format(
        version=holdfast.__version__,
        python=shlex.quote(interpreter()),
        script=shlex.quote(str(script_path())),
        packages=shlex.quote(sys.executable),
    )


def write_launcher(env: Mapping[str, str]) -> Path:
    """Put the launcher in place, atomically; hosts may be running it at this moment."""
    path = launcher_path(env)
    platform.make_folders(str(path.parent))
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    platform.write_atomic(str(fresh), launcher_text().encode(), durable=True)
    fresh.chmod(0o700)
    fresh.replace(path)
    platform.sync_folder(str(path.parent))
    return path


def refresh_launcher(env: Mapping[str, str]) -> bool:
    """After an upgrade: rewrite a launcher that is ours or leads nowhere; one of another living installation stays."""
    path = launcher_path(env)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False  # nothing was installed, so nothing is to be kept up
    if text == launcher_text():
        return False
    targets = _targets(text)
    leads_somewhere = len(targets) == 2 and all(os.access(target, os.R_OK) for target in targets)
    if leads_somewhere and targets[1] != str(script_path()):
        return False
    write_launcher(env)
    return True


def _targets(text: str) -> list[str]:
    """The interpreter and the script that a launcher names; [] where it is none."""
    lines = [line for line in text.splitlines() if line.startswith(("python=", "script="))]
    try:
        return [shlex.split(line)[0].partition("=")[2] for line in lines]
    except (ValueError, IndexError):
        return []

"""The registered hook line, the launcher it names, and the stable command beside it.

Promise: the line that a host has registered stays the same across upgrades and ends in status 0 whatever became of
us. The launcher lives outside any virtual environment, in $XDG_DATA_HOME/holdfast (else ~/.local/share/holdfast). It
names an absolute interpreter (never a version manager's shim) and an absolute script, runs them if both are there,
and says 0 in any case. It does not exec: python itself ends with 2 when its script has just gone, and in Claude Code
that would erase the user's prompt (docs/adr/0003).

The stable command, `holdfast` in the same folder, is what agents type where no `holdfast` of this installation is on
their PATH. Both are renewed after an upgrade by the same rule.
"""

from __future__ import annotations

import os
import shlex
import sys
import sysconfig
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

COMMAND = """#!/bin/sh
# The holdfast command under a name that stays. Written by holdfast {version}; `holdfast init` writes it again.
target={target}
[ -r "$target" ] && exec {start} "$@"
echo "holdfast: $target is gone; nothing was done. Install holdfast again and run its init." >&2
exit 127
"""
NUDGED = "HOLDFAST_COMMAND"  # what a nudge tells the agent to type; plain `holdfast` where it is not set


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


def launcher_text(command: str = "") -> str:
    """`command` is what nudges name where that is not plain `holdfast`."""
    text = TEMPLATE.format(
        version=holdfast.__version__,
        python=shlex.quote(interpreter()),
        script=shlex.quote(str(script_path())),
        packages=shlex.quote(sys.executable),
    )
    if not command:
        return text
    exported = f"{NUDGED}={shlex.quote(command)}\nexport HOLDFAST_PYTHON {NUDGED}\n"
    return text.replace("export HOLDFAST_PYTHON\n", exported)


def write_launcher(env: Mapping[str, str], command: str | None = None) -> Path:
    """Put the launcher in place, atomically; hosts may be running it. Without a command nudges name the same as now."""
    path = launcher_path(env)
    _write(path, launcher_text(nudged(env) if command is None else command))
    return path


def nudged(env: Mapping[str, str]) -> str:
    """What the launcher tells nudges to name; "" for plain `holdfast`."""
    lines = [line for line in _read(launcher_path(env)).splitlines() if line.startswith(f"{NUDGED}=")]
    try:
        return shlex.split(lines[0])[0].partition("=")[2] if lines else ""
    except (ValueError, IndexError):
        return ""


def command_path(env: Mapping[str, str]) -> Path:
    return launcher_path(env).parent / "holdfast"


def installed_command() -> Path | None:
    """The `holdfast` that this installation put among its programs; None when run from a source tree.

    The user's own folder of programs counts only for a package in the user's own folder of packages: what else lies
    there may be another installation's, or our link to the stable command.
    """
    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]
    if script_path().is_relative_to(sysconfig.get_path("purelib", "posix_user")):
        folders.insert(0, sysconfig.get_path("scripts", "posix_user"))
    for folder in folders:
        found = Path(folder) / "holdfast"
        if found.is_file():
            return found
    return None


def command_text() -> str:
    target, start = _target(), '"$target"'
    if target.name != "holdfast":
        source = shlex.quote(str(target.parents[1]))
        start = f"env PYTHONPATH={source} {shlex.quote(sys.executable)} -P -m holdfast"
    return COMMAND.format(version=holdfast.__version__, target=shlex.quote(str(target)), start=start)


def _target() -> Path:
    return installed_command() or script_path().parents[1] / "__main__.py"


def write_command(env: Mapping[str, str]) -> Path:
    _write(command_path(env), command_text())
    return command_path(env)


def ensure(env: Mapping[str, str], command: str) -> bool:
    """Both are in place and this installation's; what is so already is not touched."""
    wanted = stale(env, command)
    for path, text in wanted.items():
        _write(path, text)
    return bool(wanted)


def stale(env: Mapping[str, str], command: str) -> dict[Path, str]:
    """Those of the two that are missing or not this installation's, with the text that they should have."""
    wanted = {launcher_path(env): launcher_text(command), command_path(env): command_text()}
    return {path: text for path, text in wanted.items() if _read(path) != text or not os.access(path, os.X_OK)}


def _write(path: Path, text: str) -> None:
    platform.make_folders(str(path.parent))
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    platform.write_atomic(str(fresh), text.encode(), durable=True)
    fresh.chmod(0o700)
    fresh.replace(path)
    platform.sync_folder(str(path.parent))


def _read(path: Path) -> str:
    try:
        return platform.read_file(str(path)).decode("utf-8", "replace")
    except OSError:
        return ""


def refresh_launcher(env: Mapping[str, str]) -> bool:
    """After an upgrade: rewrite what is ours or leads nowhere; what another living installation wrote stays."""
    path = launcher_path(env)
    if not path.exists():
        return False  # nothing was installed, so nothing is to be kept up
    renewed = _refresh(path, launcher_text(nudged(env)), 2, script_path())
    command = command_path(env)
    return (command.exists() and _refresh(command, command_text(), 1, _target())) or renewed


def _refresh(path: Path, wanted: str, names: int, own: Path) -> bool:
    text = _read(path)
    if text == wanted:
        return False
    targets = _targets(text)
    leads_somewhere = len(targets) == names and all(os.access(target, os.R_OK) for target in targets)
    if leads_somewhere and targets[-1] != str(own):
        return False
    _write(path, wanted)
    return True


def _targets(text: str) -> list[str]:
    """The interpreter and the script that a launcher names, or the command's target; [] where it is none."""
    lines = [line for line in text.splitlines() if line.startswith(("python=", "script=", "target="))]
    try:
        return [shlex.split(line)[0].partition("=")[2] for line in lines]
    except (ValueError, IndexError):
        return []

"""The registered hook line, the launcher it names, and the stable command beside it.

Promise: the line that a host has registered stays the same across upgrades and ends in status 0 whatever became of
us. The launcher lives outside any virtual environment, in $XDG_DATA_HOME/holdfast (else ~/.local/share/holdfast).
It names an absolute interpreter (never a version manager's shim) and an absolute script, runs them if both are
there, and says 0 in any case. It does not exec: python itself ends with 2 when its script has just gone, and in
Claude Code that would erase the user's prompt (docs/adr/0003).

The stable command, `holdfast` in the same folder, is what agents type where no `holdfast` of this installation is
on their PATH. Both are renewed after an upgrade by the same rule.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import holdfast
from holdfast.capture import home, platform
from holdfast.errors import HoldfastError
from holdfast.hosts.registration import NUDGED, command_path, launcher_path, nudged
from holdfast.install import settings_files

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
    """The launcher and the command where missing or not this installation's, with the text they should have."""
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


HOST = "command"  # in records: the link, with the folders that were made for it


@dataclass(frozen=True)
class Named:
    """The command in the words that nudges use, and the link that is to be made for it; "" where none is."""

    words: str
    link: str = ""

    @property
    def is_plain(self) -> bool:
        return self.words == "holdfast"

    @property
    def nudged(self) -> str:
        """As the launcher has it."""
        return "" if self.is_plain else self.words


def decide(env: Mapping[str, str]) -> Named:
    """The words that resolve in an agent's shell, as far as ours and a login shell tell."""
    link = link_path(env)
    answers = {_in(folders, link, env) for folders in (_folders(env, env.get("PATH", "")), _folders(env, login(env)))}
    if answers == {"there"}:
        return Named("holdfast")
    if answers <= {"there", "linked"}:
        return Named("holdfast", link)
    return Named(by_path(env))


def by_path(env: Mapping[str, str]) -> str:
    """The stable command in words that resolve anywhere."""
    return shlex.quote(str(command_path(env)))


def _in(folders: list[str], link: str, env: Mapping[str, str]) -> str:
    """Whether these folders have our command, would have it with the link, or do not."""
    found = shutil.which("holdfast", path=os.pathsep.join(folders)) if folders else None
    if found:
        return "there" if is_ours(found, env) else "foreign"
    return "linked" if os.path.dirname(link) in folders and _can_link(link) else "missing"


def _can_link(link: str) -> bool:
    """Whether its place is free, in a folder that is there or can be made."""
    folder = os.path.realpath(os.path.dirname(link))
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK) and not os.path.lexists(link)


def in_login_shell(word: str, env: Mapping[str, str]) -> str:
    """The program that a login shell finds for a word; "" where it finds none."""
    return shutil.which(word, path=os.pathsep.join(_folders(env, login(env))) or os.devnull) or ""


def login(env: Mapping[str, str]) -> str:
    """PATH of a login shell; ours where there is no telling."""
    try:
        own = pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:  # as in containers that run under any number
        own = ""
    return _login(env.get("SHELL") or own or "/bin/sh", home.user_home(env), env.get("PATH", ""))


@lru_cache(maxsize=8)
def _login(shell: str, user_home: str, path: str) -> str:
    mark = "holdfast-path="
    try:
        done = subprocess.run(
            [shell, "-lc", f'printf "\\n{mark}%s\\n" "$PATH"'],
            env={"HOME": user_home, "PATH": path, "SHELL": shell},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return path
    lines = [line.removeprefix(mark) for line in done.stdout.splitlines() if line.startswith(mark)]
    return lines[-1] if lines else path


def link_path(env: Mapping[str, str]) -> str:
    return f"{home.user_home(env)}/.local/bin/holdfast"


def is_ours(path: str, env: Mapping[str, str]) -> bool:
    """Whether a program is this installation's, or the stable command. The link may be there before what it names."""
    own = installed_command()
    named = {os.path.realpath(command_path(env)), os.path.realpath(own) if own else ""}
    return os.path.realpath(path) in named


def make_link(link: str, env: Mapping[str, str]) -> bool:
    """Whether it is there now, or none was wanted. A folder that is made for it is on record before."""
    if not link or os.path.lexists(link):
        return True
    try:
        folders = settings_files.missing_folders(link)
        if folders:
            settings_files.keep_record(env, settings_files.Record(HOST, link, "", None, "", tuple(folders)))
            settings_files.make_folders(folders)
        os.symlink(command_path(env), link)
    except (OSError, HoldfastError):
        return False
    return True


def remove_folders(env: Mapping[str, str]) -> None:
    """Remove the folders that were made for the link and that nobody uses by now."""
    record = settings_files.record_of(env, link_path(env))
    if record:
        settings_files.remove_folders(set(record.folders))
        settings_files.drop_record(env, record.path)


def made_link(env: Mapping[str, str]) -> str:
    """The link that we made, by what it names; "" where there is none."""
    link = link_path(env)
    is_one = os.path.islink(link) and os.readlink(link) == str(command_path(env))
    return link if is_one else ""


def _folders(env: Mapping[str, str], path: str) -> list[str]:
    """Of a PATH, without those of an active virtual environment and those that depend on where one stands."""
    active = env.get("VIRTUAL_ENV", "")
    named = [folder.rstrip("/") or "/" for folder in path.split(os.pathsep)]
    return [one for one in named if one.startswith("/") and not (active and one == f"{active.rstrip('/')}/bin")]

"""Which words an agent's shell finds our command by.

A nudge that names a command which does not resolve teaches the agent that memory is broken. So it is decided at init:
plain `holdfast` where the one on PATH is this installation's, or where a link in ~/.local/bin can make it so; else the
absolute path of the stable command. A virtual environment that happens to be active does not count: the agent will be
started without it. Nor does a PATH that a login shell does not have: Codex runs each command in one.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.errors import HoldfastError
from holdfast.install import launcher, records, writing

if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "command"  # in records: the link, with the folders that were made for it


@dataclass(frozen=True)
class Named:
    """What nudges name, and the link that is to be made for it; "" where none is."""

    words: str
    link: str = ""

    @property
    def is_plain(self) -> bool:
        return self.words == "holdfast"


def decide(env: Mapping[str, str]) -> Named:
    """What resolves in an agent's shell, as far as ours and a login shell tell."""
    link = link_path(env)
    answers = {_in(folders, link, env) for folders in (_folders(env, env.get("PATH", "")), _folders(env, login(env)))}
    if answers == {"there"}:
        return Named("holdfast")
    if answers <= {"there", "linked"}:
        return Named("holdfast", link)
    return Named(by_path(env))


def by_path(env: Mapping[str, str]) -> str:
    """The stable command in words that resolve anywhere."""
    return shlex.quote(str(launcher.command_path(env)))


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


def named(env: Mapping[str, str]) -> str:
    """What nudges name now, by the launcher."""
    return launcher.nudged(env) or "holdfast"


def in_login_shell(word: str, env: Mapping[str, str]) -> str:
    """The program that a login shell finds for a word; "" where it finds none."""
    return shutil.which(word, path=os.pathsep.join(_folders(env, login(env))) or os.devnull) or ""


def login(env: Mapping[str, str]) -> str:
    """PATH of a login shell; ours where there is no telling."""
    return _login(env.get("SHELL") or _own_shell(), home.user_home(env), env.get("PATH", ""))


def _own_shell() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_shell or "/bin/sh"
    except KeyError:  # as in containers that run under any number
        return "/bin/sh"


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
    own = launcher.installed_command()
    named = {os.path.realpath(launcher.command_path(env)), os.path.realpath(own) if own else ""}
    return os.path.realpath(path) in named


def make_link(link: str, env: Mapping[str, str]) -> bool:
    """Whether it is there now, or none was wanted. A folder that is made for it is on record before."""
    if not link or os.path.lexists(link):
        return True
    try:
        folders = writing.missing_folders(link)
        if folders:
            records.write(env, records.Record(HOST, link, "", None, "", tuple(folders)))
            writing.make_folders(folders)
        os.symlink(launcher.command_path(env), link)
    except (OSError, HoldfastError):
        return False
    return True


def remove_folders(env: Mapping[str, str]) -> None:
    """Those that were made for the link and that nobody uses by now."""
    record = records.of(env, link_path(env))
    if record:
        writing.remove_folders(set(record.folders))
        records.drop(env, record.path)


def made_link(env: Mapping[str, str]) -> str:
    """The link that we made, by what it names; "" where there is none."""
    link = link_path(env)
    is_one = os.path.islink(link) and os.readlink(link) == str(launcher.command_path(env))
    return link if is_one else ""


def _folders(env: Mapping[str, str], path: str) -> list[str]:
    """Of a PATH, without those of an active virtual environment and those that depend on where one stands."""
    active = env.get("VIRTUAL_ENV", "")
    named = [folder.rstrip("/") or "/" for folder in path.split(os.pathsep)]
    return [one for one in named if one.startswith("/") and not (active and one == f"{active.rstrip('/')}/bin")]

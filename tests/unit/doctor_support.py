"""What the tests of the doctor share: a healthy home to break, agents that only tell their version, and a look at
everything that a read-only doctor must leave alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from hook_support import Home

from holdfast.capture import home as vaults
from holdfast.health.doctor import CHECKS, Examination, examine, examine_and_mend
from holdfast.health.finding import Finding, Place
from holdfast.install import launcher

if TYPE_CHECKING:
    from collections.abc import Iterable

DAY = 86400.0
BESIDE = {
    "dead-letters": "queue-age",
    "queue-damage": "queue-age",
    "errors": "sessions",
    "last-hook": "sessions",
    "notes": "derived",
    "vectors": "field",
    "thoughts-damage": "field",
}


def installed(where: Home) -> Home:
    """The vault, the launcher and the command, as `init` leaves them; closes run by themselves."""
    vaults.make_vault(str(where.vault))
    launcher.write_launcher(where.env)
    command = launcher.write_command(where.env)
    path = f"{where.folder / 'bin'}:{command.parent}:/usr/bin:/bin"
    where.more.update(PATH=path, SHELL="/bin/sh", HOLDFAST_CLOSE="")
    (where.folder / ".profile").write_text(f'PATH="{path}"\n', encoding="utf-8")
    (where.folder / "bin").mkdir(exist_ok=True)
    return where


def program(where: Home, name: str, says: str, status: int = 0) -> Path:
    """A program on PATH that prints one line and ends."""
    path = where.folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {status}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def place(where: Home, *agents: str, now: float = 0.0) -> Place:
    at = Place(str(where.vault), str(where.project), where.env, tuple(agents))
    return Place(at.vault, at.cwd, at.env, at.agents, lambda: now) if now else at


def look(where: Home, *agents: str, now: float = 0.0) -> Examination:
    return examine(place(where, *agents, now=now))


def fix(where: Home, *agents: str, now: float = 0.0) -> Examination:
    return examine_and_mend(place(where, *agents, now=now))


def one(report: Examination, name: str, agent: str = "") -> Finding:
    """The check of that name; there must be exactly one."""
    found = [check for check in report.checks if check.name == name and check.about == agent]
    assert len(found) == 1, f"{len(found)} checks are called {name} ({agent}): {report.checks}"
    return found[0]


def ask(where: Home, name: str, agent: str = "", now: float = 0.0) -> Finding:
    """One check alone, which takes a part of the time of all."""
    run = dict(CHECKS)[BESIDE.get(name, name)]
    return one(Examination(tuple(run(place(where, now=now)))), name, agent)


def failing(report: Examination) -> list[str]:
    return [check.name for check in report.checks if not check.ok]


def everything(*folders: Path) -> dict[str, tuple[object, ...]]:
    """Every file and folder with its mode, its times, and its bytes."""
    return {str(path): _seen(path) for folder in folders for path in _below(folder)}


def _below(folder: Path) -> Iterable[Path]:
    return (folder, *sorted(folder.rglob("*"))) if folder.exists() else ()


def _seen(path: Path) -> tuple[object, ...]:
    stat = path.lstat()
    what: object = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"
    return stat.st_mode, stat.st_mtime_ns, stat.st_ctime_ns, what

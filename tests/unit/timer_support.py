"""Timers for the tests: the real crontab command with a spool of its own, and the real systemctl that edits links, with
a manager that only says whether it is there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hook_support import BARE, Home

SPOOL = "/var/spool/cron/crontabs"
OWN_SPOOL = """#!/bin/sh
exec unshare -m sh -c 'mount --bind {spool} {place} && exec {program} "$@"' crontab "$@"
"""
# What a running manager answers; links are made by systemctl itself, which can do that without one.
MANAGER = """#!/bin/sh
echo "$@" >> {log}
[ -e {down} ] && {{ echo "Failed to connect to bus: No medium found" >&2; exit 1; }}
shift 2
case "$1" in
show-environment | daemon-reload) exit 0 ;;
is-active) [ -L {link} ] ;;
enable | disable) SYSTEMD_OFFLINE=1 exec {program} --user "$1" "$3" ;;
*) exit 9 ;;
esac
"""


def without_timers(fresh: Home) -> dict[str, str]:
    """An environment in which neither of them is to be found."""
    folder = fresh.folder / "few"
    folder.mkdir(exist_ok=True)
    for name in ("sh", "git", "env"):
        found = shutil.which(name)
        if found and not (folder / name).exists():
            (folder / name).symlink_to(found)
    return {**BARE, "PATH": str(folder)}


def program(fresh: Home, name: str, text: str) -> None:
    path = fresh.folder / "timers" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def with_programs(fresh: Home) -> dict[str, str]:
    """An environment with the programs that a test has put there, before none."""
    few = without_timers(fresh)
    return {**few, "PATH": f"{fresh.folder / 'timers'}:{few['PATH']}"}


def cron(fresh: Home) -> dict[str, str]:
    """An environment with the real crontab command, whose spool is a folder of the test's own; skips without one."""
    real = shutil.which("crontab")
    if not real or os.getuid() or not os.path.isdir(SPOOL):
        pytest.skip("there is no cron here, or only root can give it a spool of its own")
    spool = fresh.folder / "spool"
    spool.mkdir(exist_ok=True)
    seen = os.stat(SPOOL)
    os.chown(spool, seen.st_uid, seen.st_gid)
    spool.chmod(seen.st_mode & 0o7777)
    program(fresh, "crontab", OWN_SPOOL.format(spool=spool, place=SPOOL, program=real))
    env = with_programs(fresh)
    for name in ("unshare", "mount"):
        found = shutil.which(name)
        if not found:
            pytest.skip(f"there is no {name}")
        link = fresh.folder / "few" / name
        if not link.exists():
            link.symlink_to(found)
    if "no crontab" not in ask(fresh, env, "-l").stderr:
        pytest.skip("a spool of its own cannot be mounted here")
    return env


def ask(fresh: Home, env: dict[str, str], *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [str(fresh.folder / "timers" / "crontab"), *words]
    return subprocess.run(command, env={**fresh.env, **env}, input=given, capture_output=True, text=True, check=False)


def systemd(fresh: Home) -> dict[str, str]:
    """An environment with a manager that answers."""
    real = shutil.which("systemctl")
    if not real:
        pytest.skip("there is no systemctl here")
    link = unit(fresh, "timers.target.wants/holdfast-sleep.timer")
    made = MANAGER.format(log=fresh.folder / "asked", down=down(fresh), link=link, program=real)
    program(fresh, "systemctl", made)
    return with_programs(fresh)


def down(fresh: Home) -> Path:
    """While this file is there, no manager answers."""
    return fresh.folder / "down"


def unit(fresh: Home, name: str) -> Path:
    return fresh.folder / ".config" / "systemd" / "user" / name

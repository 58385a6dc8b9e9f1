"""A systemd user timer that asks each hour whether sleep is due: its two unit files, and the manager that runs them.

    ~/.config/systemd/user/holdfast-sleep.service    or below $XDG_CONFIG_HOME
    ~/.config/systemd/user/holdfast-sleep.timer

The units name the stable command, which outlives an upgrade, and do nothing where it is gone. They carry no secret: a
judge that needs a key finds it in the environment of the user's manager, or is not asked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from holdfast.capture import home

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "holdfast-sleep"
TIMER = f"{NAME}.timer"
MARK = "# Written by `holdfast init --timer`; `holdfast uninstall` removes it."
PATIENCE = 20.0  # seconds for the manager
SERVICE_TEXT = """{mark}
[Unit]
Description=Holdfast: sleep, if it is due
ConditionFileIsExecutable={condition}

[Service]
Type=oneshot
Nice=10
{environment}ExecStart={command} sleep --if-due
"""
TIMER_TEXT = """{mark}
[Unit]
Description=Holdfast: look each hour whether sleep is due

[Timer]
OnCalendar=hourly
RandomizedDelaySec=600
Persistent=true

[Install]
WantedBy=timers.target
"""


def folder(env: Mapping[str, str]) -> str:
    given = env.get("XDG_CONFIG_HOME", "")
    return f"{given if given.startswith('/') else f'{home.user_home(env)}/.config'}/systemd/user"


def link_path(env: Mapping[str, str]) -> str:
    """The link that enabling makes."""
    return f"{folder(env)}/timers.target.wants/{TIMER}"


def is_nameable(command: str) -> bool:
    """Whether systemd takes a path for the name of a program."""
    return command.isprintable() and not set("\"'\\").intersection(command)


def texts(env: Mapping[str, str], command: str, carried: Mapping[str, str]) -> dict[str, bytes]:
    """The unit files by their paths; `carried` are the variables that the command is to find."""
    pairs = (f"{name}={text}".replace("%", "%%") for name, text in carried.items())
    environment = "".join(f"Environment={_quoted(pair)}\n" for pair in pairs)
    service = SERVICE_TEXT.format(
        mark=MARK,
        condition=command.replace("%", "%%"),
        environment=environment,
        command=_quoted(command.replace("%", "%%")),
    )
    place = folder(env)
    return {
        f"{place}/{NAME}.service": service.encode("utf-8", "surrogateescape"),
        f"{place}/{TIMER}": TIMER_TEXT.format(mark=MARK).encode(),
    }


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def answers(env: Mapping[str, str]) -> bool:
    """Whether a manager of this user runs that can be asked."""
    return _run(env, "show-environment") == ""


def enable(env: Mapping[str, str]) -> str:
    """Have it run from now on; why not, in the manager's own words, "" where it does."""
    return _run(env, "daemon-reload") or _run(env, "enable", "--now", TIMER)


def disable(env: Mapping[str, str]) -> str:
    """End it, before its files go; why not, "" where it ended."""
    return _run(env, "disable", "--now", TIMER)


def reload(env: Mapping[str, str]) -> None:
    """Have the manager forget files that are gone. One that does not answer reads them anew when it starts."""
    _run(env, "daemon-reload")


def why_idle(env: Mapping[str, str]) -> str:
    """Why the timer does not run now, by its manager; "" where it does."""
    return _run(env, "is-active", "--quiet", TIMER)


def _run(env: Mapping[str, str], *words: str) -> str:
    program = shutil.which("systemctl", path=env.get("PATH", os.defpath))
    if not program:
        return "there is no systemctl"
    try:
        done = subprocess.run(
            [program, "--user", "--no-ask-password", *words],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"systemctl could not be run ({error})"
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return "" if not done.returncode else said[-1] if said else f"systemctl ended with {done.returncode}"

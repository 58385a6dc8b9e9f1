"""The one place that starts git; a test looks for any other.

Promise: a git that we start takes nothing from the environment that it was started in: every GIT_* variable is dropped,
editors, pagers and question windows have no name, and the program is looked for in absolute folders only, never in the
folder that it works in. Without `users` the settings of the user and of the machine do not count either, and no other
repository is reached, by whatever transport a setting or a missing object asks for.

A repository's own settings are the caller's to keep out: capture/other_repository for those that are not ours,
vault/git for the vault.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import IO, TYPE_CHECKING

from holdfast.capture import home

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TRANSPORTS = "file:git:http:https:ssh"  # none that is a command, as ext:: is
USERS = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL", "GIT_SSL_CAINFO", "GIT_PROXY_COMMAND")
PROGRAMS = ("PAGER", "EDITOR", "VISUAL", "SSH_ASKPASS", "BROWSER")
# Whatever starts a program by a name of its own, and is not part of what a caller asked for.
SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.alternateRefsCommand=:",
    "core.editor=:",
    "core.pager=cat",
    "core.untrackedCache=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    "log.showSignature=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
)


def environment(users: bool = False) -> dict[str, str]:
    """The surroundings of a git process. `users`: with the user's own settings and credentials, and a network."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    if users:
        kept |= {name: text for name, text in os.environ.items() if name in USERS}
    else:
        kept = {name: text for name, text in kept.items() if name not in PROGRAMS}
        kept |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        kept |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ASKPASS": "false"}
    return {
        **kept,
        "PATH": _absolute(kept.get("PATH", os.defpath)),
        "GIT_ALLOW_PROTOCOL": TRANSPORTS if users else "",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_EDITOR": ":",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
        home.CHILD: "1",
    }


def run(
    words: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    settings: Iterable[str] = (),
    given: bytes | None = None,
    timeout: float | None = None,
    held: int = -1,
) -> subprocess.CompletedProcess[bytes]:
    """One git process from start to end. `held` is a descriptor that it inherits. Raises OSError, TimeoutExpired."""
    return subprocess.run(
        _command(words, env, settings),
        cwd=cwd,
        env=dict(env),
        input=given or b"",
        capture_output=True,
        check=False,
        timeout=timeout,
        pass_fds=(held,) if held >= 0 else (),
        umask=0o077,
    )


def start(
    words: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    settings: Iterable[str] = (),
    given: IO[bytes] | int = subprocess.DEVNULL,
    said: IO[bytes] | int = subprocess.DEVNULL,
    held: int = -1,
) -> subprocess.Popen[bytes]:
    """A git process that is talked with while it runs; with `given` it is told something, else it is listened to."""
    return subprocess.Popen(
        _command(words, env, settings),
        cwd=cwd,
        env=dict(env),
        stdin=given,
        stdout=subprocess.PIPE if given == subprocess.DEVNULL else subprocess.DEVNULL,
        stderr=said,
        pass_fds=(held,) if held >= 0 else (),
        umask=0o077,
    )


def setting_names(raw: bytes) -> list[str] | None:
    """The names of all settings in a file of git's settings, by git's own reader, without the files that it includes;
    None where it is none. Nothing that stands in it is carried out."""
    words = ("config", "--file", "-", "--no-includes", "--list", "--name-only", "-z")
    try:
        done = run(words, "/", environment(), given=raw, timeout=20.0)
    except (OSError, subprocess.TimeoutExpired):
        return None
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return [name for name in names if name] if done.returncode == 0 else None


def _command(words: Sequence[str], env: Mapping[str, str], settings: Iterable[str]) -> list[str]:
    program = shutil.which("git", path=env["PATH"]) or "git"
    return [program, "--no-pager", *(part for one in (*SETTINGS, *settings) for part in ("-c", one)), *words]


def _absolute(path: str) -> str:
    return os.pathsep.join(one for one in path.split(os.pathsep) if one.startswith("/")) or os.defpath

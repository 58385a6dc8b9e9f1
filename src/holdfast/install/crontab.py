"""A line in the user's crontab that asks each hour whether sleep is due, below a comment by which it is found again.

The crontab is the user's: everything else in it stays byte for byte. It is read and replaced by the `crontab` command
alone, which checks it; a crontab that we made goes whole.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACE = "your crontab"  # in records and messages, in place of a path
MARK = "# holdfast-sleep: written by `holdfast init --timer`; `holdfast uninstall` removes it with the line below."
WHEN = "17 * * * *"
QUIET = ">/dev/null 2>&1"  # cron would mail what it prints
LONGEST = 900  # characters; crons refuse lines somewhat above
PATIENCE = 20.0  # seconds
NONE = "no crontab for"


def lines(command: str, carried: Mapping[str, str]) -> tuple[str, str]:
    """The comment and the line; `carried` are the variables that the command is to find. PATH is left out where the
    line would be too long: then programs are looked for in the folders of cron."""
    line = _line(command, carried)
    if len(line) > LONGEST:
        line = _line(command, {name: text for name, text in carried.items() if name != "PATH"})
    return MARK, line


def _line(command: str, carried: Mapping[str, str]) -> str:
    given = [f"{name}={text}" for name, text in carried.items()]
    words = shlex.join([*(("/usr/bin/env", *given) if given else ()), command, "sleep", "--if-due"])
    return f"{WHEN} {words} {QUIET}".replace("%", "\\%")  # to cron a bare one is a line break


def read(env: Mapping[str, str]) -> bytes | None:
    """The crontab; None where the user has none. Raises HoldfastError."""
    done = _run(env, "-l")
    if not done.returncode:
        return done.stdout
    if NONE in done.stderr.decode("utf-8", "replace"):
        return None
    raise _refused(done)


def write(env: Mapping[str, str], before: bytes | None, after: bytes | None) -> None:
    """One step from the old crontab to the new; None is none. Raises HoldfastError, also where somebody changed it
    since: theirs counts."""
    if before == after:
        return
    if read(env) != before:
        raise HoldfastError(
            "The crontab was changed by another program at this moment; its change was kept. Try again."
        )
    done = _run(env, "-r") if after is None else _run(env, "-", given=after)
    if done.returncode:
        raise _refused(done)


def with_lines(data: bytes | None, added: tuple[str, ...]) -> bytes:
    text = data or b""
    start = text if text.endswith(b"\n") or not text else text + b"\n"
    return start + "".join(f"{line}\n" for line in added).encode("utf-8", "surrogateescape")


def ours(data: bytes | None, command: str) -> tuple[str, ...]:
    """The comment and the line of ours that a crontab has now; () where it has none, or one of another home's."""
    found = (data or b"").decode("utf-8", "surrogateescape").splitlines()
    name = shlex.quote(command).replace("%", "\\%")
    for comment, line in pairwise(found):
        if comment.startswith(MARK.partition(":")[0]) and f" {name} " in line:
            return comment, line
    return ()


def _run(env: Mapping[str, str], *words: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("crontab", path=env.get("PATH", os.defpath))
    if not program:
        raise HoldfastError("There is no crontab command in PATH; nothing was changed.")
    try:
        return subprocess.run(
            [program, *words],
            env={**env, "LC_ALL": "C"},
            input=given or b"",
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise HoldfastError(f"The crontab command could not be run ({error}); nothing was changed.") from error


def _refused(done: subprocess.CompletedProcess[bytes]) -> HoldfastError:
    said = " ".join(done.stderr.decode("utf-8", "replace").split())[:200]
    return HoldfastError(f"The crontab command refused ({said or f'status {done.returncode}'}); it is as it was.")

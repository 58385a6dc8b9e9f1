"""The launcher that every registered line names, and the command that a nudge names."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import holdfast
from holdfast.capture import platform
from holdfast.doctor import probe
from holdfast.doctor.checks import CAN_MEND, KNOW, LOST, MEND, NEEDS_YOU, OK, bad, good, note, reason
from holdfast.install import command, launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

SLOW = 1.0  # seconds; a hook takes a few hundredths


def check_launcher(place: Place) -> Iterator[Check]:
    """It is there, may be run, names what exists, is of this installation, and a line that names it works."""
    path = launcher.launcher_path(place.env)
    try:
        text = platform.read_file(str(path)).decode("utf-8", "replace")
    except FileNotFoundError:
        yield bad("launcher", f"there is none at {path}, so no hook runs", "`holdfast init` writes it", can_fix=True)
        return
    except OSError as error:
        yield bad("launcher", f"it cannot be read ({reason(error)})", f"make {path} readable for you")
        return
    trouble = _trouble(str(path), text)
    if trouble:
        yield bad("launcher", f"{path} {trouble}", f"{MEND} or `holdfast init` writes it again", can_fix=True)
        return
    other = variables(text).get("script", "") != str(launcher.script_path())
    yield from _fires(place, str(path), is_other=other)


def variables(text: str) -> dict[str, str]:
    """What a launcher's own lines set, by name."""
    found = {}
    for line in text.splitlines():
        name, sign, value = line.strip().removeprefix("export ").partition("=")
        if sign and name.isidentifier():
            try:
                words = shlex.split(value)
            except ValueError:
                continue
            found[name] = words[0] if words else ""
    return found


def _trouble(path: str, text: str) -> str:
    if not os.access(path, os.X_OK):
        return "may not be run"
    named = variables(text)
    for what in ("python", "script"):
        target = named.get(what, "")
        if not target:
            return f"names no {what}: it is not what holdfast writes"
        if not os.access(target, os.X_OK if what == "python" else os.R_OK):
            return f"leads nowhere: {target} is gone"
    return ""


def _fires(place: Place, path: str, *, is_other: bool) -> Iterator[Check]:
    fired = probe.fire(launcher.registered_line("generic", place.env), place.env)
    took = f"{fired.ran.seconds * 1000:.0f} ms"
    if fired.ran.status:
        what = fired.ran.err or "it said nothing"
        yield bad(
            "launcher", f"a hook line ended with {fired.ran.status} ({what})", f"{MEND} writes it again", can_fix=True
        )
    elif not fired.is_recorded or fired.error:
        what = fired.error or fired.ran.err or "it said nothing"
        fix = f"run {path} by hand with {{}} on stdin: what it prints is the reason"
        yield bad("launcher", f"the hook ran and did not do its work: {what}", fix)
    elif is_other:
        fix = "`holdfast init` with this installation makes it the one, or use the other"
        yield note("launcher", f"{path} belongs to another installation of holdfast, which works ({took})", fix)
    elif fired.ran.seconds > SLOW:
        yield note("launcher", f"a hook took {took}, which the agent waits for at every event")
    else:
        yield good("launcher", f"{path} works: a hook line ran in {took}")


def check_command(place: Place) -> Iterator[Check]:
    """The command that a nudge tells the agent to run is found in PATH, also in a login shell's (in which agents run
    commands), answers, and is of this installation."""
    line = launcher.nudged(place.env) or "holdfast"
    words = shlex.split(line) or ["holdfast"]
    program = probe.on_path(words[0], place.env)
    if not program:
        where = "is not there" if "/" in words[0] else "is not found in PATH"
        can_fix = words[0] == str(launcher.command_path(place.env))
        fix = "`holdfast init` puts it right; an agent's flags are taken from its hook until then"
        yield bad("command", f"`{line}`, which agents are told to run, {where}", fix, can_fix=can_fix)
        return
    in_login = program if "/" in words[0] else command.in_login_shell(words[0], place.env)
    if not in_login:
        what = f"`{line}`, which agents are told to run, is not found in a login shell, though {program} is in PATH"
        fix = "`holdfast init` names it by its path, or put its folder into PATH in your shell's profile"
        yield bad("command", f"{what}; agents run commands in one", fix)
        return
    found = [_answers(place, one, words) for one in dict.fromkeys((program, in_login))]
    yield min(found, key=lambda check: (NEEDS_YOU, CAN_MEND, LOST, KNOW, OK).index(check.level))


def _answers(place: Place, program: str, words: list[str]) -> Check:
    # `hook` takes the path that `flag` takes, and the scratch vault shows that it can write.
    fired = probe.fire(shlex.join([program, *words[1:], "hook", "generic"]), place.env)
    if fired.ran.status or fired.error or not fired.is_recorded:
        why = fired.error or fired.ran.err or f"status {fired.ran.status}"
        return bad("command", f"{program} does not work: {why}", "install holdfast again, then `holdfast init`")
    if not _is_ours(program):
        said = probe.run([program, *words[1:], "--version"], place.env, "/").out
        fix = "put this installation first in PATH, or `holdfast init`"
        return note("command", f"{program} is another installation ({said}); this is {_home_of_ours()}", fix)
    return good("command", f"`{shlex.join(words)}` is {program}")


def _is_ours(program: str) -> bool:
    """The file that this installation put among its programs, or the stable command that leads there."""
    real = os.path.realpath(program)
    own = launcher.installed_command()
    if own and os.path.realpath(own) == real:
        return True
    try:
        return platform.read_file(real, 8192).decode("utf-8", "replace") == launcher.command_text()
    except OSError:
        return False


def _home_of_ours() -> str:
    return f"holdfast {holdfast.__version__} in {os.path.dirname(holdfast.__file__)}"

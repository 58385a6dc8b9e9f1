"""The launcher that hook lines name, and the command that agents are told to run: each is run as they would run it.

Both are files that `init` writes, so mending writes them again; whether they are this installation's is advice.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import holdfast
from holdfast.capture import platform
from holdfast.health import probe
from holdfast.health.finding import CAN_MEND, KNOW, LOST, MEND, NEEDS_YOU, OK, bad, good, note, reason
from holdfast.hosts import registration
from holdfast.install import launcher

if TYPE_CHECKING:
    from holdfast.health.finding import Finding, Place

SLOW = 1.0  # seconds; a hook takes a few hundredths


def check_launcher(place: Place) -> list[Finding]:
    """It is there, may be run, names what exists, is of this installation, and a line that names it works."""
    path = registration.launcher_path(place.env)
    try:
        text = platform.read_file(str(path)).decode("utf-8", "replace")
    except FileNotFoundError:
        return [bad("launcher", f"there is none at {path}, so no hook runs", "`holdfast init` writes it", can_fix=True)]
    except OSError as error:
        return [bad("launcher", f"it cannot be read ({reason(error)})", f"make {path} readable for you")]
    trouble = _trouble(str(path), text)
    if trouble:
        return [bad("launcher", f"{path} {trouble}", f"{MEND} or `holdfast init` writes it again", can_fix=True)]
    other = variables(text).get("script", "") != str(launcher.script_path())
    return [_fires(place, str(path), is_other=other)]


def mend_launcher(place: Place) -> str:
    """With the command that nudges name as it was; where that went with the launcher, as `init` would decide it."""
    said: str | None = None
    if not registration.launcher_path(place.env).exists():
        launcher.write_command(place.env)
        named = launcher.decide(place.env)
        # Where `init` would make a link first, the stable command works without one.
        said = "" if named.is_plain and not named.link else shlex.quote(str(registration.command_path(place.env)))
    return f"wrote the launcher {launcher.write_launcher(place.env, said)}"


def variables(text: str) -> dict[str, str]:
    """The variables that a launcher sets, by name."""
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


def _fires(place: Place, path: str, *, is_other: bool) -> Finding:
    fired = probe.fire(registration.registered_line("generic", place.env), place.env)
    took = f"{fired.ran.seconds * 1000:.0f} ms"
    if fired.ran.status:
        what = f"a hook line ended with {fired.ran.status} ({fired.ran.err or 'it said nothing'})"
        return bad("launcher", what, f"{MEND} writes it again", can_fix=True)
    if not fired.is_recorded or fired.error:
        what = fired.error or fired.ran.err or "it said nothing"
        fix = f"run {path} by hand with {{}} on stdin: what it prints is the reason"
        return bad("launcher", f"the hook ran and did not do its work: {what}", fix)
    if is_other:
        fix = "`holdfast init` with this installation makes it the one, or use the other"
        return note("launcher", f"{path} belongs to another installation of holdfast, which works ({took})", fix)
    if fired.ran.seconds > SLOW:
        return note("launcher", f"a hook took {took}, which the agent waits for at every event")
    return good("launcher", f"{path} works: a hook line ran in {took}")


def check_command(place: Place) -> list[Finding]:
    """The command that a nudge tells the agent to run is found in PATH, also in a login shell's (in which agents run
    commands), answers, and is of this installation."""
    line = registration.nudged(place.env) or "holdfast"
    words = shlex.split(line) or ["holdfast"]
    program = probe.on_path(words[0], place.env)
    if not program:
        where = "is not there" if "/" in words[0] else "is not found in PATH"
        can_fix = words[0] == str(registration.command_path(place.env))
        fix = "`holdfast init` puts it right; an agent's flags are taken from its hook until then"
        return [bad("command", f"`{line}`, which agents are told to run, {where}", fix, can_fix=can_fix)]
    in_login = program if "/" in words[0] else launcher.in_login_shell(words[0], place.env)
    if not in_login:
        what = f"`{line}`, which agents are told to run, is not found in a login shell, though {program} is in PATH"
        fix = "`holdfast init` names it by its path, or put its folder into PATH in your shell's profile"
        return [bad("command", f"{what}; agents run commands in one", fix)]
    found = [_answers(place, one, words) for one in dict.fromkeys((program, in_login))]
    return [min(found, key=lambda check: (NEEDS_YOU, CAN_MEND, LOST, KNOW, OK).index(check.level))]


def _answers(place: Place, program: str, words: list[str]) -> Finding:
    # `hook` takes the path that `flag` takes, and the scratch vault shows that it can write.
    fired = probe.fire(shlex.join([program, *words[1:], "hook", "generic"]), place.env)
    if fired.ran.status or fired.error or not fired.is_recorded:
        why = fired.error or fired.ran.err or f"status {fired.ran.status}"
        return bad("command", f"{program} does not work: {why}", "install holdfast again, then `holdfast init`")
    if not _is_ours(program):
        said = probe.run([program, *words[1:], "--version"], place.env, "/").out
        fix = "put this installation first in PATH, or `holdfast init`"
        ours = f"holdfast {holdfast.__version__} in {os.path.dirname(holdfast.__file__)}"
        return note("command", f"{program} is another installation ({said}); this is {ours}", fix)
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

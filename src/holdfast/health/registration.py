"""Hooks and servers as the hosts have registered them: the launcher, each line, the command and our MCP server, run.

Which settings carry our lines is asked of the same code that writes them (the host's `settings`).
"""

from __future__ import annotations

import functools
import os
import re
import shlex
from typing import TYPE_CHECKING

import holdfast
from holdfast.capture import platform
from holdfast.errors import HoldfastError
from holdfast.health import probe
from holdfast.health.finding import CAN_MEND, KNOW, LOST, MEND, NEEDS_YOU, OK, bad, good, note, reason
from holdfast.health.hosts import at_hand, commands, has_plugin, hooked, of_host, read_settings, seen
from holdfast.hosts import registration
from holdfast.hosts.host import host as host_of
from holdfast.install import launcher
from holdfast.text.layout import first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.finding import Finding, Place
    from holdfast.health.sessions import Told
    from holdfast.hosts.registration import Registered, Registrar, Server

SLOW = 1.0  # seconds; a hook takes a few hundredths
LINE = "hook-line"
LAUNCHER = re.compile(r"(/[^'\"|;]*?/holdfast-hook)(?![\w.-])")
MCP = "mcp"


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


def check_lines(place: Place) -> Iterator[Finding]:
    hosts = {name: host for name, (host, _) in at_hand(place).items()}
    lines = {name: host.registered(place.env, place.cwd) for name, host in hosts.items()}
    for name, host in hosts.items():
        init = f"`holdfast init --agent {name}` adds what is missing"
        known = of_host(name, place)
        broken = [one for one in known if one.broken]
        loose = [one.path for one in known if one.is_loose and one.path in {line.path for line in lines[name]}]
        if loose:
            what = f"{loose[0]} has comments or trailing commas, and {host.TITLE} passes over the whole of such a file"
            yield bad(LINE, what, "take them out; our hooks are in it and do not run", name)
        elif broken:
            fix = "mend the file; the agent may pass over all of it until then"
            yield bad(LINE, f"{broken[0].path} cannot be read: {broken[0].broken}", fix, name)
        elif has_plugin(place, name):
            yield _plugin(place, host, lines[name])
        elif lines[name]:
            yield _lines(place, host, lines[name]) or _run(place, host, lines[name])
        elif any(lines.values()) and not place.agents:
            yield note(LINE, f"{host.TITLE} is here and has no hooks of ours", init, name)
        else:
            yield bad(LINE, f"{host.TITLE} has no hooks of ours, so nothing is remembered", init, name)


def _lines(place: Place, host: Registrar, lines: list[Registered]) -> Finding | None:
    """The first fault in the lines by their looks."""
    init = f"`holdfast init --agent {host.NAME}` puts it right"
    ours = str(registration.launcher_path(place.env))
    for line in lines:
        path = named_launcher(line.command)
        if path and not os.access(path, os.X_OK):
            what = f"the {line.event} line in {line.path} names {path}, which is gone or may not be run"
            fix = f"{MEND} writes it again" if path == ours else init
            return bad(LINE, what, fix, host.NAME, can_fix=path == ours)
    missing = [event for event in host.EVENTS if event not in {line.event for line in lines}]
    if missing:
        return bad(LINE, f"{host.TITLE} has no line of ours at {first_of(missing, 12)}", init, host.NAME)
    for event in dict.fromkeys(line.event for line in lines):
        here = [line for line in lines if line.event == event]
        count = len({line.command for line in here}) if host_of(host.NAME).runs_once else len(here)
        if count > 1:
            places = " and in ".join(dict.fromkeys(line.path for line in here))
            what = f"{event} runs our hook {count} times: it is in {places}"
            return bad(LINE, what, "keep one of them; `holdfast uninstall --project` takes out a project's", host.NAME)
    return None


def named_launcher(command: str) -> str:
    """The launcher that a line names; "" where it names none by an absolute path."""
    found = LAUNCHER.search(command)
    return found.group(1) if found else ""


def _run(place: Place, host: Registrar, lines: list[Registered]) -> Finding:
    slowest = 0.0
    for command in dict.fromkeys(line.command for line in lines):
        seconds, why = _fired(command, place)
        slowest = max(slowest, seconds)
        if why:
            event = next(line.event for line in lines if line.command == command)
            fix = f"run `{command}` by hand with {{}} on stdin: what it prints is the reason"
            return bad(LINE, f"the line at {event} does not do its work: {why}", fix, host.NAME)
    odd = [line for line in lines if line.command != registration.registered_line(host.NAME, place.env)]
    if odd:
        what = f"{many(len(odd), 'line')} of an older form or another place, such as {odd[0].event} in {odd[0].path}"
        return note(LINE, what, f"`holdfast init --agent {host.NAME}` brings them up to date", host.NAME)
    return good(LINE, f"{many(len(host.EVENTS), 'event')} of {host.TITLE}, {slowest * 1000:.0f} ms a hook", host.NAME)


def _fired(command: str, place: Place, **more: str) -> tuple[float, str]:
    """How long a line took, and why it did not do its work; "" where it did."""
    fired = probe.fire(command, {**place.env, **more})
    if fired.ran.status or fired.error:
        return fired.ran.seconds, fired.error or fired.ran.err or f"it ended with {fired.ran.status}"
    if not fired.is_recorded:
        return fired.ran.seconds, fired.ran.err or "the hook was not reached, or wrote nothing down"
    return fired.ran.seconds, ""


def _plugin(place: Place, host: Registrar, lines: list[Registered]) -> Finding:
    """The plugin brings the hooks, and stands back where settings bring them too."""
    if lines:
        trouble = _lines(place, host, lines) or _run(place, host, lines)
        if not trouble.ok:
            return trouble
        if registration.registered_line(host.NAME, place.env) not in {line.command for line in lines}:
            what = f"both the plugin and {lines[0].path} bring our hooks, and each runs twice: the line is an older one"
            fix = f"`holdfast uninstall --agent {host.NAME}` takes it out, then `holdfast init`"
            return bad(LINE, what, fix, host.NAME)
        what = f"both the plugin and {lines[0].path} bring our hooks; the plugin stands back, so each runs once"
        return note(LINE, what, "one of the two is enough", host.NAME)
    own = seen(place, host.NAME)
    found = read_settings(f"{own.plugin}/hooks/hooks.json") if own.plugin else None
    run = list(dict.fromkeys(commands(found.known))) if found else []
    if not run:
        fix = f"install the plugin again in {host.TITLE}, or `holdfast init` without it"
        return bad(LINE, "the holdfast plugin is enabled and its hooks are not there", fix, host.NAME)
    hooks = found.part("hooks") if found else None
    missing = [event for event in host.EVENTS if not isinstance(hooks, dict) or event not in hooks]
    if missing:
        fix = f"update the plugin in {host.TITLE}"
        return bad(LINE, f"the plugin has no hook at {first_of(missing, 12)}", fix, host.NAME)
    for command in run:
        seconds, why = _fired(command, place, **own.plugin_env)
        if why:
            what = f"the plugin's hook does not do its work: {why}"
            return bad(LINE, what, "`holdfast init` writes what it runs", host.NAME)
    return good(LINE, f"the plugin's hooks, {seconds * 1000:.0f} ms a hook", host.NAME)


def check_server(place: Place) -> Iterator[Finding]:
    """Where hooks of ours are; memory is written without the server too, so that none is no failure."""
    for name, host in hooked(place).items():
        init = f"`holdfast init --agent {name}` adds it"
        try:
            found = host.server(place.env)
        except HoldfastError as error:
            what = f"{str(error).partition('; ')[0]}; whether it has our server cannot be told"
            yield note(MCP, what, "mend the file", name)
            continue
        if found is None and registration.can_serve():
            yield note(MCP, f"{host.TITLE} has no server of ours; memory works without it, by commands", init, name)
        elif found is None:
            what = f"{host.TITLE} has no server of ours, and what it needs is not installed; commands do the same"
            yield note(MCP, what, f"`{registration.ADDED_BY}`, then `holdfast init`, if you want it", name)
        elif not found.is_ours:
            what = f'{found.path} has a server "{registration.SERVER}" that init did not write as it stands'
            yield note(MCP, what, "if it is not meant: take it out, then `holdfast init`", name)
        else:
            yield _started(place, host, found)


def _started(place: Place, host: Registrar, found: Server) -> Finding:
    program, ours = found.words[0], str(registration.command_path(place.env))
    if not os.access(program, os.X_OK):
        what = f"the server in {found.path} starts {program}, which is gone or may not be run"
        is_here = program == ours
        fix = f"{MEND} writes it again" if is_here else f"`holdfast init --agent {host.NAME}` puts it right"
        return bad(MCP, what, fix, host.NAME, can_fix=is_here)
    handed = place.env if found.env is None else {key: place.env[key] for key in found.env if key in place.env}
    seconds, why = probe.answer(found.words, handed)
    if why:
        fix = f"run `{' '.join(found.words)}` by hand: what it prints is the reason"
        fix = fix if registration.can_serve() else f"`{registration.ADDED_BY}` brings what it needs"
        return bad(MCP, f"the server of {host.TITLE} does not answer: {why}", fix, host.NAME)
    if program != ours:
        what = f"the server in {found.path} starts {program}, of an older place; it answers"
        return note(MCP, what, f"`holdfast init --agent {host.NAME}` brings it up to date", host.NAME)
    return good(MCP, f"the server of {host.TITLE} answered in {seconds:.1f} s", host.NAME)


class Lines:
    """Our lines in one host's settings: where they are, and since when at the latest.

    Nobody wrote down when they were put there. It was before a hook first fired, and before the file that has them was
    last changed on this machine; so the earlier of the two is taken.
    """

    def __init__(self, place: Place, told: Told, registrar: Registrar) -> None:
        self.host = registrar.NAME
        self.title = registrar.TITLE
        self._place = place
        self._registrar = registrar
        self._there = functools.cache(self._look)
        self._heard = {project: times for (host, project), times in told.heard.items() if host == self.host}

    def last(self) -> float:
        """When a hook of this host last fired; 0 if none is known of."""
        return max((last for _, last in self._heard.values()), default=0.0)

    def since_any(self) -> float:
        """Before this no session can have been seen; 0 where there are no lines and no hook was ever heard of."""
        _, _, changed = self._there(self._place.cwd)
        return min([first for first, _ in self._heard.values()] + ([changed] if changed else []), default=0.0)

    def of(self, folder: str, project: str) -> tuple[bool, float]:
        """Whether our lines count in a folder, and since when a session there should have been seen."""
        is_there, is_everywhere, changed = self._there(folder)
        heard = [first for name, (first, _) in self._heard.items() if is_everywhere or name == project]
        return is_there, min([*heard, *([changed] if changed else [])], default=float("inf"))

    def _look(self, folder: str) -> tuple[bool, bool, float]:
        """Whether they are there, whether they count in every folder, and when their file was last changed."""
        env = self._place.env
        users = set(self._registrar.places(env, "user", folder))
        paths = {one.path for one in self._registrar.registered(env, folder)}
        if has_plugin(self._place, self.host):
            paths |= users
        changed = [os.stat(path).st_ctime for path in paths if os.path.exists(path)]
        return bool(paths), bool(paths & users), min(changed, default=0.0)

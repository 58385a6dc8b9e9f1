"""Hooks and servers as the hosts have registered them: each line and our MCP server, run.

Which settings carry our lines is asked of the same code that writes them (the host's `settings`).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError
from holdfast.health import probe
from holdfast.health.finding import MEND, bad, good, note
from holdfast.health.hosts import at_hand, commands, has_plugin, hooked, of_host, read_settings, seen
from holdfast.hosts import registration
from holdfast.hosts.host import host as host_of
from holdfast.text.layout import first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.finding import Finding, Place
    from holdfast.hosts.registration import Registered, Registrar, Server

LINE = "hook-line"
LAUNCHER = re.compile(r"(/[^'\"|;]*?/holdfast-hook)(?![\w.-])")
MCP = "mcp"


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

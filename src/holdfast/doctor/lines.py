"""The lines that each host has registered now, run as the host runs them.

Which settings carry our lines is asked of the same code that writes them (install/hosts). Claude Code runs the same
command at the same event once, wherever it stands; Codex runs each.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from holdfast.doctor import probe, settings
from holdfast.doctor.checks import MEND, bad, good, note
from holdfast.doctor.hosts import at_hand, has_plugin
from holdfast.install import launcher
from holdfast.install.hosts import RUN_ONCE
from holdfast.text.phrases import first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place
    from holdfast.install.hosts import Registered, Registrar

NAME = "hook-line"
LAUNCHER = re.compile(r"(/[^'\"|;]*?/holdfast-hook)(?![\w.-])")


def check_lines(place: Place) -> Iterator[Check]:
    hosts = {name: host for name, (host, _) in at_hand(place).items()}
    lines = {name: host.registered(place.env, place.cwd) for name, host in hosts.items()}
    for name, host in hosts.items():
        init = f"`holdfast init --agent {name}` adds what is missing"
        known = settings.of_host(name, place.env, place.cwd)
        broken = [one for one in known if one.broken]
        loose = [one.path for one in known if one.is_loose and one.path in {line.path for line in lines[name]}]
        if loose:
            what = f"{loose[0]} has comments or trailing commas, and {host.TITLE} passes over the whole of such a file"
            yield bad(NAME, what, "take them out; our hooks are in it and do not run", name)
        elif broken:
            fix = "mend the file; the agent may pass over all of it until then"
            yield bad(NAME, f"{broken[0].path} cannot be read: {broken[0].broken}", fix, name)
        elif has_plugin(place, name):
            yield _plugin(place, host, lines[name])
        elif lines[name]:
            yield _lines(place, host, lines[name]) or _run(place, host, lines[name])
        elif any(lines.values()) and not place.agents:
            yield note(NAME, f"{host.TITLE} is here and has no hooks of ours", init, name)
        else:
            yield bad(NAME, f"{host.TITLE} has no hooks of ours, so nothing is remembered", init, name)


def _lines(place: Place, host: Registrar, lines: list[Registered]) -> Check | None:
    """What is wrong with the lines by their looks."""
    init = f"`holdfast init --agent {host.NAME}` puts it right"
    ours = str(launcher.launcher_path(place.env))
    for line in lines:
        path = named_launcher(line.command)
        if path and not os.access(path, os.X_OK):
            what = f"the {line.event} line in {line.path} names {path}, which is gone or may not be run"
            fix = f"{MEND} writes it again" if path == ours else init
            return bad(NAME, what, fix, host.NAME, can_fix=path == ours)
    missing = [event for event in host.EVENTS if event not in {line.event for line in lines}]
    if missing:
        return bad(NAME, f"{host.TITLE} has no line of ours at {first_of(missing, 12)}", init, host.NAME)
    twice = _twice(host, lines)
    if twice:
        return bad(NAME, twice, "keep one of them; `holdfast uninstall --project` takes out a project's", host.NAME)
    return None


def named_launcher(command: str) -> str:
    """The launcher that a line names; "" where it names none by an absolute path."""
    found = LAUNCHER.search(command)
    return found.group(1) if found else ""


def _twice(host: Registrar, lines: list[Registered]) -> str:
    for event in dict.fromkeys(line.event for line in lines):
        here = [line for line in lines if line.event == event]
        count = len({line.command for line in here}) if host.NAME in RUN_ONCE else len(here)
        if count > 1:
            places = " and in ".join(dict.fromkeys(line.path for line in here))
            return f"{event} runs our hook {count} times: it is in {places}"
    return ""


def _run(place: Place, host: Registrar, lines: list[Registered]) -> Check:
    slowest = 0.0
    for command in dict.fromkeys(line.command for line in lines):
        seconds, why = _fired(command, place)
        slowest = max(slowest, seconds)
        if why:
            event = next(line.event for line in lines if line.command == command)
            fix = f"run `{command}` by hand with {{}} on stdin: what it prints is the reason"
            return bad(NAME, f"the line at {event} does not do its work: {why}", fix, host.NAME)
    odd = [line for line in lines if line.command != launcher.registered_line(host.NAME, place.env)]
    if odd:
        what = f"{many(len(odd), 'line')} of an older form or another place, such as {odd[0].event} in {odd[0].path}"
        return note(NAME, what, f"`holdfast init --agent {host.NAME}` brings them up to date", host.NAME)
    return good(NAME, f"{many(len(host.EVENTS), 'event')} of {host.TITLE}, {slowest * 1000:.0f} ms a hook", host.NAME)


def _fired(command: str, place: Place, **more: str) -> tuple[float, str]:
    """How long a line took, and why it did not do its work; "" where it did."""
    fired = probe.fire(command, {**place.env, **more})
    if fired.ran.status or fired.error:
        return fired.ran.seconds, fired.error or fired.ran.err or f"it ended with {fired.ran.status}"
    if not fired.is_recorded:
        return fired.ran.seconds, fired.ran.err or "the hook was not reached, or wrote nothing down"
    return fired.ran.seconds, ""


def _plugin(place: Place, host: Registrar, lines: list[Registered]) -> Check:
    """The plugin brings the hooks, and stands back where settings bring them too."""
    if lines:
        trouble = _lines(place, host, lines) or _run(place, host, lines)
        if not trouble.ok:
            return trouble
        if launcher.registered_line(host.NAME, place.env) not in {line.command for line in lines}:
            what = f"both the plugin and {lines[0].path} bring our hooks, and each runs twice: the line is an older one"
            fix = f"`holdfast uninstall --agent {host.NAME}` takes it out, then `holdfast init`"
            return bad(NAME, what, fix, host.NAME)
        what = f"both the plugin and {lines[0].path} bring our hooks; the plugin stands back, so each runs once"
        return note(NAME, what, "one of the two is enough", host.NAME)
    folder = settings.plugin_folder(place.env)
    found = settings.read(f"{folder}/hooks/hooks.json") if folder else None
    commands = list(dict.fromkeys(settings.commands(found.known))) if found else []
    if not commands:
        fix = "install the plugin again in Claude Code, or `holdfast init` without it"
        return bad(NAME, "the holdfast plugin is enabled and its hooks are not there", fix, host.NAME)
    hooks = found.part("hooks") if found else None
    missing = [event for event in host.EVENTS if not isinstance(hooks, dict) or event not in hooks]
    if missing:
        fix = "update the plugin in Claude Code"
        return bad(NAME, f"the plugin has no hook at {first_of(missing, 12)}", fix, host.NAME)
    for command in commands:
        seconds, why = _fired(command, place, CLAUDE_PLUGIN_ROOT=folder, CLAUDE_PROJECT_DIR=place.cwd)
        if why:
            return bad(
                NAME, f"the plugin's hook does not do its work: {why}", "`holdfast init` writes what it runs", host.NAME
            )
    return good(NAME, f"the plugin's hooks, {seconds * 1000:.0f} ms a hook", host.NAME)

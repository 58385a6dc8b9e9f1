"""The hosts on this machine: is each new enough, does it run hooks at all, may its agent flag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.doctor import probe, settings
from holdfast.doctor.capability import TABLE, parsed
from holdfast.doctor.checks import bad, good, note
from holdfast.errors import UsageError
from holdfast.install import exclude, launcher
from holdfast.install.hosts import REGISTRARS, claude_code, registrar
from holdfast.text.phrases import first_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place
    from holdfast.install.hosts import Found, Registrar

LEAST = ("flag", "remember")  # the commands without which an agent cannot save a thing by itself


def known(names: tuple[str, ...]) -> tuple[str, ...]:
    """The hosts that were named. Raises UsageError for one that we do not know."""
    for name in names:
        if name not in REGISTRARS:
            raise UsageError(f'"{name}" is no agent that holdfast knows; there are {", ".join(REGISTRARS)}.')
    return names


def at_hand(place: Place) -> dict[str, tuple[Registrar, Found]]:
    """The hosts that are on this machine, of those that are asked for."""
    found = {}
    for name in place.agents or REGISTRARS:
        host = registrar(name)
        seen = host.found(place.env)
        if seen:
            found[name] = (host, seen)
    return found


def has_plugin(place: Place, name: str) -> bool:
    return name == claude_code.NAME and claude_code.has_plugin(place.env, place.cwd)


def hooked(place: Place) -> dict[str, Registrar]:
    """The hosts that have hooks of ours, by settings or plugin."""
    return {
        name: host
        for name, (host, _) in at_hand(place).items()
        if host.registered(place.env, place.cwd) or has_plugin(place, name)
    }


def check_versions(place: Place) -> Iterator[Check]:
    hosts = at_hand(place)
    for name in place.agents:
        if name not in hosts:
            what = f"{registrar(name).TITLE} is not on this machine"
            yield bad("host-version", what, "install it, then `holdfast init`", name)
    if not hosts and not place.agents:
        yield note("host-version", "no agent that holdfast knows was found", "install one, then `holdfast init`")
    for name, (host, seen) in hosts.items():
        yield _version(place, name, host, seen)


def _version(place: Place, name: str, host: Registrar, seen: Found) -> Check:
    if not seen.program:
        return note("host-version", f"{seen.folder} is there, its program is not in PATH", agent=name)
    ran = probe.version_of(seen.program, place.env)
    version, able = parsed(ran.out), TABLE[name]
    if ran.status or not version:
        what = ran.err.splitlines()[-1] if ran.err else f"status {ran.status}"
        return note("host-version", f"{seen.program} does not tell its version ({what})", agent=name)
    said = f"{host.TITLE} {'.'.join(str(part) for part in version)}"
    if version < parsed(able.minimum):
        what = f"{said} lacks boundaries that memory needs; {able.minimum} is the first that has them"
        return bad("host-version", what, f"upgrade {host.TITLE}", name)
    if version > parsed(able.tested):
        return note("host-version", f"{said}; holdfast was tested with {able.tested}", agent=name)
    return good("host-version", said, name)


def check_trust(place: Place) -> Iterator[Check]:
    """Hosts that run no hook which the user has not trusted, or none at all."""
    for name, host in hooked(place).items():
        off = _switched_off(place, name)
        untrusted = host.untrusted(place.env, place.cwd)
        if off:
            yield bad("trust", off, "take that setting back: while it holds, nothing is captured", name)
        elif untrusted:
            which = (
                "any of our hooks" if len(untrusted) >= len(host.EVENTS) else f"our hook at {first_of(untrusted, 12)}"
            )
            what = f"{host.TITLE} does not run {which}: not trusted yet"
            fix = next(iter(host.after(place.env, place.cwd)), f"start {host.TITLE} once and trust the hooks it shows")
            yield bad("trust", what, fix, name)
        elif name == claude_code.NAME and not _is_trusted_folder(place):
            what = f"{exclude.root(place.cwd)} is not yet a trusted folder of {host.TITLE}"
            yield note("trust", what, "it asks at the first start there, and runs no hooks before the answer", name)
        else:
            yield good("trust", f"{host.TITLE} runs our hooks", name)


def _switched_off(place: Place, name: str) -> str:
    """A setting that stops all hooks."""
    for one in settings.of_host(name, place.env, place.cwd):
        if one.part("disableAllHooks") is True:
            return f'{one.path} has "disableAllHooks": true'
        if one.path.endswith(".toml") and False in [one.part("features", key) for key in ("hooks", "codex_hooks")]:
            return f"{one.path} switches the hooks feature off"
    return ""


def _is_trusted_folder(place: Place) -> bool:
    """A folder is trusted by itself or by one above it."""
    here = exclude.root(place.cwd)
    for one in settings.claude_state(place.env):
        projects = one.part("projects")
        for folder, about in projects.items() if isinstance(projects, dict) else ():
            accepted = isinstance(about, dict) and about.get("hasTrustDialogAccepted") is True
            if accepted and f"{here}/".startswith(f"{folder.rstrip('/')}/"):
                return True
    return False


def check_permission(place: Place) -> Iterator[Check]:
    """Whether the agent may run our commands without asking. Where it may not, the hook takes what it tried to say."""
    for name, host in hooked(place).items():
        denied = _denied(place, name)
        allowed = host.allowed(place.env, place.cwd)
        if denied:
            fix = "take that rule away, or the agent cannot save a thing by itself"
            yield bad("permission", f"{host.TITLE} denies our commands: {denied}", fix, name)
        elif has_plugin(place, name):
            yield good("permission", "the plugin's hook answers for our commands", name)
        elif not allowed or (name == claude_code.NAME and not _has_least(allowed)):
            what = f"{host.TITLE} has no permission of ours: it asks, or its sandbox refuses, at every flag"
            yield note("permission", what, f"`holdfast init --agent {name}` adds it", name)
        else:
            yield good("permission", first_of(list(allowed), 1), name)


def _has_least(allowed: tuple[str, ...]) -> bool:
    return all(any(f" {word}:" in rule for rule in allowed) for word in LEAST)


def _denied(place: Place, name: str) -> str:
    if name != claude_code.NAME:
        return ""
    words = launcher.nudged(place.env) or "holdfast"
    for one in settings.of_claude(place.env, place.cwd):
        rules = one.part("permissions", "deny")
        for rule in rules if isinstance(rules, list) else []:
            if isinstance(rule, str) and any(covers(rule, f"{words} {word}") for word in LEAST):
                return f"{rule} in {one.path}"
    return ""


def covers(rule: str, command: str) -> bool:
    """Whether a Bash rule of Claude Code covers a command with its text: by a prefix, or by `*` anywhere in it."""
    tool, _, inner = rule.partition("(")
    if tool.strip() != "Bash":
        return False
    pattern = inner.rstrip().removesuffix(")").strip()
    if pattern in ("", "*", ":*"):
        return True
    if pattern.endswith(":*"):
        prefix = pattern.removesuffix(":*")
        return command == prefix or command.startswith(f"{prefix} ")
    shape = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(shape, f"{command} some text") is not None

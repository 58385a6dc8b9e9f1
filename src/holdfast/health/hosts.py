"""The hosts on this machine: is each new enough, does it run hooks, may its agent flag; and their settings as data.

Settings are only read. A file that is missing has nothing to say; one that cannot be read says so in `broken`. Their
shapes are the hosts' own, so whatever has another one counts as empty.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import platform
from holdfast.errors import HoldfastError, UsageError
from holdfast.health import probe
from holdfast.health.finding import bad, good, note
from holdfast.hosts import KNOWN, jsonc, registration
from holdfast.hosts.host import host as host_of
from holdfast.hosts.host import registrar
from holdfast.hosts.json_hooks import text_of
from holdfast.text.layout import first_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.finding import Finding, Place
    from holdfast.hosts.registration import Found, Registrar, Seen

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
LARGEST = 32 << 20  # a host may keep its history of projects in one file


def parsed(text: str) -> tuple[int, ...]:
    """The first version in a text, to be compared; () where there is none."""
    found = VERSION.search(text)
    return tuple(int(part) for part in found.groups()) if found else ()


@dataclass(frozen=True)
class SettingsFile:
    """One file of a host's settings: `known` is its content, `broken` why it could not be read. `is_loose`: it has
    comments or the like in it, which we read and the hosts do not."""

    path: str
    known: dict[str, Any]
    broken: str = ""
    is_loose: bool = False

    def part(self, *keys: str) -> Any:
        """The value at some keys; None where there is none."""
        found: Any = self.known
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found


def of_host(name: str, place: Place) -> list[SettingsFile]:
    """The user's, the project's and the machine's settings, those that are there."""
    return there(registrar(name).files(place.env, place.cwd))


def there(paths: list[str]) -> list[SettingsFile]:
    return [found for path in dict.fromkeys(paths) if (found := read_settings(path)) is not None]


def seen(place: Place, name: str) -> Seen:
    """The facts in a host's settings beside our lines."""
    known = {one.path: one.known for one in of_host(name, place)}
    states = [one.known for one in there(registrar(name).state_files(place.env))]
    return registrar(name).seen(place.env, place.cwd, known, states)


def read_settings(path: str) -> SettingsFile | None:
    """A settings file; None where there is none."""
    try:
        data = platform.read_file(path, largest=LARGEST)
        if path.endswith(".toml"):
            return SettingsFile(path, tomllib.loads(data.decode("utf-8")))
        try:  # at the speed of C, which a file of many megabytes needs; comments and all only where it is no plain JSON
            found, is_loose = json.loads(data), False
        except ValueError:
            found, is_loose = jsonc.parse(text_of(data, path)).value, bool(data.strip())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, HoldfastError, RecursionError) as error:
        return SettingsFile(path, {}, str(error).partition(";")[0])
    return SettingsFile(path, found if isinstance(found, dict) else {}, is_loose=is_loose)


def commands(known: Any) -> list[str]:
    """Every command in the hooks of a settings file."""
    if isinstance(known, dict):
        own = known.get("command")
        inner = [found for value in known.values() for found in commands(value)]
        return [own, *inner] if isinstance(own, str) else inner
    return [found for value in known for found in commands(value)] if isinstance(known, list) else []


def known(names: tuple[str, ...]) -> tuple[str, ...]:
    """The hosts that were named. Raises UsageError for one that we do not know."""
    for name in names:
        if name not in KNOWN:
            raise UsageError(f'"{name}" is no agent that holdfast knows; there are {", ".join(KNOWN)}.')
    return names


def at_hand(place: Place) -> dict[str, tuple[Registrar, Found]]:
    """The hosts that are on this machine, of those that are asked for."""
    hosts = [registrar(name) for name in place.agents or KNOWN]
    return {host.NAME: (host, seen) for host in hosts if (seen := host.found(place.env))}


def has_plugin(place: Place, name: str) -> bool:
    return registrar(name).has_plugin(place.env, place.cwd)


def hooked(place: Place) -> dict[str, Registrar]:
    """The hosts that have hooks of ours, by settings or plugin."""
    return {
        name: host
        for name, (host, _) in at_hand(place).items()
        if host.registered(place.env, place.cwd) or has_plugin(place, name)
    }


def check_versions(place: Place) -> Iterator[Finding]:
    hosts = at_hand(place)
    for name in (one for one in place.agents if one not in hosts):
        yield bad(
            "host-version", f"{registrar(name).TITLE} is not on this machine", "install it, then `holdfast init`", name
        )
    if not hosts and not place.agents:
        yield note("host-version", "no agent that holdfast knows was found", "install one, then `holdfast init`")
    for name, (host, seen) in hosts.items():
        yield _version(place, name, host, seen)


def _version(place: Place, name: str, host: Registrar, seen: Found) -> Finding:
    if not seen.program:
        return note("host-version", f"{seen.folder} is there, its program is not in PATH", about=name)
    ran = probe.version_of(seen.program, place.env)
    version, able = parsed(ran.out), host_of(name)
    if ran.status or not version:
        what = ran.err.splitlines()[-1] if ran.err else f"status {ran.status}"
        return note("host-version", f"{seen.program} does not tell its version ({what})", about=name)
    said = f"{host.TITLE} {'.'.join(str(part) for part in version)}"
    if version < parsed(able.minimum):
        what = f"{said} lacks boundaries that memory needs; {able.minimum} is the first that has them"
        return bad("host-version", what, f"upgrade {host.TITLE}", name)
    if version > parsed(able.tested):
        return note("host-version", f"{said}; holdfast was tested with {able.tested}", about=name)
    return good("host-version", said, name)


def check_trust(place: Place) -> Iterator[Finding]:
    """Hosts that run no hook which the user has not trusted, or none at all."""
    for name, host in hooked(place).items():
        found = seen(place, name)
        untrusted = host.untrusted(place.env, place.cwd)
        if found.off:
            yield bad("trust", found.off, "take that setting back: while it holds, nothing is captured", name)
        elif untrusted:
            which = (
                "any of our hooks" if len(untrusted) >= len(host.EVENTS) else f"our hook at {first_of(untrusted, 12)}"
            )
            what = f"{host.TITLE} does not run {which}: not trusted yet"
            fix = next(iter(host.after(place.env, place.cwd)), f"start {host.TITLE} once and trust the hooks it shows")
            yield bad("trust", what, fix, name)
        elif not found.is_trusted:
            what = f"{registration.root(place.cwd)} is not yet a trusted folder of {host.TITLE}"
            yield note("trust", what, "it asks at the first start there, and runs no hooks before the answer", name)
        else:
            yield good("trust", f"{host.TITLE} runs our hooks", name)


def check_permission(place: Place) -> Iterator[Finding]:
    """Whether the agent may run our commands without asking. Where it may not, the hook takes what it tried to say."""
    for name, host in hooked(place).items():
        denied = seen(place, name).denied
        allowed = host.allowed(place.env, place.cwd)
        if denied:
            fix = "take that rule away, or the agent cannot save a thing by itself"
            yield bad("permission", f"{host.TITLE} denies our commands: {denied}", fix, name)
        elif has_plugin(place, name):
            yield good("permission", "the plugin's hook answers for our commands", name)
        elif not allowed or not all(any(f" {word}:" in rule for rule in allowed) for word in host.LEAST):
            what = f"{host.TITLE} has no permission of ours: it asks, or its sandbox refuses, at every flag"
            yield note("permission", what, f"`holdfast init --agent {name}` adds it", name)
        else:
            yield good("permission", first_of(list(allowed), 1), name)

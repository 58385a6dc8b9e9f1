"""The hosts' settings as data: what else is hooked, denied or switched off there. Only read.

A file that is missing has nothing to say; one that cannot be read says so in `broken`, so that a check need not guess.
The shapes are the hosts' own, so whatever has another one counts as empty.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import platform
from holdfast.errors import HoldfastError
from holdfast.install import exclude, jsonc
from holdfast.install.hosts import claude_code, codex
from holdfast.install.settings import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
)
LARGEST = 32 << 20  # Claude Code keeps its history of projects in one file


@dataclass(frozen=True)
class Settings:
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


def of_claude(env: Mapping[str, str], cwd: str) -> list[Settings]:
    """The user's, the project's and the machine's settings, those that are there."""
    project = [f"{exclude.root(cwd)}/.claude/{name}" for name in ("settings.json", "settings.local.json")]
    return _there([f"{claude_code.folder(env)}/settings.json", *project, *MANAGED])


def claude_state(env: Mapping[str, str]) -> list[Settings]:
    """What Claude Code keeps for itself: trusted folders and MCP servers, and the plugins that are installed."""
    return _there([claude_code.server_place(env), f"{claude_code.folder(env)}/plugins/installed_plugins.json"])


def of_codex(env: Mapping[str, str], cwd: str) -> list[Settings]:
    folders = (codex.folder(env), f"{exclude.root(cwd)}/.codex")
    return _there([f"{folder}/{name}" for folder in folders for name in ("config.toml", "hooks.json")])


def of_host(name: str, env: Mapping[str, str], cwd: str) -> list[Settings]:
    return of_claude(env, cwd) if name == "claude-code" else of_codex(env, cwd) if name == "codex" else []


def _there(paths: list[str]) -> list[Settings]:
    return [found for path in dict.fromkeys(paths) if (found := read(path)) is not None]


def read(path: str) -> Settings | None:
    """A settings file; None where there is none."""
    try:
        data = platform.read_small(path, LARGEST)
        if path.endswith(".toml"):
            return Settings(path, tomllib.loads(data.decode("utf-8")))
        found, is_loose = _parsed(data, path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, HoldfastError, RecursionError) as error:
        return Settings(path, {}, str(error).partition(";")[0])
    return Settings(path, found if isinstance(found, dict) else {}, is_loose=is_loose)


def _parsed(data: bytes, path: str) -> tuple[Any, bool]:
    """Plain JSON at the speed of C, which a file of many megabytes needs; comments and all only where it is none."""
    try:
        return json.loads(data), False
    except ValueError:
        return jsonc.parse(text_of(data, path)).value, bool(data.strip())


def plugin_folder(env: Mapping[str, str]) -> str:
    """Where Claude Code has our plugin; "" where it is not installed."""
    for one in claude_state(env):
        entries = one.part("plugins", claude_code.PLUGIN)
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, dict) and isinstance(entry.get("installPath"), str):
                return str(entry["installPath"])
    return ""


def commands(known: Any) -> list[str]:
    """Every command in the hooks of a settings file."""
    if isinstance(known, dict):
        own = known.get("command")
        inner = [found for value in known.values() for found in commands(value)]
        return [own, *inner] if isinstance(own, str) else inner
    return [found for value in known for found in commands(value)] if isinstance(known, list) else []


def texts(value: Any) -> Iterator[str]:
    """Every key and text below a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if inner is not False:  # a plugin that is listed and switched off
                yield str(key)
                yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)

"""The registration with a host: our lines in its settings, and the seam that each host's `settings` module fills.

A registrar plans and never writes: it reads the host's files and answers with edits, which holdfast.install.plan shows,
records and applies. So `--dry-run` cannot differ from the real thing, and files that are broken are noticed before any
is changed.

Our server's entry is ours only while it is, word for word, one that init writes, whichever folder the stable command
lies in. Whatever else has its name is the user's, is left as it is, and gets no permission from us. The command is the
stable one, because hosts start a server without a shell, and not always with the PATH of one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from holdfast.capture import gitfiles, home, platform
from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Known = Mapping[str, Any]  # a settings file, parsed
    Env = Mapping[str, str]

Scope = Literal["user", "project"]
NUDGED = "HOLDFAST_COMMAND"  # what a nudge tells the agent to type; plain `holdfast` where it is not set
SERVER = "holdfast"  # our server of the Model Context Protocol
ARGUMENTS = ["mcp"]
COMMAND = re.compile(r"/.*/holdfast/holdfast")  # the stable command, wherever the user's data lies
NEEDS = ("mcp", "mcp_types", "anyio")
ADDED_BY = 'pip install "holdfast[mcp]"'
WHAT = "The server of the Model Context Protocol"
VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")


@dataclass(frozen=True)
class Found:
    """A host on this machine. `program` is "" where only its folder is there, `version` where it cannot be read."""

    program: str
    version: str
    folder: str


@dataclass(frozen=True)
class Edit:
    """One file before and after; None is a file that is not there."""

    path: str
    before: bytes | None
    after: bytes | None
    anew: Callable[[bytes | None], bytes | None] | None = None  # the same on other bytes, of a file that a host keeps
    kept: Callable[[bytes | None], bytes | None] | None = None  # what may be remembered of such a file
    lines: tuple[str, ...] = ()  # those that are added, where they are known already

    @property
    def changes(self) -> bool:
        return self.before != self.after

    @property
    def added(self) -> tuple[str, ...]:
        """The lines that a person is shown: each that is new, as it will stand in the file."""
        return self.lines or added(self.before, self.after)


@dataclass(frozen=True)
class Registered:
    """A hook line of ours that the host has now."""

    path: str
    event: str
    command: str


@dataclass(frozen=True)
class Server:
    """The server of our name at a host: what it starts, and the variables that it hands on; None is all."""

    path: str
    words: tuple[str, ...]
    is_ours: bool
    env: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Seen:
    """What a host's own files say beside our lines; "" where nothing. `off` is the setting that stops all hooks,
    `denied` the rule against our commands, `memory` the folder of the host's own memory, `plugin` that of our plugin,
    whose hooks find `plugin_env`."""

    off: str = ""
    denied: str = ""
    is_trusted: bool = True
    memory: str = ""
    plugin: str = ""
    plugin_env: Mapping[str, str] = field(default_factory=dict)


class Registrar(Protocol):
    NAME: str
    TITLE: str
    EVENTS: Mapping[str, int]  # to register, each with its timeout in seconds; 0 is the host's own
    STATES: tuple[str, ...]  # how the files end that the host itself writes all the time
    LEAST: tuple[str, ...]  # the commands that `allowed` must name, if an agent is to save a thing by itself

    def found(self, env: Env) -> Found | None:
        """Whether the host is on this machine; its program is not started."""

    def edits(
        self, env: Env, scope: Scope, cwd: str, words: str = "", *, permissions: bool = True, server: bool = False
    ) -> list[Edit]:
        """What is to be written so that the host runs our hooks and lets its agent flag, and where it is wanted starts
        our server, which is the user's in any scope; unchanged files included. `words` are those that our command is to
        be called by; "" for the ones of now."""

    def without(self, path: str, data: bytes, before: bytes | None, env: Env) -> bytes:
        """A settings file without our lines. What is ours in `before`, the file as it was found, was the user's own."""

    def places(self, env: Env, scope: Scope, cwd: str) -> list[str]:
        """The files that may carry our lines, there or not."""

    def server_place(self, env: Env) -> str:
        """The file that may carry our server, there or not; the user's in any scope."""

    def carries(self, path: str, data: bytes) -> bool:
        """Whether one of them has something of ours in it."""

    def after(self, env: Env, cwd: str) -> tuple[str, ...]:
        """The steps that are left to the user, a sentence each."""

    def notes(self, env: Env, cwd: str, scope: Scope = "user") -> tuple[str, ...]:
        """Peculiarities of this machine that decide what is added, a sentence each."""

    def left(self, env: Env, cwd: str) -> tuple[str, ...]:
        """What uninstall does not take away because the host installed it or the user changed it, a sentence each."""

    def server(self, env: Env) -> Server | None:
        """The server of our name that the host has now. Raises Broken."""

    def server_notes(self, env: Env) -> tuple[str, ...]:
        """Why ours cannot be registered, a sentence each."""

    def registered(self, env: Env, cwd: str) -> list[Registered]:
        """Our hook lines that the host has now, user's and project's; settings that cannot be read have none."""

    def allowed(self, env: Env, cwd: str) -> tuple[str, ...]:
        """The permissions for our commands that the host's settings have now."""

    def untrusted(self, env: Env, cwd: str) -> list[str]:
        """The events whose line of ours the host has and does not run, because the user has not trusted it yet."""

    def files(self, env: Env, cwd: str) -> list[str]:
        """Every settings file that counts here, there or not: the user's, the project's, the machine's."""

    def state_files(self, env: Env) -> list[str]:
        """Files of the host's own that tell about folders, servers or plugins."""

    def sessions(self, env: Env) -> str:
        """The folder that its transcripts lie below."""

    def seen(self, env: Env, cwd: str, known: Mapping[str, Known], states: Sequence[Known]) -> Seen:
        """What `files`, by their paths, and `state_files` say beside our lines."""

    def has_plugin(self, env: Env, cwd: str) -> bool:
        """Whether a plugin brings the hooks; then settings must not bring them again."""


def launcher_path(env: Mapping[str, str]) -> Path:
    return Path(home.data_folder(env)) / "holdfast-hook"


def command_path(env: Mapping[str, str]) -> Path:
    return launcher_path(env).parent / "holdfast"


def registered_line(host: str, env: Mapping[str, str]) -> str:
    """The line that a host runs through its shell. It ends in 0 even if the launcher is gone or broken."""
    path = shlex.quote(str(launcher_path(env)))
    return f"[ ! -x {path} ] || {path} {shlex.quote(host)} || :"


def nudged(env: Mapping[str, str]) -> str:
    """The command that the launcher tells nudges to name; "" for plain `holdfast`."""
    try:
        text = platform.read_file(str(launcher_path(env))).decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line for line in text.splitlines() if line.startswith(f"{NUDGED}=")]
    try:
        return shlex.split(lines[0])[0].partition("=")[2] if lines else ""
    except (ValueError, IndexError):
        return ""


def named(env: Mapping[str, str]) -> str:
    """The command that nudges name now, by the launcher."""
    return nudged(env) or "holdfast"


def root(cwd: str) -> str:
    """The work tree's folder, or the folder itself outside of any."""
    found = gitfiles.checkout(os.path.realpath(cwd))
    return found.root if found else cwd


def read(path: str) -> bytes | None:
    """The bytes of a file; None where there is none. Raises HoldfastError for what is no file."""
    try:
        return platform.read_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise HoldfastError(f"{path} cannot be read ({error.strerror}); nothing was changed anywhere.") from error


def look(env: Mapping[str, str], program: str, package: str, folder: str) -> Found | None:
    """Whether a host is here, by its program on PATH or the folder of its settings, and which version. It is not
    started: that would cost half a second. `package` is its name on npm."""
    path = shutil.which(program, path=env.get("PATH", os.defpath)) or ""
    if not path and not os.path.isdir(folder):
        return None
    return Found(path, _version(path, package), folder)


def _version(program: str, package: str) -> str:
    """From the package that the program lies in, or from a folder or file named after it."""
    real = Path(os.path.realpath(program)) if program else Path("/")
    for place in (real, *list(real.parents)[:6]):
        if VERSION.fullmatch(place.name):
            return place.name
        try:
            stored = json.loads(platform.read_file(str(place / "package.json")))
        except (OSError, ValueError):
            continue
        if isinstance(stored, dict) and stored.get("name") == package:
            return str(stored.get("version", ""))
    return ""


def added(before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """The lines of `after` that `before` does not have, in their order."""
    import difflib

    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (before, after))
    same = _common(old, new)
    old, new = old[same:], new[same:]
    same = _common(old[::-1], new[::-1])
    old, new = old[: len(old) - same], new[: len(new) - same]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    codes = [code for code in matcher.get_opcodes() if code[0] in ("insert", "replace")]
    return tuple(line for *_, start, end in codes for line in new[start:end])


def _common(one: list[str], other: list[str]) -> int:
    """How many lines both begin with. What is left to compare is short, also of a file of a hundred thousand lines."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (here, there) in pairs if here != there), min(len(one), len(other)))


def can_serve() -> bool:
    """Whether our server could start here. Nothing is imported: that would take half a second."""
    return all(find_spec(name) is not None for name in NEEDS)


def is_our_server(entry: Any, extra: Mapping[str, Any]) -> bool:
    """Whether an entry is one that init writes; `extra` is what a host's entry has beside command and arguments."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return False
    rest = {key: value for key, value in entry.items() if key != "command"}
    return COMMAND.fullmatch(entry["command"]) is not None and rest == {"args": ARGUMENTS, **extra}


def server_words(entry: Any) -> tuple[str, ...]:
    """The words of the program that an entry starts; () where it starts none."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return ()
    given = entry.get("args")
    return (entry["command"], *(str(one) for one in (given if isinstance(given, list) else [])))


def server_missing() -> str:
    """The reasons why it cannot start."""
    return f"{WHAT} is left out: `{ADDED_BY}` brings what it needs, then run init again."


def server_unread(why: str) -> str:
    what = f"{WHAT[0].lower()}{WHAT[1:]}"
    return f"{why.partition('; ')[0]}; the file is left as it is, and {what} is not registered there."


def server_foreign(path: str) -> str:
    what = f'{path} has a server "{SERVER}" that init did not write as it stands'
    return f"{what}; it is left alone, and its tools get no permission."


def is_foreign(look: Callable[[], Server | None]) -> bool:
    """Whether the server of our name is somebody else's; one that cannot be read is not."""
    try:
        found = look()
    except HoldfastError:
        return False
    return found is not None and not found.is_ours


def server_hindrances(
    path: str, ours: Callable[[], bytes | None], look: Callable[[], Server | None]
) -> tuple[str, ...]:
    """Why our server cannot be put into a file, a sentence each; `ours` is the file with it, None for an odd form."""
    try:
        look()
        is_odd = ours() is None
    except HoldfastError as error:
        return (server_unread(str(error)),)
    if is_odd:
        return (server_unread(f"{path} has its mcp_servers in a form that cannot be added to"),)
    return (server_foreign(path),) if is_foreign(look) else ()


def server_stays(path: str, how: str) -> str:
    """The sentence of uninstall about an entry that stays."""
    return f'{path} still has a server "{SERVER}", not as init wrote it, so it was left; `{how}` takes it out.'

"""The registration seam: one small file per host knows which of its settings carry our lines.

A registrar plans and never writes: it reads the host's files and answers with edits, which holdfast.install.plan shows,
records and applies. So `--dry-run` cannot differ from the real thing, and files that are broken are noticed before any
is changed. A new host is one file here and one line in REGISTRARS.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol, cast

from holdfast.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Scope = Literal["user", "project"]
REGISTRARS = {"claude-code": "claude_code", "codex": "codex"}
RUN_ONCE = ("claude-code",)  # the same line at the same event, wherever it stands; the others run each


@dataclass(frozen=True)
class Found:
    """A host on this machine. `program` is "" where only its folder is there, `version` where it cannot be read."""

    program: str
    version: str
    folder: str


@dataclass(frozen=True)
class Edit:
    """One file before and after; None is a file that is not there. `added` are the lines that a person is shown."""

    path: str
    before: bytes | None
    after: bytes | None
    added: tuple[str, ...] = ()
    anew: Callable[[bytes | None], bytes | None] | None = None  # the same on other bytes, of a file that a host keeps

    @property
    def changes(self) -> bool:
        return self.before != self.after

    @property
    def is_state(self) -> bool:
        """Whether the host itself writes the file all the time, and may have its user's keys in it."""
        return self.anew is not None


@dataclass(frozen=True)
class Registered:
    """A hook line of ours that the host has now."""

    path: str
    event: str
    command: str


@dataclass(frozen=True)
class Server:
    """What a host has registered as the server of our name. `words` is what it starts, `env` the variables that it
    hands on; None is all."""

    path: str
    words: tuple[str, ...]
    is_ours: bool
    env: tuple[str, ...] | None = None


class Registrar(Protocol):
    @property
    def NAME(self) -> str: ...  # noqa: N802

    @property
    def TITLE(self) -> str: ...  # noqa: N802

    @property
    def EVENTS(self) -> Mapping[str, int]:  # noqa: N802
        """The events to register, each with its timeout in seconds; 0 is the host's own."""
        ...

    def found(self, env: Mapping[str, str]) -> Found | None:
        """Whether the host is on this machine; its program is not started."""
        ...

    def edits(
        self, env: Mapping[str, str], scope: Scope, cwd: str, *, permissions: bool = True, server: bool = False
    ) -> list[Edit]:
        """What is to be written so that the host runs our hooks and lets its agent flag, and where it is wanted starts
        our server, which is the user's in any scope; unchanged files included."""
        ...

    def without(self, path: str, data: bytes, before: bytes | None, env: Mapping[str, str]) -> bytes:
        """A settings file without our lines. What is ours in `before`, the file as it was found, was the user's own."""
        ...

    def places(self, env: Mapping[str, str], scope: Scope, cwd: str) -> list[str]:
        """The files that may carry our lines, there or not."""
        ...

    def server_place(self, env: Mapping[str, str]) -> str:
        """The file that may carry our server, there or not; the user's in any scope."""
        ...

    def carries(self, path: str, data: bytes) -> bool:
        """Whether one of them has something of ours in it."""
        ...

    def after(self, env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
        """What the user has to do now, a sentence each."""
        ...

    def notes(self, env: Mapping[str, str], cwd: str, scope: Scope = "user") -> tuple[str, ...]:
        """What is peculiar here and decides what is added, a sentence each."""
        ...

    def left(self, env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
        """What uninstall does not take away because the host installed it or the user changed it, a sentence each."""
        ...

    def server(self, env: Mapping[str, str]) -> Server | None:
        """The server of our name that the host has now. Raises Broken."""
        ...

    def server_notes(self, env: Mapping[str, str]) -> tuple[str, ...]:
        """Why ours cannot be registered, a sentence each."""
        ...

    def registered(self, env: Mapping[str, str], cwd: str) -> list[Registered]:
        """Our hook lines that the host has now, user's and project's; settings that cannot be read have none."""
        ...

    def allowed(self, env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
        """The permissions for our commands that the host's settings have now."""
        ...

    def untrusted(self, env: Mapping[str, str], cwd: str) -> list[str]:
        """The events whose line of ours the host has and does not run, because the user has not trusted it yet."""
        ...


def registrar(name: str) -> Registrar:
    """The registrar of a host; KeyError for one that we do not know."""
    return cast("Registrar", import_module(f"holdfast.install.hosts.{REGISTRARS[name]}"))


def known(agents: Sequence[str]) -> list[Registrar]:
    """The registrars of these hosts, as a user names them."""
    unknown = [name for name in agents if name not in REGISTRARS]
    if unknown:
        raise UsageError(
            f'"{unknown[0]}" is no agent that we know; nothing was changed. Known: {", ".join(REGISTRARS)}.'
        )
    return [registrar(name) for name in agents]

"""The seam to a host: a record of facts from its folder, and the parts that the folder holds beside them.

A folder has its adapter (`__init__`: events in, replies out), `limits`, `judge` and `settings`, which also makes the
record. Each is imported when it is asked for: a hook loads the adapter and no other. A new host is a folder and a
line in the table (holdfast.hosts.HOSTS).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from holdfast.errors import UsageError
from holdfast.hosts import HOSTS, KNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from holdfast.hosts.programs import Answer, Asked, Call, Ran
    from holdfast.hosts.registration import Registrar


@dataclass(frozen=True)
class Grammar:
    """The options of one command line: with one value, with many, with one that may be missing, with none. `prompts`
    are those whose value is the prompt, `command` the words that must come first; `is_wordy`: a prompt may have several
    words. Of the words behind `command`, `promptless` take no prompt, and those in `sessions` name a session before it,
    unless the option that stands beside them is given."""

    takes: frozenset[str]
    flags: frozenset[str]
    many: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()
    prompts: frozenset[str] = frozenset()
    command: frozenset[str] = frozenset()
    promptless: frozenset[str] = frozenset()
    sessions: Mapping[str, str] = field(default_factory=dict)
    is_wordy: bool = False


class Judge(Protocol):
    """The host's own command line, asked one question without tools, hooks and memory."""

    MODEL: str

    def lent(
        self, env: Mapping[str, str], own: dict[str, str], folder: str, most_out: int
    ) -> AbstractContextManager[dict[str, str]]:
        """The environment of its calls: `own`, with the login of the user, whose environment is `env`. `most_out` is
        how many tokens it may answer with, 0 where nothing is asked."""

    def words(self, call: Call, asked: Asked, timeout: float) -> list[str]:
        """The words of its command line for a question."""

    def answer(self, ran: Ran, asked: Asked) -> Answer:
        """Its answer. Raises JudgeFailed."""

    def look(self, call: Call, model: str, timeout: float) -> str:
        """One line about what works, found without spending anything. Raises JudgeFailed."""

    def payer(self, env: Mapping[str, str]) -> str:
        """The payer of its calls, one of those in holdfast.hosts.programs."""


@dataclass(frozen=True)
class Host:
    """One host. `minimum` is the first release with every event that we register: an older one may refuse the settings
    or never say that a session ended. `tested` is the one that our tests ran with."""

    name: str
    title: str
    program: str
    package: str  # on npm
    home_variable: str  # names the folder of its settings
    session_variables: tuple[str, ...]  # name the session to whatever it starts
    minimum: str
    tested: str
    grammar: Grammar
    instructions: tuple[str, ...]  # files of a project that it reads at a start; the first one also lies in its folder
    other_variables: tuple[str, ...] = ()  # also make what it starts a part of the session
    beside: tuple[str, ...] = ()  # folders that its installer puts the program in, and PATH may not have
    runs_once: bool = False  # the same line at the same event, wherever it stands; others run each

    def folder(self, env: Mapping[str, str]) -> str:
        """The user's own, with its settings."""
        return str(import_module(f"holdfast.hosts.{HOSTS[self.name]}").folder(env))

    @property
    def settings(self) -> Registrar:
        return cast("Registrar", import_module(f"holdfast.hosts.{HOSTS[self.name]}.settings"))

    @property
    def judge(self) -> Judge:
        return cast("Judge", import_module(f"holdfast.hosts.{HOSTS[self.name]}.judge"))


def host(name: str) -> Host:
    """KeyError for a host that we do not know."""
    found = import_module(f"holdfast.hosts.{HOSTS[name]}.settings").HOST
    return cast("Host", found)


def every() -> list[Host]:
    return [host(name) for name in KNOWN]


def registrar(name: str) -> Registrar:
    return host(name).settings


def known(agents: Sequence[str]) -> list[Registrar]:
    """The registrars of these hosts, as a user names them."""
    unknown = [name for name in agents if name not in KNOWN]
    if unknown:
        raise UsageError(f'"{unknown[0]}" is no agent that we know; nothing was changed. Known: {", ".join(KNOWN)}.')
    return [registrar(name) for name in agents]

"""The library: `Memory.open()` is one vault seen from one folder, in five parts. A part is imported at its first use,
because most commands need one of them."""

from __future__ import annotations

import os
import time
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, platform, projects
from holdfast.errors import NotSaved, UsageError
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture.gate import Asker, Where
    from holdfast.clock import Clock
    from holdfast.memory.field import Field, Opener
    from holdfast.memory.notes import Notes
    from holdfast.memory.sessions import Sessions
    from holdfast.memory.sleep import Sleep
    from holdfast.memory.tasks import Tasks
    from holdfast.model import Project


class Lazy:
    """A module that is imported at its first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


def lazily(package: str, names: str) -> list[Any]:
    """Modules of a package, for a part of which most commands need few."""
    return [Lazy(f"{package}.{name}") for name in names.split()]


@value
class Context:
    """The vault, the folder it is seen from, the environment and the clock: one value that all parts of a memory share.
    `within` is the project that a caller of a server is in, whatever the folder. With `for_agent` nobody has the
    user's authority, whoever types: a server has no terminal. With `for_user` everybody has: they came with a key that
    only the user was given."""

    vault: str
    cwd: str
    env: Mapping[str, str]
    clock: Clock = time.time
    within: Project | None = None
    for_agent: bool = False
    for_user: bool = False

    @classmethod
    def found(cls, vault: str | None, cwd: str | None, clock: Clock, env: Mapping[str, str] | None) -> Context:
        """Anything that is not given is found as the command line finds it. Raises VaultGone."""
        env = os.environ if env is None else env
        folder = platform.working_folder(env) if cwd is None else cwd
        if vault:
            return cls(os.path.abspath(vault), folder, env, clock)
        from holdfast.capture import vault_id

        named = home.vault(env, folder)
        try:
            vault_id.settle(named, env, time.time())
        except (OSError, NotSaved):
            pass  # a disk that takes nothing: looking goes on, and the next command tries again
        return cls(named, folder, env, clock)

    @classmethod
    def capturing(cls, env: Mapping[str, str]) -> Context:
        """The place that captures go to: the vault, or this machine's own folder while the vault is gone."""
        folder = platform.working_folder(env)
        return cls(home.capture_vault(env, folder), folder, env)

    @property
    def state(self) -> str:
        return home.state(self.vault)

    def is_stand_in(self) -> bool:
        """Whether the vault is gone and this is the folder that takes captures until it is back."""
        return self.vault != home.vault(self.env, self.cwd)

    def project(self) -> Project:
        return self.within or projects.find(self.cwd, self.vault)

    def project_or_all(self, *, everything: bool) -> str | None:
        """The id of this project; None stands for all projects."""
        return None if everything else self.project().id

    def where(self) -> Where:
        """The session and the project that a call from here belongs to."""
        from holdfast.capture import gate

        if self.for_user:
            return gate.Where("page", "", self.project(), gate.BY_KEY)
        return gate.here(self.env, self.cwd, self.vault)

    def asker(self) -> Asker:
        """The asker: the user, or an agent with whatever has entered its session."""
        from holdfast.capture import gate

        if self.for_user:
            return gate.BY_USER
        if not self.for_agent:
            return gate.asker(self.env, self.cwd, self.vault)
        origin = gate.origin_of(self.where(), self.vault)
        return gate.Asker(gate.AGENT, "agent" if origin == "user" else origin)

    def why_off(self) -> str:
        """The reason why nothing is captured here now, as a sentence; "" while capture is on."""
        return home.why_off(self.env, self.vault) or (home.PROJECT_OFF if self.project().off else "")

    def refuse_if_off(self) -> None:
        """Raises UsageError."""
        if off := self.why_off():
            raise UsageError(f"Nothing was written: {off}.")


class Memory:
    """Sessions, notes, tasks and the field of one vault. `opener` lends a field that is open already."""

    def __init__(self, context: Context, opener: Opener | None = None) -> None:
        home.refuse_newer(context.vault)
        self.at = context
        self._opener = opener

    @classmethod
    def open(
        cls,
        vault: str | None = None,
        cwd: str | None = None,
        clock: Clock = time.time,
        env: Mapping[str, str] | None = None,
    ) -> Memory:
        """The vault at a path, else the one that the environment names, seen from a folder, else from the current one.
        Raises NewerFormat, VaultGone."""
        return cls(Context.found(vault, cwd, clock, env))

    @cached_property
    def sessions(self) -> Sessions:
        from holdfast.memory.sessions import Sessions

        return Sessions(self.at, self.field)

    @cached_property
    def notes(self) -> Notes:
        from holdfast.memory.notes import Notes

        return Notes(self.at)

    @cached_property
    def tasks(self) -> Tasks:
        from holdfast.memory.tasks import Tasks

        return Tasks(self.at)

    @cached_property
    def sleep(self) -> Sleep:
        from holdfast.memory.sleep import Sleep

        return Sleep(self.at, self.field)

    @cached_property
    def field(self) -> Field:
        from holdfast.memory.field import Cold, Field

        return Field(self.at, self._opener or Cold(self.at))

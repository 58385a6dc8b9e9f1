"""The library: `Memory.open()` is one vault seen from one folder, in four parts. A part is imported at its first use,
because most commands need one of them."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.memory.context import Context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.clock import Clock
    from holdfast.memory.field import Field, Opener
    from holdfast.memory.notes import Notes
    from holdfast.memory.sessions import Sessions
    from holdfast.memory.tasks import Tasks


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
    def field(self) -> Field:
        from holdfast.memory.field import Cold, Field

        return Field(self.at, self._opener or Cold(self.at))

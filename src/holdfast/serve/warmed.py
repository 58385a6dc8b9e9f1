"""The facade on a field that is kept warm, where there is one: the same for the routes and for the tools beside them.

Without one, as where a host has started us for itself, each question opens the field and closes it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.field.opening import Field
    from holdfast.field.retrieve import Answer
    from holdfast.field.think import Thinking, Words
    from holdfast.serve.warm import Warm


class Warmed(Memory):
    """The memory of one vault. Who writes to a warm field waits for who writes to it already."""

    warm: Warm | None = None

    def field(self) -> Field:
        return self.warm.field() if self.warm else super().field()

    def think(self, said: Words) -> Thinking:
        with self._turn():
            return super().think(said)

    def recalled(self, answer: Answer, agent: str = "", session: str = "") -> bool:
        with self._turn():
            return super().recalled(answer, agent, session)

    def _turn(self) -> AbstractContextManager[Any]:
        return self.warm.writer if self.warm else nullcontext()

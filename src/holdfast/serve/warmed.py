"""The facade on a field that is kept warm, where there is one: the same for the routes and for the tools beside them.

Without one, as where a host has started us for itself, each question opens the field and closes it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.field.opening import Field
    from holdfast.field.retrieve import Answer
    from holdfast.field.store import Scope
    from holdfast.field.think import Thinking, Words
    from holdfast.serve.warm import Warm


class Warmed(Memory):
    """The memory of one vault. Writers to a warm field take turns, and questions to it are answered a few at a time."""

    warm: Warm | None = None

    def field(self) -> Field:
        return self.warm.field() if self.warm else super().field()

    def recall(self, query: str, scope: Scope, most: int = 10) -> Answer:
        if self.warm is None:
            return super().recall(query, scope, most)
        return self.warm.answered((query, scope, most), partial(super().recall, query, scope, most))

    def think(self, said: Words) -> Thinking:
        with self._turn():
            return super().think(said)

    def recalled(self, answer: Answer, agent: str = "", session: str = "") -> bool:
        with self._turn():
            return super().recalled(answer, agent, session)

    def _turn(self) -> AbstractContextManager[Any]:
        return self.warm.writer if self.warm else nullcontext()

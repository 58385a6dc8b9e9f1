"""What the command line and the servers ask of the field: recall, think, highways, rebuild. A part of the facade.

A question is answered first and noted afterwards: `recall` looks and leaves no trace, `recalled` says what was shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.tasking import Tasking

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.field.highways import Highway
    from holdfast.field.opening import Field
    from holdfast.field.rebuild import Rebuilt
    from holdfast.field.retrieve import Answer
    from holdfast.field.store import Scope
    from holdfast.field.think import Thinking, Words
    from holdfast.field.thought import Thought


class Fielding(Tasking):
    """The field of one vault, seen from one working directory."""

    def field(self) -> Field:
        """The field, opened; to be closed by whoever asked, as a context. Its embedder is the one that this machine's
        own settings name."""
        from holdfast.capture import config, home
        from holdfast.field import opening
        from holdfast.field.embed import choice

        wishes = config.load(home.machine_state(self.env))
        return opening.opened(self.vault, choice.chosen(wishes, self.env), self.clock)

    def scope(self, *, everything: bool = False) -> Scope:
        """This project and what is global; with `everything` all projects."""
        from holdfast.field.store import Scope

        return Scope(None if everything else self.project().id)

    def recall(self, query: str, scope: Scope, most: int = 10) -> Answer:
        """What is known that bears on a query. It leaves no trace."""
        from holdfast.field import rebuild, retrieve

        with self.field() as field:
            rebuild.synced(field)
            return retrieve.ask(field, query, scope, most)

    def recalled(self, answer: Answer, agent: str = "", session: str = "") -> bool:
        """What was shown of an answer is reinforced. Whether it was noted at once: else the next look takes it in."""
        from holdfast.field import retrieve

        with self.field() as field:
            return retrieve.reinforce(field, answer, agent, session)

    def used(self, ids: Sequence[str], agent: str = "", session: str = "") -> bool:
        """Evidence that these were used: opened, or cited."""
        from holdfast.field import retrieve

        with self.field() as field:
            return retrieve.used(field, ids, agent, session)

    def think(self, said: Words) -> Thinking:
        """Keep a thought, or reinforce the one that says it already."""
        from holdfast.field import think

        self._refuse_if_off()
        with self.field() as field:
            return think.think(field, said)

    def highways(self, scope: Scope, query: str = "", most: int = 10) -> list[Highway]:
        """What several agents come back to. It leaves no trace."""
        from holdfast.field import highways, rebuild

        with self.field() as field:
            rebuild.synced(field)
            return highways.highways(field, scope, query, most)

    def thoughts(self, ids: Sequence[str]) -> dict[str, Thought]:
        """Thoughts by their ids; those that are not known are left out."""
        from holdfast.field import rebuild

        with self.field() as field:
            rebuild.synced(field)
            return field.store.thoughts(ids)

    def index(self) -> int:
        """Take in what is new, so that the next first prompt and the next question find it at once; how much that was.
        Whatever goes wrong with what is derived costs freshness, nothing else."""
        from holdfast.capture import home
        from holdfast.errors import HoldfastError
        from holdfast.field import rebuild

        if not home.format_of(self.vault):
            return 0
        try:
            with self.field() as field:
                return rebuild.synced(field).taken
        except (HoldfastError, OSError):
            return 0

    def rebuild(self, progress: Callable[[int], None] = lambda _: None) -> Rebuilt:
        """Make the index anew from notes, thoughts and traffic."""
        from holdfast.field import rebuild

        with self.field() as field:
            return rebuild.rebuild(field, progress)

"""What command line and servers ask of the field: recall, think, forget, highways, rebuild, embed. Part of the facade.

A question is answered first and noted afterwards: `recall` looks and leaves no trace, `recalled` says what was shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.tasking import Tasking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.field.changing import Chosen, Shown
    from holdfast.field.embed.choice import Settings
    from holdfast.field.highways import Highway
    from holdfast.field.opening import Field
    from holdfast.field.rebuild import Rebuilt
    from holdfast.field.retrieve import Answer
    from holdfast.field.store import Scope
    from holdfast.field.think import Thinking, Words
    from holdfast.field.thought import Thought
    from holdfast.vault.purge import Plan as PurgePlan


class Fielding(Tasking):
    """The field of one vault, seen from one working directory."""

    def field(self) -> Field:
        """The field, opened; to be closed by whoever asked, as a context. Its embedder is the one that this machine's
        own settings name; where that one is not here, what serves goes on serving."""
        from holdfast.capture import config, home
        from holdfast.field import opening, reembedding
        from holdfast.field.embed import choice, known

        state = home.machine_state(self.env)
        wishes = choice.settings(config.load(state))
        embedder = choice.at_hand(wishes, self.env)
        known.keep(state, embedder, wishes)
        later = reembedding.Background(self.vault, self.env, self.clock)
        return opening.opened(self.vault, embedder, self.clock, known.Former(state, self.env), later)

    def embedders(self) -> Shown:
        """Which embedder is chosen, which serves, how far a change is."""
        from holdfast.capture import config, home
        from holdfast.field import changing, opening
        from holdfast.field.embed import choice, known

        state = home.machine_state(self.env)
        wishes, former = choice.settings(config.load(state)), known.Former(state, self.env)
        if not home.format_of(self.vault):
            return changing.shown(None, wishes, self.env, former)
        with opening.opened(self.vault, None, self.clock) as field:
            return changing.shown(field, wishes, self.env, former)

    def wanted_embedder(self, name: str, **given: str) -> Settings:
        """The choice that a command line means; nothing is sent anywhere yet. Raises UsageError, NoVectors."""
        from holdfast.field import changing
        from holdfast.field.embed import choice

        found = changing.wanted(self._embedder_before(), name, self.cwd, **given)
        choice.made(found, self.env)
        return found

    def _embedder_before(self) -> Settings:
        from holdfast.capture import home
        from holdfast.field.embed import choice

        return choice.wished(home.machine_state(self.env)) or choice.Settings()

    def choose_embedder(self, wanted: Settings) -> Chosen:
        """Write a choice that works into this machine's settings, and embed the field in the background."""
        from dataclasses import replace

        from holdfast.capture import home
        from holdfast.field import changing

        chosen = changing.choose(home.machine_state(self.env), self._embedder_before(), wanted, self.env)
        return replace(chosen, pid=self.embed() if chosen.model else 0)

    def embed(self) -> int:
        """Start embedding what is left in the background; the process, 0 where there is nothing to start it for."""
        from holdfast.capture import home
        from holdfast.field import reembedding

        return reembedding.start(self.vault, self.env) if home.format_of(self.vault) else 0

    def follow_embedding(self, wait: Callable[[], None]) -> Iterator[Shown]:
        """How far the embedding is, until it is done. Raises NoVectors where it stands still."""
        from holdfast.field import changing

        return changing.follow(self.vault, self.env, self.embedders, wait)

    def scope(self, *, everything: bool = False) -> Scope:
        """This project and what is global; with `everything` all projects."""
        from holdfast.field.store import Scope

        here = self.project()
        return Scope() if everything else Scope(here.id, merged=here.merged)

    def recall(self, query: str, scope: Scope, most: int = 10) -> Answer:
        """What is known that bears on a query. It leaves no trace."""
        from holdfast.field import rebuild, retrieve

        with self.field() as field:
            return rebuild.looked(field, lambda: retrieve.ask(field, query, scope, most))

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
            return rebuild.looked(field, lambda: highways.highways(field, scope, query, most))

    def thoughts(self, ids: Sequence[str]) -> dict[str, Thought]:
        """Thoughts by their ids; those that are not known are left out."""
        from holdfast.field import rebuild

        with self.field() as field:
            return rebuild.looked(field, lambda: field.store.thoughts(ids))

    def shown_thought(self, ident: str, *, everything: bool = False) -> tuple[Thought, float] | None:
        """One thought of this project, global, or with `everything` of any, and its weight now; None where there is
        none of that id. It leaves no trace."""
        from holdfast.capture import home
        from holdfast.field import rebuild
        from holdfast.field.thought import unread

        if not home.format_of(self.vault):
            return None
        with self.field() as field:
            rebuild.synced(field)
            found = field.store.thoughts([ident]).get(ident)
            if found is None or not self.scope(everything=everything).has(found):
                return None
            return found, field.store.traffic([ident]).get(ident, unread(found)).weight_at(field.clock())

    def forgettable_thoughts(self, wanted: str, *, everything: bool = False, withdrawn: bool = False) -> list[Thought]:
        """The thoughts that an id or some words may mean; with `withdrawn` also those forgotten before."""
        from holdfast.field import forgetting

        return forgetting.meant(self.vault, wanted, self.scope(everything=everything), withdrawn=withdrawn)

    def forget_thoughts(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Withdraw thoughts; their log keeps them. Which of them were not withdrawn before."""
        from holdfast.field import forgetting

        with self.field() as field:
            return forgetting.withdraw(field, ids)

    def purge_plan(self, paths: Sequence[str], thoughts: Sequence[str] = ()) -> PurgePlan:
        """What purging these notes, and thoughts by their ids, would take."""
        from holdfast.vault import purge

        return purge.plan(self.vault, *paths, thoughts=thoughts)

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

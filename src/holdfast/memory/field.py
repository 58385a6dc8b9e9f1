"""The field: recall, think, forget, highways, rebuild, embed.

A question is answered first and noted afterwards: `recall` looks and leaves no trace, `recalled` says what was shown.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from holdfast.capture import config, field_mode, gate, home, identity
from holdfast.errors import HoldfastError, NotFound
from holdfast.memory import lazily
from holdfast.model import replace, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.field import (
        embedder_choice,
        embedders,
        embedding_process,
        handle,
        highways,
        intake,
        retrieval,
        store,
        thought,
    )
    from holdfast.field import think as thinking
    from holdfast.field.embedders import Settings
    from holdfast.memory import Context
    from holdfast.sleep import density, material
    from holdfast.team import asking, background, team_sleep
else:
    embedders, embedding_process, handle, highways, intake, retrieval, embedder_choice, store, thought, thinking = (
        lazily(
            "holdfast.field",
            "embedders embedding_process handle highways intake retrieval embedder_choice store thought think",
        )
    )
    density, material = lazily("holdfast.sleep", "density material")
    (team_sleep,) = lazily("holdfast.team", "team_sleep")
    asking, background = lazily("holdfast.team", "asking background")

T = TypeVar("T")


class Opener(Protocol):
    """The way to an open field. A server's own keeps it open, answers a few questions at a time, and lets writers take
    turns."""

    @property
    def writer(self) -> AbstractContextManager[Any]: ...
    def field(self) -> handle.Field: ...
    def answered(self, question: object, work: Callable[[], T]) -> T: ...


@value
class Cold:
    """Opens the field for each question. Its embedder is the one that this machine's own settings name; where that one
    is not here, the one that serves goes on serving."""

    at: Context

    @property
    def writer(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def field(self) -> handle.Field:
        at = self.at
        state = home.machine_state(at.env)
        wishes = embedders.settings(config.load(state))
        embedder = embedders.at_hand(wishes, at.env)
        embedders.keep(state, embedder, wishes)
        later = embedding_process.Background(at.vault, at.env, at.clock)
        return handle.opened(at.vault, embedder, at.clock, embedders.Former(state, at.env), later)

    def answered(self, _question: object, work: Callable[[], T]) -> T:
        return work()


@value
class Field:
    """The field of one vault, seen from one folder."""

    at: Context
    opener: Opener

    def open(self) -> handle.Field:
        """To be used as a context, which closes it."""
        return self.opener.field()

    def embedders(self) -> embedder_choice.EmbedderStatus:
        """The embedder that is chosen, the one that serves, and how far a change is."""
        state = home.machine_state(self.at.env)
        wishes, former = embedders.settings(config.load(state)), embedders.Former(state, self.at.env)
        if not home.format_of(self.at.vault):
            return embedder_choice.shown(None, wishes, self.at.env, former)
        with handle.opened(self.at.vault, None, self.at.clock) as field:
            return embedder_choice.shown(field, wishes, self.at.env, former)

    def wanted_embedder(self, name: str, **given: str) -> Settings:
        """The choice that a command line means; nothing is sent anywhere yet. Raises UsageError, NoVectors."""
        found = embedder_choice.wanted(self._embedder_before(), name, self.at.cwd, **given)
        embedders.made_from(found, self.at.env)
        return found

    def _embedder_before(self) -> Settings:
        return embedders.wished(home.machine_state(self.at.env)) or embedders.Settings()

    def choose_embedder(self, wanted: Settings) -> embedder_choice.EmbedderChoice:
        """Write a choice that works into this machine's settings, and embed the field in the background."""
        chosen = embedder_choice.choose(home.machine_state(self.at.env), self._embedder_before(), wanted, self.at.env)
        return replace(chosen, pid=self.embed() if chosen.model else 0)

    def embed(self) -> int:
        """Start embedding what is left in the background; the process, 0 where there is nothing to start it for."""
        return embedding_process.start(self.at.vault, self.at.env) if home.format_of(self.at.vault) else 0

    def follow_embedding(self, wait: Callable[[], None]) -> Iterator[embedder_choice.EmbedderStatus]:
        """The state of the embedding, again and again until it is done. Raises NoVectors where it stands still."""
        return embedder_choice.follow(self.at.vault, self.at.env, self.embedders, wait)

    def scope(self, *, everything: bool = False) -> store.Scope:
        """This project and what is global; with `everything` all projects."""
        here = self.at.project()
        return store.Scope() if everything else store.Scope(here.id, merged=here.merged)

    def recall(self, query: str, scope: store.Scope | None = None, most: int = 10, agent: str = "") -> retrieval.Answer:
        """Everything known that bears on a query, in this project unless a scope is given. It leaves no trace. In the
        personal mode the traces of the agent count, who is the caller unless one is named."""
        wanted = scope or self.scope()
        is_personal = field_mode.read(self.at.state) == field_mode.PERSONAL
        asker = (agent or self._agent(self.at.where())) if is_personal else None

        def work() -> retrieval.Answer:
            with self.open() as field:
                return intake.looked(field, lambda: retrieval.ask(field, query, wanted, most, asker=asker))

        shared = self.shared()
        if not shared or (wanted.project is not None and wanted.project not in shared):
            return self.opener.answered((query, wanted, most, asker), work)
        with self.open() as field:
            question = asking.recall(field, self.at.env, query, wanted.tidy(), most, asker)
            local = self.opener.answered((query, wanted, most, asker), work)
            return asking.merged(question, local, field, most)

    def shared(self) -> Sequence[str]:
        """The projects that some team sees, by this machine's settings; the team's own code stays unread."""
        state = home.machine_state(self.at.env)
        table = config.section(config.load(state), "team") if state == self.at.state else {}
        return tuple(config.section(table, "projects")) if table.get("dsn") else ()

    def ship(self, *, soon: bool = False) -> None:
        """Have what is new sent to the teams in the background, if there are any; with `soon` at once."""
        if config.section(config.load(home.machine_state(self.at.env)), "team").get("dsn"):
            background.start_if_due(self.at.vault, self.at.env, self.at.clock(), soon=soon)

    def _agent(self, where: gate.Where) -> str:
        return identity.agent_name(self.at.env, where.host, where.episode)

    def recalled(self, answer: retrieval.Answer, agent: str = "", session: str = "") -> bool:
        """Reinforce the results that were shown, to the session that calls unless an agent is named. Whether that was
        noted at once: else the next look takes it in. Where capture is off nothing is noted."""
        if self.at.why_off():
            return False
        if not agent:
            where = self.at.where()
            agent, session = self._agent(where), where.episode
        with self.opener.writer, self.open() as field:
            is_noted = retrieval.reinforce(field, answer, agent, session)
        self.ship()
        return is_noted

    def used(self, ids: Sequence[str], agent: str = "", session: str = "") -> bool:
        """Evidence that these were used: opened, or cited."""
        with self.open() as field:
            return retrieval.used(field, ids, agent, session)

    def think(self, said: thought.Thought | str, **fields: Any) -> thinking.Thinking:
        """Keep a thought, or reinforce the one that says it already. A text takes the fields of Thought by name and is
        stamped with its author, session and project."""
        self.at.refuse_if_off()
        if isinstance(said, str):
            where = self.at.where()
            stamp = {"agent": self._agent(where), "session": where.episode, "project": where.project.id}
            said = thought.Thought("", said, origin=gate.origin_of(where, self.at.vault), **{**stamp, **fields})
        if not said.space and field_mode.read(self.at.state) == field_mode.SHARED:
            said = replace(said, space=field_mode.space(config.load(home.machine_state(self.at.env))))
        with self.opener.writer, self.open() as field:
            done = thinking.think(field, said)
        self.ship()
        return done

    def highways(self, scope: store.Scope, query: str = "", most: int = 10) -> list[highways.Highway]:
        """Thoughts that several agents come back to, or in a shared project several contributors of the team, where it
        answers in time. It leaves no trace."""
        with self.open() as field:
            if scope.project in self.shared():
                found = asking.busiest(field, self.at.env, scope.tidy(), query, most)[0]
                if found is not None:
                    return found
            return intake.looked(field, lambda: highways.highways(field, scope, query, most))

    def density(self, window_days: float = 0.0, *, write: bool = True, team: str = "") -> density.Density:
        """How crowded the field is, whether others' traces help, and the mode that follows (sleep/density); the window
        is that of the settings unless one is given. Without `write`, or for a team, nothing is changed. Raises
        NotFound, UsageError."""
        if not home.format_of(self.at.vault):
            raise NotFound("There is no vault here yet; nothing was measured. The first `holdfast remember` makes one.")
        wish = density.settings(config.load(home.machine_state(self.at.env)), window_days)
        if team:
            with self.open() as own, team_sleep.server(self.at.env, self.at.vault) as server:
                return team_sleep.measured(own, server, team, wish)
        with self.opener.writer, self.open() as field:
            cells = material.cells(self.at.vault, self.at.clock())
            return intake.looked(field, lambda: density.measure(field, wish, cells, write=write))

    def thoughts(self, ids: Sequence[str]) -> dict[str, thought.Thought]:
        """Thoughts by their ids; those that are not known are left out."""
        with self.open() as field:
            return intake.looked(field, lambda: field.store.thoughts(ids))

    def show(self, ident: str, *, everything: bool = False) -> tuple[thought.Thought, float] | None:
        """One thought of this project, global, or with `everything` of any, and its weight now; None where there is
        none of that id. It leaves no trace."""
        if not home.format_of(self.at.vault):
            return None
        with self.open() as field:
            intake.synced(field)
            found = field.store.thoughts([ident]).get(ident)
            if found is None and (project := self.scope().project) in self.shared():
                return asking.show(field, self.at.env, project or "", ident)
            if found is None or not self.scope(everything=everything).has(found):
                return None
            return found, field.store.traffic([ident]).get(ident, thought.unread(found)).weight_at(field.clock())

    def forgettable(self, wanted: str, *, everything: bool = False, withdrawn: bool = False) -> list[thought.Thought]:
        """The thoughts that an id or some words may mean; with `withdrawn` also those forgotten before."""
        return thinking.meant(self.at.vault, wanted, self.scope(everything=everything), withdrawn=withdrawn)

    def forget(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Withdraw thoughts, which stay in their log; returns those that were not withdrawn before."""
        with self.open() as field:
            gone = thinking.withdraw(field, ids)
        self.ship(soon=True)
        return gone

    def catch_up(self) -> int:
        """Take in what is new, so that the next first prompt and the next question find it at once; how much that was.
        Whatever goes wrong with what is derived costs freshness, nothing else."""
        if not home.format_of(self.at.vault):
            return 0
        try:
            with self.open() as field:
                taken = intake.synced(field).taken
            self.ship(soon=True)
        except (HoldfastError, OSError):
            return 0
        return taken

    def rebuild(self, progress: Callable[[int], None] = lambda _: None) -> intake.Rebuilt:
        """Make the index anew from notes, thoughts and traffic."""
        with self.open() as field:
            return intake.rebuild(field, progress)

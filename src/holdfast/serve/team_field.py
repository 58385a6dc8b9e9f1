"""A team's field for one caller of a server: what a vault's gives its routes and tools, on the team's store.

Promise: what `think` returns is committed in the team's database, as safe as its synchronous_commit makes it. It may be
said again with the same id after a lost answer and is there once; a failover in between costs time within the budget. A
caller writes as the person of its token, whatever its words claim, and another person's thought is outside text to it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.capture.ids import new_id
from holdfast.errors import Busy, Conflict, HoldfastError
from holdfast.field import embedding, highways, retrieval
from holdfast.field import think as thinking
from holdfast.field.embedders import NoVectors
from holdfast.field.handle import Field
from holdfast.field.journal import StoreJournal
from holdfast.field.postgres import people
from holdfast.field.postgres.connection import Away
from holdfast.field.postgres.store import PostgresStore
from holdfast.field.store import Scope
from holdfast.field.thought import Thought, least_trusted
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.field.embedders import Embedder
    from holdfast.field.postgres.connection import Server
    from holdfast.field.postgres.serve_tokens import Token

T = TypeVar("T")
SAID = "said/"  # places that say which thought an id of a caller's became
PATIENCE = 5.0  # seconds for another request of the same agent
NOT_TAKEN = (
    "The team's database did not answer in time; nothing was acknowledged. Send it again: with the same id it is kept "
    "once."
)
NOT_ANSWERED = "The team's database did not answer in time; nothing was lost. Ask again."


@dataclass(frozen=True)
class Tools:
    """What all requests of a replica share."""

    server: Server
    embedder: Embedder | None
    clock: Callable[[], float]
    former: Callable[[str], Embedder | None]

    def field(self, token: Token) -> Field:
        """The team's field as one agent of one person has it."""
        machine = f"serve/{token.agent}"
        store = PostgresStore(self.server, token.team, machine, person=people.role(token.person))
        return Field("", store, self.embedder, self.clock, self.former, None, StoreJournal(store))


@dataclass(frozen=True)
class TeamField:
    tools: Tools
    token: Token
    project: str = ""

    def open(self) -> Field:
        return self.tools.field(self.token)

    def scope(self, *, everything: bool = False) -> Scope:
        """One project of the team and what is of no project; all of the team where none is named."""
        return Scope() if everything or not self.project else Scope(self.project)

    def recall(self, query: str, scope: Scope | None = None, most: int = 10, agent: str = "") -> retrieval.Answer:
        """What the team knows that bears on a query. It leaves no trace; everybody's traces count, whoever asks."""
        del agent
        field, wanted = self.open(), scope or self.scope()
        answer = _answered(lambda: retrieval.ask(field, query, wanted, most))
        others = self._of_others(field, [one.thought.id for one in answer.results])
        shown = tuple(
            replace(one, thought=_outside(one.thought), why=f"{one.why}; shared by {others[one.thought.id]}")
            if one.thought.id in others
            else one
            for one in answer.results
        )
        return replace(answer, results=shown)

    def recalled(self, answer: retrieval.Answer, agent: str = "", session: str = "") -> bool:
        """Reinforce what was shown, as this agent, whoever it says it is."""
        del agent
        field = self.open()

        def work() -> bool:
            with field.store.writing(PATIENCE):
                return retrieval.reinforce(field, answer, self.token.agent, session)

        return self.tools.server.again(work)

    def think(self, said: Thought | str, **fields: Any) -> thinking.Thinking:
        """Keep a thought, or reinforce the one that says it already. Raises Busy where the database did not say that it
        is safe."""
        given = Thought("", said, project=self.project, origin="agent", **fields) if isinstance(said, str) else said
        clean, changes = thinking.cleaned(given)
        mine = replace(
            clean,
            id=given.id or new_id(self.tools.clock()),
            agent=self.token.agent,
            contributor=self.token.person,
            origin=least_trusted(("agent", given.origin)),
        )
        field = self.open()
        try:
            done = self.tools.server.again(lambda: self._kept(field, mine, named=bool(given.id)))
        except Away:
            raise Busy(NOT_TAKEN) from None
        if done.is_new:
            self.embed(field)
        return replace(done, changes=(*changes, *done.changes))

    def _kept(self, field: Field, said: Thought, *, named: bool) -> thinking.Thinking:
        """In one transaction. It may have been kept by a try that was cut off before it was heard."""
        with field.store.writing(PATIENCE):
            if before := self._before(field, said):
                return before
            done = thinking.settled(field, said)
            if named:
                field.store.note_places({f"{SAID}{said.id}": f"{done.thought.id} {int(done.is_new)}"})
            return done

    def _before(self, field: Field, said: Thought) -> thinking.Thinking | None:
        place = f"{SAID}{said.id}"
        noted = field.store.places(place).get(place, "")
        became, _, is_new = noted.partition(" ")
        known = field.store.thoughts([became or said.id]).get(became or said.id)
        if known is None:
            return None
        if not noted and (known.text, known.agent) != (said.text, said.agent):
            raise Conflict("This id is that of another thought; nothing was written. Make a new one for each.")
        return thinking.Thinking(known, is_new != "0")

    def embed(self, field: Field) -> None:
        """Vectors of the team's model for what has none yet, about a second's worth; the rest follows."""
        with suppress(HoldfastError, NoVectors):
            embedding.catch_up(replace(field, embedder=field.asker()))

    def highways(self, scope: Scope, query: str = "", most: int = 10) -> list[highways.Highway]:
        field = self.open()
        found = _answered(lambda: highways.highways(field, scope, query, most))
        others = self._of_others(field, [one.thought.id for one in found])
        return [replace(one, thought=_outside(one.thought)) if one.thought.id in others else one for one in found]

    def thoughts(self, ids: Sequence[str]) -> dict[str, Thought]:
        field = self.open()
        found = _answered(lambda: field.store.thoughts(ids))
        others = self._of_others(field, found)
        return {ident: _outside(one) if ident in others else one for ident, one in found.items()}

    def _of_others(self, field: Field, ids: Iterable[str]) -> dict[str, str]:
        """The thoughts of other people by id, with who brought them."""
        assert isinstance(field.store, PostgresStore)
        mine, store = people.role(self.token.person), field.store
        written = _answered(lambda: store.authors(ids))
        return {ident: people.name_of(who) for ident, (who, _) in written.items() if who != mine}


def _outside(thought: Thought) -> Thought:
    return replace(thought, origin=least_trusted((thought.origin, "import")))


def _answered(work: Callable[[], T]) -> T:
    try:
        return work()
    except Away:
        raise Busy(NOT_ANSWERED) from None

"""A question to the teams that share a project, beside this machine's own index, within a budget of time.

The local index answers in any case; each team is asked in a thread of its own meanwhile. A team that is late is not
waited for, one that was away a moment ago is not asked again for some seconds, and the answer says who gave it.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from holdfast.capture import codec, platform
from holdfast.errors import Busy
from holdfast.field import highways, retrieval
from holdfast.field.handle import Field
from holdfast.field.store import Scope
from holdfast.field.thought import unread
from holdfast.model import replace
from holdfast.team import accepted, names
from holdfast.team.acknowledged import folder
from holdfast.team.incoming import Incoming
from holdfast.team.settings import Share, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.field.highways import Highway
    from holdfast.field.retrieval import Answer, Result
    from holdfast.field.thought import Thought
    from holdfast.team.names import Names

T = TypeVar("T")
QUIET = 15.0  # seconds after which a server that was away is asked again
ALONE = "from this machine alone"


@dataclass
class Asked(Generic[T]):
    """One team that was asked: its answer once it is there, or why there is none."""

    team: str
    names: Names
    found: T | None = None
    sharers: Mapping[str, str] | None = None
    trouble: str = ""
    thread: threading.Thread | None = None


class Question(Generic[T]):
    """Begins when it is made; `answers` waits for what is left of the budget."""

    def __init__(
        self, field: Field, env: Mapping[str, str], project: str | None, look: Callable[[Field, Names], T]
    ) -> None:
        self.settings = load(env, field.vault)
        self.field, self.look = field, look
        self.began = time.monotonic()
        self.asked: list[Asked[T]] = []
        away = away_since(field.vault, field.clock())
        for share in self._shares(project):
            one: Asked[T] = Asked(share.team, names.of(field.vault, share, self.settings.person))
            self.asked.append(one)
            if away:
                one.trouble = f"the team's field was away {away}"
                continue
            one.thread = threading.Thread(target=self._ask, args=(one,), daemon=True)
            one.thread.start()

    def _shares(self, project: str | None) -> list[Share]:
        """One for each team that sees the project; None stands for all projects, and so for every team."""
        if project is not None:
            return [Share(project, team) for team in self.settings.teams_of(project)]
        return list({share.team: share for share in self.settings.shares}.values())

    def _ask(self, one: Asked[T]) -> None:
        from holdfast.field.postgres.connection import Refused, Server
        from holdfast.field.postgres.store import PostgresStore

        vault = self.field.vault
        try:
            server = Server(self.settings.dsn, budget=self.settings.budget_s)
            try:
                store = PostgresStore(server, one.team, one.names.store)
                seen = Incoming(store, one.names, accepted.load(vault))
                found = self.look(replace(self.field, store=seen, later=None), one.names)
                one.sharers, one.found = seen.sharers, found
            finally:
                server.close()
        except Refused as error:
            one.trouble = str(error).partition(";")[0]
        except Busy:
            one.trouble = "the team's field cannot be reached"
            note_away(vault, self.field.clock())
        except Exception as error:  # a thread has nobody else to tell
            one.trouble = f"the team's field could not be asked ({type(error).__name__})"

    def answers(self) -> list[Asked[T]]:
        """Those that have answered by now."""
        for one in self.asked:
            if one.thread is not None:
                one.thread.join(max(0.0, self.began + self.settings.budget_s - time.monotonic()))
                if one.thread.is_alive() and one.found is None:
                    one.trouble = f"the team's field did not answer within {self.settings.budget_s:g} s"
                    note_away(self.field.vault, self.field.clock())
        return [one for one in self.asked if one.found is not None]

    def said(self, answered: Sequence[Asked[T]]) -> str:
        """Who answered, as a part of a sentence."""
        troubles = {one.trouble: None for one in self.asked if one not in answered and one.trouble}
        late = f": {'; '.join(troubles)}" if troubles else ""
        if not answered:
            return f"{ALONE}{late}"
        return f"from the field of {' and '.join(one.team for one in answered)} and this machine{late}"


def recall(
    field: Field, env: Mapping[str, str], query: str, scope: Scope, most: int, asker: str | None
) -> Question[Answer]:
    """Ask the teams of a project; `merged` puts their answers beside the local one."""

    def look(theirs: Field, named: Names) -> Answer:
        mine = None if asker is None else named.agent(asker)
        return retrieval.ask(theirs, query, _of_team(scope, named), most, asker=mine)

    return Question(field, env, scope.project, look)


def _of_team(scope: Scope, named: Names) -> Scope:
    return scope if scope.project is None else replace(scope, project=named.projects[0], merged=(), also_global=False)


def merged(question: Question[Answer], local: Answer, field: Field, most: int) -> Answer:
    """Both, each in its own order, by score; what this machine sent is shown as it is here, with the team's weight."""
    answered = question.answers()
    said = question.said(answered)
    if not answered:
        return replace(local, answered=said)
    said = "; ".join([said, *dict.fromkeys(one.found.answered for one in answered if one.found and one.found.answered)])
    own = {one.thought.id: one.thought for one in local.results}
    said_here = {(one.title, one.text) for one in own.values()}  # a vault that two machines sync says it on both
    found: dict[str, Result] = {}
    for asked in answered:
        for one in asked.found.results if asked.found else ():
            seen = _shown(one, asked, own, field)
            if not seen.shared_by or (seen.thought.title, seen.thought.text) not in said_here:
                found.setdefault(seen.thought.id, seen)
    rest = [one for one in local.results if one.thought.id not in found]
    results = _woven(list(found.values()), rest)[:most]
    known = field.store.traffic([one.thought.id for one in results], whole=False)
    new = {one.thought.id: (one.thought.start, one.thought.created) for one in results if one.thought.id not in known}
    return replace(local, results=tuple(results), new=new, answered=said)


def _shown(one: Result, asked: Asked[Answer], own: Mapping[str, Thought], field: Field) -> Result:
    ident = asked.names.back(one.thought.id)
    by = (asked.sharers or {}).get(one.thought.id, "")
    if by:
        return replace(one, shared_by=by, why=f"shared by {by}; {one.why}")
    mine = own.get(ident) or field.store.thoughts([ident]).get(ident)
    return replace(one, thought=mine or replace(one.thought, id=ident))


def _woven(one: list[Result], other: list[Result]) -> list[Result]:
    """Two lists as one, the better head first; within each the order stays: a successor stands before the old."""
    made: list[Result] = []
    left, right = list(one), list(other)
    while left and right:
        made.append((left if left[0].score >= right[0].score else right).pop(0))
    return made + left + right


def busiest(
    field: Field, env: Mapping[str, str], scope: Scope, query: str, most: int
) -> tuple[list[Highway] | None, str]:
    """The highways of the first team that answers, None where none does; and who answered."""
    question = Question(
        field,
        env,
        scope.project or "",
        lambda theirs, named: highways.highways(theirs, _of_team(scope, named), query, most),
    )
    answered = question.answers()
    return (answered[0].found if answered else None), question.said(answered)


def show(field: Field, env: Mapping[str, str], project: str, ident: str) -> tuple[Thought, float] | None:
    """A thought that somebody shared, and its weight now; None where no team answers with one of that id."""

    def look(theirs: Field, _: Names) -> tuple[Thought, float] | None:
        found = theirs.store.thoughts([ident]).get(ident)
        if found is None or found.project != project:
            return None
        return found, theirs.store.traffic([ident]).get(ident, unread(found)).weight_at(field.clock())

    return next((one.found for one in Question(field, env, project, look).answers()), None)


# Whether the server was away a moment ago


def _away(vault: str) -> str:
    return f"{folder(vault)}/away"


def note_away(vault: str, now: float) -> None:
    try:
        platform.make_folders(folder(vault))
        codec.write(_away(vault), {"v": 1, "t": now}, durable=False)
    except OSError:
        pass  # it is asked again, and that costs the budget


def away_since(vault: str, now: float) -> str:
    """How long ago it was away, as words; "" where it may be asked."""
    when = codec.read(_away(vault), 1 << 10).get("t")
    if not isinstance(when, (int, float)) or not 0 <= now - when < QUIET:
        return ""
    return f"{now - when:.0f} s ago"

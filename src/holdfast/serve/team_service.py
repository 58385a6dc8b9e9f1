"""A server of a team's database: it keeps nothing that another replica needs.

Every request asks the database who its token is of, and acts there as that person. So two replicas behind one address
give the same answers, a token that was revoked counts at neither, and one that is killed loses nothing it acknowledged.
What a replica keeps warm is an embedder; it looks once a second whether the database has changed, and gives vectors to
what has none. All that needs a vault is refused in one sentence.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from holdfast.capture import config, home
from holdfast.errors import Busy, HoldfastError
from holdfast.field import embedders
from holdfast.field.postgres import schema, serve_tokens
from holdfast.field.postgres.connection import Away, Refused, Server
from holdfast.field.postgres.store import PostgresStore
from holdfast.field.thought import least_trusted
from holdfast.model import Project
from holdfast.serve.problems import NoVault
from holdfast.serve.service import AT_WORK, embedder_of
from holdfast.serve.team_field import NOT_ANSWERED, TeamField, Tools
from holdfast.serve.team_health import Watch
from holdfast.serve.tokens import Caller

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from holdfast.field.postgres.serve_tokens import Token

EVERY = 1.0  # seconds between two looks at the number of the last change
MOST = 4 * AT_WORK  # connections to the database
FAREWELL = 10.0


@dataclass(frozen=True)
class Member(Caller):
    """A caller whose token the database knows. Its name is that of a contributor, such as ada:builder."""

    token: Token | None = None


class TeamTokens:
    def __init__(self, server: Server) -> None:
        self._server = server

    async def caller(self, given: str) -> Member | None:
        """Asked of the database each time. Raises Busy."""
        digest = digest_of(given)
        found = await asyncio.to_thread(self._found, digest)
        return Member(found.agent, all=True, token=found) if found else None

    def _found(self, digest: bytes) -> Token | None:
        try:
            return self._server.again(lambda: serve_tokens.found(self._server, digest))
        except Away:
            raise Busy(NOT_ANSWERED) from None


def digest_of(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


@dataclass(frozen=True)
class TeamPlace:
    """The place of a request that has no folder: a project of the team, or none."""

    within: str
    clock: Callable[[], float]

    def project(self) -> Project:
        return Project(self.within, self.within, "", "")

    def why_off(self) -> str:
        return ""


@dataclass(frozen=True)
class TeamMemory:
    """The part of a memory that a team has; everything else is refused by name."""

    at: TeamPlace
    field: TeamField

    def __getattr__(self, _: str) -> NoReturn:
        raise NoVault


class TeamServing:
    """One replica. `vault` is "", which no sentence has to hide."""

    vault = ""

    def __init__(
        self, dsn: str, env: Mapping[str, str], clock: Callable[[], float] = time.time, budget: float = 10.0
    ) -> None:
        """Raises Refused, Away."""
        _refuse_unfit(Server(dsn, budget=budget))
        self.server = Server(dsn, budget=budget, most=MOST)
        self.clock = clock
        state = home.machine_state(env)
        self.embedder = embedder_of(config.load(state), env)
        self.tools = Tools(self.server, self.embedder, clock, embedders.Former(state, env))
        self.tokens = TeamTokens(self.server)
        self.follower = Follower(self.tools)
        self.watch = Watch()

    @asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        self.follower.start()
        try:
            yield
        finally:
            await asyncio.to_thread(self.follower.stop)
            self.server.close()

    def memory(self, caller: Caller, project: str = "", *, everything: bool = False) -> Any:
        del everything  # of the caller's own team; more the database would not show
        assert isinstance(caller, Member)
        assert caller.token
        self.follower.serve(caller.token)
        return TeamMemory(TeamPlace(project, self.clock), TeamField(self.tools, caller.token, project))

    def ident(self, given: str) -> str:
        return given

    def others(self, _: Any) -> NoReturn:
        raise NoVault

    def origin(self, _memory: Any, _agent: str, _session: str, said: str) -> str:
        return least_trusted(("agent", said))


def _refuse_unfit(server: Server) -> None:
    """Raises Refused, Away."""
    try:
        schema.check(server)
        try:
            server.asked("SELECT 1 FROM holdfast.token LIMIT 0", (), "")
        except Refused:
            raise Refused(
                "This is not the address of a server: it may not look up tokens, or may see every team's rows; nothing "
                "was started. `holdfast serve address --store DSN` prints one, given the DSN of the database's owner."
            ) from None
    finally:
        server.close()


class Follower:
    """Looks whether anything was written, by whichever replica or machine, and gives it vectors."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._tokens: dict[str, Token] = {}  # of each team the last that was used here
        self._seen: dict[str, int] = {}
        self._lacking: dict[str, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="holdfast-follow", daemon=True)

    def serve(self, token: Token) -> None:
        self._tokens[token.team] = token

    @property
    def behind(self) -> int:
        """Thoughts that meaning does not find yet, of the teams that this replica has served."""
        return sum(self._lacking.values())

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(FAREWELL)

    def _follow(self) -> None:
        while not self._stop.wait(EVERY):
            for token in [*self._tokens.values()]:
                with suppress(HoldfastError, OSError):  # a request that meets the same says so
                    self._look(token)

    def _look(self, token: Token) -> None:
        field = self._tools.field(token)
        store = field.store
        assert isinstance(store, PostgresStore)
        now = store.change()
        if now == self._seen.get(token.team) and not self._lacking.get(token.team):
            return
        embedder = field.asker()
        if embedder is not None and store.unembedded(embedder.name, 1):
            TeamField(self._tools, token).embed(field)
        self._lacking[token.team] = store.lacking(embedder.name) if embedder else 0
        self._seen[token.team] = now

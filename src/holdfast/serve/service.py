"""The service behind all routes: the vault, the warm field, and the memory as one caller may see it (rule of scope).

A caller is in one project: that of its token, else that of the folder the server was started in. Only a token that
may ask for all may say that it is in another one, and then sees that one and what is global, as if it stood there. The
field is kept warm: one embedder for all requests, stores that stay open, and an index that is up to date.
"""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from holdfast.capture import config, episodes, home, projects, same_project
from holdfast.capture.gate import Where, origin_of
from holdfast.errors import HoldfastError, NotFound
from holdfast.field import embedders, embedding_process, handle, intake
from holdfast.field.embedders import NoVectors
from holdfast.field.handle import Field
from holdfast.field.store import Damaged
from holdfast.field.thought import least_trusted
from holdfast.memory import Context, Memory
from holdfast.model import Project, replace, value
from holdfast.page.note_index import NoteIndex
from holdfast.page.sign_in import Keys
from holdfast.serve import problems, shapes
from holdfast.serve.guard import Refused
from holdfast.serve.problems import Denied, NoTeam
from holdfast.serve.tokens import Caller, Tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from holdfast.field.embedders import Embedder

AT_WORK = max(2, min(4, os.cpu_count() or 2))  # questions that are answered at once
KEPT = AT_WORK  # stores that wait for the next request
REFRESH = 30.0  # seconds between two looks at what others wrote
FAREWELL = 10.0
T = TypeVar("T")


class _Stopped(Exception):
    """The server stops: what is not taken in yet is taken in by the next look of anybody."""


@value
class Lent(Field):
    """A field that goes back to where it came from."""

    owner: Warm | None = None

    def __exit__(self, kind: object = None, error: object = None, *_: object) -> None:
        is_sound = error is None or (isinstance(error, HoldfastError) and not isinstance(error, Damaged))
        if self.owner is None or not is_sound or not self.owner.take_back(self):
            self.store.close()


class Warm:
    """All that requests share of the field. `embedder` counts until the settings are changed."""

    def __init__(
        self, vault: str, embedder: Embedder | None, clock: Callable[[], float], env: Mapping[str, str] | None = None
    ) -> None:
        self.vault = vault
        self.embedder = embedder
        self.clock = clock
        self._env = os.environ if env is None else env
        self._state = home.machine_state(self._env)
        self._wishes = embedders.wished(self._state)
        self._former = embedders.Former(self._state, self._env)
        self._later = embedding_process.Background(vault, self._env, clock)
        if self._wishes:
            embedders.keep(self._state, embedder, self._wishes)
        self.writer = threading.Lock()
        self._answering = ThreadPoolExecutor(AT_WORK, "holdfast-answer")
        self._under_way: dict[object, Future[Any]] = {}
        self._idle: list[Lent] = []
        self._guard = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def field(self) -> Field:
        """To be used as a context. Raises NewerFormat, Busy, Damaged."""
        with self._guard:
            embedder = self._chosen()
            if self._idle:
                return replace(self._idle.pop(), embedder=embedder, former=self._former)
            former = self._former
        made = handle.opened(self.vault, embedder, self.clock, former, self._later)
        return Lent(made.vault, made.store, made.embedder, made.clock, made.former, made.later, owner=self)

    def _chosen(self) -> Embedder | None:
        """The embedder of the settings as they are now; settings that name nobody leave search to the words."""
        wishes = embedders.wished(self._state)
        if wishes != self._wishes:
            self._wishes, self._former = wishes, embedders.Former(self._state, self._env)
            self.embedder = embedders.at_hand(wishes, self._env) if wishes else None
            if wishes:
                embedders.keep(self._state, self.embedder, wishes)
        return self.embedder

    def answered(self, question: object, work: Callable[[], T]) -> T:
        """The answer of `work` to a question, in its turn. Raises what it raises."""
        with self._guard:
            found: Future[T] | None = self._under_way.get(question)
            if found is None:
                found = self._under_way[question] = self._answering.submit(work)
                found.add_done_callback(lambda _: self._under_way.pop(question, None))
        return found.result()

    def take_back(self, field: Lent) -> bool:
        with self._guard:
            if self._stop.is_set() or len(self._idle) >= KEPT:
                return False
            self._idle.append(field)
            return True

    def start(self) -> None:
        self._thread = threading.Thread(target=self._keep_up, name="holdfast-field", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._answering.shutdown(wait=True, cancel_futures=True)
        if self._thread:
            self._thread.join(FAREWELL)
        with self._guard:
            idle, self._idle = self._idle, []
        for field in idle:
            field.store.close()

    def _keep_up(self) -> None:
        while not self._stop.is_set():
            try:
                if home.format_of(self.vault):  # one that was taken away is not made anew
                    with self.field() as field:
                        with suppress(NoVectors):  # the whole model: a single question would take the short way
                            if asker := field.asker():
                                asker.embed(["warm"])
                        intake.sync(field, progress=self._go_on)
            except (_Stopped, HoldfastError, OSError):
                pass  # a question that meets the same says so
            self._stop.wait(REFRESH)

    def _go_on(self, _: int) -> None:
        if self._stop.is_set():
            raise _Stopped


HEALTH_AGE = 24 * 3600.0  # seconds; sessions of a working day are closed by then


def origin(memory: Memory, agent: str, session: str, said: str) -> str:
    """The origin of a caller's words: an agent's own at best, and no better than what has entered its context. One that
    does not say which session it is may be any that goes on."""
    at = memory.at
    found = episodes.latest(at.state, episodes.host_name(agent), episodes.session_name(session))
    known = found if session and found and found.state == episodes.OPEN else None
    where = Where("http", known.key if known else "", at.project(), "environment", known is not None)
    return least_trusted(["agent", said, origin_of(where, at.vault)])


class Serving:
    """One server of one vault. `health_age` is the age of the oldest unprocessed flag at which it is no longer well."""

    def __init__(
        self,
        vault: str,
        cwd: str,
        env: Mapping[str, str],
        clock: Callable[[], float] = time.time,
        health_age: float | None = None,
    ) -> None:
        home.refuse_newer(vault)
        self.vault = vault
        self.state = home.state(vault)
        self.cwd = cwd
        self.env = env
        self.clock = clock
        wishes = config.load(home.machine_state(env))
        said = config.number(config.section(wishes, "serve"), "health_age", HEALTH_AGE)
        self.health_age = said if health_age is None else health_age
        self.warm = Warm(vault, embedder_of(wishes, env), clock, env)
        self.tokens = Tokens(self.state)
        self.keys = Keys(self.state)
        self.notes = NoteIndex(vault)

    @asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        """What runs beside the requests."""
        from holdfast.serve import hook_socket, sleep_watch

        async with AsyncExitStack() as held:
            await held.enter_async_context(hook_socket.listening(self))  # before threads: it sets the umask
            self.warm.start()
            held.callback(self.warm.stop)
            await held.enter_async_context(sleep_watch.watching(self))
            yield

    def memory(self, caller: Caller, project: str = "", *, everything: bool = False) -> Memory:
        """Raises Denied, NotFound."""
        if everything and not caller.all:
            raise Denied("This token is for one project; nothing was shown. One made with --all may ask for all.")
        if project and project not in same_project.ids(self.vault, caller.project) and not caller.all:
            raise Denied("This token is for another project; nothing was shown. One made with --all may say any.")
        return self._seen(self._project(project or caller.project, caller.folder))

    def origin(self, memory: Memory, agent: str, session: str, said: str) -> str:
        return origin(memory, agent, session, said)

    def ident(self, given: str) -> str:
        """The id of a thought as its author made it. Raises NoTeam: a vault makes its own."""
        if given:
            raise NoTeam
        return ""

    def others(self, one: Memory) -> list[Memory]:
        """The same memory as seen from every other project."""
        merged = same_project.names(self.vault)
        others = projects.registered(self.vault) - merged.keys() - {*one.at.project().ids}
        return [self._seen(self._project(ident)) for ident in sorted(others)]

    def _seen(self, project: Project) -> Memory:
        """The memory as a caller in this project sees it, on the field that is warm."""
        return Memory(Context(self.vault, self.cwd, self.env, self.clock, project), self.warm)

    def users_memory(self, project: str) -> Memory:
        """The memory as the user sees it in their browser. Raises NotFound."""
        found = self._project(project)
        return Memory(Context(self.vault, self.cwd, self.env, self.clock, found, for_user=True), self.warm)

    def here(self) -> Project:
        """The project of the folder that the server was started in."""
        return projects.find(self.cwd, self.vault)

    def _project(self, ident: str, folder: str = "") -> Project:
        """`folder` is one that may say more of it: that capture is off there."""
        here = self.here()
        ident, *merged = same_project.ids(self.vault, ident)
        if ident in ("", here.id):
            return here
        there = projects.find(folder, self.vault) if os.path.isdir(folder) else None
        if there and there.id == ident:
            return there
        if ident not in projects.registered(self.vault):
            raise NotFound("There is no such project in this vault; nothing was done. projects.toml lists them.")
        return Project(ident, ident, "", "", merged=tuple(merged))


def embedder_of(wishes: Mapping[str, Any], env: Mapping[str, str]) -> Any:
    """The one that the settings name; where it is not here, search goes by words."""
    try:
        return embedders.chosen(wishes, env)
    except NoVectors:
        return None


JSON = "application/json"
# The door has looked at it already; here it is for whoever reads /openapi.json.
BEARER = HTTPBearer(auto_error=False, description="The token in .state/serve.token, or one of --new-token.")


def json_only(request: Request) -> None:
    """A form is what a page elsewhere can send without asking, so it is no body of ours. Raises Refused."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != JSON:
        raise Refused(415, *problems.SAID[415])


@dataclass(frozen=True)
class Asking:
    """One request: the server, who calls, and the memory as the caller may see it."""

    serving: Any  # a Serving, or a team's
    caller: Caller

    def memory(self, project: str = "", *, everything: bool = False) -> Memory:
        found: Memory = self.serving.memory(self.caller, project, everything=everything)
        return found

    def placed(self, where: shapes.Placed) -> Memory:
        return self.memory(where.project, everything=where.everything)


def asking(request: Request) -> Asking:
    return Asking(request.app.state.serving, request.state.caller)


Asks = Annotated[Asking, Depends(asking)]


def _problems(told: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": shapes.Problem, "description": said} for status, said in told.items()}


PROBLEMS = _problems({
    400: "It cannot be read.",
    401: "No token, or none that counts.",
    403: "Not for this token, or of an Origin that is not ours.",
    404: "There is no such thing, or not for this caller.",
    408: "The body did not come in time.",
    413: "The body is too large.",
    421: "The Host is not served here.",
    422: "It was read and cannot be accepted.",
    500: "Something went wrong.",
    503: "Not now: another is writing, or the system refused.",
})  # fmt: skip
WRITING = _problems({
    409: "Capture is switched off here.",
    415: "The body is no JSON.",
    507: "The disk refused; nothing was acknowledged.",
})  # fmt: skip

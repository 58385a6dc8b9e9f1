"""The application: routes, errors as sentences, the door before all of it, and the connections that lead to it.

    app = build(Serving(vault, cwd, env), port)

What is mounted beside the routes stands behind the same door, and finds who calls in scope["state"]["caller"]: the
Model Context Protocol at /mcp, where its SDK is installed.
"""

from __future__ import annotations

import importlib.util
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import h11
from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast import __version__
from holdfast.errors import HoldfastError
from holdfast.page import frame
from holdfast.page import routes as page
from holdfast.serve import problems, routes
from holdfast.serve.guard import Guard, Refused, is_of_page
from holdfast.serve.service import BEARER, PROBLEMS, Serving

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Callable, Collection, Mapping
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request

    from holdfast.serve.guard import App
    from holdfast.serve.mcp.peer import Peer
    from holdfast.serve.team_service import TeamServing

    Lifespan = Callable[[], AbstractAsyncContextManager[Any]]

DESCRIPTION = "Memory for AI coding agents, on this machine. Every route needs a token; every answer is JSON."


def build(
    serving: Serving | TeamServing,
    port: int | None,
    mounts: Mapping[str, App] | None = None,
    lifespan: Lifespan | None = None,
    names: Collection[str] = (),
) -> Guard:
    """`port` is None on a unix socket; `lifespan` is entered while the server runs, for what is mounted. `names` are
    further Host headers that mean this server, such as that of a proxy before it."""

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as held:
            await held.enter_async_context(serving.living())
            if lifespan:
                await held.enter_async_context(lifespan())
            yield

    app = FastAPI(
        title="holdfast",
        version=__version__,
        description=DESCRIPTION,
        lifespan=living,
        docs_url=None,  # pages that load their scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(BEARER)],
        responses=PROBLEMS,
    )
    for router in (health_of(serving), routes.field_router, routes.vault_router, routes.watch_router):
        app.include_router(router)
    for path, mounted in (mounts or {}).items():
        app.router.routes.append(Route(path, endpoint=mounted))  # exactly this path, whatever the method
    metrics = metrics_of(serving)
    if isinstance(serving, Serving):
        page.install(app)
    app.state.serving = serving
    app.state.metrics = metrics
    _handle(app)
    return Guard(app, serving.tokens, port, metrics.seen, names, has_page=isinstance(serving, Serving))


def health_of(serving: Serving | TeamServing) -> APIRouter:
    """The route that says how this server is."""
    if isinstance(serving, Serving):
        return routes.health_router
    from holdfast.serve import team_health

    return team_health.router


def metrics_of(serving: Serving | TeamServing) -> Any:
    if isinstance(serving, Serving):
        from holdfast.serve.health import Metrics

        return Metrics(serving)
    from holdfast.serve.team_health import TeamMetrics

    return TeamMetrics(serving)


def _handle(app: FastAPI) -> None:
    for kind in (HoldfastError, OSError, Exception):
        app.add_exception_handler(kind, _told)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _framework)


def _answer(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    more = {"retry-after": "1"} if status == 503 else {}
    return JSONResponse({"error": code, "message": message}, status, {**(headers or {}), **more})


def _headers(request: Request) -> Mapping[str, str] | None:
    """A refusal of the page is as little to be framed as the page."""
    return frame.HEADERS if is_of_page(request.url.path) else None


async def _told(request: Request, error: Exception) -> JSONResponse:
    return _answer(*problems.told(error, request.app.state.serving.vault), _headers(request))


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refused)
    return _answer(error.status, error.code, error.message)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return _answer(*problems.sentence_of(list(error.errors())), _headers(request))


async def _framework(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _answer(*problems.of_status(error.status_code, error.headers))


PATH = "/mcp"
NEEDED = ("mcp", "mcp_types")


def mounts(serving: Serving | TeamServing) -> tuple[dict[str, Any], Any]:
    """The applications by path, and what has to be entered while the server runs; nothing where there is no SDK."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        return {}, None
    if not isinstance(serving, Serving):
        from holdfast.serve.mcp import team_tools

        team = team_tools.application(serving)
        return {PATH: team}, team.running
    from holdfast.serve.mcp import peer, server

    def calling(scope: Mapping[str, Any] | None) -> Peer:
        caller = (scope or {})["state"]["caller"]
        if caller.project not in ("", serving.here().id):
            raise problems.Denied("This token is for another project than this server's folder; nothing was done.")
        return peer.of_agent(caller.name, serving.cwd, serving.env, serving.clock, serving.warm)

    app = server.McpApp(calling, partial(problems.without, serving.vault))
    return {PATH: app}, app.running


SILENCE = 10.0  # seconds between two looks
AGAIN = (b"retry-after", b"1")


class Connection(H11Protocol):
    """A client's connection. The server of uvicorn waits for a request without an end, and whatever comes, if it is
    one letter, begins the wait anew. There are so many places and no more, and none of this needs a token: so from time
    to time a connection on which no request is under way and none was answered since is closed. How long a body may
    take is the door's business. What uvicorn itself refuses, before the door sees it, is told as the door tells it."""

    silence = SILENCE

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._answered: object = None  # the last request, as the last look found it
        self._served = self.app
        self._most, self.limit_concurrency = self.limit_concurrency, None  # the same limit, with an answer of ours

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(self.silence, self._look)

    def handle_events(self) -> None:
        is_full = self._most is not None and max(len(self.connections), len(self.tasks)) >= self._most
        self.app = _full if is_full else self._served
        super().handle_events()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  theirs
        data = problems.body(*problems.SAID[400])
        head = [(b"content-type", b"application/json"), (b"connection", b"close"), *problems.SAFE]
        answer = h11.Response(status_code=400, headers=head, reason=b"Bad Request")
        for event in (answer, h11.Data(data=data), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            if self.cycle is self._answered:
                self.transport.close()
                return
            self._answered = self.cycle
        self.loop.call_later(self.silence, self._look)


async def _full(_: Any, __: Any, send: Any) -> None:
    await problems.send(send, 503, *problems.SAID[503], [AGAIN, *problems.SAFE], close=True)

"""The application: routes, errors as sentences, and the door before all of it.

    app = build(Serving(vault, cwd, env), port)

What is mounted beside the routes stands behind the same door, and finds who calls in scope["state"]["caller"].

What stands beside the routes, behind the same door: the Model Context Protocol at /mcp, where its SDK is installed.
"""

from __future__ import annotations

import importlib.util
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from holdfast import __version__
from holdfast.errors import HoldfastError
from holdfast.serve import hookside, problems, routes_field, routes_vault
from holdfast.serve.guard import Guard, Refused, Tokens
from holdfast.serve.health import Metrics
from holdfast.serve.serving import BEARER, PROBLEMS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request

    from holdfast.serve.guard import App
    from holdfast.serve.mcp.peer import Peer
    from holdfast.serve.serving import Serving

    Lifespan = Callable[[], AbstractAsyncContextManager[Any]]


DESCRIPTION = "Memory for AI coding agents, on this machine. Every route needs a token; every answer is JSON."


def build(
    serving: Serving, port: int | None, mounts: Mapping[str, App] | None = None, lifespan: Lifespan | None = None
) -> Guard:
    """`port` is None on a unix socket; `lifespan` is entered while the server runs, for what is mounted."""

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as held:
            await held.enter_async_context(hookside.listening(serving))  # before threads: it sets the umask
            serving.warm.start()
            held.callback(serving.warm.stop)
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
    for router in (routes_field.router, routes_vault.router, routes_vault.watch_router):
        app.include_router(router)
    for path, mounted in (mounts or {}).items():
        app.router.routes.append(Route(path, endpoint=mounted))  # exactly this path, whatever the method
    metrics = Metrics(serving)
    app.state.serving = serving
    app.state.metrics = metrics
    _handle(app)
    return Guard(app, Tokens(serving.state), port, metrics.seen)


def _handle(app: FastAPI) -> None:
    for kind in (HoldfastError, OSError, Exception):
        app.add_exception_handler(kind, _told)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _framework)


def _answer(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    more = {"retry-after": "1"} if status == 503 else {}
    return JSONResponse({"error": code, "message": message}, status, {**(headers or {}), **more})


async def _told(request: Request, error: Exception) -> JSONResponse:
    return _answer(*problems.told(error, request.app.state.serving.vault))


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refused)
    return _answer(error.status, error.code, error.message)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return _answer(*problems.sentence_of(list(error.errors())))


async def _framework(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _answer(*problems.of_status(error.status_code, error.headers))


PATH = "/mcp"
NEEDED = ("mcp", "mcp_types")


def mounts(serving: Serving) -> tuple[dict[str, Any], Any]:
    """The applications by path, and what has to be entered while the server runs; nothing where there is no SDK."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        return {}, None
    from holdfast.serve.mcp import peer, server

    def calling(scope: Mapping[str, Any] | None) -> Peer:
        caller = (scope or {})["state"]["caller"]
        if caller.project not in ("", serving.here().id):
            raise problems.Denied("This token is for another project than this server's folder; nothing was done.")
        return peer.of_agent(caller.name, serving.cwd, serving.env, serving.clock, serving.warm)

    app = server.McpApp(calling, partial(problems.without, serving.vault))
    return {PATH: app}, app.running

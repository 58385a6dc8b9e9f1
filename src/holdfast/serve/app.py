"""The application: routes, errors as sentences, and the door before all of it.

    app = build(Serving(vault, cwd, env), port)

What is mounted beside the routes stands behind the same door, and finds who calls in scope["state"]["caller"].
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from holdfast import __version__
from holdfast.errors import HoldfastError
from holdfast.serve import hookside, problems, routes_field, routes_vault, routes_watch
from holdfast.serve.asking import BEARER, PROBLEMS
from holdfast.serve.guard import Guard, Refused
from holdfast.serve.metrics import Metrics
from holdfast.serve.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request

    from holdfast.serve.guard import App
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
    for router in (routes_field.router, routes_vault.router, routes_watch.router):
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

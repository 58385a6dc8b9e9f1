"""The routes of the page: its frame, its files, signing in and out, and the views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel

from holdfast.errors import NotFound
from holdfast.page import frame, review, sign_in, views
from holdfast.page.errors import LookOnly, SignedOut
from holdfast.page.visit import SCHEME, Visits, key_of

if TYPE_CHECKING:
    from fastapi import FastAPI

router = APIRouter(include_in_schema=False)


class Link(BaseModel):
    link: str


@router.get("/")
def home() -> Response:
    return RedirectResponse("/page/today", 303, frame.HEADERS)


@router.get("/page")
def page() -> Response:
    return RedirectResponse("/page/today", 303, frame.HEADERS)


@router.get("/page/static/{digest}/{name}")
def static(digest: str, name: str) -> Response:
    """A file whose name is of these contents: a browser asks for it once."""
    if digest != frame.STATICS.digest or name not in frame.STATICS.files:
        raise NotFound("There is no such file.")
    data, kind = frame.STATICS.files[name]
    return Response(data, 200, {**frame.HEADERS, **frame.FOR_EVER}, kind)


@router.post("/page/sign-in")
def enter(request: Request, given: Link) -> dict[str, str]:
    """The key for a link, once. Raises SignedOut."""
    serving = request.app.state.serving
    key = sign_in.use_link(serving.state, given.link, serving.clock())
    if key is None:
        raise SignedOut("This link was used before, or is older than ten minutes. `holdfast page` makes a new one.")
    return {"key": key}


@router.post("/page/sign-out")
def leave(request: Request, everywhere: bool = False) -> dict[str, str]:
    """End a key; with `everywhere` all of them. One that may only look ends itself. Raises SignedOut, LookOnly."""
    serving = request.app.state.serving
    key, given = key_of(request)
    if everywhere and key.read_only:
        raise LookOnly
    sign_in.sign_out(serving.state, given, serving.clock(), everywhere=everywhere)
    return {}


@router.get("/page/bar")
def bar(visit: Visits) -> Response:
    """The head of the page: where one is, and what waits."""
    projects = visit.memory.sessions.projects()
    return visit.show("bar.html", projects=projects, waiting=review.count(visit))


def install(app: FastAPI) -> None:
    """Put the page onto a server, and say what a browser without a key gets."""
    app.include_router(router)
    for one in views.routers():
        app.include_router(one)
    app.add_exception_handler(SignedOut, _signed_out)


async def _signed_out(request: Request, error: Exception) -> Response:
    """The frame, where a browser opens a page: that sends no key. Else what there is to know, above all for a key that
    counts no more."""
    if request.method == "GET" and "hx-request" not in request.headers and "authorization" not in request.headers:
        return frame.answer(frame.render("frame.html", views=views.ALL, path=request.url.path))
    told = {"error": SignedOut.code, "message": str(error)}
    return JSONResponse(told, 401, {**frame.HEADERS, "www-authenticate": SCHEME})

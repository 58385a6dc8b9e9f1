"""The door: the checks that every request has to pass before any route sees it, whatever is mounted behind.

A page in a browser can send requests to this machine, and by rebinding a name of its own it can even read the
answers. So the Host has to be one of ours, an Origin exactly ours, and the token there; no answer has a header of
CORS. What is larger than the limit is refused before it is read, or where its length was not said, as soon as it is
too long. The identity of a caller is what its token says (serve/tokens), never what a body claims.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.errors import HoldfastError
from holdfast.serve import problems

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, MutableMapping
    from typing import TypeAlias

    Message: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    App: TypeAlias = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
    Seen: TypeAlias = Callable[[str, str, int, float], None]

SLOWEST = 30.0  # seconds that a body may take
LARGEST = 1 << 20  # bytes of one
NAMES = ("127.0.0.1", "localhost", "[::1]")
BEARER = (b"www-authenticate", b"Bearer")


class Refused(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class Callers(Protocol):
    """Those who may come in: a vault's tokens on disk, or a team's in its database."""

    def caller(self, given: str, /) -> Any:
        """Who a token is of, None for nobody; or what tells it once it is awaited."""
        ...


class Guard:
    """`port` is None on a unix socket: there nobody has an Origin that is ours."""

    def __init__(
        self,
        app: App,
        tokens: Callers,
        port: int | None,
        seen: Seen,
        names: Collection[str] = (),
        *,
        has_page: bool = False,
    ) -> None:
        self.app = app
        self.has_page = has_page
        self.tokens = tokens
        self.hosts = hosts(port) | {name.lower() for name in names}
        self.origins = frozenset() if port is None else frozenset(f"http://{name}:{port}" for name in NAMES)
        self.seen = seen

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets here: the server closes it
        began, answer = time.perf_counter(), _Answer(send)
        try:
            headers = _headers(scope)
            self._look(headers)
            if not (self.has_page and is_of_page(scope["path"])):
                scope["state"] = {**scope.get("state", {}), "caller": await self._caller(headers)}
            await self.app(scope, _again(await _body(receive, headers), receive), answer.send)
        except Refused as refused:
            await answer.refuse(refused.status, refused.code, refused.message)
        except (HoldfastError, OSError) as error:
            if answer.status:
                raise
            await answer.refuse(*problems.told(error))
        except Exception as error:
            if not answer.status:
                await answer.refuse(*problems.told(error))
            raise  # into the log
        finally:
            route = getattr(scope.get("route"), "path", "")
            self.seen(scope["method"] if route else "", route, answer.status, time.perf_counter() - began)

    def _look(self, headers: dict[str, list[str]]) -> None:
        host = headers.get("host", [])
        if len(host) != 1 or host[0].lower() not in self.hosts:
            raise Refused(421, "host", "This Host is not served here; nothing was done. Use 127.0.0.1 and the port.")
        origin = headers.get("origin", [])
        if any(one not in self.origins for one in origin) or len(origin) > 1:
            raise Refused(403, "origin", "Requests of this Origin are not answered; nothing was done.")

    async def _caller(self, headers: dict[str, list[str]]) -> Any:
        given = headers.get("authorization", [])
        kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        caller = self.tokens.caller(token.strip()) if kind.lower() == "bearer" and token.strip() else None
        if inspect.isawaitable(caller):  # of a database, which is asked
            caller = await caller
        if caller is None:
            raise Refused(
                401, "token", "A token is needed; nothing was done. Send Authorization: Bearer with the one that "
                "`holdfast serve` keeps in .state/serve.token, or one of `holdfast serve --new-token NAME`.",
            )  # fmt: skip
        return caller


def is_of_page(path: str) -> bool:
    """Whether the page answers there: it has keys of its own, and its frame needs none."""
    return path in ("/", "/page") or path.startswith("/page/")


def hosts(port: int | None) -> frozenset[str]:
    """The Host headers that mean this server."""
    if port is None:
        return frozenset(NAMES)
    return frozenset(f"{name}:{port}" for name in NAMES) | (frozenset(NAMES) if port == 80 else frozenset())


def _headers(scope: MutableMapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, given in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(given.decode("latin-1"))
    return found


async def _body(receive: Receive, headers: dict[str, list[str]]) -> bytes:
    said = headers.get("content-length", ["0"])[0]
    if not said.isdecimal() or len(said) > 18 or int(said) > LARGEST:
        raise _too_large()
    body = bytearray()
    try:
        async with asyncio.timeout(SLOWEST):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":  # what came until then may read as a whole one
                    raise Refused(400, "malformed", "The body was cut off; nothing was done. Send it again.")
                body += message.get("body", b"")
                if len(body) > LARGEST:
                    raise _too_large()
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise Refused(408, "slow", "The body did not come in time; nothing was done. Send it again.") from None
    except asyncio.CancelledError:
        raise Refused(503, "busy", "The server stops; nothing was done. Send it again once it is back.") from None


def _too_large() -> Refused:
    return Refused(413, "too-large", f"The body has more than {LARGEST:,} bytes; nothing was done. Send less.")


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, for whoever comes next; after it whatever the server says."""
    waiting = [body]

    async def one() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return one


class _Answer:
    """The answer that goes out, and its status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message.get("headers", ()))
            there = {name.lower() for name, _ in given}
            message["headers"] = [*given, *(one for one in problems.SAFE if one[0] not in there)]
        await self._send(message)

    async def refuse(self, status: int, code: str, message: str) -> None:
        more = [BEARER] if status == 401 else []
        is_left = status in (408, 413)  # something of the body, which is not read
        await problems.send(self.send, status, code, message, more, close=is_left)

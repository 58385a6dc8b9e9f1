"""The door: the checks that every request has to pass before any route sees it, whatever is mounted behind.

A page in a browser can send requests to this machine, and by rebinding a name of its own it can even read the
answers. So the Host has to be one of ours, an Origin exactly ours, and the token there; no answer has a header of
CORS. What is larger than the limit is refused before it is read, or where its length was not said, as soon as it is
too long. The identity of a caller is what its token says, never what a body claims.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import secrets
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, episodes, gate, locks, platform
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.serve import problems

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, MutableMapping
    from typing import TypeAlias

    from holdfast.model import Project

    Message: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    App: TypeAlias = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
    Seen: TypeAlias = Callable[[str, str, int, float], None]


OWN, OTHERS = "serve.token", "serve.tokens"
OPERATOR = "operator"  # the name of whoever has the operator's own
PREFIX = "holdfast_"
LONGEST_NAME = 40
LARGEST = 1 << 20
VERSION = 1
PATIENCE = 60.0  # seconds for another that changes the tokens


@dataclass(frozen=True)
class Caller:
    """`project` is the one that its token is for, "" that of the folder the server was started in; `all` whether it may
    ask for all projects, or say which one it is in; `folder` where the token was made."""

    name: str
    project: str = ""
    all: bool = False
    folder: str = ""


def own(state: str) -> str:
    """The operator's token, made when there is none. Raises OSError, also where the vault was taken away: whoever asks,
    with a token or without, must not make another in its place."""
    path = f"{state}/{OWN}"
    try:
        found = platform.read_regular(path, 1 << 12).decode("ascii", "replace").strip()
        if len(found) >= 32:
            os.chmod(path, 0o600)
            return found
    except FileNotFoundError:
        pass
    made = _made()
    platform.write_atomic(path, f"{made}\n".encode("ascii"), durable=True)
    return made


def add(state: str, name: str, project: Project, *, by: gate.Asker, everything: bool = False) -> str:
    """A token for an agent, which is shown once and kept nowhere. Raises UsageError, OSError."""
    gate.require(by, gate.Change(gate.TOKEN), "Making a token")
    if not name or name != episodes.host_name(name) or name == OPERATOR:  # else it had two names, and counted twice
        raise UsageError(
            f'"{name[:60]}" is no name for a token; nothing was made. '
            f"A name has 1 to {LONGEST_NAME} letters of a-z, digits, - and _, and is not {OPERATOR}."
        )
    platform.make_folders(state)
    with _changing(state) as known:
        if any(caller.name == name for caller in known.values()):
            raise UsageError(
                f"{name} has a token already; nothing was made. `holdfast serve --revoke {name}` ends it first."
            )
        made = _made()
        known[_digest(made)] = Caller(name, project.id, everything, project.root)
    return made


def revoke(state: str, name: str, *, by: gate.Asker) -> None:
    """Raises NotFound, UsageError, OSError."""
    gate.require(by, gate.Change(gate.TOKEN, gate.LIFTED), "Ending a token")
    if all(caller.name != name for caller in _kept(state).values()):
        raise NotFound(f'No token is named "{name[:60]}"; nothing was changed.')
    with _changing(state) as known:
        for digest in [digest for digest, caller in known.items() if caller.name == name]:
            del known[digest]


class Tokens:
    """All that count, as they are on disk now."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._stamp = ""
        self._known: dict[str, Caller] = {}

    def caller(self, given: str) -> Caller | None:
        """The owner of a token. Every one is compared with, each in the same time."""
        wanted = _digest(given)
        found: Caller | None = None
        for digest, caller in self._all().items():
            if hmac.compare_digest(digest.encode("utf-8"), wanted.encode("utf-8")):
                found = caller
        return found

    def _all(self) -> dict[str, Caller]:
        stamp = f"{_stamp(f'{self._state}/{OWN}')} {_stamp(f'{self._state}/{OTHERS}')}"
        if stamp != self._stamp:
            self._known = {**_others(self._state), _digest(own(self._state)): Caller(OPERATOR, all=True)}
            self._stamp = stamp
        return self._known


def _made() -> str:
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _stamp(path: str) -> str:
    try:
        seen = os.stat(path)
    except OSError:
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_ino}.{seen.st_size}"


def _others(state: str) -> dict[str, Caller]:
    """By digest; what is none of ours lets nobody in."""
    try:
        return _kept(state)
    except (OSError, UsageError):
        return {}


def _kept(state: str) -> dict[str, Caller]:
    """By digest. Raises UsageError, OSError: what cannot be read must not be written over."""
    try:
        found = codec.decode(platform.read_regular(f"{state}/{OTHERS}", LARGEST))
        return {str(one["digest"]): _caller(one) for one in found["tokens"]}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f".state/{OTHERS} cannot be read; nothing was changed. Move it aside: the tokens in it count no more."
        ) from None


def _caller(told: dict[str, Any]) -> Caller:
    return Caller(str(told["name"]), str(told["project"]), told["all"] is True, str(told.get("folder", "")))


@contextmanager
def _changing(state: str) -> Iterator[dict[str, Caller]]:
    lock = locks.taken(f"{state}/{OTHERS}.lock", PATIENCE)
    try:
        known = _kept(state)
        yield known
        told = [{"digest": digest, **asdict(caller)} for digest, caller in known.items()]
        platform.write_atomic(f"{state}/{OTHERS}", codec.encode({"v": VERSION, "tokens": told}), durable=True)
    finally:
        os.close(lock)


SLOWEST = 30.0  # seconds that a body may take
NAMES = ("127.0.0.1", "localhost", "[::1]")
BEARER = (b"www-authenticate", b"Bearer")


class Refused(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class Guard:
    """`port` is None on a unix socket: there nobody has an Origin that is ours."""

    def __init__(self, app: App, tokens: Tokens, port: int | None, seen: Seen) -> None:
        self.app = app
        self.tokens = tokens
        self.hosts = hosts(port)
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
            scope["state"] = {**scope.get("state", {}), "caller": self._caller(headers)}
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

    def _caller(self, headers: dict[str, list[str]]) -> Any:
        given = headers.get("authorization", [])
        kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        caller = self.tokens.caller(token.strip()) if kind.lower() == "bearer" and token.strip() else None
        if caller is None:
            raise Refused(
                401, "token", "A token is needed; nothing was done. Send Authorization: Bearer with the one that "
                "`holdfast serve` keeps in .state/serve.token, or one of `holdfast serve --new-token NAME`.",
            )  # fmt: skip
        return caller


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
            message["headers"] = [*message.get("headers", ()), *problems.SAFE]
        await self._send(message)

    async def refuse(self, status: int, code: str, message: str) -> None:
        more = [BEARER] if status == 401 else []
        is_left = status in (408, 413)  # something of the body, which is not read
        await problems.send(self.send, status, code, message, more, close=is_left)

"""One server of a vault at a time: its lock, its beginning and its end.

    .state/serve.lock     locked while a server lives; in it where it answers, its process, and since when

Promise: a second one is told where the first is; a signal ends it after the requests that are under way, and then
its socket is gone and the lock says nothing. What a killed one left is taken over by the next: the lock went with
its process. Whether somebody reads what it prints changes nothing. It listens on this machine only, at a port of
loopback or at a unix socket that its owner alone may use.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, locks, platform
from holdfast.errors import Busy, UsageError
from holdfast.model import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
PORT = 8317


@dataclass(frozen=True)
class Wish:
    """An address; a port of 0 is any that is free. `socket` is the path of a unix socket, instead of a port; `names`
    are further Host headers that mean this server; `store` is the DSN of a team's database, instead of a vault."""

    host: str = "127.0.0.1"
    port: int = PORT
    socket: str = ""
    health_age: float | None = None
    names: tuple[str, ...] = ()
    store: str = ""


def refuse_elsewhere(wish: Wish) -> None:
    """Raises UsageError."""
    if not wish.socket and wish.host not in LOOPBACK:
        raise UsageError(
            f'"{wish.host[:80]}" is not this machine alone; nothing was started. '
            "holdfast answers on 127.0.0.1, ::1 or a unix socket (--socket PATH)."
        )
    if not 0 <= wish.port <= 65535:
        raise UsageError(f"{wish.port} is no port; nothing was started. Say one from 0 to 65535.")


@contextmanager
def at(wish: Wish, cwd: str) -> Iterator[tuple[socket.socket, str, int | None]]:
    """The socket, its address, and its port if it has one. Raises UsageError, Busy."""
    if not wish.socket:
        yield bound(wish.host, wish.port)
        return
    from holdfast.serve.hook_socket import at_path

    path = os.path.normpath(os.path.join(cwd, wish.socket))
    with at_path(path) as listener:
        yield listener, f"unix:{path}", None


def bound(host: str, port: int) -> tuple[socket.socket, str, int]:
    # With the protocol named asyncio turns Nagle off; else an answer in two writes waits 40 ms for an acknowledgement.
    listener = socket.socket(LOOPBACK[host], socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1" if host == "localhost" else host, port))
        listener.listen()  # two that are only bound may have the same port
    except OSError as error:
        listener.close()
        raise Busy(
            f"Port {port} cannot be had ({error.strerror}); nothing was started. Say another with --port, 0 for any."
        ) from None
    given = listener.getsockname()[1]
    return listener, f"http://{f'[{host}]' if ':' in host else host}:{given}", given


LOCK = "serve.lock"
PATIENCE = 10  # seconds for requests that are under way when it is told to stop
AT_ONCE = 256  # connections and requests; a further one is refused before it is read
LARGEST = 1 << 12


@dataclass(frozen=True)
class Running:
    """A server: http://… or unix:… and a path."""

    address: str
    pid: int
    since: float


def found(state: str) -> Running | None:
    """The server of a vault, if one lives."""
    path = f"{state}/{LOCK}"
    return _told(platform.read_file(path, LARGEST)) if locks.is_held(path) else None


def serve(vault: str, cwd: str, env: Mapping[str, str], wish: Wish, say: Callable[[Running], None]) -> None:
    """Answer until a signal comes; `say` is called once it answers. Raises UsageError, Busy."""
    refuse_elsewhere(wish)
    home.refuse_newer(vault)
    home.make_vault(vault)
    state = home.state(vault)
    with _alone(state) as lock:
        from holdfast.serve import app, tokens
        from holdfast.serve.service import Serving

        tokens.own(state)
        with at(wish, cwd) as (listener, address, port):
            running = Running(address, os.getpid(), time.time())
            serving = Serving(vault, cwd, env, health_age=wish.health_age)
            application = app.build(serving, port, *app.mounts(serving))
            os.pwrite(lock, codec.encode({"v": VERSION, **asdict(running)}), 0)
            _run(application, listener, lambda: _tell(say, running))


def serve_team(cwd: str, env: Mapping[str, str], wish: Wish, say: Callable[[Running], None]) -> None:
    """The same for a team's database: there may be as many servers as are wanted. Raises UsageError, Busy."""
    refuse_elsewhere(wish)
    from holdfast.serve import app
    from holdfast.serve.team_service import TeamServing

    serving = TeamServing(wish.store, env)
    with at(wish, cwd) as (listener, address, port):
        running = Running(address, os.getpid(), time.time())
        application = app.build(serving, port, *app.mounts(serving), names=wish.names)
        _run(application, listener, lambda: _tell(say, running))


def _tell(say: Callable[[Running], None], running: Running) -> None:
    try:
        say(running)
    except OSError:  # who was to read it has gone; the lock says it too
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(application: Any, listener: socket.socket, say: Callable[[], None]) -> None:
    import uvicorn

    from holdfast.serve.app import Connection

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            say()  # from now on it answers

    server = Server(
        uvicorn.Config(
            application,
            http=Connection,
            lifespan="on",
            log_level="warning",
            access_log=False,  # a query is somebody's words
            server_header=False,
            proxy_headers=False,
            ws="none",
            limit_concurrency=AT_ONCE,
            timeout_graceful_shutdown=PATIENCE,
        )
    )
    # From now on, not only once it runs: one that comes before counts, and the one that is raised again at the end has
    # had its effect.
    before = {one: signal.signal(one, server.handle_exit) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        server.run(sockets=[listener])
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@contextmanager
def _alone(state: str) -> Iterator[int]:
    """The lock, as an open file. Raises Busy."""
    try:
        fd = locks.taken(f"{state}/{LOCK}", 0.0)
    except Busy:
        raise _busy(_told(platform.read_file(f"{state}/{LOCK}", LARGEST))) from None
    try:
        os.ftruncate(fd, 0)
        yield fd
        os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def _busy(other: Running | None) -> Busy:
    if other is None:
        return Busy("This vault is about to be served already; nothing was started. Try again in a moment.")
    when = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(other.since))
    return Busy(
        f"This vault is served already on {other.address} by process {other.pid} since {when}; nothing was started."
    )


def _told(raw: bytes) -> Running | None:
    try:
        told = codec.decode(raw)
        return Running(str(told["address"]), int(told["pid"]), float(told["since"]))
    except (ValueError, KeyError, TypeError):
        return None

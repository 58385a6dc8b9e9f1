"""One server of a vault at a time: its lock, its beginning and its end.

    .state/serve.lock     locked while a server lives; in it where it answers, its process, and since when

Promise: a second one is told where the first is; a signal ends it after the requests that are under way, and then its
socket is gone and the lock says nothing. What a killed one left is taken over by the next: the lock went with its
process. Whether somebody reads what it prints changes nothing.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, locks, platform
from holdfast.errors import Busy
from holdfast.model import VERSION
from holdfast.serve import listening

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.serve.listening import Wish

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


def serve(
    vault: str,
    cwd: str,
    env: Mapping[str, str],
    wish: Wish,
    say: Callable[[Running], None],
) -> None:
    """Answer until a signal comes; `say` is called once it answers. Raises UsageError, Busy."""
    listening.refuse_elsewhere(wish)
    home.refuse_newer(vault)
    home.make_vault(vault)
    state = home.state(vault)
    with _alone(state) as lock:
        from holdfast.serve import app, mcp_mount, tokens
        from holdfast.serve.serving import Serving

        tokens.own(state)
        with listening.at(wish, cwd) as (listener, address, port):
            running = Running(address, os.getpid(), time.time())
            serving = Serving(vault, cwd, env, health_age=wish.health_age)
            application = app.build(serving, port, *mcp_mount.mounts(serving))
            _note(lock, running)
            _run(application, listener, lambda: _tell(say, running))


def _tell(say: Callable[[Running], None], running: Running) -> None:
    try:
        say(running)
    except OSError:  # who was to read it has gone; the lock says it too
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(application: Any, listener: socket.socket, say: Callable[[], None]) -> None:
    import uvicorn

    from holdfast.serve.connection import Connection

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
    fd = os.open(f"{state}/{LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(_told(os.pread(fd, LARGEST, 0))) from None
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


def _note(fd: int, running: Running) -> None:
    os.pwrite(fd, codec.encode({"v": VERSION, **asdict(running)}), 0)


def _told(raw: bytes) -> Running | None:
    try:
        told = codec.decode(raw)
        return Running(str(told["address"]), int(told["pid"]), float(told["since"]))
    except (ValueError, KeyError, TypeError):
        return None

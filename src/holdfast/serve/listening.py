"""Where a server listens: on this machine only, at a port of loopback or at a unix socket that its owner alone may use.

What is in the way is taken away only if it is a socket that nobody listens on.
"""

from __future__ import annotations

import os
import socket
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.errors import Busy, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
PORT = 8317


@dataclass(frozen=True)
class Wish:
    """Where to listen; a port of 0 is any that is free. `socket` is the path of a unix socket, instead of a port."""

    host: str = "127.0.0.1"
    port: int = PORT
    socket: str = ""
    health_age: float | None = None


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
    path = os.path.normpath(os.path.join(cwd, wish.socket))
    with at_path(path) as listener:
        yield listener, f"unix:{path}", None


@contextmanager
def at_path(path: str) -> Iterator[socket.socket]:
    """A unix socket; afterwards it is closed, and gone unless another has taken its place. Raises UsageError, Busy."""
    listener = unix_socket(path)
    mine = os.lstat(path).st_ino
    try:
        yield listener
    finally:
        listener.close()
        if os.path.lexists(path) and os.lstat(path).st_ino == mine:
            platform.remove(path)


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


def unix_socket(path: str) -> socket.socket:
    """A socket that its owner alone may use. What a server that was killed left there is taken away. Raises UsageError,
    Busy."""
    _make_room(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
        listener.listen()  # from now on it is seen to be somebody's
    except OSError as error:
        listener.close()
        raise UsageError(
            f"A socket cannot be made at {path} ({error.strerror or error}); nothing was started. Say another path."
        ) from None
    finally:
        os.umask(before)
    return listener


def _make_room(path: str) -> None:
    """Only what nobody listens on is taken away. Raises UsageError where something else is there, Busy where it may be
    somebody's: they are slow to answer, of another kind, or of another user."""
    try:
        seen = os.lstat(path)
    except OSError:
        return
    if not stat.S_ISSOCK(seen.st_mode):
        raise UsageError(f"{path} is there and is no socket; nothing was started. Say another path.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            platform.remove(path)
            return
        except OSError:
            pass
    raise Busy(f"The socket at {path} may be another program's; nothing was started. Say another path.")

"""The hooks' own socket beside the port: which notes bear on a first prompt, one question each.

    .state/serve.hook      {"v", "project", "prompt"} and a line break there, {"v", "state", "found"} and one back

It is no route of the API: a hook has 80 ms in all and only the standard library. Who may ask is who may open the
socket, and the kernel says who did: the owner alone. `state` says which vault answers, since folders are moved and
copied. A question is read only; it leaves no trace, and whoever does not wait for the answer does not get it. Where an
answer would come too late, in a store of very many notes, `found` is null at once, and the hook need not wait for it.
Where no socket can be made (its path is too long, the file system has none) the server serves without it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct
import time
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from holdfast.brief import recall
from holdfast.capture import codec, platform
from holdfast.errors import Busy, HoldfastError, UsageError
from holdfast.field import prompt_by_meaning

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator, Iterator

    from holdfast.serve.service import Serving

LARGEST = 1 << 16  # bytes of a question: every sign of the longest prompt as an escape
PATIENCE = 2.0  # seconds for a question to come whole, and for an answer to be taken
AT_ONCE = 16  # questions; a further one is closed, and its hook goes by words
IN_TIME = 0.06  # seconds: what takes longer finds nobody waiting


class Pace:
    """The time of a look here. After one that was too long the next are not begun, the more the longer it was."""

    def __init__(self) -> None:
        self.spent = 0.0

    def is_in_time(self) -> bool:
        if self.spent <= IN_TIME:
            return True
        self.spent /= 2
        return False


@asynccontextmanager
async def listening(serving: Serving) -> AsyncIterator[None]:
    """Hooks are answered meanwhile; afterwards the socket is gone."""
    path = f"{serving.state}/{recall.SOCKET}"
    with ExitStack() as held:
        try:
            listener = held.enter_context(at_path(path))
        except (HoldfastError, OSError):
            yield
            return
        there = await asyncio.start_unix_server(partial(_talk, serving, Pace(), set()), sock=listener, limit=LARGEST)
        held.callback(there.close)
        yield


async def _talk(
    serving: Serving, pace: Pace, going_on: set[StreamWriter], reader: StreamReader, writer: StreamWriter
) -> None:
    going_on.add(writer)
    try:
        if len(going_on) > AT_ONCE or not _is_owner(writer):
            return
        async with asyncio.timeout(PATIENCE):
            line = await reader.readuntil(b"\n")
        writer.write(await asyncio.to_thread(answer, serving, pace, line))
        async with asyncio.timeout(PATIENCE):
            await writer.drain()
    except (TimeoutError, OSError, EOFError, asyncio.LimitOverrunError):
        pass  # the hook has long gone by words
    finally:
        going_on.discard(writer)
        writer.close()


def _is_owner(writer: StreamWriter) -> bool:
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return bool(struct.unpack("3i", told)[1] == os.geteuid())


def answer(serving: Serving, pace: Pace, line: bytes) -> bytes:
    """The answer to one question as it goes over the socket; nothing where it is none of ours, or cannot be had."""
    try:
        asked = codec.decode(line)
        if asked["v"] != recall.SPOKEN:
            return b""
        project, prompt = str(asked["project"]), str(asked["prompt"])[: recall.LONGEST]
        found = _found(serving, pace, project, prompt) if pace.is_in_time() else None
        whose = recall.identity(os.stat(serving.state))
    except (HoldfastError, OSError, ValueError, KeyError, TypeError):
        return b""
    return codec.encode({"v": recall.SPOKEN, "state": whose, "found": found}) + b"\n"


def _found(serving: Serving, pace: Pace, project: str, prompt: str) -> list[list[object]]:
    began = time.perf_counter()
    with serving.warm.field() as field:
        found = prompt_by_meaning.bearing(field, project, prompt)
    pace.spent = time.perf_counter() - began
    return [[one.path, list(one.words)] for one in found]


@contextmanager
def at_path(path: str) -> Iterator[socket.socket]:
    """A unix socket; afterwards it is closed, and gone unless another has taken its place. Raises UsageError, Busy."""
    listener = _unix_socket(path)
    mine = os.lstat(path).st_ino
    try:
        yield listener
    finally:
        listener.close()
        if os.path.lexists(path) and os.lstat(path).st_ino == mine:
            platform.remove(path)


def _unix_socket(path: str) -> socket.socket:
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

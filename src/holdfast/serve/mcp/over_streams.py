"""The whole server on the standard streams of this process, from where the first answers ended (serve/mcp/front).

Standard output carries the protocol and nothing else. When the client goes, the process does, after what it has begun
to write.
"""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.stdio import stdio_server

from holdfast.serve.mcp.server import Shelf

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from holdfast.serve.mcp.front import Begun
    from holdfast.serve.mcp.peer import Peer


class _Incoming:
    """The lines that were heard already, then those that still come."""

    def __init__(self, begun: Begun) -> None:
        self._heard = begun.heard
        self._left = begun.wire.left
        self._file = anyio.wrap_file(open(begun.wire.incoming, "rb"))  # noqa: SIM115  until the process ends

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self._heard:
            yield _text(line)
        *whole, rest = bytes(self._left).split(b"\n")
        for line in whole:
            yield _text(line)
        async for line in self._file:
            yield _text(rest + line)
            rest = b""
        if rest:
            yield _text(rest)


class _Outgoing:
    """The client's stream, without the one answer that it has already."""

    def __init__(self, begun: Begun) -> None:
        self._answered = begun.answered
        self._file = anyio.wrap_file(open(begun.wire.outgoing, "w", encoding="utf-8"))  # noqa: SIM115

    async def write(self, text: str) -> None:
        if self._answered is not None and json.loads(text).get("id") == self._answered:
            self._answered = None
            return
        await self._file.write(text)

    async def flush(self) -> None:
        await self._file.flush()


def run(peer: Peer, begun: Begun) -> None:
    """Serve until the client goes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # else it waits for a line that nobody will type
    server = Shelf(lambda _: peer).server()
    incoming: Any = _Incoming(begun)
    outgoing: Any = _Outgoing(begun)

    async def serve() -> None:
        async with stdio_server(incoming, outgoing) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")

"""The server on the standard streams of this process, for whoever started it.

Standard output carries the protocol and nothing else. When the client goes, the process does, after what it has begun
to write.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server

from holdfast.serve.mcp.server import Shelf

if TYPE_CHECKING:
    from holdfast.serve.mcp.peer import Peer


def run(peer: Peer) -> None:
    """Serve until the client goes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # else it waits for a line that nobody will type
    server = Shelf(lambda _: peer).server()

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)

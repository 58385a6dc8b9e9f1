"""The server as an ASGI application of one path, which only takes POST and answers with JSON, also where it refuses.

Host, Origin and token are the business of whoever mounts it, and so is `running`, a context that has to be entered
while requests come. What the SDK would refuse in plain text is refused before, as elsewhere (serve/problems); what it
says in JSON is the protocol's own.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from holdfast.serve import problems
from holdfast.serve.mcp.server import Shelf

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
    from typing import TypeAlias

    from holdfast.serve.mcp.server import Calling

    Message: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]

LARGEST = 1 << 20  # bytes of one request
JSON = b"application/json"


class McpApp:
    """`calling` makes a peer (serve/mcp/peer.of_agent) of a request's scope, in which the token check has said who it
    is; what it raises is the answer. Every sentence of a failure passes through `told`."""

    def __init__(self, calling: Calling, told: Callable[[str], str] = str) -> None:
        self._manager = StreamableHTTPSessionManager(
            Shelf(calling, told).server(), json_response=True, stateless=True, max_request_body_size=LARGEST
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._manager.run():
            yield

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["method"] != "POST":  # no stream is kept open, so none has to be ended when the server stops
            await problems.send(send, 405, *problems.SAID[405], [(b"allow", b"POST")])
            return
        if _kind(scope["headers"]) != JSON:
            await problems.send(send, 415, *problems.SAID[415])
            return
        await self._manager.handle_request(scope, receive, send)


def _kind(headers: Any) -> bytes:
    """The media type of a body."""
    found = next((said for name, said in headers if name.lower() == b"content-type"), b"")
    return bytes(found).partition(b";")[0].strip().lower()

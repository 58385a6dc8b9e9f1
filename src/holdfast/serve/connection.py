"""One connection of a client: who asks for nothing does not keep a place for ever, and every refusal is JSON.

The server of uvicorn waits for a request without an end, and whatever comes, if it is one letter, begins the wait anew.
There are so many places and no more, and none of this needs a token: so it is looked, now and then, whether a request
is under way or a new one has been answered since, and where not the connection is closed. What uvicorn itself refuses,
before the door sees it, is told as the door tells it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.serve import problems

if TYPE_CHECKING:
    import asyncio

SILENCE = 10.0  # seconds between two looks
AGAIN = (b"retry-after", b"1")


class Connection(H11Protocol):
    """How long a body may take is the door's business: there a request is under way."""

    silence = SILENCE

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._answered: object = None  # the last request, as the last look found it
        self._served = self.app
        self._most, self.limit_concurrency = self.limit_concurrency, None  # the same limit, with an answer of ours

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(self.silence, self._look)

    def handle_events(self) -> None:
        is_full = self._most is not None and max(len(self.connections), len(self.tasks)) >= self._most
        self.app = _full if is_full else self._served
        super().handle_events()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  theirs
        data = problems.body(*problems.SAID[400])
        head = [(b"content-type", b"application/json"), (b"connection", b"close"), *problems.SAFE]
        answer = h11.Response(status_code=400, headers=head, reason=b"Bad Request")
        for event in (answer, h11.Data(data=data), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            if self.cycle is self._answered:
                self.transport.close()
                return
            self._answered = self.cycle
        self.loop.call_later(self.silence, self._look)


async def _full(_: Any, __: Any, send: Any) -> None:
    await problems.send(send, 503, *problems.SAID[503], [AGAIN, *problems.SAFE], close=True)

"""One connection of a client: who asks for nothing does not keep a place for ever.

The server of uvicorn waits for a request without an end, and whatever comes, if it is one letter, begins the wait anew.
There are so many places and no more, and none of this needs a token: so it is looked, now and then, whether a request
is under way or a new one has been answered since, and where not the connection is closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

SILENCE = 10.0  # seconds between two looks


class Connection(H11Protocol):
    """How long a body may take is the door's business: there a request is under way."""

    silence = SILENCE

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._answered: object = None  # the last request, as the last look found it

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(self.silence, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            if self.cycle is self._answered:
                self.transport.close()
                return
            self._answered = self.cycle
        self.loop.call_later(self.silence, self._look)

"""A connection that notices an answer which it has already read.

Seen once with psycopg 3.3.9: a statement had ended, its whole answer was read and libpq was not busy any more, and the
client waited for the socket for ever. Between two looks at the socket psycopg says that nothing came; where libpq then
has nothing more to wait for either, the waiting is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg.waiting import Ready, Wait

if TYPE_CHECKING:
    from collections.abc import Generator

    from psycopg.abc import PQGen
    from psycopg.pq.abc import PGconn

T = TypeVar("T")
INTERVAL = 0.1  # seconds between two looks


class Waking(psycopg.Connection[tuple[Any, ...]]):
    def wait(self, gen: PQGen[T], interval: float = INTERVAL, timeout: float | None = None) -> T:
        return super().wait(_woken(gen, self.pgconn), interval, timeout)


def _woken(gen: PQGen[T], pgconn: PGconn) -> Generator[Wait, Ready | int, T]:
    """The same steps; one that waits to read goes on where there is nothing to wait for."""
    try:
        wish = next(gen)
        while True:
            ready = yield wish
            if not ready and wish == Wait.R and not pgconn.is_busy():
                ready = Ready.R
            wish = gen.send(ready)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        gen.close()

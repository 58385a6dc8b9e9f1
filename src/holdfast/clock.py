"""The clock seam: anything that answers the time as seconds since 1970. `time.time` is the real one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Clock(Protocol):
        def __call__(self) -> float: ...

"""A server's watch for sleep: every few minutes it looks whether one is due, and starts it in a process of its own.

The look is the same as a close's (sleep/trigger), so it finds nothing due while a session speaks. It runs beside the
requests in a thread, and ends with the server; a night that it started goes on without it.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.errors import TROUBLE
from holdfast.sleep import trigger

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from holdfast.serve.service import Serving

EVERY = 300.0  # seconds between two looks


@asynccontextmanager
async def watching(serving: Serving, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> AsyncIterator[None]:
    """The watch, while it is entered. `pause` is the wait between two looks."""
    task = asyncio.create_task(_watch(serving, pause))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _watch(serving: Serving, pause: Callable[[float], Awaitable[None]]) -> None:
    pid = 0
    while True:
        await pause(EVERY)
        if not _has_ended(pid):
            continue  # it may not have its turn yet, and another would only find that out later
        pid = 0
        with suppress(*TROUBLE):  # `holdfast sleep --due` says what is wrong
            pid = await asyncio.to_thread(trigger.start_if_due, serving.vault, serving.env, serving.clock())


def _has_ended(pid: int) -> bool:
    """Whether the process is over; one that ended stays in the kernel's list until it is asked after."""
    if not pid:
        return True
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True

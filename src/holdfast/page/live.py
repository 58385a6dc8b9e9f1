"""The live state: one stream for each tab says that something was recorded or committed, and no more than that.

A view asks again for the part that shows it, so what a tab shows has one source. The look is at the time and size of
two files, so a stream costs the same with a ledger of any length; one whose reader has gone is ended at the next word.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from holdfast.capture import platform
from holdfast.errors import Busy
from holdfast.health.ledger_days import stamp_of
from holdfast.page import frame
from holdfast.page.visit import Visits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

router = APIRouter(include_in_schema=False)
EVERY = 1.0  # seconds between two looks
BEAT = 15  # looks without news, until a word is sent to see whether anybody reads
MOST = 32  # streams of one server
LIVING: set[object] = set()


@router.get("/page/live")
async def live(visit: Visits) -> StreamingResponse:
    """Raises Busy."""
    if len(LIVING) >= MOST:
        raise Busy(f"{MOST} tabs are live already; this one is not. Close some, and look again.")
    headers = {**frame.HEADERS, "x-accel-buffering": "no"}
    return StreamingResponse(_words(visit.server.vault, visit.server.state), 200, headers, "text/event-stream")


async def _words(vault: str, state: str) -> AsyncIterator[str]:
    """`ledger` when something was recorded, `vault` when something was committed."""
    me = object()
    LIVING.add(me)
    try:
        known = _stamps(vault, state)
        yield ": hello\n\n"
        silent = 0
        while True:
            await asyncio.sleep(EVERY)
            found = await asyncio.to_thread(_stamps, vault, state)
            changed = [name for name in found if found[name] != known[name]]
            known, silent = found, 0 if changed else silent + 1
            for name in changed:
                yield f"event: {name}\ndata: 1\n\n"
            if silent and silent % BEAT == 0:
                yield ": still here\n\n"
    finally:
        LIVING.discard(me)


def _stamps(vault: str, state: str) -> dict[str, object]:
    """Stamps that change when something is recorded, and when something is committed."""
    newest = max((name for name in platform.names(f"{state}/ledger") if name[:1].isdigit()), default="")
    return {
        "ledger": stamp_of(f"{state}/ledger/{newest}"),
        "vault": [stamp_of(f"{vault}/.git/{name}") for name in ("HEAD", "logs/HEAD", "refs/heads/main", "index")],
    }

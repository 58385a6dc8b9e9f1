"""The ledger as one project may see it: its own records, and a number for the rest.

A record says its project, or its episode, which had one. What says neither is about the whole vault: it is shown only
to whoever asks for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture import episodes
from holdfast.capture.ledger_history import Wanted

if TYPE_CHECKING:
    from holdfast.serve.serving import Served
    from holdfast.serve.shapes import LedgerAsked

MOST_READ = 20_000  # records of others that are passed over in search of our own


def newest(memory: Served, asked: LedgerAsked) -> tuple[list[dict[str, Any]], int]:
    """The newest records, oldest first, and how many of others were passed over."""
    kinds = (asked.kind,) if asked.kind else ()
    wanted = Wanted(asked.session, kinds, asked.since, asked.until)
    if asked.everything:
        return memory.ledger(wanted, asked.limit), 0
    ids, known = memory.project().ids, dict[str, str]()
    count = asked.limit
    while True:
        found = memory.ledger(wanted, count)
        mine = [one for one in found if _project(memory.state, one, known) in ids]
        if len(mine) >= asked.limit or len(found) < count or count >= MOST_READ:
            return mine[-asked.limit :], len(found) - len(mine)
        count = min(MOST_READ, count * 4)


def _project(state: str, record: dict[str, Any], known: dict[str, str]) -> str:
    said, key = record.get("project"), str(record.get("episode") or "")
    if said or not key:
        return str(said or "")
    if key not in known:
        host, ordinal = key.partition("/")[0], key.rpartition("/")[2]
        number = int(ordinal) if ordinal.isascii() and ordinal.isdecimal() and len(ordinal) < 9 else -1
        found = episodes.numbered(state, host, episodes.session_of(key), number)
        known[key] = found.project if found else ""
    return known[key]

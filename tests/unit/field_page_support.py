"""Thoughts that three agents came back to: what the tests of the views Start, Recall and Field have in their vault."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast import Memory

if TYPE_CHECKING:
    from hook_support import Home

DAY = 86400.0
LOCKS = (
    "Orders lock rows optimistically with a version column in every table",
    "Orders lock rows optimistically with a version column that counts up",
    "Orders lock rows optimistically with a version column since the booking",
)
RETRY = "A retry of an order is safe, because the version column refuses the second write"
OTHERS = (
    "The webhook stores the event id before it acts",
    "The nightly job runs at 02:00 UTC and takes nine minutes",
    "A cart that is older than two days is emptied by the nightly job",
)
HOSTILE = "<script>document.title='taken'</script><img src=x onerror=alert(1)> zebra handling"


def memory_of(home: Home, agent: str = "", days_ago: float = 0.0) -> Memory:
    """The memory as an agent has it in the project, some days ago."""
    env = {**home.env, **({"HOLDFAST_AGENT": agent} if agent else {})}
    return Memory.open(cwd=str(home.project), env=env, clock=lambda: time.time() - days_ago * DAY)


def fill(home: Home) -> dict[str, str]:
    """Thoughts with readings; their ids by their texts."""
    made = {}
    for text in (*LOCKS, RETRY, *OTHERS, HOSTILE):
        made[text] = memory_of(home, "ada", 12).field.think(text).thought.id
    for agent, days_ago in (("ada", 10.0), ("ben", 5.0), ("cleo", 1.0)):
        memory = memory_of(home, agent, days_ago)
        for question in ("may I retry an order", "when does the nightly job run"):
            memory.field.recalled(memory.field.recall(question, most=4))
    return made

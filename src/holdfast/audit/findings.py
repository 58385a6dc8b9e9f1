"""What an audit says of one thing that is not as it should be: which, why, and what to do about it.

Nothing in it suggests a destructive command. `kind` names are stable: others build on them. A note has the same shape
and is worth knowing, while nothing is wrong by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# Kinds of silent skips; the others are about cost and loops.
NOT_CLOSED, NOT_DRAINED, NOT_INDEXED, ERROR, MARK, DEAD, NO_ANSWER, SILENT_HOST, NO_SNAPSHOT, FAILED, *QUEUE = (
    "not-closed",
    "not-drained",
    "not-indexed",
    "hook-error",
    "mark",
    "dead-letter",
    "no-answer",
    "hooks-silent",
    "no-snapshot",
    "close-failed",
    "queue-age",
    "queue-damage",
    "acknowledged",
)
FELL_BACK, INLINE, LOOP = "fell-back", "inline-close", "open-loop"
VAULT = "vault"  # it is damaged, or cannot be written
# Kinds of notes.
WAS_OFF, NO_LINES, QUIET, ELSEWHERE, NOT_LOOKED_AT, INDEX_BEHIND = (
    "capture-off",
    "no-hooks-there",
    "went-quiet",
    "other-projects",
    "not-looked-at",
    "index-behind",
)
SKIPS = frozenset(
    (NOT_CLOSED, NOT_DRAINED, NOT_INDEXED, ERROR, MARK, DEAD, NO_ANSWER, SILENT_HOST, NO_SNAPSHOT, FAILED, *QUEUE)
)


@dataclass(frozen=True)
class Finding:
    """`about` is an episode, a host or a flag; `count` how often it was so, `last` when it was so last, 0 if now."""

    kind: str
    about: str
    why: str
    fix: str
    count: int = 1
    last: float = 0.0

    def as_record(self) -> dict[str, Any]:
        return dict(self.__dict__)

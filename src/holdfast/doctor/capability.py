"""Which versions of a host have the boundaries that we register, and which one our tests ran with.

The minimum is the first release that has every event we register (the newest of them is PostCompact in Claude
Code, SessionEnd in Codex); an older one may refuse the settings or never say that a session ended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True)
class Capability:
    """A host as far as we know it. `boundaries` are those of ours that it can tell of."""

    minimum: str
    tested: str
    boundaries: tuple[str, ...]


SHARED = (
    *("session start", "prompt", "before and after a tool", "subagent finished", "before and after compaction"),
    *("turn stop", "session end"),
)
TABLE = {
    "claude-code": Capability("2.1.76", "2.1.325", (*SHARED, "task completed")),
    "codex": Capability("0.145.0", "0.166.0", SHARED),
}


def parsed(text: str) -> tuple[int, ...]:
    """The first version in a text, to be compared; () where there is none."""
    found = VERSION.search(text)
    return tuple(int(part) for part in found.groups()) if found else ()

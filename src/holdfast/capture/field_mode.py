"""The mode of the field, personal or shared, as the last measurement of its density left it (sleep/density).

In the shared mode everybody's traces count in ranking, a start tells highways, and thoughts go to the shared space. In
the personal mode an asker's own traces count. A field that was never measured has no mode: everybody's traces count,
and nothing else changes. The record lies here, below all that follow it: the brief's maker, recall and think.
"""

from __future__ import annotations

from holdfast.capture import codec, config, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PERSONAL, SHARED = "personal", "shared"
MODES = (PERSONAL, SHARED)
SPACE = "shared"
LARGEST = 1 << 16


def path_of(state: str) -> str:
    return f"{state}/sleep/density"


def record(state: str) -> dict[str, Any]:
    """The last measurement; {} where there is none that can be read: the next one makes it anew."""
    found = codec.read(path_of(state), LARGEST)
    return found if found.get("mode") in MODES else {}


def read(state: str) -> str:
    """The mode; "" where the density was never measured."""
    return str(record(state).get("mode", ""))


def space(settings: Mapping[str, Any]) -> str:
    """The space that thoughts go to in the shared mode: `[density] space` of this machine's settings."""
    found = config.section(settings, "density").get("space")
    return (identity.tidy(found) if isinstance(found, str) else "") or SPACE

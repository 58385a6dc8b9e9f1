"""Versions that are lost and that the user has accepted as lost: the alarm ends, and the history keeps its commits.

    .state/lost-versions    the ids of those objects, one to a line, the newest at the end

Only the user's word writes it (`holdfast doctor --accept-lost`), and only exactly those objects are meant: another loss
is an alarm again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import home, platform
from holdfast.vault.last_commit import IDENT

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "lost-versions"


def idents(vault: str) -> frozenset[str]:
    try:
        raw = platform.read_file(f"{home.state(vault)}/{NAME}").decode("ascii", "replace")
    except OSError:
        return frozenset()
    return frozenset(line for line in raw.split() if IDENT.fullmatch(line))


def accept(vault: str, lost: Iterable[str]) -> None:
    """Raises OSError."""
    known = idents(vault)
    lines = [*sorted(known), *sorted(set(lost) - known)]
    text = "".join(f"{one}\n" for one in lines)
    platform.write_atomic(f"{home.state(vault)}/{NAME}", text.encode("ascii"), durable=True)

"""Counts that tests add up, brought together from the processes that run them side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

KEY = "holdfast_counts"


def hand_over(session: pytest.Session, counts: object) -> None:
    """At the end of a process that another one started: what it has counted goes there."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[KEY] = counts


def of(node: Any) -> dict[str, Any]:
    """What a process that has ended counted, as the one that started it sees it."""
    found: dict[str, Any] = getattr(node, "workeroutput", {}).get(KEY) or {}
    return found

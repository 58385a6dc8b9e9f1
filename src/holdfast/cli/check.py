"""`holdfast check`."""

from __future__ import annotations


def check() -> None:
    """Not built yet."""

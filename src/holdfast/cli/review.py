"""`holdfast review`."""

from __future__ import annotations


def review() -> None:
    """Not built yet."""

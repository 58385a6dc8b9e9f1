"""`holdfast export`."""

from __future__ import annotations


def export() -> None:
    """Not built yet."""

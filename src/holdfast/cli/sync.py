"""`holdfast sync`."""

from __future__ import annotations


def sync() -> None:
    """Not built yet."""

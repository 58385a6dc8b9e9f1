"""`holdfast import`."""

from __future__ import annotations


def import_() -> None:
    """Not built yet."""

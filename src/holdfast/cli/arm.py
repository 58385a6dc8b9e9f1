"""`holdfast arm / disarm`."""

from __future__ import annotations


def arm() -> None:
    """Not built yet."""


def disarm() -> None:
    """Not built yet."""

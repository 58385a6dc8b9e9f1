"""`holdfast history / undo`."""

from __future__ import annotations


def history() -> None:
    """Not built yet."""


def undo() -> None:
    """Not built yet."""

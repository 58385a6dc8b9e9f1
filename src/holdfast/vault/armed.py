"""Armed notes: those with `when`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.vault.notes import Note


def compile_all(vault: str, notes: Iterable[Note]) -> None:
    """Write .state/armed anew."""

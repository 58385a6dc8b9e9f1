"""A vault's field, opened: its store, and whoever makes vectors for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import home
from holdfast.field.embed.seam import NoVectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.field.embed.seam import Embedder
    from holdfast.field.store import Store

FILE = "field.db"


@dataclass(frozen=True)
class Field:
    """Without an embedder search goes by words alone."""

    vault: str
    store: Store
    embedder: Embedder | None = None
    clock: Callable[[], float] = time.time

    def vector(self, text: str) -> Any:
        """A query's vector; None where nobody makes any, or could not now: then search goes by words."""
        if self.embedder is None:
            return None
        try:
            return self.embedder.embed([text])[0]
        except NoVectors:
            return None

    def __enter__(self) -> Field:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()


def path_of(vault: str) -> str:
    return f"{home.state(vault)}/{FILE}"


def opened(vault: str, embedder: Embedder | None = None, clock: Callable[[], float] = time.time) -> Field:
    """The field of a vault, in its embedded store. Raises NewerFormat, Busy, Damaged."""
    from holdfast.field.sqlite.store import SqliteStore

    home.refuse_newer(vault)
    return Field(vault, SqliteStore(path_of(vault)), embedder, clock)

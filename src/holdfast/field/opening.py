"""A vault's field, opened: its store, and whoever makes vectors for it.

Which kinds there are to ask for: a misspelt one would find nothing, and look like an answer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.capture import home
from holdfast.errors import UsageError
from holdfast.field.embed.choice import NoVectors
from holdfast.field.store import Scope
from holdfast.field.thought import DECISION, DISCOVERY, HANDOFF, KINDS, SAID
from holdfast.vault import notes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from holdfast.field.embed.choice import Embedder
    from holdfast.field.store import Store


FILE = "field.db"


class Later(Protocol):
    """Whoever embeds what is too much for somebody who waits for an answer."""

    def is_at_work(self) -> bool: ...
    def start(self) -> bool:
        """Whether somebody is at it now."""
        ...


def nobody(_: str) -> None:
    """Makes no embedder of before."""


@dataclass(frozen=True)
class Field:
    """Without an embedder search goes by words alone. `former` makes the embedder of a name, for as long as its vectors
    serve and not yet those of the one that was chosen; without `later` everything is embedded at once."""

    vault: str
    store: Store
    embedder: Embedder | None = None
    clock: Callable[[], float] = time.time
    former: Callable[[str], Embedder | None] = nobody
    later: Later | None = None

    def asker(self) -> Embedder | None:
        """Who embeds a question: the model whose vectors serve, and no other, however long its vectors are. None where
        nobody can, or none is wanted: then search goes by words."""
        serving = self.store.serving()
        if self.embedder is None or serving in ("", self.embedder.name):
            return self.embedder
        return self.former(serving)

    def vector(self, text: str, embedder: Embedder | None = None) -> Any:
        """A query's vector; None where nobody makes any, or could not now: then search goes by words."""
        asker = embedder or self.asker()
        if asker is None:
            return None
        try:
            return asker.embed([text])[0]
        except NoVectors:
            return None

    def __enter__(self) -> Field:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()


def path_of(vault: str) -> str:
    return f"{home.state(vault)}/{FILE}"


def opened(
    vault: str,
    embedder: Embedder | None = None,
    clock: Callable[[], float] = time.time,
    former: Callable[[str], Embedder | None] = nobody,
    later: Later | None = None,
) -> Field:
    """The field of a vault, in its embedded store. Raises NewerFormat, Busy, Damaged."""
    from holdfast.field.sqlite.store import SqliteStore

    home.refuse_newer(vault)
    return Field(vault, SqliteStore(path_of(vault)), embedder, clock, former, later)


KNOWN = tuple(dict.fromkeys((*KINDS, *notes.FOLDERS, HANDOFF, DECISION, DISCOVERY, SAID)))


def refuse_unknown(kinds: Sequence[str], opened: Callable[[], AbstractContextManager[Field]]) -> None:
    """Raises UsageError for a kind that nothing is of; the field is opened only where that has to be asked."""
    for kind in kinds:
        if kind not in KNOWN and not _has(kind, opened):
            raise UsageError(
                f'Nothing here is of the kind "{kind[:60]}"; nothing was looked up. There are {", ".join(KNOWN)}, and '
                "the categories that thoughts were given."
            )


def _has(kind: str, opened: Callable[[], AbstractContextManager[Field]]) -> bool:
    from holdfast.field import rebuild

    with opened() as field:
        rebuild.synced(field)
        return field.store.count(Scope(kinds=(kind,))) > 0

"""A vault's field, opened: its store, and the embedder that makes vectors for it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.capture import home
from holdfast.errors import UsageError
from holdfast.field.embedders import NoVectors
from holdfast.field.store import Scope
from holdfast.field.thought import DECISION, DISCOVERY, HANDOFF, KINDS, SAID
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from holdfast.field.embedders import Embedder
    from holdfast.field.journal import Journal
    from holdfast.field.store import Store


FILE = "field.db"


class Later(Protocol):
    """Embeds in the background what is too much for somebody who waits for an answer."""

    def is_at_work(self) -> bool: ...
    def start(self) -> bool:
        """Whether a process is at it now."""
        ...


def nobody(_: str) -> None:
    """Makes no former embedder."""


@value
class Field:
    """Without an embedder search goes by words alone. `former` makes the embedder of a name, for as long as its vectors
    serve and not yet those of the one that was chosen; without `later` everything is embedded at once. Where
    there is no vault, `vault` is "" and `own_journal` says where thoughts and readings are written."""

    vault: str
    store: Store
    embedder: Embedder | None = None
    clock: Callable[[], float] = time.time
    former: Callable[[str], Embedder | None] = nobody
    later: Later | None = None
    own_journal: Journal | None = None

    @property
    def journal(self) -> Journal:
        from holdfast.field.journal import VaultJournal

        return self.own_journal or VaultJournal(self.vault)

    def asker(self) -> Embedder | None:
        """The embedder of a question: the model whose vectors serve, and no other, however long its vectors are. None
        where it cannot be made, or none is wanted: then search goes by words."""
        serving = self.store.serving()
        if self.embedder is None or serving in ("", self.embedder.name):
            return self.embedder
        return self.former(serving)

    def vector(self, text: str, embedder: Embedder | None = None) -> Any:
        """A query's vector; None where it cannot be made now: then search goes by words."""
        asker = embedder or self.asker()
        try:
            made = getattr(asker, "query", None)
            return made(text) if made else asker.embed([text])[0] if asker else None
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


def refuse_unknown(kinds: Sequence[str], opened: Callable[[], AbstractContextManager[Field]]) -> None:
    """Raises UsageError for a kind that nothing is of: a misspelt one would find nothing, and look like an answer. The
    field is opened only where that has to be asked."""
    if not kinds:
        return
    from holdfast.vault import notes

    known = tuple(dict.fromkeys((*KINDS, *notes.FOLDERS, HANDOFF, DECISION, DISCOVERY, SAID)))
    for kind in kinds:
        if kind not in known and not _has(kind, opened):
            raise UsageError(
                f'Nothing here is of the kind "{kind[:60]}"; nothing was looked up. There are {", ".join(known)}, and '
                "the categories that thoughts were given."
            )


def _has(kind: str, opened: Callable[[], AbstractContextManager[Field]]) -> bool:
    from holdfast.field import intake

    with opened() as field:
        intake.synced(field)
        return field.store.count(Scope(kinds=(kind,))) > 0

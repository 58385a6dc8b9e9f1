"""The journal of a field: where a thought and a reading are written first, before any index.

A vault's are its logs of thoughts and of traffic. A team's server has no vault: there the store's own tables are the
truth, and what is written is safe when the transaction around it has committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.capture import home
from holdfast.capture.redaction import redact, redact_record
from holdfast.field import traffic
from holdfast.field.thought import from_record
from holdfast.model import replace, value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.store import Store
    from holdfast.field.thought import Thought
    from holdfast.field.traffic import Event


class Journal(Protocol):
    def begin(self) -> None:
        """Make it ready to be written to. Raises NewerFormat, OSError."""
        ...

    def append(self, made: Sequence[Thought], now: float) -> None:
        """Write thoughts durably. Raises NotSaved: then none of them is saved."""
        ...

    def travel(self, event: Event) -> bool:
        """Note an access; whether it could be."""
        ...


@value
class VaultJournal:
    """The logs of a vault, which the store takes in afterwards (field/intake)."""

    vault: str

    def begin(self) -> None:
        home.refuse_newer(self.vault)
        home.make_vault(self.vault)

    def append(self, made: Sequence[Thought], now: float) -> None:
        traffic.append(self.vault, made, now)

    def travel(self, event: Event) -> bool:
        return traffic.travel(self.vault, event)


PLACE = "said"  # what thoughts that no vault holds come from


@value
class StoreJournal:
    """A store that is the truth itself. Within its `writing`."""

    store: Store

    def begin(self) -> None:
        """It is ready as long as its database answers."""

    def append(self, made: Sequence[Thought], now: float) -> None:  # noqa: ARG002  each says when it was made
        clean = [from_record(redact_record(one.as_record())[0]) for one in made]
        self.store.take(PLACE, "", clean, anew=False)

    def travel(self, event: Event) -> bool:
        said = replace(event, query=redact(event.query.replace("\0", " "))[0])
        with self.store.writing():
            self.store.travel([said], self.store.travelled() + 1)
        return True

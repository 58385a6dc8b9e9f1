"""A team's store as this machine reads it: somebody else's text is data, whatever its author was to them.

A thought of another person or machine has the origin of outside text here, so no rule, no brief and no warning is ever
made of it, unless this machine's user accepted exactly this text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.field.postgres.people import name_of
from holdfast.field.thought import least_trusted
from holdfast.model import replace
from holdfast.team import accepted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.field.postgres.store import PostgresStore
    from holdfast.field.thought import Thought
    from holdfast.team.names import Names

OUTSIDE = "import"


class Incoming:
    """Everything else is the store's own. `sharers` gets who shared the thoughts that were looked at."""

    def __init__(self, store: PostgresStore, names: Names, accepted: Mapping[str, str]) -> None:
        self.store, self.names, self.accepted = store, names, accepted
        self.sharers: dict[str, str] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def thoughts(self, ids: Iterable[str]) -> dict[str, Thought]:
        found = self.store.thoughts(ids)
        authors = self.store.authors(found) if found else {}
        return {ident: self._seen(one, *authors.get(ident, ("", ""))) for ident, one in found.items()}

    def _seen(self, one: Thought, person: str, machine: str) -> Thought:
        person = name_of(person)
        if self.names.is_own(person, machine):
            return one
        self.sharers[one.id] = person if person != self.names.person else f"{person} on another machine"
        is_accepted = self.accepted.get(one.id) == accepted.fingerprint(one)
        origin = one.origin if is_accepted else least_trusted((one.origin, OUTSIDE))
        return replace(one, origin=origin, path="")  # a path of another vault leads nowhere here

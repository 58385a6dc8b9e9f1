"""The tally of what memory did, as the ledger tells of it: each thing by its place there, so that a figure can show
the records behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.health.ledger_choice import is_stop

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.health.ledger_pages import Place

STARTS, PROMPTS, STOPPED, CORRECTED = "starts", "prompts", "stopped", "corrected"
KINDS = (STARTS, PROMPTS, STOPPED, CORRECTED)


@dataclass(frozen=True)
class Proof:
    """One record: where it is, of which project, how many things it delivered."""

    place: Place
    project: str
    things: int = 1


@dataclass
class Tally:
    proofs: dict[str, list[Proof]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    def take(self, record: Mapping[str, Any], place: Place) -> None:
        kind = _kind(record)
        if kind:
            carried = record.get("carried")
            things = len(carried) if isinstance(carried, list) else 0
            self.proofs[kind].append(Proof(place, str(record.get("project") or ""), things))

    def of(self, kind: str, takes: Callable[[object], bool]) -> list[Proof]:
        """The proofs of a kind in the projects that are asked about, oldest first."""
        return [one for one in self.proofs[kind] if takes(one.project)]


def _kind(record: Mapping[str, Any]) -> str:
    if record.get("kind") == "armed":
        return CORRECTED if record.get("how") == "better" else ""
    if record.get("kind") != "injection":
        return ""
    if is_stop(dict(record)):
        return STOPPED
    if record.get("armed") or not record.get("carried"):
        return ""  # a start that has nothing to deliver still says where one is
    event = record.get("event")
    return STARTS if event == "session-start" else PROMPTS if event == "prompt" else ""

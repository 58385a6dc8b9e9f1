"""Pairs that a judge was asked about, and those that wait for the next night: nothing is asked twice for nothing.

    .state/sleep/pairs     asked: (older, newer, key); waiting: (older, newer)

A thought that is read again is new to a night, and without this record its pairs would be asked again each time. The
record is written when a night is over, so that one that was killed asks the same questions again and finds their kept
answers. A pair stays on record when one of the two is superseded, because an undo brings it back; the oldest go when
there are too many. A record that is lost costs some questions, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec
from holdfast.model import VERSION
from holdfast.sleep import plan

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ASKED, MOST_WAITING = 20_000, 2_000
LARGEST = 16 << 20


@dataclass(frozen=True)
class Record:
    """`asked` has (older, newer, key), `waiting` (older, newer)."""

    asked: tuple[tuple[str, str, str], ...] = ()
    waiting: tuple[tuple[str, str], ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(key for _, _, key in self.asked)

    def as_record(self) -> dict[str, Any]:
        return {"asked": [list(one) for one in self.asked], "waiting": [list(one) for one in self.waiting]}


def from_record(record: Mapping[str, Any]) -> Record:
    """An empty one where it is none."""
    try:
        asked = tuple((str(older), str(newer), str(key)) for older, newer, key in record["asked"])
        waiting = tuple((str(older), str(newer)) for older, newer in record["waiting"])
    except (KeyError, TypeError, ValueError):
        return Record()
    return Record(asked, waiting)


def _path(vault: str) -> str:
    return f"{plan.folder(vault)}/pairs"


def load(vault: str) -> Record:
    return from_record(codec.read(_path(vault), LARGEST))


def keep(vault: str, tonight: Record) -> None:
    """Add a night's pairs. Raises OSError."""
    known = {one[2]: one for one in (*load(vault).asked, *tonight.asked)}
    kept = Record(tuple(known.values())[-MOST_ASKED:], tonight.waiting[:MOST_WAITING])
    codec.write(_path(vault), {"v": VERSION, **kept.as_record()}, durable=False)

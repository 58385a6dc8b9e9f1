"""One record of the ledger as a row: its sentence, when, of which session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.page import sentences
from holdfast.page.session_rows import short_of

if TYPE_CHECKING:
    from holdfast.health.ledger_pages import Place, Row
    from holdfast.page.sentences import Said


@dataclass(frozen=True)
class LedgerRow:
    """`key` is that of its session, "" where it is of none; `us` how long the hook took."""

    place: Place
    when: float
    said: Said
    key: str
    short: str
    project: str
    us: int


def row_of(row: Row) -> LedgerRow:
    key = str(row.record.get("episode") or row.record.get("about") or "")
    key = key if key.count("/") >= 2 else ""
    spent, project = row.record.get("us"), str(row.record.get("project") or "")
    us = int(spent) if isinstance(spent, int | float) else 0
    return LedgerRow(row.place, row.when, sentences.told(row.record), key, short_of(key) if key else "", project, us)

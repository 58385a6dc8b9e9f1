"""Receipts of the week, and behind each figure what it counts: records, notes that were used, snags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Response

from holdfast.errors import NotFound
from holdfast.health import ledger_pages
from holdfast.health import receipt_tally as tally
from holdfast.health import receipts as counted
from holdfast.health.week import DAYS
from holdfast.page.ledger_row import row_of
from holdfast.page.session_rows import short_of
from holdfast.page.visit import Visits
from holdfast.page.watched import receipts_of

if TYPE_CHECKING:
    from holdfast.close.improve.edit_record import Record
    from holdfast.health.receipts import Receipts
    from holdfast.page.ledger_row import LedgerRow
    from holdfast.page.visit import Visit

router = APIRouter(include_in_schema=False)
MOST = 40
LONGEST = 200


@dataclass(frozen=True)
class Figure:
    name: str
    words: str
    count: int
    detail: str


@dataclass(frozen=True)
class Use:
    """One thing that an agent opened or cited: a note by its path, or a thought."""

    when: float
    agent: str
    path: str
    text: str


@dataclass(frozen=True)
class Snag:
    when: float
    wrong: str
    better: str
    path: str
    key: str
    short: str


def figures(found: Receipts) -> list[Figure]:
    return [Figure(name, counted.WORDS[name], found.count(name), found.detail(name)) for name in counted.NAMES]


@router.get("/page/today/receipts")
def view(visit: Visits) -> Response:
    return visit.show("today_receipts.html", figures=figures(receipts_of(visit)), days=DAYS)


@router.get("/page/today/receipts/{name}")
def evidence(visit: Visits, name: str, skip: int = 0) -> Response:
    """The evidence behind a figure, the newest first. Raises NotFound."""
    if name not in counted.NAMES or skip < 0:
        raise NotFound("There is no such figure; nothing is shown.")
    found = receipts_of(visit)
    figure = next(one for one in figures(found) if one.name == name)
    rows: list[LedgerRow] = []
    uses: list[Use] = []
    snags: list[Snag] = []
    total = figure.count
    if name in tally.KINDS:
        proofs = list(reversed(getattr(found, name)))[skip : skip + MOST]
        rows = [row_of(one) for one in ledger_pages.at(visit.server.state, [one.place for one in proofs])]
    elif name == counted.USED:
        total = len(found.uses)
        uses = _uses(visit, found, skip)
    else:
        snags = [_snag(one, name) for one in list(reversed(getattr(found, name)))[skip : skip + MOST]]
    more = skip + MOST if skip + MOST < total else 0
    return visit.show(
        "today_evidence.html", figure=figure, rows=rows, uses=uses, snags=snags, days=DAYS, more=more, skip=skip
    )


def _uses(visit: Visit, found: Receipts, skip: int) -> list[Use]:
    events = list(reversed(found.uses))[skip : skip + MOST]
    known = visit.memory.field.thoughts(list(dict.fromkeys(ident for one in events for ident in one.ids)))
    made = []
    for one in events:
        for ident in one.ids:
            thought = known.get(ident)
            text = " ".join((thought.title or thought.text).split())[:LONGEST] if thought else "no longer in the index"
            made.append(Use(one.time, one.agent, thought.path if thought else "", text))
    return made


def _snag(one: Record, name: str) -> Snag:
    when, key = (one.proven_at, one.proven) if name == counted.HELD else (one.recurred_at, one.recurred)
    key = key if key.count("/") >= 2 else ""
    return Snag(when, one.wrong, one.better, one.note, key, short_of(key) if key else "")

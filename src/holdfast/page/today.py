"""Today: whether memory runs, what it did, and all that fired, newest first.

Each part is asked for by itself, so that the page is there at once and a part that has to read much delays no other.
What follows live asks only for what is new since the place it shows.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Response

from holdfast.errors import NotFound
from holdfast.health import chain, ledger_pages
from holdfast.health.ledger_choice import BY_NAME, GROUPS, Choice
from holdfast.health.week import DAYS
from holdfast.page import frame, receipts, session_rows, session_story, year
from holdfast.page.ledger_row import LedgerRow, row_of
from holdfast.page.visit import Visits
from holdfast.page.watched import asked_of, calendar_of, days_of, place_of, projects_of, unseen_of, week_of
from holdfast.text.layout import many

if TYPE_CHECKING:
    from holdfast.health.ledger_pages import Place
    from holdfast.page.visit import Visit

router = APIRouter(include_in_schema=False)
MOST = 40
FULL = 200  # records that came live, after which a tab only counts: one that is open for days does not grow


def _day(said: str) -> str:
    """A day that an address names; "" for none. Raises NotFound."""
    if not said:
        return ""
    try:
        return datetime.date.fromisoformat(said).isoformat()
    except ValueError:
        raise NotFound("There is no such day; nothing is shown.") from None


def _filters(kind: str, session: str, day: str) -> dict[str, str]:
    if kind not in BY_NAME:
        raise NotFound("There is no such kind of record; nothing is shown.")
    return {"kind": kind, "session": session, "day": _day(day)}


@router.get("/page/today")
def view(visit: Visits, kind: str = "", session: str = "", day: str = "") -> Response:
    chosen = _filters(kind, session, day)
    rows, page = _rows(visit, chosen)
    return visit.show(
        "today.html", groups=GROUPS, chosen=chosen, rows=rows, page=page, newest=_newest(visit, rows), shown=0,
        days=DAYS, short=session_rows.short_of(f"{session}/0") if session else "",
    )  # fmt: skip


@router.get("/page/today/chain")
def chain_part(visit: Visits) -> Response:
    """The line: seen, closed, filed, searchable."""
    return visit.show("today_chain.html", **_chain(visit))


def _chain(visit: Visit) -> dict[str, Any]:
    found = chain.look(place_of(visit), week_of(visit.server.state), asked_of(visit))
    return {"chain": found, "days": DAYS}


@router.post("/page/today/heal")
def heal(visit: Visits) -> Response:
    """Close what is left and bring the index up to date, as `holdfast close` does."""
    done = visit.memory.sessions.close(everything=visit.everything)
    failed = [one.error for one in done if one.error]
    filed, ended = sum(one.filed for one in done), sum(bool(one.episode and not one.error) for one in done)
    said = f"Closed {many(ended, 'session')}: {many(filed, 'flag')} filed." if done else "Nothing was left to close."
    said = f"{failed[0]} What was not filed waits as before." if failed else f"{said} The search index is up to date."
    headers = frame.toast(said, frame.BAD if failed else frame.GOOD)
    return visit.show("today_chain.html", headers=headers, **_chain(visit))


@router.get("/page/today/unseen")
def unseen(visit: Visits) -> Response:
    """Sessions of which a host has a transcript, and no hook saw anything: looked for apart, since it reads them."""
    return visit.show("today_unseen.html", findings=unseen_of(visit))


@router.get("/page/today/calendar")
def calendar(visit: Visits, day: str = "") -> Response:
    found = calendar_of(visit.server.state).days(projects_of(visit))
    return visit.show("today_calendar.html", year=year.of(found, visit.server.clock(), _day(day)))


@router.get("/page/today/ledger")
def ledger_rows(
    visit: Visits,
    kind: str = "",
    session: str = "",
    day: str = "",
    before: str = "",
    after: str = "",
    shown: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Older records, before a place; or what came after one, which goes above what is shown."""
    chosen = _filters(kind, session, day)
    until, since = ledger_pages.place_of(before), ledger_pages.place_of(after)
    if since and not until and shown >= FULL:
        _, page = _rows(visit, chosen, after=since)
        return visit.show(
            "today_newer.html", rows=[], page=page, newest=since, chosen=chosen, shown=shown, is_full=True
        )
    rows, page = _rows(visit, chosen, before=until, after=since)
    if until or not since:
        return visit.show("today_rows.html", rows=rows, page=page, chosen=chosen, after=since)
    newest = rows[0].place if rows else since
    return visit.show(
        "today_newer.html", rows=rows, page=page, newest=newest, chosen=chosen, shown=shown + len(rows), is_full=False,
        after=since,
    )  # fmt: skip


def _rows(
    visit: Visit, chosen: dict[str, str], *, before: Place | None = None, after: Place | None = None
) -> tuple[list[LedgerRow], ledger_pages.Page]:
    since, until = days_of(visit.server.state, chosen["session"], visit.server.clock())
    choice = Choice(BY_NAME[chosen["kind"]], chosen["session"], projects_of(visit), chosen["day"], since, until)
    page = ledger_pages.page(visit.server.state, choice, before=before, after=after, most=MOST)
    return [row_of(one) for one in page.rows], page


def _newest(visit: Visit, rows: list[LedgerRow]) -> Place:
    """The place after which news begins: of what is shown, else of whatever was written last."""
    if rows:
        return rows[0].place
    last = ledger_pages.page(visit.server.state, most=1).rows
    return last[0].place if last else ledger_pages.Place("0000-00-00", 0)


@router.get("/page/today/sessions")
def sessions(visit: Visits, day: str = "", before: str = "", floor: str = "") -> Response:
    """Rows of sessions. `floor` is the oldest that a list shows: what follows live begins there again."""
    until, least = ledger_pages.place_of(before), ledger_pages.place_of(floor)
    after = ledger_pages.Place(least.day, least.start - 1) if least else None
    rows, page = session_rows.look(visit, projects_of(visit), day=_day(day), before=until, after=after)
    return visit.show("today_sessions.html", rows=rows, page=page, day=day, is_more=bool(until), floor=floor)


@router.get("/page/today/session")
def session(visit: Visits, key: str) -> Response:
    """The story of one session. Raises NotFound."""
    return visit.show("today_session.html", story=session_story.of(visit, key))


router.include_router(receipts.router)

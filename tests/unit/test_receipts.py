"""Receipts of the week: what counts as delivered, stopped, corrected and used, each by its place in the ledger."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast.capture import ledger
from holdfast.field import traffic
from holdfast.health import ledger_pages, receipts
from holdfast.health.ledger_choice import BY_NAME, Choice
from holdfast.health.ledger_days import Calendar
from holdfast.health.week import Week, period

if TYPE_CHECKING:
    from hook_support import Home

DAY = 86400.0


def put(where: Home, kind: str, ago: float = 0.0, **what: object) -> None:
    ledger.append(where.state, kind, time.time() - ago, **{"project": "shop", **what})


def counted(where: Home, week: Week, project: str = "") -> receipts.Receipts:
    now = time.time()
    with week.upto(now) as (_, tally):
        return receipts.count(str(where.vault), period(str(where.vault), now, project), tally)


def test_each_figure_counts_what_it_says_and_leads_to_its_records(fresh: Home) -> None:
    put(fresh, "injection", event="session-start", episode="c/a/1", carried=["rules/x.md:1", "rules/y.md:2"])
    put(fresh, "injection", event="session-start", episode="c/b/1", carried=[], characters=200)
    put(fresh, "injection", event="prompt", episode="c/a/1", carried=["rules/x.md"])
    put(fresh, "injection", event="before-tool", episode="c/a/1", carried=["rules/x.md"], armed="told first")
    put(fresh, "injection", event="before-tool", episode="c/a/1", carried=["rules/x.md"], armed="injected")
    put(fresh, "armed", episode="c/a/1", path="rules/x.md", how="better")
    put(fresh, "armed", episode="c/a/1", path="rules/x.md", how="again")
    put(fresh, "injection", 9 * DAY, event="session-start", episode="c/old/1", carried=["rules/x.md:1"])
    found = counted(fresh, Week(fresh.state))
    assert [found.count(name) for name in ("starts", "prompts", "stopped", "corrected")] == [1, 1, 1, 1]
    assert found.detail("starts") == "2 things in all"
    (row,) = ledger_pages.at(fresh.state, [found.stopped[0].place])
    assert row.record["armed"] == "told first"


def test_a_week_that_is_read_on_counts_as_one_that_is_read_anew(fresh: Home) -> None:
    week = Week(fresh.state)
    for number in range(3):
        put(fresh, "injection", event="session-start", episode=f"c/{number}/1", carried=["rules/x.md:1"])
        assert counted(fresh, week).starts == counted(fresh, Week(fresh.state)).starts
    assert len(counted(fresh, week).starts) == 3


def test_what_agents_used_counts_and_what_the_person_looked_at_does_not(fresh: Home) -> None:
    now = time.time()
    fresh.file_everything()
    for agent, kind in (("claude-code", traffic.USED), ("operator", traffic.USED), ("claude-code", traffic.GOT)):
        traffic.travel(str(fresh.vault), traffic.Event(now, kind, ("one", "two"), agent, "", "shop"))
    traffic.travel(str(fresh.vault), traffic.Event(now - 9 * DAY, traffic.USED, ("old",), "claude-code", "", "shop"))
    found = counted(fresh, Week(fresh.state))
    assert (found.used, len(found.uses)) == (("one", "two"), 1)
    assert counted(fresh, Week(fresh.state), "another").uses == ()


def test_pages_of_the_ledger_follow_each_other_without_a_gap(fresh: Home) -> None:
    for number in range(25):
        put(fresh, "flag" if number % 5 else "error", DAY * (number % 3), id=str(number), episode="c/s/1")
    seen, before = [], None
    while True:
        page = ledger_pages.page(fresh.state, before=before, most=4)
        seen += [str(one.record["id"]) for one in page.rows]
        if page.older is None:
            break
        before = page.older
    assert sorted(map(int, seen)) == list(range(25))
    errors = ledger_pages.page(fresh.state, Choice(BY_NAME["errors"])).rows
    assert len(errors) == 5
    newest = ledger_pages.page(fresh.state, most=3)
    assert ledger_pages.page(fresh.state, after=newest.rows[2].place).rows == newest.rows[:2]


def test_a_page_that_looked_at_its_share_says_where_to_go_on(fresh: Home) -> None:
    for number in range(50):
        put(fresh, "hook", event="after-tool", id=str(number))
    put(fresh, "error", 3 * DAY, error="old")
    cut = ledger_pages.page(fresh.state, Choice(BY_NAME["errors"]), share=10)
    assert cut.is_cut
    assert cut.older
    assert len(ledger_pages.page(fresh.state, Choice(BY_NAME["errors"]), before=cut.older).rows) == 1


def test_days_are_counted_by_project_and_anew_when_their_file_grows(fresh: Home) -> None:
    calendar = Calendar(fresh.state)
    put(fresh, "hook", event="session-start", opened=True, episode="c/a/1")
    put(fresh, "flag", id="1", text='a "kind":"flag" in a text')
    put(fresh, "flag", id="2", project="other")
    today = ledger.day_of(time.time())
    mine, every = calendar.days(["shop"])[today], calendar.days()[today]
    assert (mine.records, mine.sessions, mine.kept) == (2, 1, 1)
    assert (every.records, every.kept) == (3, 2)
    put(fresh, "close", filed=1)
    assert calendar.days(["shop"])[today].kept == 2

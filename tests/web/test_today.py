"""Today: the line heals what is left, a record that a command writes stands there without a reload, a session opens
into its story, each figure opens what it counts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from holdfast.vault import lineage

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Home
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web


@pytest.fixture
def worked(home: Home) -> Home:
    """One session that flagged something and ended, whose close is still to come; what it says is hostile."""
    began = time.time() - 7200
    home.reply(home.event("SessionStart", source="startup"), now=began)
    home.reply(home.event("UserPromptSubmit", prompt="Why is <script>alert(1)</script> booked twice?"), now=began + 60)
    home.flag("Orders lock by version, so that a retry is safe.", session="s1")
    home.reply(home.event("SessionEnd", reason="exit"), now=began + 900)
    return home


def test_a_broken_line_says_where_it_breaks_and_a_key_heals_it(worked: Home, tab: Tab) -> None:
    chain = tab.page.locator("#chain")
    expect(chain).to_contain_text("1 session seen")
    expect(chain.locator(".broken")).to_contain_text("filed")
    expect(chain).to_contain_text("1 flag not filed")
    assert worked.waiting()
    tab.page.locator("#main h1").click()
    tab.page.keyboard.press("h")
    tab.says("Closed 1 session: 1 flag filed.")
    expect(chain).to_contain_text("Every session that ended was closed, filed and can be searched.")
    expect(chain.locator(".broken")).to_have_count(0)
    assert not worked.waiting()
    assert len(lineage.names(str(worked.vault), worked.project_id())) == 1
    written = next(worked.vault.glob("*/*lock-by-version*"))
    assert "Orders lock by version" in written.read_text(encoding="utf-8")


def test_a_session_opens_into_its_story_and_back(worked: Home, tab: Tab) -> None:
    expect(tab.page.locator("#session-list")).to_contain_text("waits for its close")
    tab.page.locator("#session-list a.title").click()
    expect(tab.main.locator("h1")).to_contain_text("Session s1")
    expect(tab.main).to_contain_text("Why is <script>alert(1)</script> booked twice?")
    expect(tab.main).to_contain_text("Orders lock by version, so that a retry is safe.")
    expect(tab.main).to_contain_text("waits to be filed")
    expect(tab.main).to_contain_text("None was written yet")
    worked.cli("close", "--all")
    tab.page.reload()
    expect(tab.main).to_contain_text("A close filed 1 flag word for word. A handoff was written.")
    expect(tab.main.locator("section", has_text="Flags").first.get_by_role("link")).not_to_have_count(0)
    tab.page.go_back()
    expect(tab.main.locator("h1")).to_contain_text("Today")
    for part in ("chain", "receipts", "calendar", "sessions"):  # else the closing tab cuts their requests off
        expect(tab.page.locator(f"#{part}")).not_to_contain_text("…")


def test_the_ledger_is_filtered_by_kind_session_and_day(worked: Home, tab: Tab) -> None:
    rows = tab.page.locator("#ledger-rows")
    expect(rows).to_contain_text("The agent flagged")
    tab.page.locator("#ledger-kind").select_option("silent")
    expect(rows).not_to_contain_text("The agent flagged")
    expect(rows).to_contain_text("Nothing was asked at the first prompt. Why: the start has just said")
    assert "kind=silent" in tab.page.url
    tab.page.keyboard.press("Tab")
    tab.page.locator("#main h1").click()
    tab.page.keyboard.press("x")
    expect(rows).to_contain_text("The agent flagged")
    tab.page.locator("#calendar a.now").click()
    expect(tab.page.locator("#ledger-day")).not_to_have_value("")
    expect(rows).to_contain_text("A session ended")
    tab.page.locator("#ledger-day").fill("2020-01-01")
    expect(rows).to_contain_text("Nothing of this kind was recorded on this day.")
    expect(tab.page.locator("#sessions")).to_contain_text("No session began on this day")


def test_a_figure_opens_what_it_counts(worked: Home, server: Server, open_tab: Callable[..., Tab]) -> None:
    worked.cli("remember", "Deploys run on Mondays.", "--kind", "rule", "--reason", "everybody is there")
    told = worked.reply(worked.event("SessionStart", session="s2", source="startup"))
    assert "Deploys run on Mondays" in str(told)
    tab = open_tab(server, width=390, dark=True)
    figure = tab.page.locator("#receipts a", has_text="Delivered at starts")
    expect(figure.locator(".value")).to_have_text("1")
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 390
    figure.click()
    expect(tab.main.locator("h1")).to_have_text("Delivered at starts")
    expect(tab.main).to_contain_text("The start was told")
    tab.main.locator("summary").first.click()
    expect(tab.main.get_by_role("link", name="deploys run on mondays")).to_be_visible()


def test_a_page_that_may_only_look_has_no_button_that_heals(
    worked: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, read_only=True)
    expect(tab.page.locator("#chain")).to_contain_text("1 flag not filed")
    expect(tab.page.locator("#heal")).to_have_count(0)
    assert worked.waiting()


def test_an_empty_vault_says_what_to_do_next(tab: Tab) -> None:
    expect(tab.page.locator("#chain")).to_contain_text("No session in the last 7 days")
    expect(tab.page.locator("#sessions")).to_contain_text("holdfast init")
    expect(tab.page.locator("#ledger-rows")).to_contain_text("Nothing was recorded yet")

"""The live state: a record that a command or a hook writes stands in every open tab, the reader's place stays, and a
server that was killed and started again is found again by the tab itself."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from serve_support import serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Home
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web


def test_a_flag_stands_in_two_open_tabs_and_the_readers_place_stays(
    home: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    home.reply(home.event("SessionStart", source="startup"))
    for number in range(40):
        home.flag(f"Lesson number {number} of this long day.", session="s1")
    one, other = open_tab(server), open_tab(server)
    rows = one.page.locator("#ledger-rows [data-row]")
    expect(one.page.locator("#live")).to_have_attribute("data-state", "on")
    expect(other.page.locator("#live")).to_have_attribute("data-state", "on")
    expect(rows).to_have_count(40)
    watched = rows.nth(20)
    name = watched.get_attribute("data-row")
    watched.scroll_into_view_if_needed()
    place = one.page.locator(f'[data-row="{name}"]')
    before = place.evaluate("one => one.getBoundingClientRect().top")
    home.fast("flag", "Refunds are booked once.", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    home.hook(home.event("UserPromptSubmit", prompt="And what of the second refund?"))
    home.fast("flag", "The guard is shared.", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    for tab in (one, other):
        expect(tab.page.locator("#ledger-rows [data-row]")).to_have_count(43)
    assert abs(place.evaluate("one => one.getBoundingClientRect().top") - before) < 40


def test_a_tab_says_that_the_server_is_gone_and_comes_back_by_itself(home: Home, open_tab: Callable[..., Tab]) -> None:
    home.reply(home.event("SessionStart", source="startup"))
    with serving(home) as server:
        port = server.port
        tab = open_tab(server)
        expect(tab.page.locator("#live")).to_have_attribute("data-state", "on")
        server.stop(signal.SIGKILL)
        tab.says("This page comes back by itself")
        expect(tab.page.locator("#live")).to_have_attribute("data-state", "off")
    home.flag("Written while nobody served.", session="s1")
    tab.complaints.clear()  # the browser said in its own words that nobody answered
    with serving(home, "--port", str(port)):
        tab.says("The server is back")
        expect(tab.page.locator("#live")).to_have_attribute("data-state", "on")
        expect(tab.page.locator("#ledger-rows")).to_contain_text("The agent flagged")
        tab.page.goto("about:blank")

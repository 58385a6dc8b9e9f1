"""The way in: a link counts once, a key stays with its tab's origin, and the frame shows nothing without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from web_support import link_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web


def test_a_link_signs_in_once_and_is_gone_from_the_address(open_tab: Callable[..., Tab], server: Server) -> None:
    tab = open_tab(server)
    assert "link" not in tab.page.url
    again = link_of(server)
    tab.page.goto(f"{server.address}/page/today#link={again}")
    expect(tab.main.locator("h1").first).to_be_visible()
    other = open_tab(server)
    other.page.evaluate("localStorage.clear()")
    other.page.goto(f"{server.address}/page/notes#link={again}")
    other.page.reload()
    expect(other.main).to_contain_text("You are signed out")


def test_every_view_opens_by_its_keys_and_back_leads_back(tab: Tab) -> None:
    for key, view in (("n", "notes"), ("h", "lineage"), ("t", "today")):
        tab.page.keyboard.press("g")
        tab.page.keyboard.press(key)
        expect(tab.page.locator(f'#nav a[data-view="{view}"]')).to_have_attribute("aria-current", "page")
    tab.page.go_back()
    expect(tab.page.locator('#nav a[data-view="lineage"]')).to_have_attribute("aria-current", "page")
    expect(tab.main.locator("h1").first).to_contain_text("Handoffs")


def test_signing_out_ends_this_key_and_no_other_also_one_that_may_only_look(
    open_tab: Callable[..., Tab], server: Server
) -> None:
    other = open_tab(server)
    for tab in (open_tab(server), open_tab(server, read_only=True)):
        key = tab.page.evaluate("localStorage.getItem('holdfast-page')")
        tab.page.locator("[data-sign-out]").click()
        expect(tab.main).to_contain_text("You signed out here")
        assert server.send("GET", "/page/bar", [("Host", server.host), *keyed(key)]).status == 401
        tab.page.reload()
        expect(tab.main).to_contain_text("You are signed out")
    other.go("notes")
    expect(other.main.locator("h1").first).to_contain_text("Notes")


def keyed(key: str) -> list[tuple[str, str]]:
    return [("Authorization", f"Holdfast-Page {key}"), ("HX-Request", "true")]

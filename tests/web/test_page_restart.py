"""A server that was killed under an open tab: the tab goes on by itself once it is back, and its key still counts."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from serve_support import serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Home
    from web_support import Tab

pytestmark = pytest.mark.web


def test_a_tab_goes_on_by_itself_when_its_server_is_killed_and_back(home: Home, open_tab: Callable[..., Tab]) -> None:
    with serving(home) as first:
        port = str(first.port)
        tab = open_tab(first)
        expect(tab.page.locator("#live")).to_have_attribute("data-state", "on")
        key = tab.page.evaluate("localStorage.getItem('holdfast-page')")
        first.stop(signal.SIGKILL)
        expect(tab.page.locator("#live")).to_have_attribute("data-state", "off")
        tab.page.locator('#nav a[data-view="notes"]').click()
        tab.says("The server does not answer")
        expect(tab.main.locator("h1").first).to_have_text("Today")
    with serving(home, "--port", port):
        expect(tab.page.locator("#live")).to_have_attribute("data-state", "on", timeout=45_000)
        tab.go("notes")
        expect(tab.main.locator("h1").first).to_have_text("Notes")
        assert tab.page.evaluate("localStorage.getItem('holdfast-page')") == key
        tab.page.reload()
        expect(tab.page.locator("#bar #project")).to_be_visible()
    assert {said.split(",")[0] for said in tab.complaints} <= {"error: htmx:afterRequest", "error: htmx:sendError"}
    tab.complaints.clear()  # of the request that nobody answered

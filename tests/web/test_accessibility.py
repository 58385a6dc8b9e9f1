"""Every view for everybody: no violation that axe-core finds, nothing wider than a phone, all of it by the keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_support import Home
from playwright.sync_api import expect
from serve_support import serving
from web_support import opened

import axe
import month
from holdfast.page import views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web

VIEWS = [path for path, _, _ in views.ALL]
SIZES = [(1280, False), (1280, True), (390, False), (390, True)]
LOOKS = Path(__file__).with_name("accessibility.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(Home(month.play(tmp_path_factory.mktemp("month")))) as made:
        yield made


@pytest.mark.parametrize(("width", "dark"), SIZES, ids=["wide", "wide-dark", "phone", "phone-dark"])
def test_axe_finds_nothing_and_no_view_is_wider_than_its_window(
    open_tab: Callable[..., Tab], server: Server, width: int, dark: bool
) -> None:
    tab, found = open_tab(server, width=width, dark=dark), []
    checks = axe.install().read_text(encoding="utf-8")
    for view in VIEWS:
        for query in ("", "?project=all"):
            opened(tab.page, server, view, query)
            tab.page.evaluate(LOOKS)
            tab.page.evaluate(checks)
            found += [f"{view}{query}: {one}" for one in tab.page.evaluate("violations()")]
            if tab.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append(f"{view}{query} is wider than its window: {tab.page.evaluate('tooWide()')}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("view", VIEWS)
def test_the_keyboard_goes_everywhere_and_out_again(open_tab: Callable[..., Tab], server: Server, view: str) -> None:
    tab = open_tab(server)
    opened(tab.page, server, view)
    tab.page.evaluate(LOOKS)
    assert tab.page.evaluate("mouseOnly()") == []
    assert tab.page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count() == 0
    tab.page.keyboard.press("Tab")
    expect(tab.page.locator(".skip")).to_be_focused()
    tab.page.keyboard.press("Enter")
    expect(tab.main).to_be_focused()
    _tab_through(tab.page)
    _keys(tab.page)
    _help(tab.page)


def _tab_through(page: Page) -> None:
    """From the beginning of the view to the end of the page: what has the focus is seen, and nothing keeps it."""
    places = []
    for _ in range(400):
        page.keyboard.press("Tab")
        found = page.evaluate("focused()")
        if not found["isInMain"]:
            break
        assert found["seen"], found["html"]
        places.append(found["html"])
    else:
        raise AssertionError(f"the focus does not leave the view, after {places[-1]}")


def _keys(page: Page) -> None:
    """j and k move among the rows, if there are any, and the focus is in the chosen one."""
    if page.locator("#main [data-row]:visible").count():
        page.keyboard.press("j")
        expect(page.locator("#main [data-row].chosen")).to_have_count(1)
        assert page.evaluate("Boolean(document.activeElement.closest('[data-row].chosen'))")
        page.keyboard.press("Escape")


def _help(page: Page) -> None:
    """`?` shows the keys, Escape hides them; the button does the same."""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    sheet = page.locator("dialog#keys")
    expect(sheet).to_be_visible()
    for _, name, key in views.ALL:
        expect(sheet.locator("tr", has_text=name).locator("kbd").last).to_have_text(key)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.locator("[data-open=keys]").focus()
    page.keyboard.press("Enter")
    expect(sheet).to_be_visible()
    expect(sheet.locator("button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden()
    expect(page.locator("[data-open=keys]")).to_be_focused()

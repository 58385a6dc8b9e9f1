"""What the browser tests share: Debian's Chromium, a home with a real server, and a page that is signed in.

Every message of the console, error and refusal by the content policy fails the test that caused it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_support import Home, a_home
from playwright.sync_api import Browser, sync_playwright
from serve_support import Server, serving
from web_support import Tab, launched, link_of

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = launched(playwright)
        yield started
        started.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path) as made:
        yield made


@pytest.fixture
def server(home: Home) -> Iterator[Server]:
    """The page's server; what a test wants in the vault from the start it writes in a fixture before this one."""
    with serving(home) as made:
        yield made


@pytest.fixture
def tab(open_tab: Callable[..., Tab], server: Server) -> Tab:
    """A tab that is signed in, on Today."""
    return open_tab(server)


@pytest.fixture
def open_tab(chromium: Browser) -> Iterator[Callable[..., Tab]]:
    """`open_tab(server, "notes", width=390, dark=True, read_only=True)`; each in a browser of its own."""
    contexts: list[BrowserContext] = []
    tabs: list[Tab] = []

    def opened(
        server: Server, view: str = "today", *, width: int = 1280, dark: bool = False, read_only: bool = False
    ) -> Tab:
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(60_000)
        contexts.append(context)
        made = Tab(context.new_page(), server)
        tabs.append(made)
        made.sign_in(link_of(server, read_only=read_only), view)
        return made

    yield opened
    complaints = [said for one in tabs for said in one.complaints]  # a tab that is closed cuts off what it asked for
    for one in contexts:
        one.close()
    assert complaints == []

"""A tab of a real browser on the page of a real server, and what it complains about."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from holdfast.capture import gate
from holdfast.page import sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Playwright
    from serve_support import Server

expect.set_options(timeout=60_000)  # a shared machine may stand still for a while
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# Answers that a test provokes and looks at, and what was still asked for when the reader went on to another view.
EXPECTED = ("Failed to load resource", "Response Status Error Code", "htmx:sendAbort", "htmx:sendError")


@dataclass
class Tab:
    """`tab.main` is the view, `tab.page` the browser's page."""

    page: Page
    server: Server
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(EXPECTED):
            self.complaints.append(f"{message.type}: {message.text}")

    @property
    def main(self) -> Locator:
        return self.page.locator("#main")

    def sign_in(self, link: str, view: str = "today") -> None:
        """By a link, as `holdfast page` opens it."""
        self.page.goto(f"{self.server.address}/page/{view}#link={link}")
        expect(self.main.locator("h1").first).to_be_visible()
        expect(self.page.locator("#bar #project")).to_be_visible()

    def go(self, view: str) -> None:
        """To a view, by the navigation."""
        self.page.locator(f'#nav a[data-view="{view}"]').click()
        expect(self.page.locator(f'#nav a[data-view="{view}"]')).to_have_attribute("aria-current", "page")

    def says(self, words: str) -> None:
        """A toast says so."""
        expect(self.page.locator("#toasts")).to_contain_text(words)

    def confirm(self) -> None:
        """Answer the question that the page asks with yes."""
        self.page.locator("#ask-yes").click()


def launched(playwright: Playwright, *more: str) -> Browser:
    """Debian's Chromium."""
    assert CHROMIUM, "chromium is not installed; tools/test.py does that"
    alone = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=CHROMIUM, args=[*alone, *more])


def opened(page: Page, server: Server, view: str, query: str = "") -> None:
    """A view that is there as a whole, with its parts that load by themselves."""
    page.goto(f"{server.address}/page/{view}{query}")
    expect(page.locator("#main h1").first).to_be_visible()
    expect(page.locator("#bar #project")).to_be_visible()
    expect(page.locator(".htmx-request, #main .skeleton:visible")).to_have_count(0)


def link_of(server: Server, *, read_only: bool = False) -> str:
    """The address that `holdfast page` prints, without the view."""
    state = str(server.home.vault / ".state")
    return sign_in.make_link(state, time.time(), by=gate.BY_USER, read_only=read_only)

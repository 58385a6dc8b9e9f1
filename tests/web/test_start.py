"""Start in a browser: what the next session is told, with reasons, for each branch, and what a prompt would bring."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import field_page_support
import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Home
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web


def git(home: Home, *words: str) -> None:
    subprocess.run(["git", "-C", str(home.project), *words], check=True, capture_output=True)


@pytest.fixture
def filled(home: Home) -> None:
    git(home, "init", "-q", "-b", "main")
    memory = field_page_support.memory_of(home)
    memory.notes.remember("Never push to main on a Friday.", kind="rule", reason="nobody is there to watch")
    many = "; ".join(f"zeta case {nth} waits for the quarterly ledger export" for nth in range(40))
    memory.notes.remember(f"The quarterly ledger export needs the zeta flag. {many}", kind="knowledge")
    memory.sessions.handoff('{"done": ["Lock orders"], "next_steps": ["Run make test on main"]}')
    git(home, "symbolic-ref", "HEAD", "refs/heads/refunds")
    memory.sessions.handoff('{"done": ["Guard refunds"], "next_steps": ["Finish the refunds branch"]}')
    git(home, "symbolic-ref", "HEAD", "refs/heads/main")
    memory.field.catch_up()
    memory.sessions.boot()


def test_a_start_is_told_line_by_line_for_each_branch_as_it_will_be(
    filled: None, home: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    expected = field_page_support.memory_of(home).sessions
    tab = open_tab(server, "start")
    told = tab.main.locator("#told")
    expect(told).to_contain_text("ush to main on a Friday")
    expect(told).to_contain_text("always applies")
    expect(told).to_contain_text("Run make test on main")
    size = expected.explain_boot().characters
    expect(told.locator("h2").first).to_contain_text(f"{size:,} of")
    told.get_by_text("The exact words that the agent gets").click()
    expect(told.locator("pre")).to_have_text(expected.boot().text, use_inner_text=False)
    tab.page.get_by_label("Branch").select_option("refunds")
    expect(told).to_contain_text("Finish the refunds branch")
    assert "branch=refunds" in tab.page.url


def test_a_typed_prompt_brings_notes_with_their_reasons_and_leaves_no_trace(
    filled: None, home: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    before = len(home.ledger("injection"))
    tab = open_tab(server, "start", width=390)
    tab.page.get_by_role("textbox", name="Prompt").fill("What does the quarterly ledger export need? The zeta flag?")
    bears = tab.main.locator("#bears")
    expect(bears).to_contain_text("zeta flag")
    expect(bears).to_contain_text("above chance")
    tab.page.get_by_role("textbox", name="Prompt").fill("What is the weather like in Lisbon?")
    expect(bears).to_contain_text("It would bring nothing")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert len(home.ledger("injection")) == before

"""Recall in a browser: answers with the parts of their scores, what would change them, and no trace of looking."""

from __future__ import annotations

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


@pytest.fixture
def filled(home: Home) -> dict[str, str]:
    return field_page_support.fill(home)


def test_a_question_is_answered_with_the_parts_of_each_score_and_leaves_no_trace(
    filled: dict[str, str], home: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    before = {path.name: path.stat().st_size for path in (home.vault / "thoughts").rglob("*.log")}
    with field_page_support.memory_of(home).field.open() as field:
        reads = field.store.traffic(filled.values())
    tab = open_tab(server, "recall")
    expect(tab.main).to_contain_text("Ask something")
    tab.page.get_by_label("Question").fill("may I retry an order")
    first = tab.main.locator(".results > li").first
    expect(first).to_contain_text("A retry of an order is safe")
    assert "q=may%20I%20retry%20an%20order" in tab.page.url
    shown = [float(one) for one in first.locator("table.parts td").all_inner_texts()]
    score = float(first.locator(".row > .tabular").first.inner_text())
    assert len(shown) >= 2
    assert sum(shown) == pytest.approx(score, abs=0.03)
    first.get_by_text("What would change its place").click()
    expect(first.locator("details")).to_contain_text("read 3 times")
    tab.page.get_by_label("Kind").select_option("rule")
    expect(tab.main).to_contain_text("Nothing that is remembered here bears on that")
    with field_page_support.memory_of(home).field.open() as field:
        assert field.store.traffic(filled.values()) == reads
    assert {path.name: path.stat().st_size for path in (home.vault / "thoughts").rglob("*.log")} == before


def test_hostile_words_are_shown_as_words_and_an_answer_opens_its_thought(
    filled: dict[str, str], server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "recall?q=zebra+handling", width=390)
    link = tab.main.locator(".results a.title").first
    expect(link).to_contain_text("<script>")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    link.click()
    expect(tab.main.locator("h1")).to_contain_text("<script>")
    assert f"id={filled[field_page_support.HOSTILE]}" in tab.page.url
    assert tab.page.title() != "taken"

"""Field in a browser: surroundings are walked by keys, a step of a night is taken back, a thought forgotten."""

from __future__ import annotations

import re
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
    made = field_page_support.fill(home)
    field_page_support.memory_of(home).sleep.run(verbatim=True)
    return made


def test_one_walks_from_a_thought_to_those_around_it_by_the_keyboard(
    filled: dict[str, str], server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, f"field?thought={filled[field_page_support.RETRY]}")
    chosen = tab.main.locator("#around + div a.title")
    expect(chosen).to_contain_text("A retry of an order is safe")
    nodes = tab.main.locator("svg.graph a")
    assert nodes.count() >= 4
    other = nodes.nth(1)
    name = str(other.get_attribute("aria-label")).partition(": weight")[0]
    other.focus()
    tab.page.keyboard.press("Enter")
    expect(chosen).to_contain_text(name[:30])
    tab.page.go_back()
    expect(chosen).to_contain_text("A retry of an order is safe")
    expect(tab.main.locator("section", has=tab.page.locator("#highways"))).to_contain_text("by ada, ben, cleo")
    tab.page.get_by_role("button", name="Measure now").click()
    expect(tab.main.locator("#measured")).to_contain_text("as it would be now; nothing was changed")


def test_a_step_of_a_night_is_taken_back_once(
    filled: dict[str, str], home: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    ids = [filled[one] for one in field_page_support.LOCKS]
    memory = field_page_support.memory_of(home)
    with memory.field.open() as field:
        assert field.store.marks("consolidated", ids), "the night put nothing together"
    tab = open_tab(server, "field")
    step = tab.main.locator("li[data-row^=step-]", has_text="Became one summary")
    step.get_by_role("button", name="Take back").click()
    tab.confirm()
    tab.says("taken back; sleep will not take it again")
    expect(step.locator(".state")).to_have_text("taken back")
    with memory.field.open() as field:
        assert not field.store.marks("consolidated", ids)
    tab.page.reload()
    expect(step.locator(".state")).to_have_text("taken back")


def test_a_thought_is_forgotten_for_good_and_said_so_before(
    filled: dict[str, str], home: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    ident = filled[field_page_support.RETRY]
    tab = open_tab(server, f"thought?id={ident}")
    expect(tab.main.locator("svg.curve .read")).to_have_count(3)
    tab.main.get_by_text("Who read it").click()
    expect(tab.main.locator("table")).to_contain_text("cleo")
    tab.page.get_by_role("button", name="Forget").click()
    expect(tab.page.locator("#ask-words")).to_contain_text("There is no undo")
    tab.confirm()
    tab.says("recall finds it no longer")
    found = field_page_support.memory_of(home).field.recall("may I retry an order")
    assert ident not in [one.thought.id for one in found.results]


def test_who_may_only_look_is_offered_no_change(
    filled: dict[str, str], server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, f"thought?id={filled[field_page_support.RETRY]}", read_only=True)
    expect(tab.main.locator("h1")).to_contain_text(re.compile("retry"))
    expect(tab.page.get_by_role("button", name="Forget")).to_have_count(0)
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

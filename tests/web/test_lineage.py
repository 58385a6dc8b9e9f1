"""Handoffs in the browser: the chain as a graph, one of them read, two compared, and thousands paged through."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from holdfast.capture import gate
from holdfast.memory import Memory
from holdfast.vault import lineage
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Home
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web
HOSTILE = "<script>alert('handoff')</script>"
MANY = 100


@pytest.fixture
def chain(home: Home) -> list[str]:
    """Handoffs of two branches and two machines, as closes write them; the names, the oldest first."""
    home.cli("remember", "A note, so that there is a vault.")
    memory = Memory.open(str(home.vault), str(home.project), env=home.env)
    project = memory.at.project().id
    made: list[str] = []
    texts: dict[str, str | None] = {}
    for number in range(1, MANY + 1):
        is_fix = number in (MANY - 1, MANY - 3)
        one = lineage.Handoff(
            title=HOSTILE if number == MANY else f"Step {number}",
            time=lineage.iso(time.time() - 3600 * (MANY - number + 1)),
            project=project,
            branch="fix" if is_fix else "main",
            host="claude-code",
            episode=f"claude-code/s{number}/1",
            author="claude-code" if is_fix else lineage.MECHANICAL,
            parents=tuple(made[-1:]),
            sections={
                "done": (f"Finished step {number}",),
                "decisions": (f"Step {number} keeps the table, because readers need it",),
                "next_steps": (f"Begin step {number + 1}",) if number % 2 else ("Ask about the dump",),
            },
        )
        path = lineage.path_for(one, "laptop" if is_fix else "desk")
        texts[path] = lineage.render(one)
        made.append(path.rpartition("/")[2].removesuffix(".md"))
    with writing(str(home.vault), time.time()) as writer:
        writer.commit("handoffs", texts, cause="close", by=gate.BY_UPKEEP)
    return made


def test_a_handoff_is_read_beside_the_graph_and_two_are_compared(
    chain: list[str], server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "lineage")
    rows = tab.main.locator(".links > li")
    expect(rows).to_have_count(80)
    expect(rows.nth(0)).to_contain_text(HOSTILE)
    expect(tab.main.locator(".wide-lanes circle")).to_have_count(80)
    assert len({one.get_attribute("cx") for one in tab.main.locator(".wide-lanes circle").all()[:5]}) == 2
    expect(rows.nth(1)).to_contain_text("fix")
    expect(rows.nth(1)).to_contain_text("on laptop")
    tab.page.keyboard.press("j")
    tab.page.keyboard.press("j")
    tab.page.keyboard.press("Enter")
    beside = tab.main.locator("#handoff")
    expect(beside.locator("h2")).to_have_text(f"Step {MANY - 1}")
    expect(beside).to_contain_text(f"Finished step {MANY - 1}")
    expect(beside).to_contain_text("written by claude-code")
    expect(beside).to_contain_text(f"Step {MANY - 2}")
    expect(tab.page).to_have_url(re.compile(rf"one=.*{chain[-2]}"))
    for _ in range(3):
        tab.page.keyboard.press("j")
    tab.page.keyboard.press("c")
    expect(beside.locator("h2")).to_have_text("Compared")
    expect(beside).to_contain_text("The newer one continues the older one, over 3 handoffs.")
    expect(beside).to_contain_text(f"Step {MANY - 3} keeps the table, because readers need it")
    expect(beside.locator(".diff .added").first).to_contain_text(f"new: Finished step {MANY - 1}")
    expect(beside.locator(".diff .removed").first).to_contain_text(f"not said any more: Finished step {MANY - 4}")
    expect(beside.locator(".diff")).to_contain_text(["settled, or not said any more: Ask about the dump"])
    tab.page.reload()
    expect(beside.locator("h2")).to_have_text("Compared")
    tab.page.go_back()
    expect(beside.locator("h2")).to_have_text(f"Step {MANY - 1}")


def test_older_handoffs_are_a_page_further_and_a_new_one_appears_by_itself(
    chain: list[str], home: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "lineage")
    rows = tab.main.locator(".links > li")
    tab.main.get_by_role("link", name="20 older").click()
    expect(rows).to_have_count(20)
    expect(rows.last).to_contain_text("Step 1")
    tab.main.get_by_role("link", name="Newer").click()
    expect(rows).to_have_count(80)
    memory = Memory.open(str(home.vault), str(home.project), env=home.env)
    memory.sessions.handoff(
        '{"title": "Just now", "done": ["All of it"], "next_steps": ["Run make test"]}', anyway=True
    )
    expect(rows.first).to_contain_text("Just now")
    expect(rows.nth(1)).to_contain_text(HOSTILE)
    assert len(memory.sessions.handoffs()) == len(chain) + 1


def test_on_a_phone_the_chain_is_a_list_with_one_narrow_lane(
    chain: list[str], server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "lineage", width=390)
    expect(tab.main.locator(".links > li").first).to_be_visible()
    expect(tab.main.locator(".narrow-lanes")).to_be_visible()
    expect(tab.main.locator(".wide-lanes")).to_be_hidden()
    tab.main.get_by_role("link", name=f"Step {MANY - 1}", exact=True).click()
    expect(tab.main.locator("#handoff h2")).to_be_in_viewport()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert chain


def test_a_handoff_outside_of_the_chain_is_not_found(chain: list[str], tab: Tab) -> None:
    folder = chain and "..%2F..%2Frules"
    tab.page.evaluate(f"htmx.ajax('GET', '/page/lineage/one?one={folder}%2Fx', {{ target: '#main', swap: 'none' }})")
    tab.says("There is no such handoff")


def test_without_a_handoff_the_page_says_when_one_is_written(tab: Tab) -> None:
    tab.go("lineage")
    expect(tab.main).to_contain_text("No handoff yet")
